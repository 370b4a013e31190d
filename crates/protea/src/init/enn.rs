//! Edited nearest neighbours: drops samples that their neighbours would decide otherwise.
//!
//! A sample stays when its class is the decision of its 3 nearest other samples. Where these are of three classes, the
//! nearest decides, as everywhere in protea. All samples are judged against the full set, so their order is of no account.
//! What is left has smoother borders and fewer mislabelled samples, but nearly all of its size: editing is a filter
//! before other methods more than a way to few prototypes.
//!
//! # Reference
//! Wilson: Asymptotic Properties of Nearest Neighbor Rules Using Edited Data, IEEE Trans. Systems, Man, and Cybernetics,
//! 1972.
//!
//! # Departures
//! A class that would lose all samples keeps the one closest to its mean.

use super::neighbours::{majority, neighbours, with_every_class};
use crate::{Dataset, Float};

/// Neighbours that vote.
pub(super) const K: usize = 3;

/// Samples to keep, ascending; when `cancelled`, also all that have not been judged.
pub(super) fn enn<F: Float>(data: &Dataset<F>, cancelled: &dyn Fn() -> bool) -> Vec<usize> {
    let all: Vec<usize> = (0..data.len()).collect();
    let agrees = |i: &usize, near: &[u32]| {
        let decided = majority(near.iter().map(|&j| data.y[j as usize]));
        decided.is_none_or(|c| c == data.y[*i])
    };
    let near = neighbours(data, &all, K, cancelled);
    let kept = all.into_iter().filter(|i| near.get(*i).is_none_or(|near| agrees(i, near))).collect();
    with_every_class(data, kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::on_a_line;

    #[test]
    fn a_stranger_is_dropped_and_with_it_nobody_else() {
        //                        0    1    2    3    4     5     6     7     8
        let data = on_a_line(&[0.0, 1.0, 2.0, 3.0, 1.4, 10.0, 11.0, 12.0, 13.0], "AAAABBBBB");
        // The B at 1.4 has the neighbours 1, 2, 0 of A. The A at 1 sees 1.4 (B), 0, 2: two votes for A.
        assert_eq!(enn(&data, &|| false), [0, 1, 2, 3, 5, 6, 7, 8]);
    }

    #[test]
    fn three_classes_among_three_neighbours_leave_it_to_the_nearest() {
        // Neighbours of the A at 0: A at 1, B at −2, C at 3.
        let data = on_a_line(&[0.0, 1.0, -2.0, 3.0], "AABC");
        // The lone B and C are outvoted, but keep the sample closest to their mean, themselves.
        assert_eq!(enn(&data, &|| false), [0, 1, 2, 3]);
        let data = on_a_line(&[0.0, 1.0, -2.0, 3.0, 9.0, 9.5, 10.0], "AABCCCC");
        assert_eq!(enn(&data, &|| false), [0, 1, 2, 4, 5, 6]);
    }
}
