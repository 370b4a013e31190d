//! The nearest prototype of the own class and of any other: the one search behind every pairwise criterion.

use super::Sample;
use crate::Float;
use crate::metric::{argmin, smallest};

/// Nearest prototype of the sample's class and nearest of the others; no other where all prototypes are of its class.
pub(crate) fn nearest_pair<F: Float>(s: &Sample<F>) -> (usize, Option<usize>) {
    let own = s.classes.range(s.y);
    let (before, after) = (&s.d[..own.start], &s.d[own.end..]);
    let nearest = own.start + argmin(&s.d[own.clone()]);
    let rival = if before.is_empty() && after.is_empty() {
        None
    } else if smallest(before) <= smallest(after) && !before.is_empty() {
        Some(argmin(before))
    } else {
        Some(own.end + argmin(after))
    };
    (nearest, rival)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::ClassLayout;

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
