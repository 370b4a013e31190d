//! Counts as a threshold falls.

/// What has a score of at least `threshold`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub threshold: f64,
    /// Items of the kind that should score high.
    pub wanted: usize,
    /// All others.
    pub unwanted: usize,
}

/// One step for each distinct score, from the highest to the lowest.
///
/// Equal scores cannot be told apart by any threshold, so they come in one step; the order of the items does not matter.
pub(super) fn steps(scores: &[f64], wanted: &[bool]) -> Vec<Step> {
    let mut items: Vec<(f64, bool)> = scores.iter().copied().zip(wanted.iter().copied()).collect();
    items.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let (mut yes, mut no) = (0, 0);
    let groups = items.chunk_by(|a, b| a.0 == b.0);
    groups
        .map(|group| {
            let own = group.iter().filter(|item| item.1).count();
            yes += own;
            no += group.len() - own;
            Step { threshold: group[0].0, wanted: yes, unwanted: no }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_make_one_step_in_any_order() {
        let expected = [(0.9, 1, 0), (0.5, 2, 2), (0.1, 3, 2)];
        let expected = expected.map(|(threshold, wanted, unwanted)| Step { threshold, wanted, unwanted });
        assert_eq!(steps(&[0.5, 0.9, 0.5, 0.1, 0.5], &[true, true, false, true, false]), expected);
        assert_eq!(steps(&[0.5, 0.5, 0.1, 0.5, 0.9], &[false, false, true, true, true]), expected);
        assert!(steps(&[], &[]).is_empty());
    }
}
