//! A metric of your own, learned with the prototypes: robust to single features that are far off, with a weight for each feature.
//!
//! ```text
//! d = Σ_f v_f² h(x_f − p_f),    h(t) = √(1 + t²) − 1:  t²/2 near 0, |t| far away
//! ```

use protea::metric::{self, FittedKind, FittedMetric, Metric, Scratch};
use protea::ndarray::ArrayView2;
use protea::store::Stored;
use protea::{Float, Model, Result, Trainer, catalog, catalog::Part};

/// What is trained and what is stored are one type here.
#[derive(Debug, Clone)]
pub struct Robust<F> {
    /// A weight for each feature.
    pub v: Vec<F>,
    /// Prototypes, while the metric is placed at some.
    pub p: Vec<F>,
}

impl<F: Float> Robust<F> {
    /// Calls `f(pair, parameter of the prototype, feature, t)` for every sample, prototype and feature.
    fn for_each(&self, x: &[F], mut f: impl FnMut(usize, usize, usize, F)) {
        let dim = self.v.len();
        for (i, x) in x.chunks_exact(dim).enumerate() {
            for (j, p) in self.p.chunks_exact(dim).enumerate() {
                let pair = i * (self.p.len() / dim) + j;
                (0..dim).for_each(|k| f(pair, j * dim + k, k, x[k] - p[k]));
            }
        }
    }
}

fn root<F: Float>(t: F) -> F {
    (F::one() + t * t).sqrt()
}

impl<F: Float> Metric<F> for Robust<F> {
    fn n_params(&self) -> usize {
        self.v.len()
    }
    fn params(&self) -> Vec<F> {
        self.v.clone()
    }
    fn set(&mut self, p: &[F], params: &[F]) {
        (self.p, self.v) = (p.to_vec(), params.to_vec());
    }
    fn distances(&self, x: &[F], d: &mut [F], _: &mut Scratch<F>) {
        d.fill(F::zero());
        self.for_each(x, |pair, _, k, t| d[pair] += self.v[k] * self.v[k] * (root(t) - F::one()));
    }
    fn accumulator_len(&self) -> usize {
        self.p.len() + self.v.len()
    }
    fn pull_back(&self, x: &[F], w: &[F], sums: &mut [F], fresh: bool, _: &mut Scratch<F>) {
        if fresh {
            sums.fill(F::zero());
        }
        let (gp, gv) = sums.split_at_mut(self.p.len());
        self.for_each(x, |pair, at, k, t| {
            gp[at] -= w[pair] * self.v[k] * self.v[k] * t / root(t);
            gv[k] += w[pair] * F::of(2.0) * self.v[k] * (root(t) - F::one());
        });
    }
    fn gradient(&self, sums: &[F], gp: &mut [F], gm: &mut [F]) {
        gp.copy_from_slice(&sums[..gp.len()]);
        gm.copy_from_slice(&sums[gp.len()..]);
    }
    fn fitted(&self) -> Box<dyn FittedMetric<F>> {
        Box::new(self.clone())
    }
    fn dim(&self) -> usize {
        self.v.len()
    }
    fn boxed(&self) -> Box<dyn Metric<F>> {
        Box::new(self.clone())
    }
}

impl<F: Float> FittedMetric<F> for Robust<F> {
    fn tag(&self) -> &'static str {
        "robust"
    }
    fn at(&self, p: ArrayView2<F>) -> Box<dyn Metric<F>> {
        Box::new(Robust { v: self.v.clone(), p: p.iter().copied().collect() })
    }
    fn trainable(&self, _: usize) -> Box<dyn Metric<F>> {
        Box::new(self.clone())
    }
    fn fits(&self, _: usize, dim: usize) -> bool {
        self.v.len() == dim
    }
    fn store(&self) -> Stored<F> {
        Stored::new("robust").with_vector("robust.weights", &self.v)
    }
    fn boxed(&self) -> Box<dyn FittedMetric<F>> {
        Box::new(self.clone())
    }
}

fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn FittedMetric<F>>> {
    Ok(Box::new(Robust { v: stored.vector("robust.weights")?, p: Vec::new() }))
}

/// The kind of metric, as the registry knows it.
pub const ROBUST: FittedKind = FittedKind { tag: "robust", f32: restore, f64: restore };

fn main() -> Result<()> {
    metric::register(ROBUST)?;
    let wine = catalog::load::<f32>("wine", Part::All, None)?;
    let start = Robust { v: vec![1.0; wine.x.ncols()], p: Vec::new() };
    let trainer = Trainer::named("npc")?.set("per-class", "1")?.set("epochs", "30")?;
    let model = trainer.with_metric(Box::new(start)).fit(&wine)?;
    let again = Model::<f32>::from_bytes(&model.to_bytes()?, "memory")?;
    assert_eq!(again.predict(wine.x.view())?, model.predict(wine.x.view())?);
    println!("{}: error {:.1} %", again.metric().tag(), 100.0 * again.error(&wine)?);
    Ok(())
}
