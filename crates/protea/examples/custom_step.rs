//! A preprocessing step of your own: logarithms of positive features, stored in the model and read back.

use ndarray::Array2;
use protea::catalog::{self, Part};
use protea::plan::{Op, Plan};
use protea::represent::{self, Nature, Step, StepKind};
use protea::store::Stored;
use protea::{Error, Float, Model, Result, Trainer};

/// `z = ln(1 + x)`, feature by feature.
#[derive(Debug, Clone)]
pub struct Logarithm;

impl<F: Float> Step<F> for Logarithm {
    fn output_dim(&self, input: usize) -> Option<usize> {
        Some(input)
    }

    fn apply(&self, x: Array2<F>) -> Array2<F> {
        x.mapv(|v| v.ln_1p())
    }

    fn apply_rows(&self, rows: &mut Vec<F>, dim: usize) -> usize {
        rows.iter_mut().for_each(|v| *v = v.ln_1p());
        dim
    }

    fn invert(&self, z: Array2<F>) -> Array2<F> {
        z.mapv(|v| v.exp_m1())
    }

    fn nature(&self) -> Nature {
        Nature::PerFeature
    }

    fn size(&self) -> usize {
        0
    }

    fn describe(&self) -> String {
        "logarithms".into()
    }

    fn store(&self) -> Stored<F> {
        Stored::new("logarithm")
    }

    fn lower(&self, _: &mut Plan) -> Result<Op> {
        Err(Error::data("logarithms have no operation in a plan"))
    }

    fn boxed(&self) -> Box<dyn Step<F>> {
        Box::new(self.clone())
    }
}

/// The kind of step, as the registry knows it.
pub const LOGARITHM: StepKind =
    StepKind { tag: "logarithm", f32: |_| Ok(Box::new(Logarithm)), f64: |_| Ok(Box::new(Logarithm)) };

fn main() -> Result<()> {
    represent::register(LOGARITHM)?;
    let wine = catalog::load::<f32>("wine", Part::All, None)?;
    let trainer = Trainer::named("npc")?.set("per-class", "1")?.set("epochs", "20")?;
    let model = trainer.with_step(Box::new(Logarithm)).fit(&wine)?;
    let again = Model::<f32>::from_bytes(&model.to_bytes()?, "memory")?;
    assert_eq!(model.predict(wine.x.view())?, again.predict(wine.x.view())?);
    let steps: Vec<String> = again.pipeline().steps.iter().map(|s| s.describe()).collect();
    println!("{}: error {:.1} %", steps.join(", then "), 100.0 * again.error(&wine)?);
    Ok(())
}
