//! Weights of classes: for those that are rare, or costly to miss.

use crate::settings::SettingValue;
use crate::{Dataset, Error, Float, Result};
use ndarray::ArrayView2;

/// How much each class weighs when a model decides: `balanced`, or a number for each, `A=5,*=1`.
#[derive(Debug, Clone, PartialEq)]
pub enum ClassWeights {
    /// As if all classes had the same number of training samples.
    Balanced,
    /// By name; all others have the last number.
    Named(Vec<(String, f64)>, f64),
}

impl ClassWeights {
    /// The weight of each class of these samples.
    pub fn of<F: Float>(&self, data: &Dataset<F>) -> Result<Vec<f64>> {
        match self {
            ClassWeights::Balanced => {
                let mut counts = vec![0.0; data.n_classes()];
                data.y.iter().enumerate().for_each(|(i, &c)| counts[c] += data.weight(i));
                let mean = counts.iter().sum::<f64>() / counts.len() as f64;
                Ok(counts.iter().map(|n| mean / n).collect())
            }
            ClassWeights::Named(named, rest) => {
                if let Some((name, _)) = named.iter().find(|(n, _)| !data.classes.contains(n)) {
                    let known = data.classes.join(", ");
                    return Err(Error::UnknownName { what: "class", name: name.clone(), known });
                }
                let weight = |class| named.iter().find(|(n, _)| n == class).map_or(*rest, |(_, w)| *w);
                Ok(data.classes.iter().map(weight).collect())
            }
        }
    }
}

impl SettingValue for ClassWeights {
    fn parse(text: &str) -> Option<Self> {
        if text == "balanced" {
            return Some(ClassWeights::Balanced);
        }
        let (mut named, mut rest) = (Vec::new(), 1.0);
        for part in text.split(',') {
            let (class, weight) = part.rsplit_once('=')?;
            let weight = weight.trim().parse().ok().filter(|w: &f64| *w > 0.0 && w.is_finite())?;
            match class.trim() {
                "*" => rest = weight,
                class => named.push((class.to_string(), weight)),
            }
        }
        Some(ClassWeights::Named(named, rest))
    }

    fn show(&self) -> String {
        match self {
            ClassWeights::Balanced => "balanced".into(),
            ClassWeights::Named(named, rest) => {
                let named = named.iter().map(|(class, w)| format!("{class}={w}"));
                named.chain([format!("*={rest}")]).collect::<Vec<_>>().join(",")
            }
        }
    }
}

/// Weights of classes for a matrix of costs: row `c`, column `j` is the cost of deciding `j` where `c` is true; nothing is paid on the
/// diagonal. A class weighs what its errors cost together, which is exact for two classes (Elkan: The Foundations of Cost-Sensitive
/// Learning, IJCAI 2001) and the rule of Breiman et al. (1984) for more.
pub(crate) fn weights_for_costs(costs: ArrayView2<f64>, n_classes: usize) -> Result<Vec<f64>> {
    if costs.dim() != (n_classes, n_classes) {
        let expected = format!("{n_classes} rows and columns, one of each for every class");
        return Err(Error::setting("costs", format!("{:?}", costs.dim()), expected));
    }
    let off = costs.indexed_iter().filter(|((c, j), _)| c != j);
    if off.clone().any(|(_, v)| !(*v >= 0.0 && v.is_finite())) || costs.diag().iter().any(|v| *v != 0.0) {
        let expected = "numbers ≥ 0, and 0 on the diagonal";
        return Err(Error::setting("costs", "the matrix", expected));
    }
    let sums: Vec<f64> = costs.rows().into_iter().map(|row| row.sum()).collect();
    if sums.contains(&0.0) {
        return Err(Error::setting("costs", "the matrix", "a cost above 0 in every row"));
    }
    let mean = sums.iter().sum::<f64>() / n_classes as f64;
    Ok(sums.iter().map(|s| s / mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn data() -> Dataset<f64> {
        let y = vec![0, 0, 0, 1];
        Dataset::new(Array2::zeros((4, 1)), y, vec!["A".into(), "B".into()]).unwrap()
    }

    #[test]
    fn weights_by_name_and_by_count() {
        let weights = |text: &str| ClassWeights::parse(text).unwrap().of(&data());
        assert_eq!(weights("B=5").unwrap(), [1.0, 5.0]);
        assert_eq!(weights("A=2,*=3").unwrap(), [2.0, 3.0]);
        assert_eq!(weights("balanced").unwrap(), [2.0 / 3.0, 2.0]);
        assert!(weights("C=2").unwrap_err().to_string().contains("unknown class \"C\""));
        for bad in ["", "5", "A", "A=0", "A=-1", "A=x"] {
            assert_eq!(ClassWeights::parse(bad), None, "{bad}");
        }
        for text in ["balanced", "A=2,*=3"] {
            assert_eq!(ClassWeights::parse(text).unwrap().show(), text);
        }
    }

    #[test]
    fn costs_become_weights_of_the_classes_that_they_are_paid_for() {
        assert_eq!(weights_for_costs(array![[0.0, 1.0], [9.0, 0.0]].view(), 2).unwrap(), [0.2, 1.8]);
        for bad in
            [array![[0.0, 1.0], [0.0, 0.0]], array![[1.0, 1.0], [1.0, 0.0]], array![[0.0, -1.0], [1.0, 0.0]]]
        {
            assert!(weights_for_costs(bad.view(), 2).is_err());
        }
        assert!(weights_for_costs(array![[0.0]].view(), 2).is_err());
    }
}
