//! Where samples, metric and objective meet: value and gradient of a training criterion over a flat vector.
//!
//! ```text
//! θ = [prototypes | metric parameters]
//! for each shard (in parallel), for each block of its rows:
//!     d = metric.distances(block);  w = ∂L/∂d by objective.loss on every row;  metric.pull_back(block, w)
//! gradient = metric.gradient(sum of the partials, in the order of the shards)
//! ```
//! Shards and blocks depend on the number of rows alone, so the result is the same for any number of threads; memory is
//! bounded by the blocks of all shards whatever the number of samples.

use super::vary::Vary;
use crate::data::ClassLayout;
use crate::kernel::parallel::*;
use crate::kernel::smallest;
use crate::metric::{Metric, Scratch};
use crate::objective::{Objective, Sample};
use crate::optim::{Problem, ProblemState, Scheduled};
use crate::represent::Augment;
use crate::{Float, Result, normal_pair, rng};
use ndarray::ArrayView2;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::Range;

/// Rows of one product.
const BLOCK: usize = 64;
/// Most shards, and with that most threads, of one evaluation.
const LANES: usize = 32;
/// Most values of the table that input noise is read from.
const NOISE_TABLE: usize = 1 << 20;
/// Values of that table for each value of the samples, where these are few: making it should not take longer than training.
const NOISE_SHARE: usize = 16;

/// Mean loss of (a batch of) weighted samples as a function of prototypes and metric parameters.
pub struct TrainingProblem<'a, F: Float> {
    x: &'a [F],
    y: &'a [usize],
    weights: Option<&'a [f64]>,
    dim: usize,
    classes: &'a ClassLayout,
    objective: &'a dyn Objective<F>,
    metric: Box<dyn Metric<F>>,
    gamma: F,
    metric_rate: f64,
    frozen: bool,
    /// Smallest and largest value that each number of the prototypes may have.
    bounds: Option<Vec<(f64, f64)>>,
    noise: Option<Noise<F>>,
    vary: Option<Vary>,
    augment: Option<Augment<F>>,
    batch: Option<Batch<F>>,
    lanes: Vec<Lane<F>>,
    p: Vec<F>,
    params: Vec<F>,
    gp: Vec<F>,
    gm: Vec<F>,
    /// Weighted share of samples misplaced in the evaluations since it was last taken.
    errors: (f64, f64),
}

/// Samples of the current mini-batch, copied together.
#[derive(Default)]
struct Batch<F> {
    x: Vec<F>,
    y: Vec<usize>,
    weights: Vec<f64>,
}

/// A criterion at one θ: what every shard is evaluated by.
pub struct Criterion<'a, F: Float> {
    /// Loss of a sample by its distances.
    pub objective: &'a dyn Objective<F>,
    /// Classes of the prototypes.
    pub classes: &'a ClassLayout,
    /// The metric, set to θ.
    pub metric: &'a dyn Metric<F>,
    /// Inverse temperature.
    pub gamma: F,
}

/// A fixed block of rows.
pub struct Shard<'a, F> {
    /// Samples, row-major.
    pub x: &'a [F],
    /// Their classes.
    pub y: &'a [usize],
    /// Their weights; 1 where there are none.
    pub weights: Option<&'a [f64]>,
}

/// What one shard, or several, contribute to value and gradient: partials add up.
#[derive(Debug, Clone, PartialEq)]
pub struct Partial<F> {
    /// What the metric accumulates; [`Metric::gradient`] makes gradients of the sum.
    pub gradient: Vec<F>,
    /// Weighted sum of the losses.
    pub loss: f64,
    /// Weight of the samples nearer to another class.
    pub errors: f64,
    /// Weight of all samples.
    pub weight: f64,
}

/// What the evaluation of a shard writes to on the way; one for each thread.
pub struct Buffers<F> {
    d: Vec<F>,
    w: Vec<F>,
    per_class: Vec<F>,
    scratch: Scratch<F>,
}

