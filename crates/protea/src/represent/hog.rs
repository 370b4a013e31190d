//! HOG: an image as histograms of the directions of its edges.
//!
//! With central differences `g` (pixels beyond the border repeat it), every pixel gives its `|g|` to the two nearest of the
//! directions `(b + ½) π / bins`, in proportion; a direction and its opposite are the same. Sums over cells of `side × side` pixels are
//! put together in blocks of `block × block` cells, one cell apart, and each block is brought to length 1, cut at 0.2, and
//! brought to length 1 again. Pixels that fill no cell are left out.
//!
//! # Reference
//! Dalal, Triggs: "Histograms of Oriented Gradients for Human Detection", CVPR 2005.
//!
//! # Departures
//! A pixel counts for its own cell alone, and there is no Gaussian window over a block.

use super::{ImageSize, Nature, Step, rows_of};
use crate::kernel::BLOCK;
use crate::kernel::parallel::*;
use crate::plan::{Op, Plan};
use crate::settings::SettingValue;
use crate::store::Stored;
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView2};
use std::f64::consts::PI;

/// Largest share of one direction in a block.
const CUT: f64 = 0.2;
/// Keeps even blocks at zero.
const EVEN: f64 = 1e-5;

/// Layout of the histograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hog {
    /// Width and height of the image.
    pub size: ImageSize,
    /// Pixels of a cell's side.
    pub side: usize,
    /// Cells of a block's side.
    pub block: usize,
    /// Directions.
    pub bins: usize,
}

impl Hog {
    /// Cells of 4 × 4 pixels, blocks of 2 × 2 cells, 8 directions; refuses images that hold no block.
    pub fn new(size: ImageSize) -> Result<Self> {
        let hog = Hog { size, side: 4, block: 2, bins: 8 };
        if hog.is_sound() {
            return Ok(hog);
        }
        let ImageSize { width, height } = size;
        Err(Error::setting("hog", format!("true for images of {width}x{height}"), "at least 8x8 pixels"))
    }

    /// Whether the image holds a block, and the numbers are small enough to count with.
    pub(crate) fn is_sound(&self) -> bool {
        let Hog { size, side, block, bins } = *self;
        let parts = [size.width, size.height, side, block, bins];
        let small = parts.iter().all(|&v| (1..=1 << 15).contains(&v)) && block <= 64 && bins <= 256;
        small && size.width / side >= block && size.height / side >= block
    }

    /// Blocks across and down.
    fn blocks(&self) -> (usize, usize) {
        let count = |pixels: usize| pixels / self.side + 1 - self.block;
        (count(self.size.width), count(self.size.height))
    }

    /// Features that come out.
    pub fn output_dim(&self) -> usize {
        let (across, down) = self.blocks();
        across * down * self.block * self.block * self.bins
    }

    /// Histograms of all images.
    pub fn apply<F: Float>(&self, x: ArrayView2<F>) -> Array2<F> {
        let (n, dim) = (x.nrows(), self.output_dim());
        let mut out = Array2::zeros((n, dim));
        if let Some(out) = out.as_slice_mut() {
            out.par_chunks_mut(BLOCK * dim).enumerate().for_each(|(b, rows)| {
                for (k, row) in rows.chunks_exact_mut(dim).enumerate() {
                    let image: Vec<f64> = x.row(b * BLOCK + k).iter().map(|v| v.f64()).collect();
                    self.describe(&self.cells(&image), row);
                }
            });
        }
        out
    }

    /// Histogram of each cell, row by row.
    fn cells(&self, image: &[f64]) -> Vec<f64> {
        let ImageSize { width, height } = self.size;
        let (across, down) = (width / self.side, height / self.side);
        let mut cells = vec![0.0; across * down * self.bins];
        for y in 0..down * self.side {
            for x in 0..across * self.side {
                let gx = image[y * width + (x + 1).min(width - 1)] - image[y * width + x.saturating_sub(1)];
                let gy = image[(y + 1).min(height - 1) * width + x] - image[y.saturating_sub(1) * width + x];
                let strength = gx.hypot(gy);
                if strength == 0.0 {
                    continue;
                }
                let turn = gy.atan2(gx).rem_euclid(PI) / PI * self.bins as f64 - 0.5;
                let (low, share) = (turn.floor(), turn - turn.floor());
                let bin = (low + self.bins as f64) as usize % self.bins;
                let cell = (y / self.side * across + x / self.side) * self.bins;
                cells[cell + bin] += (1.0 - share) * strength;
                cells[cell + (bin + 1) % self.bins] += share * strength;
            }
        }
        cells
    }

