//! The nearest prototype of a sample and those that stand behind it.

use super::{Model, Neighbour};
use crate::{Float, Result};
use ndarray::ArrayView2;

/// The nearest prototype of one sample, and who would answer in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Winner {
    /// The nearest prototype.
    pub nearest: Neighbour,
    /// The nearest of all others; none in a model of one prototype.
    pub second: Option<Neighbour>,
    /// The nearest of another class than that of `nearest`; none in a model of one class.
    pub rival: Option<Neighbour>,
}

impl<F: Float> Model<F> {
    /// Winner of each sample, whatever the model's rule; equal distances go to the lowest index.
    pub fn winners(&self, x: ArrayView2<F>) -> Result<Vec<Winner>> {
        self.blocks(x, |z, d| self.space.map_rows(z, d, |d| winner(d, &self.parts.prototypes.y)))
    }
}

/// Winner of one row of distances: one pass for the nearest, one for the two behind it.
fn winner<F: Float>(d: &[F], labels: &[usize]) -> Winner {
    let neighbour = |j: usize| Neighbour { prototype: j, class: labels[j], distance: d[j].f64() };
    let nearer = |best: Option<usize>, j: usize| best.filter(|&b| d[b] <= d[j]).or(Some(j));
    let nearest = (0..d.len()).fold(None, nearer).unwrap_or(0);
    let (mut second, mut rival) = (None, None);
    for j in (0..d.len()).filter(|&j| j != nearest) {
        second = nearer(second, j);
        if labels[j] != labels[nearest] {
            rival = nearer(rival, j);
        }
    }
    Winner { nearest: neighbour(nearest), second: second.map(neighbour), rival: rival.map(neighbour) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_and_rival_differ_where_a_class_stands_together() {
        let w = winner(&[0.5f32, 0.25, 2.0, 1.0], &[0, 0, 1, 1]);
        let places = |n: Option<Neighbour>| n.map(|n| (n.prototype, n.class, n.distance));
        assert_eq!(places(Some(w.nearest)), Some((1, 0, 0.25)));
        assert_eq!((places(w.second), places(w.rival)), (Some((0, 0, 0.5)), Some((3, 1, 1.0))));
    }

    #[test]
    fn ties_go_to_the_lowest_index_and_missing_ones_are_none() {
        let w = winner(&[1.0, 1.0, 1.0], &[2, 0, 1]);
        assert_eq!((w.nearest.prototype, w.second.map(|n| n.prototype)), (0, Some(1)));
        assert_eq!(w.rival.map(|n| n.prototype), Some(1));
        let w = winner(&[3.0, 1.0], &[0, 0]);
        assert_eq!((w.second.map(|n| n.prototype), w.rival), (Some(0), None));
        assert_eq!(winner(&[3.0], &[0]).second, None);
    }
}
