//! Bags of descriptors: an image as the set of its patches, each of them coded.
//!
//! Two ways to a class. **Naive Bayes**: every patch votes with the weights of its code, by the class of the image that an atom comes from,
//! `score_c = Σ_patches Σ_{j of c} w_j`. **Pyramid**: the codes are features themselves; the largest weight of each atom is taken over
//! the whole image, its quarters, its sixteenths, and a linear machine decides.
//!
//! # Reference
//! Timofte, Van Gool: "Iterative Nearest Neighbors", Pattern Recognition 48, 2015, in the place of the local codes of Boiman, Shechtman,
//! Irani: "In Defense of Nearest-Neighbor Based Image Classification", CVPR 2008, and Yang, Yu, Gong, Huang: "Linear Spatial
//! Pyramid Matching Using Sparse Coding for Image Classification", CVPR 2009.
//!
//! # Departures
//! Reconstructed from the abstract. Descriptors are patches of grey values around their mean, of length 1.

use super::Code;
use crate::represent::ImageSize;
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView2};

/// Patches of one size at regular places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patches {
    image: ImageSize,
    side: usize,
    step: usize,
}

impl Patches {
    /// Square patches of `side` pixels, `step` apart; refuses a patch that does not fit.
    pub fn new(image: ImageSize, side: usize, step: usize) -> Result<Self> {
        let most = image.width.min(image.height);
        if side == 0 || side > most {
            return Err(Error::setting("patch", side, format!("a side of 1 to {most} pixels")));
        }
        if step == 0 {
            return Err(Error::setting("step", step, "at least 1 pixel"));
        }
        Ok(Patches { image, side, step })
    }

    /// Middle of each patch, as shares of width and height.
    pub fn places(&self) -> Vec<(f64, f64)> {
        let middle = |at: usize, size: usize| (at as f64 + self.side as f64 / 2.0) / size as f64;
        let (w, h) = (self.image.width, self.image.height);
        self.corners().map(|(x, y)| (middle(x, w), middle(y, h))).collect()
    }

    /// Number of patches of an image.
    pub fn count(&self) -> usize {
        self.corners().count()
    }

    fn corners(&self) -> impl Iterator<Item = (usize, usize)> {
        let Patches { image, side, step } = *self;
        let rows = (0..=image.height - side).step_by(step);
        rows.flat_map(move |y| (0..=image.width - side).step_by(step).map(move |x| (x, y)))
    }

    /// Descriptors of all images, those of an image one after the other: each patch less its mean, of length 1; an even patch is
    /// all zeros.
    pub fn descriptors<F: Float>(&self, images: ArrayView2<F>) -> Result<Array2<F>> {
        let pixels = self.image.width * self.image.height;
        if images.ncols() != pixels {
            let (expected, found) = (pixels, images.ncols());
            return Err(Error::Features { source_name: "the images".into(), expected, found });
        }
        let mut values = Vec::with_capacity(images.nrows() * self.count() * self.side * self.side);
        for image in images.rows() {
            for (x, y) in self.corners() {
                let at = |k: usize| image[(y + k / self.side) * self.image.width + x + k % self.side].f64();
                let patch: Vec<f64> = (0..self.side * self.side).map(at).collect();
                let mean = patch.iter().sum::<f64>() / patch.len() as f64;
                let size = patch.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>().sqrt();
                let factor = if size > 1e-9 * mean.abs() { 1.0 / size } else { 0.0 };
                values.extend(patch.iter().map(|v| F::of((v - mean) * factor)));
            }
        }
        let shape = (images.nrows() * self.count(), self.side * self.side);
        Ok(Array2::from_shape_vec(shape, values)?)
    }
}

/// Sum of the weights of each class over the codes of one bag; `labels` are the classes of the atoms.
pub fn naive_bayes<F: Float>(bag: &[Code<F>], labels: &[usize], n_classes: usize) -> Vec<f64> {
    let mut scores = vec![0.0; n_classes];
    for code in bag {
        code.atoms.iter().zip(&code.weights).for_each(|(&j, w)| scores[labels[j]] += w.f64());
    }
    scores
}

/// Largest weight of each of `atoms` atoms over the cells of 1 × 1, 2 × 2, … `2^(levels−1)` squared cells, of length 1: sparse
/// entries, ascending, as [`Rows`](crate::svm::Rows) takes them.
pub fn pyramid<F: Float>(
    bag: &[Code<F>],
    places: &[(f64, f64)],
    atoms: usize,
    levels: u32,
) -> Vec<(u32, f64)> {
    let mut entries = std::collections::BTreeMap::<u32, f64>::new();
    let mut first = 0;
    for side in (0..levels).map(|level| 1usize << level) {
        let cell = |share: f64| ((share * side as f64) as usize).min(side - 1);
        for (code, &(x, y)) in bag.iter().zip(places) {
            let at = first + (cell(y) * side + cell(x)) * atoms;
            for (&j, w) in code.atoms.iter().zip(&code.weights) {
                let most = entries.entry((at + j) as u32).or_insert(0.0);
                *most = most.max(w.f64());
            }
        }
        first += side * side * atoms;
    }
    let size = entries.values().map(|v| v * v).sum::<f64>().sqrt();
    entries.into_iter().filter(|(_, v)| *v > 0.0).map(|(k, v)| (k, v / size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn patches_stand_where_they_should() {
        let patches = Patches::new(ImageSize { width: 3, height: 2 }, 2, 1).unwrap();
        assert_eq!(patches.count(), 2);
        assert_eq!(patches.places(), [(1.0 / 3.0, 0.5), (2.0 / 3.0, 0.5)]);
        // The first patch is 0 2 / 0 2, the second even.
        let d = patches.descriptors(array![[0.0, 2.0, 2.0, 0.0, 2.0, 2.0]].view()).unwrap();
        assert_eq!(d, array![[-0.5, 0.5, -0.5, 0.5], [0.0, 0.0, 0.0, 0.0]]);
        assert!(patches.descriptors(array![[1.0, 2.0]].view()).is_err());
        assert!(Patches::new(ImageSize { width: 3, height: 2 }, 3, 1).is_err());
    }

    #[test]
    fn bags_vote_and_pyramids_pool() {
        let code = |atom, w| Code { atoms: vec![atom, 2], weights: vec![w, 0.1], residual: 0.0 };
        let bag = [code(0, 0.5), code(1, 0.3), code(0, 0.2)];
        let votes = naive_bayes(&bag, &[1, 0, 0], 2);
        assert!((votes[0] - 0.6f64).abs() < 1e-12 && (votes[1] - 0.7).abs() < 1e-12);
        let places = [(0.1, 0.1), (0.9, 0.1), (0.2, 0.9)];
        let entries = pyramid(&bag, &places, 3, 2);
        let size = entries.iter().find(|(k, _)| *k == 0).map(|(_, v)| 0.5 / v).unwrap();
        let raw: Vec<(u32, i64)> =
            entries.iter().map(|(k, v)| (*k, (v * size * 10.0).round() as i64)).collect();
        // All: 5, 3, 1. Upper left: atoms 0 and 2; upper right: 1 and 2; lower left: 0 and 2.
        assert_eq!(raw, [(0, 5), (1, 3), (2, 1), (3, 5), (5, 1), (7, 3), (8, 1), (9, 2), (11, 1)]);
    }
}