/// One shard's place in an evaluation.
struct Lane<F> {
    partial: Partial<F>,
    buffers: Buffers<F>,
}

impl<F: Float> Partial<F> {
    /// Of no samples, for a metric that accumulates this many numbers.
    pub fn zero(length: usize) -> Self {
        Partial { gradient: vec![F::zero(); length], loss: 0.0, errors: 0.0, weight: 0.0 }
    }

    /// Adds the contribution of other samples. Sums of floating-point numbers depend on their order: it has to be fixed.
    pub fn add(&mut self, other: &Self) {
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(a, &b)| *a += b);
        self.loss += other.loss;
        self.errors += other.errors;
        self.weight += other.weight;
    }
}

impl<F: Float> Buffers<F> {
    /// For prototypes of these classes.
    pub fn new(classes: &ClassLayout) -> Self {
        let m = classes.of().len();
        Buffers {
            d: vec![F::zero(); BLOCK * m],
            w: vec![F::zero(); BLOCK * m],
            per_class: vec![F::zero(); 2 * classes.n_classes()],
            scratch: Scratch::default(),
        }
    }
}

impl<F: Float> Shard<'_, F> {
    /// The contribution of these rows, in place of what `partial` held.
    pub fn evaluate(&self, by: &Criterion<F>, buffers: &mut Buffers<F>, partial: &mut Partial<F>) {
        let (m, dim) = (by.classes.of().len(), by.metric.dim());
        (partial.loss, partial.errors, partial.weight) = (0.0, 0.0, 0.0);
        if self.y.is_empty() {
            partial.gradient.fill(F::zero());
        }
        for start in (0..self.y.len()).step_by(BLOCK) {
            let block = start..(start + BLOCK).min(self.y.len());
            let x = &self.x[block.start * dim..block.end * dim];
            let (d, w) = (&mut buffers.d[..block.len() * m], &mut buffers.w[..block.len() * m]);
            by.metric.distances(x, d, &mut buffers.scratch);
            by.objective.power().of(d);
            for ((i, d), w) in block.zip(d.chunks_exact(m)).zip(w.chunks_exact_mut(m)) {
                let y = self.y[i];
                let sample = Sample { d, y, classes: by.classes, gamma: by.gamma };
                let loss = by.objective.loss(&sample, w, &mut buffers.per_class);
                let weight = self.weights.map_or(1.0, |w| w[i]);
                partial.loss += weight * loss;
                partial.weight += weight;
                if smallest(d) < smallest(&d[by.classes.range(y)]) {
                    partial.errors += weight;
                }
                if weight != 1.0 {
                    let weight = F::of(weight);
                    w.iter_mut().for_each(|w| *w *= weight);
                }
            }
            by.objective.power().chain(d, w);
            by.metric.pull_back(x, w, &mut partial.gradient, start == 0, &mut buffers.scratch);
        }
    }
}

/// Normal deviates drawn once; a row's noise is a stretch of the table from a random place.
pub(super) struct Noise<F> {
    table: Vec<F>,
    pub rng: Xoshiro256PlusPlus,
}

impl<F: Float> Noise<F> {
    /// For this many samples of `dim` features.
    pub fn new(deviation: f64, samples: usize, dim: usize, seed: u64) -> Self {
        let mut rng = rng(seed, "noise");
        let length = NOISE_TABLE.min(NOISE_SHARE * samples * dim) + dim;
        let mut table = Vec::with_capacity(length + 1);
        while table.len() < length {
            table.extend(normal_pair(&mut rng).map(|v| F::of(deviation * v)));
        }
        Noise { table, rng }
    }

    pub fn row(&mut self, dim: usize) -> &[F] {
        let at = self.rng.random_range(0..=self.table.len() - dim);
        &self.table[at..at + dim]
    }
}

