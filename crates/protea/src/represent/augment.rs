//! Images as they might have been: each shifted, turned, scaled and slanted a little, anew whenever it is asked for.
//!
//! At strength `s` a pixel is read from `m + t + (1 + z) · [1 h; 0 1] · R(φ) (p − m)` with `m` the middle of the image and, all
//! uniform, shifts `t` up to `s/16` of the width and height, angles `φ` up to `0.12 s` radians, scales `z` up to `0.08 s` and
//! slants `h` up to `0.15 s`.

use super::warp::Warp;
use super::{Deskew, ImageSize, Nature, Pipeline};
use crate::kernel::parallel::*;
use crate::{Float, rng};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Largest shift, as a share of width and height.
const SHIFT: f64 = 1.0 / 16.0;
/// Largest angle, in radians.
const ANGLE: f64 = 0.12;
/// Largest change of scale.
const SCALE: f64 = 0.08;
/// Largest slant.
const SLANT: f64 = 0.15;

/// Training images that change a little whenever they are seen.
pub(crate) struct Augment<F: Float> {
    size: ImageSize,
    /// Images less their background.
    images: Array2<f32>,
    background: f64,
    strength: f64,
    /// What is done to an image after it was changed.
    rest: Pipeline<F>,
    pub rng: Xoshiro256PlusPlus,
}

impl<F: Float> Augment<F> {
    /// Over images of this size before preprocessing. Straightened images change after that: straightening would undo it.
    pub fn new(x: ArrayView2<F>, size: ImageSize, pipeline: &Pipeline<F>, strength: f64, seed: u64) -> Self {
        let straight = pipeline.steps.iter().take_while(|s| s.nature() == Nature::Image).count();
        let (first, rest) = pipeline.steps.split_at(straight);
        let x = Pipeline { steps: first.to_vec() }.apply(x.to_owned());
        let background = Deskew::learn(size, x.view()).background;
        let images = x.mapv(|v| (v.f64() - background) as f32);
        let rest = Pipeline { steps: rest.to_vec() };
        Augment { size, images, background, strength, rest, rng: rng(seed, "augment") }
    }

    /// These images, changed, after preprocessing.
    pub fn rows(&mut self, rows: &[usize]) -> Array2<F> {
        let warps: Vec<Warp> = rows.iter().map(|_| self.draw()).collect();
        let dim = self.images.ncols();
        let mut x = vec![F::zero(); rows.len() * dim];
        let change = |((out, &i), warp): ((&mut [F], &usize), &Warp)| {
            let image: Vec<f64> = self.images.row(i).iter().map(|&v| f64::from(v)).collect();
            let mut changed = vec![0.0; dim];
            warp.read(&image, self.size, &mut changed);
            out.iter_mut().zip(changed).for_each(|(o, v)| *o = F::of(v + self.background));
        };
        x.par_chunks_exact_mut(dim).zip(rows).zip(&warps).for_each(change);
        self.rest.apply(Array2::from_shape_fn((rows.len(), dim), |(i, j)| x[i * dim + j]))
    }

    fn draw(&mut self) -> Warp {
        let mut up_to = |most: f64| self.strength * most * self.rng.random_range(-1.0..1.0);
        let ImageSize { width, height } = self.size;
        let middle = Warp::middle(self.size);
        let from = (middle.0 + up_to(SHIFT) * width as f64, middle.1 + up_to(SHIFT) * height as f64);
        let (angle, scale, slant) = (up_to(ANGLE), 1.0 + up_to(SCALE), up_to(SLANT));
        let (sin, cos) = angle.sin_cos();
        let turn = [cos + slant * sin, -sin + slant * cos, sin, cos];
        Warp { from, turn: turn.map(|v| v * scale) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::represent::{Scale, Scaling, Step};

    fn images() -> Array2<f64> {
        Array2::from_shape_fn((3, 64), |(i, p)| if (p / 8 + i) % 4 == 0 && p % 8 > 2 { 5.0 } else { -1.0 })
    }

    #[test]
    fn without_strength_images_are_what_the_pipeline_makes_of_them() {
        let x = images();
        let size = ImageSize { width: 8, height: 8 };
        let deskew: Box<dyn Step<f64>> = Box::new(Deskew::learn(size, x.view()));
        let scale: Box<dyn Step<f64>> = Box::new(Scaling::learn(Scale::Global, x.view()));
        let pipeline = Pipeline { steps: vec![deskew, scale] };
        let rows = Augment::new(x.view(), size, &pipeline, 0.0, 1).rows(&[2, 0]);
        let plain = pipeline.apply(x);
        assert!((&rows.row(0) - &plain.row(2)).iter().all(|v| v.abs() < 1e-5));
        assert!((&rows.row(1) - &plain.row(0)).iter().all(|v| v.abs() < 1e-5));
    }

    #[test]
    fn images_change_a_little_and_never_the_same_way() {
        let x = images();
        let size = ImageSize { width: 8, height: 8 };
        let mut augment = Augment::new(x.view(), size, &Pipeline::default(), 1.0, 1);
        let (a, b) = (augment.rows(&[0]), augment.rows(&[0]));
        assert_ne!(a, b);
        let far = |a: &Array2<f64>, i: usize| (&a.row(0) - &x.row(i)).mapv(|v| v * v).sum();
        assert!(far(&a, 0) > 0.0 && far(&a, 0) < far(&a, 1).min(far(&a, 2)));
        assert!(a.iter().all(|v| (-1.0..=5.0).contains(v)));
    }
}
