//! The cheapest way to pair rows with columns of a matrix of costs.
//!
//! # Algorithm
//! Rows join one by one. Each is joined by the cheapest augmenting path under reduced costs `c_ij − u_i − v_j ≥ 0`, found as
//! shortest paths are: `O(n² m)` for `n ≤ m`.
//!
//! # Reference
//! Kuhn: The Hungarian Method for the Assignment Problem, Naval Research Logistics 2, 1955; Jonker, Volgenant: A Shortest Augmenting
//! Path Algorithm for Dense and Sparse Linear Assignment Problems, Computing 38, 1987.

/// For each of `rows` rows its column, at the lowest total of `cost(row, column)`; there are at least as many columns as rows.
pub(super) fn assign(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    debug_assert!(rows <= columns);
    // Row `rows` is no row: the start of every path stands in column `columns`.
    let (mut u, mut v) = (vec![0.0; rows + 1], vec![0.0; columns + 1]);
    let mut row_of = vec![rows; columns + 1];
    for row in 0..rows {
        row_of[columns] = row;
        let (mut shortest, mut from) = (vec![f64::INFINITY; columns], vec![columns; columns]);
        let mut done = vec![false; columns + 1];
        let mut at = columns;
        while row_of[at] != rows {
            done[at] = true;
            let (i, mut delta, mut next) = (row_of[at], f64::INFINITY, columns);
            for j in (0..columns).filter(|&j| !done[j]) {
                let reduced = cost(i, j) - u[i] - v[j];
                if reduced < shortest[j] {
                    (shortest[j], from[j]) = (reduced, at);
                }
                if shortest[j] < delta {
                    (delta, next) = (shortest[j], j);
                }
            }
            for j in 0..=columns {
                if done[j] {
                    u[row_of[j]] += delta;
                    v[j] -= delta;
                } else if j < columns {
                    shortest[j] -= delta;
                }
            }
            at = next;
        }
        // Back along the path.
        while at != columns {
            row_of[at] = row_of[from[at]];
            at = from[at];
        }
    }
    let mut column_of = vec![0; rows];
    (0..columns).filter(|&j| row_of[j] < rows).for_each(|j| column_of[row_of[j]] = j);
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// The lowest total over all ways, by trying them.
    fn by_trying(cost: &[Vec<f64>], row: usize, taken: &mut Vec<usize>) -> f64 {
        let Some(costs) = cost.get(row) else { return 0.0 };
        let mut best = f64::INFINITY;
        for (j, own) in costs.iter().enumerate() {
            if !taken.contains(&j) {
                taken.push(j);
                best = best.min(own + by_trying(cost, row + 1, taken));
                taken.pop();
            }
        }
        best
    }

    #[test]
    fn the_total_is_the_lowest_there_is() {
        let mut random = crate::rng(3, "assignment");
        for (rows, columns) in [(1, 1), (1, 4), (3, 3), (4, 6), (6, 6)] {
            for _ in 0..20 {
                // Whole numbers, so that there are ties.
                let cost: Vec<Vec<f64>> = (0..rows)
                    .map(|_| (0..columns).map(|_| (random.random::<f64>() * 6.0).floor()).collect())
                    .collect();
                let found = assign(rows, columns, |i, j| cost[i][j]);
                let mut different = found.clone();
                different.sort_unstable();
                different.dedup();
                assert_eq!(different.len(), rows, "{found:?}");
                let total: f64 = found.iter().enumerate().map(|(i, &j)| cost[i][j]).sum();
                assert_eq!(total, by_trying(&cost, 0, &mut Vec::new()), "{cost:?}");
            }
        }
        assert!(assign(0, 3, |_, _| 0.0).is_empty());
    }
}
