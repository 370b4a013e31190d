//! The nearest prototype of the own class and of any other: the one search behind every pairwise criterion.

use super::Sample;
use crate::Float;
use crate::kernel::{Kernel, place, row_argmin, row_min, simd};
use std::ops::Range;

/// Nearest prototype of the sample's class and nearest of the others; no other where all prototypes are of its class.
pub(crate) fn nearest_pair<F: Float>(s: &Sample<F>) -> (usize, Option<usize>) {
    simd::run(NearestPair { d: s.d, own: s.classes.range(s.y) })
}

/// The whole search as one loop nest, since it is made for every sample.
struct NearestPair<'a, F> {
    d: &'a [F],
    own: Range<usize>,
}

impl<F: Float> Kernel for NearestPair<'_, F> {
    type Output = (usize, Option<usize>);

    #[inline(always)]
    fn run(self) -> Self::Output {
        let NearestPair { d, own } = self;
        let (before, after) = (&d[..own.start], &d[own.end..]);
        let nearest = own.start + row_argmin(&d[own.clone()]);
        let (least_before, least_after) = (row_min(before), row_min(after));
        let rival = if before.is_empty() && after.is_empty() {
            None
        } else if least_before <= least_after && !before.is_empty() {
            Some(place(before, least_before))
        } else {
            Some(own.end + place(after, least_after))
        };
        (nearest, rival)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ClassLayout;
    use crate::rng;
    use rand::RngExt;

    /// Rows of every length around the width of the vectors, against plain searches; few values, so that ties are common.
    #[test]
    fn long_rows_are_searched_like_short_ones() {
        let mut random = rng(1, "test");
        for m in 1..80 {
            let y: Vec<usize> = (0..m).map(|j| 3 * j / m).collect();
            let classes = ClassLayout::new(&y, 3);
            let d: Vec<f32> = (0..m).map(|_| random.random_range(1..40) as f32).collect();
            let first = |which: &dyn Fn(usize) -> bool| {
                (0..m).filter(|&j| which(y[j])).min_by(|&a, &b| d[a].total_cmp(&d[b]).then(a.cmp(&b)))
            };
            for c in (0..3).filter(|&c| !classes.range(c).is_empty()) {
                let found = nearest_pair(&Sample { d: &d, y: c, classes: &classes, gamma: 1.0 });
                assert_eq!(found, (first(&|k| k == c).unwrap(), first(&|k| k != c)));
            }
        }
    }

    #[test]
    fn the_rival_is_the_nearest_of_all_other_classes() {
        let classes = ClassLayout::new(&[0, 0, 1, 2, 2], 3);
        let d = [3.0, 2.0, 5.0, 1.0, 4.0];
        let pair = |y| nearest_pair(&Sample { d: &d, y, classes: &classes, gamma: 1.0 });
        assert_eq!(pair(0), (1, Some(3)));
        assert_eq!(pair(1), (2, Some(3)));
        assert_eq!(pair(2), (3, Some(1)));
        let one = ClassLayout::new(&[0; 5], 1);
        assert_eq!(nearest_pair(&Sample { d: &d, y: 0, classes: &one, gamma: 1.0 }), (3, None));
    }
}