impl<'a, F: Float> TrainingProblem<'a, F> {
    /// The problem over all samples.
    ///
    /// # Panics
    /// When `x` is not in row-major order.
    pub fn new(
        x: ArrayView2<'a, F>,
        y: &'a [usize],
        weights: Option<&'a [f64]>,
        classes: &'a ClassLayout,
        objective: &'a dyn Objective<F>,
        metric: Box<dyn Metric<F>>,
    ) -> Self {
        let dim = x.ncols();
        let (m, params) = (classes.of().len(), metric.n_params());
        TrainingProblem {
            x: x.to_slice().expect("samples are row-major"),
            y,
            weights,
            dim,
            classes,
            objective,
            metric,
            gamma: F::one(),
            metric_rate: 1.0,
            frozen: false,
            bounds: None,
            noise: None,
            vary: None,
            augment: None,
            batch: None,
            lanes: Vec::new(),
            p: vec![F::zero(); m * dim],
            params: vec![F::zero(); params],
            gp: vec![F::zero(); m * dim],
            gm: vec![F::zero(); params],
            errors: (0.0, 0.0),
        }
    }

    /// Factor on the step size of metric parameters.
    pub fn with_metric_rate(mut self, factor: f64) -> Self {
        self.metric_rate = factor;
        self
    }

    /// Leaves the prototypes where they are: their gradient is zero.
    pub fn with_frozen_prototypes(mut self, frozen: bool) -> Self {
        self.frozen = frozen;
        self
    }

    /// Keeps each prototype within the range of the samples of its class, feature by feature; after every step, for optimizers that
    /// project.
    pub fn with_prototypes_inside(mut self, inside: bool) -> Self {
        self.bounds = inside.then(|| self.ranges());
        self
    }

    /// Range of every feature in every class, for each prototype of the class.
    fn ranges(&self) -> Vec<(f64, f64)> {
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        let mut of_class = vec![nothing; self.classes.n_classes() * self.dim];
        for (x, &y) in self.x.chunks_exact(self.dim).zip(self.y) {
            for (range, v) in of_class[y * self.dim..].iter_mut().zip(x) {
                *range = (range.0.min(v.f64()), range.1.max(v.f64()));
            }
        }
        // A model may be trained further on samples of some of its classes.
        let open = |r: &(f64, f64)| if r.0 <= r.1 { *r } else { (f64::NEG_INFINITY, f64::INFINITY) };
        let of = |&c: &usize| of_class[c * self.dim..(c + 1) * self.dim].iter().map(open);
        self.classes.of().iter().flat_map(of).collect()
    }

    /// Adds normal noise of this standard deviation to the samples of every mini-batch.
    pub fn with_noise(mut self, deviation: f64, seed: u64) -> Self {
        self.noise = (deviation > 0.0).then(|| Noise::new(deviation, self.y.len(), self.dim, seed));
        self
    }

    /// Adds differences to near samples of their class to the samples of every mini-batch.
    pub fn with_variation(mut self, strength: f64, seed: u64) -> Self {
        self.vary = (strength > 0.0).then(|| Vary::new(self.x, self.y, self.dim, strength, seed));
        self
    }

    /// Takes the samples of every mini-batch from images that change.
    pub(crate) fn with_augmentation(mut self, augment: Option<Augment<F>>) -> Self {
        self.augment = augment;
        self
    }

    /// Sets the inverse temperature.
    pub fn set_gamma(&mut self, gamma: f64) {
        self.gamma = F::of(gamma);
    }

