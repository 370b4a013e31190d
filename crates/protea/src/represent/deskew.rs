//! Straightens slanted images by their moments and centres them.
//!
//! With intensities above the background as mass, centre of mass `(m_x, m_y)` and shear `a = cov_xy / var_y`, each pixel
//! is read, bilinearly, from
//! ```text
//! x_src = m_x + (x − c_x) + a (y − c_y),     y_src = m_y + (y − c_y)
//! ```
//! where `(c_x, c_y)` is the middle of the image. It uses no labels.

use super::warp::Warp;
use super::{ImageSize, Nature, Step, in_place, rows_of};
use crate::plan::{Op, Plan};
use crate::settings::SettingValue;
use crate::store::Stored;
use crate::{Float, Result};
use ndarray::{Array2, ArrayView2, ArrayViewMut2};

/// A learned deskewing: image size and background value.
#[derive(Debug, Clone, PartialEq)]
pub struct Deskew {
    /// Width and height.
    pub size: ImageSize,
    /// Value of empty pixels: the lowest value of the training images.
    pub background: f64,
}

impl Deskew {
    /// Learns the background from training images.
    pub fn learn<F: Float>(size: ImageSize, x: ArrayView2<F>) -> Self {
        Deskew { size, background: x.iter().fold(f64::INFINITY, |m, v| m.min(v.f64())) }
    }

    /// Straightens images in place.
    pub fn apply<F: Float>(&self, mut x: ArrayViewMut2<F>) {
        let mut image = vec![0.0f64; x.ncols()];
        for mut row in x.rows_mut() {
            image.iter_mut().zip(&row).for_each(|(p, v)| *p = v.f64() - self.background);
            if let Some(straight) = self.straighten(&image) {
                row.iter_mut().zip(straight).for_each(|(v, s)| *v = F::of(s + self.background));
            }
        }
    }

    /// The straightened image over a background of 0; `None` for an empty one.
    fn straighten(&self, image: &[f64]) -> Option<Vec<f64>> {
        let width = self.size.width;
        let pixel = |i: usize| ((i % width) as f64, (i / width) as f64);
        let mass: f64 = image.iter().sum();
        if mass <= 0.0 {
            return None;
        }
        let moment = |f: &dyn Fn(f64, f64) -> f64| {
            image.iter().enumerate().map(|(i, v)| v * f(pixel(i).0, pixel(i).1)).sum::<f64>() / mass
        };
        let (mx, my) = (moment(&|x, _| x), moment(&|_, y| y));
        let var_y = moment(&|_, y| (y - my) * (y - my));
        let cov = moment(&|x, y| (x - mx) * (y - my));
        let shear = if var_y > 1e-9 { cov / var_y } else { 0.0 };
        let mut straight = vec![0.0; image.len()];
        Warp { from: (mx, my), turn: [1.0, shear, 0.0, 1.0] }.read(image, self.size, &mut straight);
        Some(straight)
    }
}

impl<F: Float> Step<F> for Deskew {
    fn output_dim(&self, input: usize) -> Option<usize> {
        (self.size.width.checked_mul(self.size.height) == Some(input)).then_some(input)
    }

    fn apply(&self, mut x: Array2<F>) -> Array2<F> {
        in_place(&mut x, |block| Deskew::apply(self, block));
        x
    }

    fn apply_rows(&self, rows: &mut Vec<F>, dim: usize) -> usize {
        Deskew::apply(self, rows_of(rows, dim));
        dim
    }

    fn nature(&self) -> Nature {
        Nature::Image
    }

    fn image(&self) -> Option<ImageSize> {
        Some(self.size)
    }

    fn size(&self) -> usize {
        1
    }

    fn describe(&self) -> String {
        format!("deskew {}", self.size.show())
    }

    fn store(&self) -> Stored<F> {
        let ImageSize { width, height } = self.size;
        Stored::new("deskew").with("width", width).with("height", height).with("background", self.background)
    }

    fn lower(&self, _: &mut Plan) -> Result<Op> {
        let ImageSize { width, height } = self.size;
        Ok(Op::Deskew { width, height, background: self.background })
    }

    fn boxed(&self) -> Box<dyn Step<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Step<F>>> {
    let size = ImageSize { width: stored.count("width")?, height: stored.count("height")? };
    Ok(Box::new(Deskew { size, background: stored.number("background")? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bar of slope 1 becomes upright in the middle; an upright one stays.
    #[test]
    fn a_slanted_bar_becomes_upright() {
        let size = ImageSize { width: 5, height: 5 };
        let slanted = Array2::from_shape_fn((1, 25), |(_, i)| if i % 5 == i / 5 { 7.0 } else { -1.0 });
        let deskew = Deskew::learn(size, slanted.view());
        assert_eq!(deskew.background, -1.0);
        let mut straight = slanted.clone();
        deskew.apply(straight.view_mut());
        let upright = Array2::from_shape_fn((1, 25), |(_, i)| if i % 5 == 2 { 7.0 } else { -1.0 });
        assert_eq!(straight, upright);
        deskew.apply(straight.view_mut());
        assert_eq!(straight, upright);
    }

    #[test]
    fn an_empty_image_stays_empty() {
        let mut x = Array2::<f32>::zeros((1, 9));
        Deskew { size: ImageSize { width: 3, height: 3 }, background: 0.0 }.apply(x.view_mut());
        assert_eq!(x, Array2::<f32>::zeros((1, 9)));
    }
}
