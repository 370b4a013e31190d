//! Toy sets in the plane, for figures.
//!
//! | name | what |
//! |---|---|
//! | `toy-three` | three classes, each of three clusters that lie between those of the others; 900 training and 9000 test samples |
//! | `toy-ten` | ten classes, one overlapping cluster each, on a grid of 5 × 2; 1000 and 10000 samples |
//! | `toy-grid` | two classes, the 28 × 17 = 476 points of a grid on both sides of a wave; measured on the same points |
//!
//! The papers draw theirs without numbers to make them from: these are of the same kind, not the same.

use anyhow::{Result, bail};
use ndarray::Array2;
use protea::Dataset;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const NAMES: [&str; 3] = ["toy-three", "toy-ten", "toy-grid"];

/// Samples of each cluster to learn from; ten times as many are there to measure on.
const TRAIN: usize = 100;

/// Whether a data set is one of these.
pub fn is_toy(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Training and test samples.
pub fn draw(name: &str, seed: u64) -> Result<(Dataset<f32>, Dataset<f32>)> {
    // Clusters as centre and class.
    let (clusters, spread): (Vec<([f64; 2], usize)>, f64) = match name {
        // A grid of 3 × 3 in which every row and column has each class once.
        "toy-three" => {
            ((0..9).map(|k| ([(k % 3) as f64, (k / 3) as f64], (k % 3 + k / 3) % 3)).collect(), 0.25)
        }
        "toy-ten" => ((0..10).map(|k| ([(k % 5) as f64, (k / 5) as f64], k)).collect(), 0.35),
        "toy-grid" => return Ok((grid()?, grid()?)),
        _ => bail!("there is no toy {name}"),
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut sample = |per_cluster: usize| {
        let n = clusters.len() * per_cluster;
        let y = (0..n).map(|i| clusters[i / per_cluster].1).collect();
        let mut x = Array2::zeros((n, 2));
        for (i, mut row) in x.rows_mut().into_iter().enumerate() {
            let noise = normal_pair(&mut rng);
            for f in 0..2 {
                row[f] = (clusters[i / per_cluster].0[f] + spread * noise[f]) as f32;
            }
        }
        dataset(x, y)
    };
    Ok((sample(TRAIN)?, sample(10 * TRAIN)?))
}

fn grid() -> Result<Dataset<f32>> {
    let (width, height) = (28, 17);
    let x = Array2::from_shape_fn(
        (width * height, 2),
        |(i, f)| if f == 0 { i % width } else { i / width } as f32,
    );
    let above = |i: usize| {
        let wave = (std::f64::consts::TAU * (i % width) as f64 / width as f64).sin();
        usize::from((i / width) as f64 > 8.0 + 5.0 * wave)
    };
    dataset(x, (0..width * height).map(above).collect())
}

fn dataset(x: Array2<f32>, y: Vec<usize>) -> Result<Dataset<f32>> {
    let classes = y.iter().max().map_or(0, |c| c + 1);
    Ok(Dataset::new(x, y, (0..classes).map(|c| c.to_string()).collect())?)
}

/// Two independent normal deviates, by Box and Muller.
fn normal_pair(rng: &mut Xoshiro256PlusPlus) -> [f64; 2] {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * rng.random::<f64>()).sin_cos();
    [radius * sin, radius * cos]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toys_are_as_described_and_follow_their_seed() {
        for (name, sizes, classes) in
            [("toy-three", (900, 9000), 3), ("toy-ten", (1000, 10000), 10), ("toy-grid", (476, 476), 2)]
        {
            let (train, test) = draw(name, 1).unwrap();
            assert_eq!((train.len(), test.len()), sizes, "{name}");
            assert_eq!((train.n_classes(), train.dim()), (classes, 2), "{name}");
            assert_eq!(draw(name, 1).unwrap().0.x, train.x);
        }
        assert_ne!(draw("toy-ten", 1).unwrap().0.x, draw("toy-ten", 2).unwrap().0.x);
        let counts = draw("toy-grid", 0).unwrap().0.class_counts();
        assert!(counts.iter().all(|&n| n > 200), "{counts:?}");
    }
}
