//! Small random problems for the test suites.

use ndarray::Array2;
use protea::Dataset;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Uniform numbers in [−1, 1).
pub fn uniform(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..n).map(|_| rng.random::<f64>() * 2.0 - 1.0).collect()
}

/// Overlapping Gaussian-like clouds, one for each class.
pub fn clouds(per_class: usize, dim: usize, classes: usize, seed: u64) -> Dataset<f64> {
    let noise = uniform(classes * per_class * dim, seed);
    let y: Vec<usize> = (0..classes * per_class).map(|i| i % classes).collect();
    let x = Array2::from_shape_fn((y.len(), dim), |(i, j)| {
        noise[i * dim + j] + if j % classes == y[i] { 0.8 } else { 0.0 }
    });
    Dataset::new(x, y, (0..classes).map(|c| format!("c{c}")).collect()).unwrap()
}

/// The same samples in `f32`.
pub fn narrow(data: &Dataset<f64>) -> Dataset<f32> {
    Dataset::new(data.x.mapv(|v| v as f32), data.y.clone(), data.classes.clone()).unwrap()
}
