//! The course of a training as model files keep it: columns of at most a hundred epochs.
//!
//! Up to a hundred epochs are kept in full. Of more, a hundred are kept, all but the last in six digits: all of them in full would be
//! most of a small model's file.

use crate::progress::Epoch;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// Epochs that a file keeps, at most.
const MOST: usize = 100;

/// One list for each field of [`Epoch`].
#[derive(Serialize, Deserialize)]
struct Columns {
    epoch: Vec<usize>,
    of: Vec<usize>,
    gamma: Vec<f64>,
    loss: Vec<f64>,
    train_error: Vec<f64>,
    /// Empty without validation samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    valid_error: Vec<Option<f64>>,
}

/// What a file may hold: columns, or whole epochs as older files do.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Columns(Columns),
    Epochs(Vec<Epoch>),
}

pub(super) fn serialize<S: Serializer>(history: &[Epoch], s: S) -> Result<S::Ok, S::Error> {
    let kept = thinned(history);
    let full = if kept.len() < history.len() { kept.len() - 1 } else { 0 };
    let short = |i: usize, v: f64| if i < full { six_digits(v) } else { v };
    let numbers = |of: fn(&Epoch) -> f64| kept.iter().enumerate().map(|(i, e)| short(i, of(e))).collect();
    let valid: Vec<Option<f64>> =
        kept.iter().enumerate().map(|(i, e)| e.valid_error.map(|v| short(i, v))).collect();
    Columns {
        epoch: kept.iter().map(|e| e.epoch).collect(),
        of: kept.iter().map(|e| e.of).collect(),
        gamma: numbers(|e| e.gamma),
        loss: numbers(|e| e.loss),
        train_error: numbers(|e| e.train_error),
        valid_error: if valid.iter().any(Option::is_some) { valid } else { Vec::new() },
    }
    .serialize(s)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Epoch>, D::Error> {
    let c = match Stored::deserialize(d)? {
        Stored::Epochs(epochs) => return Ok(epochs),
        Stored::Columns(columns) => columns,
    };
    let n = c.epoch.len();
    let lengths = [c.of.len(), c.gamma.len(), c.loss.len(), c.train_error.len()];
    if lengths.iter().any(|&l| l != n) || !(c.valid_error.is_empty() || c.valid_error.len() == n) {
        return Err(D::Error::custom("the columns of the history have different lengths"));
    }
    let epoch = |i: usize| Epoch {
        epoch: c.epoch[i],
        of: c.of[i],
        gamma: c.gamma[i],
        loss: c.loss[i],
        train_error: c.train_error[i],
        valid_error: c.valid_error.get(i).copied().flatten(),
    };
    Ok((0..n).map(epoch).collect())
}

/// The first and the last epoch, the one with the lowest validation error, and others at even distances.
fn thinned(history: &[Epoch]) -> Vec<Epoch> {
    let n = history.len();
    if n <= MOST {
        return history.to_vec();
    }
    let judged = (0..n).filter_map(|i| history[i].valid_error.map(|e| (e, i)));
    let best = judged.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, i)| i);
    // One place is left for the best.
    let mut kept: Vec<usize> = (0..MOST - 1).map(|k| k * (n - 1) / (MOST - 2)).chain(best).collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|i| history[i]).collect()
}

/// The number to six significant digits.
fn six_digits(v: f64) -> f64 {
    format!("{v:.5e}").parse().unwrap_or(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Holder(#[serde(with = "super")] Vec<Epoch>);

    fn epochs(n: usize, best: usize) -> Vec<Epoch> {
        let epoch = |i: usize| Epoch {
            epoch: i + 1,
            of: n,
            gamma: 1.0 + i as f64 / 3.0,
            loss: 1.0 / (i + 1) as f64,
            train_error: 0.1,
            valid_error: Some(if i == best { 0.05 } else { 0.2 }),
        };
        (0..n).map(epoch).collect()
    }

    #[test]
    fn a_file_keeps_the_ends_and_the_best_and_stays_small() {
        for (n, best) in [(1, 0), (100, 3), (101, 50), (5000, 1234)] {
            let json = serde_json::to_string(&Holder(epochs(n, best))).unwrap();
            let Holder(read) = serde_json::from_str(&json).unwrap();
            assert!(
                read.len() <= MOST && json.len() < if n > MOST { 6000 } else { 9000 },
                "{n}: {} bytes",
                json.len()
            );
            assert_eq!((read[0].epoch, read.last().unwrap().epoch), (1, n));
            assert!(read.iter().any(|e| e.valid_error == Some(0.05)), "{n}");
            assert!(read.iter().all(|e| (e.loss * e.epoch as f64 - 1.0).abs() < 1e-5));
            // Written again, it is the same.
            assert_eq!(serde_json::to_string(&Holder(read)).unwrap(), json);
        }
    }

    #[test]
    fn older_files_and_damaged_ones() {
        let old = r#"[{"epoch":1,"of":2,"gamma":1.5,"loss":0.5,"train_error":0.25,"valid_error":null}]"#;
        let Holder(read) = serde_json::from_str(old).unwrap();
        assert_eq!((read[0].gamma, read[0].valid_error), (1.5, None));
        let damaged = r#"{"epoch":[1,2],"of":[2,2],"gamma":[1],"loss":[1,1],"train_error":[0,0]}"#;
        assert!(serde_json::from_str::<Holder>(damaged).is_err());
    }
}
