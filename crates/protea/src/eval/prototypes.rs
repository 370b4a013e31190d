//! Which prototypes earn their place.

use crate::model::Winner;
use crate::{Dataset, Float, Model, Result};
use serde::Serialize;

/// What one prototype does on labelled samples, under the nearest-prototype rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrototypeUse {
    /// Index of the prototype.
    pub prototype: usize,
    /// Name of its class.
    pub class: String,
    /// Samples that it is nearest to, and so answers for.
    pub answers: usize,
    /// Those of them that are of another class.
    pub wrong: usize,
    /// Errors that would come in if it were removed; negative where errors would go.
    ///
    /// Exact: only the samples that it answers for change hands, and each goes to its second nearest prototype.
    pub added_errors: i64,
    /// Share of the training samples that it answers for under the soft rule.
    pub importance: f64,
}

/// Use of every prototype, in the model's order.
pub fn prototype_uses<F: Float>(model: &Model<F>, data: &Dataset<F>) -> Result<Vec<PrototypeUse>> {
    Ok(count_uses(model, &model.winners(data.x.view())?, &data.y))
}

/// Use of every prototype, from the winners of samples of the classes `y`.
pub(super) fn count_uses<F: Float>(model: &Model<F>, winners: &[Winner], y: &[usize]) -> Vec<PrototypeUse> {
    let unused = |(prototype, &class): (usize, &usize)| PrototypeUse {
        prototype,
        class: model.classes()[class].clone(),
        answers: 0,
        wrong: 0,
        added_errors: 0,
        importance: model.importance()[prototype],
    };
    let mut uses: Vec<PrototypeUse> = model.prototypes().y.iter().enumerate().map(unused).collect();
    winners.iter().zip(y).for_each(|(w, &y)| count(&mut uses[w.nearest.prototype], w, y));
    uses
}

/// Counts one sample of class `y` for the prototype that won it.
fn count(winner: &mut PrototypeUse, w: &Winner, y: usize) {
    let wrong = w.nearest.class != y;
    // Without a second there is no answer, which is an error too.
    let wrong_without = w.second.is_none_or(|s| s.class != y);
    winner.answers += 1;
    winner.wrong += usize::from(wrong);
    winner.added_errors += i64::from(wrong_without) - i64::from(wrong);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trainer;
    use ndarray::array;

    #[test]
    fn removal_is_counted_as_on_paper() {
        // Prototypes on a line: a at 0, b at 2, a at 10.
        let classes = vec!["a".to_string(), "b".to_string()];
        let train = Dataset::new(array![[0.0f64], [2.0], [10.0]], vec![0, 1, 0], classes.clone()).unwrap();
        let model = Trainer::named("knn").and_then(|t| t.set("scale", "none")).unwrap().fit(&train).unwrap();
        // Nearest, then second: 0 and 2 for the first two; 2 and 0; 2 and 10; 10 and 2 twice.
        let x = array![[-1.0], [0.5], [1.8], [5.5], [9.0], [11.0]];
        let data = Dataset::new(x, vec![0, 1, 1, 0, 0, 1], classes).unwrap();
        let uses = prototype_uses(&model, &data).unwrap();
        let counts: Vec<_> = uses.iter().map(|u| (&*u.class, u.answers, u.wrong, u.added_errors)).collect();
        // Without the first: −1 turns wrong, 0.5 right. Without b: 1.8 turns wrong, 5.5 right.
        // Without the last: 9 turns wrong, 11 right.
        assert_eq!(counts, [("a", 2, 1, 0), ("b", 2, 1, 0), ("a", 2, 1, 0)]);
        let easy = data.select(&[0, 2, 4]);
        let added: Vec<i64> = prototype_uses(&model, &easy).unwrap().iter().map(|u| u.added_errors).collect();
        assert_eq!(added, [1, 1, 1]);
    }
}
