//! A loss of your own: distances and classes in, loss and derivative out; everything else comes for free.

use protea::objective::{Objective, Sample};
use protea::{Float, Trainer, catalog, catalog::Part};

/// `max(0, 1 + d⁺ − d⁻)` between the nearest prototype of the own and of any other class.
pub struct NearestHinge;

impl<F: Float> Objective<F> for NearestHinge {
    fn loss(&self, s: &Sample<F>, g: &mut [F], _: &mut [F]) -> f64 {
        g.fill(F::zero());
        let own = s.classes.range(s.y);
        let nearest = |keep: bool| {
            let candidates = (0..s.d.len()).filter(|j| own.contains(j) == keep);
            candidates.fold(None, |b: Option<usize>, j| b.filter(|&b| s.d[b] <= s.d[j]).or(Some(j)))
        };
        let (Some(a), Some(b)) = (nearest(true), nearest(false)) else { return 0.0 };
        let slack = F::one() + s.d[a] - s.d[b];
        if slack <= F::zero() {
            return 0.0;
        }
        (g[a], g[b]) = (F::one(), -F::one());
        slack.f64()
    }
}

fn main() -> protea::Result<()> {
    let train = catalog::load::<f32>("satimage", Part::Train, None)?;
    let test = catalog::load::<f32>("satimage", Part::Test, None)?;
    let means = Trainer::named("kmeans")?.set("per-class", "5")?.fit(&train)?;
    let own = Trainer::with_objective(Box::new(NearestHinge))
        .set("per-class", "5")?
        .set("epochs", "20")?
        .fit(&train)?;
    println!(
        "k-means {:.2} %, after descent {:.2} %",
        100.0 * means.error(&test)?,
        100.0 * own.error(&test)?
    );
    assert!(own.error(&test)? < means.error(&test)?);
    Ok(())
}