    /// Blocks of cells, each of length 1.
    fn describe<F: Float>(&self, cells: &[f64], out: &mut [F]) {
        let cells_across = self.size.width / self.side;
        let (across, _) = self.blocks();
        let size = self.block * self.block * self.bins;
        for (b, out) in out.chunks_exact_mut(size).enumerate() {
            let (x, y) = (b % across, b / across);
            let mut block: Vec<f64> = (0..self.block)
                .flat_map(|row| {
                    let start = ((y + row) * cells_across + x) * self.bins;
                    &cells[start..start + self.block * self.bins]
                })
                .copied()
                .collect();
            for cut in [CUT, f64::INFINITY] {
                let length = (block.iter().map(|v| v * v).sum::<f64>() + EVEN * EVEN).sqrt();
                block.iter_mut().for_each(|v| *v = (*v / length).min(cut));
            }
            out.iter_mut().zip(block).for_each(|(o, v)| *o = F::of(v));
        }
    }
}

impl<F: Float> Step<F> for Hog {
    fn output_dim(&self, input: usize) -> Option<usize> {
        let fits = self.is_sound() && self.size.width * self.size.height == input;
        fits.then(|| Hog::output_dim(self))
    }

    fn apply(&self, x: Array2<F>) -> Array2<F> {
        Hog::apply(self, x.view())
    }

    fn apply_rows(&self, rows: &mut Vec<F>, dim: usize) -> usize {
        let z = Hog::apply(self, rows_of(rows, dim).view());
        *rows = z.into_raw_vec_and_offset().0;
        Hog::output_dim(self)
    }

    fn nature(&self) -> Nature {
        Nature::Other
    }

    fn mixes(&self) -> bool {
        true
    }

    fn image(&self) -> Option<ImageSize> {
        Some(self.size)
    }

    fn size(&self) -> usize {
        1
    }

    fn describe(&self) -> String {
        let blocks = Hog::output_dim(self) / (self.block * self.block * self.bins);
        format!("edges of {} in {blocks} blocks", self.size.show())
    }

    fn store(&self) -> Stored<F> {
        Stored::new("hog")
            .with("width", self.size.width)
            .with("height", self.size.height)
            .with("side", self.side)
            .with("block", self.block)
            .with("bins", self.bins)
    }

    fn lower(&self, _: &mut Plan) -> Result<Op> {
        let (ImageSize { width, height }, Hog { side, block, bins, .. }) = (self.size, *self);
        Ok(Op::Hog { width, height, side, block, bins })
    }

    fn boxed(&self) -> Box<dyn Step<F>> {
        Box::new(*self)
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Step<F>>> {
    let size = ImageSize { width: stored.count("width")?, height: stored.count("height")? };
    let (side, block, bins) = (stored.count("side")?, stored.count("block")?, stored.count("bins")?);
    Ok(Box::new(Hog { size, side, block, bins }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_papers() {
        let dim = |width, height| Hog::new(ImageSize { width, height }).map(|h| h.output_dim());
        assert_eq!(dim(32, 32).unwrap(), 1568);
        assert_eq!(dim(8, 11).unwrap(), 32);
        assert!(dim(7, 32).is_err());
    }

    /// A step from left to right has gradients along x alone: half of each goes to the first direction, half to the last.
    #[test]
    fn an_upright_edge_fills_the_directions_beside_it() {
        let size = ImageSize { width: 8, height: 8 };
        let x = Array2::from_shape_fn((1, 64), |(_, i)| if i % 8 < 4 { 0.0 } else { 50.0 });
        let z = Hog::new(size).unwrap().apply(x.view());
        // Four cells, eight equal values in all: 1/√8 is above the cut, so all become equal again.
        let expected = 1.0 / 8f64.sqrt();
        for (k, v) in z.iter().enumerate() {
            let wanted = if k % 8 == 0 || k % 8 == 7 { expected } else { 0.0 };
            assert!((v - wanted).abs() < 1e-6, "{k}: {v}");
        }
        let even = Hog::new(size).unwrap().apply(Array2::<f32>::ones((1, 64)).view());
        assert!(even.iter().all(|&v| v == 0.0));
    }
}