    /// From here on evaluates over these samples only, as images that have changed, with fresh variation and noise.
    pub fn set_batch(&mut self, rows: &[usize]) {
        let dim = self.dim;
        let batch = self.batch.get_or_insert_default();
        batch.x.clear();
        match &mut self.augment {
            Some(images) => batch.x.extend(images.rows(rows)),
            None => rows.iter().for_each(|&i| batch.x.extend_from_slice(&self.x[i * dim..(i + 1) * dim])),
        }
        if let Some(vary) = &mut self.vary {
            for (x, &i) in batch.x.chunks_exact_mut(dim).zip(rows) {
                vary.change(self.x, i, x);
            }
        }
        if let Some(noise) = &mut self.noise {
            for x in batch.x.chunks_exact_mut(dim) {
                x.iter_mut().zip(noise.row(dim)).for_each(|(v, &e)| *v += e);
            }
        }
        batch.y.clear();
        batch.y.extend(rows.iter().map(|&i| self.y[i]));
        batch.weights.clear();
        batch.weights.extend(rows.iter().map(|&i| self.weights.map_or(1.0, |w| w[i])));
    }

    /// θ for these prototypes and the metric as it is.
    pub fn pack(&self, prototypes: &[F]) -> Vec<f64> {
        prototypes.iter().copied().chain(self.metric.params()).map(F::f64).collect()
    }

    /// Moves the metric to `theta` and gives it back.
    pub fn into_metric(mut self, theta: &[f64]) -> Box<dyn Metric<F>> {
        self.unpack(theta);
        self.metric
    }

    fn unpack(&mut self, theta: &[f64]) {
        let (p, params) = theta.split_at(self.p.len());
        self.p.iter_mut().zip(p).for_each(|(a, &b)| *a = F::of(b));
        self.params.iter_mut().zip(params).for_each(|(a, &b)| *a = F::of(b));
        self.metric.set(&self.p, &self.params);
    }

    /// Makes as many lanes as `n` rows are shared out among, and gives their number.
    fn prepare_lanes(&mut self, n: usize) -> usize {
        let lanes = n.div_ceil(2 * BLOCK).min(LANES);
        while self.lanes.len() < lanes {
            let partial = Partial::zero(self.metric.accumulator_len());
            self.lanes.push(Lane { partial, buffers: Buffers::new(self.classes) });
        }
        lanes
    }
}

/// The rows of one of the shards that `n` rows are shared out among.
fn rows_of(shard: usize, shards: usize, n: usize) -> Range<usize> {
    let each = n.div_ceil(shards);
    (shard * each).min(n)..((shard + 1) * each).min(n)
}

impl<F: Float> Problem for TrainingProblem<'_, F> {
    fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        self.unpack(theta);
        let n = self.batch.as_ref().map_or(self.y.len(), |b| b.y.len());
        let used = self.prepare_lanes(n);
        let (x, y, weights) = match &self.batch {
            Some(b) => (&b.x[..], &b.y[..], Some(&b.weights[..])),
            None => (self.x, self.y, self.weights),
        };
        let dim = self.dim;
        let by = Criterion {
            objective: self.objective,
            classes: self.classes,
            metric: &*self.metric,
            gamma: self.gamma,
        };
        self.lanes[..used].par_iter_mut().enumerate().for_each(|(l, lane)| {
            let rows = rows_of(l, used, n);
            let x = &x[rows.start * dim..rows.end * dim];
            let shard = Shard { x, y: &y[rows.clone()], weights: weights.map(|w| &w[rows]) };
            shard.evaluate(&by, &mut lane.buffers, &mut lane.partial);
        });
        let (first, rest) = self.lanes[..used].split_at_mut(1);
        let sum = &mut first[0].partial;
        rest.iter().for_each(|lane| sum.add(&lane.partial));

        // Weights are summed row by row, not by shards: models were trained with that rounding.
        let total = weights.map_or(n as f64, |w| w.iter().sum()).max(f64::MIN_POSITIVE);
        self.errors.0 += sum.errors;
        self.errors.1 += total;
        self.metric.gradient(&sum.gradient, &mut self.gp, &mut self.gm);
        if self.frozen {
            self.gp.fill(F::zero());
        }
        let share = 1.0 / total;
        let (by_p, by_params) = gradient.split_at_mut(self.gp.len());
        by_p.iter_mut().zip(&self.gp).for_each(|(g, v)| *g = v.f64() * share);
        by_params.iter_mut().zip(&self.gm).for_each(|(g, v)| *g = v.f64() * share);
        sum.loss / total
    }

    fn project(&self, theta: &mut [f64]) {
        let (p, params) = theta.split_at_mut(self.p.len());
        if let Some(bounds) = &self.bounds {
            p.iter_mut().zip(bounds).for_each(|(v, &(low, high))| *v = v.clamp(low, high));
        }
        self.metric.project(params);
    }

    fn groups(&self) -> Vec<(Range<usize>, f64)> {
        let m = self.p.len();
        let all = m + self.params.len();
        if all == m { vec![(0..m, 1.0)] } else { vec![(0..m, 1.0), (m..all, self.metric_rate)] }
    }
}

