//! What coders that take one atom after the other share: one product for each step of a block of queries.

use super::dictionary::{Dictionary, length};
use crate::Float;
use crate::settings::settings;

settings! {
    /// Pursuits by correlation.
    pub struct Pursuit {
        /// Most atoms (training samples) in a code.
        atoms("atoms"): usize = 10, |v| (1..=100_000).contains(v), "a number from 1 to 100000";
        /// Stop early when the residual falls to this share of the query's length; 0 never does.
        stop_at("stop-at"): f64 = 0.0, |v| (0.0..1.0).contains(v), "a share from 0 to below 1";
    }
}

/// Takes up to `steps` atoms for each query of a block.
///
/// `take` sees the query's number, its products `alpha r·x_j` with all atoms and its residual `r`, which it lowers; it
/// returns `false` where nothing can be taken any more. Queries whose residual is at most `stop_at` of their length drop out
/// of the products. Returns the residuals, `n × dim`.
pub(super) fn pursue<F: Float>(
    dictionary: &Dictionary<F>,
    q: &[F],
    (steps, stop_at): (usize, f64),
    alpha: F,
    mut take: impl FnMut(usize, usize, &mut [F], &mut [F]) -> bool,
) -> Vec<F> {
    let (dim, m) = (dictionary.dim(), dictionary.len());
    let mut residuals = q.to_vec();
    let goals: Vec<f64> = q.chunks_exact(dim).map(|q| stop_at * length(q)).collect();
    let mut going: Vec<usize> = (0..goals.len()).collect();
    let (mut left, mut products) = (Vec::new(), Vec::new());
    for step in 0..steps {
        if going.is_empty() {
            break;
        }
        left.clear();
        going.iter().for_each(|&i| left.extend_from_slice(&residuals[i * dim..(i + 1) * dim]));
        dictionary.products(alpha, &left, &mut products);
        let mut rows = products.chunks_exact_mut(m);
        going.retain(|&i| {
            let (Some(p), r) = (rows.next(), &mut residuals[i * dim..(i + 1) * dim]) else { return false };
            take(i, step, p, r) && (stop_at == 0.0 || length(r) > goals[i])
        });
    }
    residuals
}

/// The atom with the largest `|r·x_j| / |x_j|`, the first of several; none if all are zero.
pub(super) fn most_correlated<F: Float>(products: &[F], squares: &[F], refused: &[usize]) -> Option<usize> {
    let mut best = (F::zero(), None);
    for (j, (&p, &s)) in products.iter().zip(squares).enumerate() {
        if p * p > best.0 * s && s > F::zero() && !refused.contains(&j) {
            best = (p * p / s, Some(j));
        }
    }
    best.1
}