impl<F: Float> Scheduled for TrainingProblem<'_, F> {
    fn set_gamma(&mut self, gamma: f64) {
        self.gamma = F::of(gamma);
    }

    fn set_items(&mut self, items: &[usize]) {
        self.set_batch(items);
    }

    fn take_error(&mut self) -> f64 {
        let (wrong, all) = std::mem::take(&mut self.errors);
        if all > 0.0 { wrong / all } else { 0.0 }
    }

    fn state(&self) -> ProblemState {
        let random = [
            ("noise", self.noise.as_ref().map(|n| &n.rng)),
            ("vary", self.vary.as_ref().map(|v| &v.rng)),
            ("augment", self.augment.as_ref().map(|a| &a.rng)),
        ];
        let random = random.into_iter().filter_map(|(name, rng)| Some((name.to_string(), rng?.clone())));
        let (wrong, weight) = self.errors;
        ProblemState { wrong, weight, random: random.collect() }
    }

    fn restore(&mut self, state: &ProblemState) -> Result<()> {
        self.errors = (state.wrong, state.weight);
        if let Some(noise) = &mut self.noise {
            noise.rng = state.random("noise")?;
        }
        if let Some(vary) = &mut self.vary {
            vary.rng = state.random("vary")?;
        }
        if let Some(augment) = &mut self.augment {
            augment.rng = state.random("augment")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Euclidean;
    use crate::objective::Glvq;
    use crate::represent::{ImageSize, Pipeline};
    use ndarray::Array2;

    fn samples(n: usize) -> (Array2<f64>, Vec<usize>) {
        let x =
            Array2::from_shape_fn((n, 16), |(i, j)| ((i * 7 + j * 13) as f64 * 0.37).sin() + (i % 2) as f64);
        (x, (0..n).map(|i| i % 2).collect())
    }

    /// Evaluates rows as the whole problem would.
    fn partial(
        x: &[f64],
        y: &[usize],
        weights: &[f64],
        classes: &ClassLayout,
        theta: &[f64],
    ) -> Partial<f64> {
        let mut metric: Box<dyn Metric<f64>> = Box::new(Euclidean::new(16));
        metric.set(theta, &[]);
        let objective: &dyn Objective<f64> = &Glvq::default();
        let by = Criterion { objective, classes, metric: &*metric, gamma: 1.3 };
        let mut partial = Partial::zero(metric.accumulator_len());
        partial.gradient.fill(f64::NAN); // whatever it held before
        Shard { x, y, weights: Some(weights) }.evaluate(&by, &mut Buffers::new(classes), &mut partial);
        partial
    }

    #[test]
    fn partials_of_shards_add_up_to_the_whole() {
        let (x, y) = samples(150);
        let weights: Vec<f64> = (0..150).map(|i| 0.5 + (i % 3) as f64).collect();
        let (classes, theta) = (ClassLayout::new(&[0, 0, 1], 2), x.as_slice().unwrap()[..48].to_vec());
        let x = x.as_slice().unwrap();
        let of = |rows: Range<usize>| {
            partial(&x[rows.start * 16..rows.end * 16], &y[rows.clone()], &weights[rows], &classes, &theta)
        };
        let whole = of(0..150);
        for cut in [0, 1, 64, 100, 150] {
            let mut sum = of(0..cut);
            sum.add(&of(cut..150));
            assert_eq!((sum.errors, sum.weight), (whole.errors, whole.weight));
            assert!((sum.loss - whole.loss).abs() < 1e-9 * whole.loss, "{} {}", sum.loss, whole.loss);
            sum.gradient.iter().zip(&whole.gradient).for_each(|(a, b)| {
                assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
            });
        }
        assert_eq!(whole.weight, 225.0);
        assert!(whole.errors > 0.0 && whole.errors < 225.0);
    }

    #[test]
    fn a_problem_is_the_sum_of_its_shards_bit_for_bit() {
        let (x, y) = samples(300);
        let weights: Vec<f64> = (0..300).map(|i| 0.5 + (i % 3) as f64).collect();
        let (classes, theta) = (ClassLayout::new(&[0, 0, 1], 2), x.as_slice().unwrap()[..48].to_vec());
        let objective: &dyn Objective<f64> = &Glvq::default();
        let metric = Box::new(Euclidean::new(16));
        let mut problem = TrainingProblem::new(x.view(), &y, Some(&weights), &classes, objective, metric);
        problem.set_gamma(1.3);
        let mut gradient = vec![0.0; 48];
        let value = problem.evaluate(&theta, &mut gradient);
        // 300 rows are three shards of a hundred.
        let x = x.as_slice().unwrap();
        let mut parts = (0..3).map(|k| k * 100..k * 100 + 100).map(|rows| {
            partial(&x[rows.start * 16..rows.end * 16], &y[rows.clone()], &weights[rows], &classes, &theta)
        });
        let mut sum = parts.next().unwrap();
        parts.for_each(|p| sum.add(&p));
        assert_eq!(value, sum.loss / sum.weight);
        let mut metric: Box<dyn Metric<f64>> = Box::new(Euclidean::new(16));
        metric.set(&theta, &[]);
        let mut expected = vec![0.0; 48];
        metric.gradient(&sum.gradient, &mut expected, &mut []);
        expected.iter_mut().for_each(|g| *g *= 1.0 / sum.weight);
        assert_eq!(gradient, expected);
        assert_eq!(problem.take_error(), sum.errors / sum.weight);
    }

    #[test]
    fn noise_variation_and_augmentation_go_on_from_a_saved_state() {
        let (x, y) = samples(20);
        let (classes, size) = (ClassLayout::new(&[0, 1], 2), ImageSize { width: 4, height: 4 });
        let objective: &dyn Objective<f64> = &Glvq::default();
        let problem = || {
            TrainingProblem::new(x.view(), &y, None, &classes, objective, Box::new(Euclidean::new(16)))
                .with_noise(0.2, 1)
                .with_variation(0.3, 2)
                .with_augmentation(Some(Augment::new(x.view(), size, &Pipeline::default(), 1.0, 3)))
        };
        let batch = |problem: &mut TrainingProblem<f64>| {
            problem.set_batch(&[3, 1, 4]);
            problem.batch.as_ref().unwrap().x.clone()
        };
        let mut first = problem();
        let before = batch(&mut first);
        let state = first.state();
        let mut second = problem();
        second.restore(&serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap()).unwrap();
        let next = batch(&mut first);
        assert_eq!(batch(&mut second), next);
        assert_ne!(before, next);
        // Each of the three matters.
        for purpose in ["noise", "vary", "augment"] {
            let mut other = state.clone();
            other.random.insert(purpose.into(), rng(9, "elsewhere"));
            let mut third = problem();
            third.restore(&other).unwrap();
            assert_ne!(batch(&mut third), next, "{purpose}");
        }
    }
}
