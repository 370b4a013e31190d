//! Learn a metric together with the prototypes, and see which features it uses.

use protea::Trainer;
use protea::catalog::{self, Part};

fn main() -> protea::Result<()> {
    let data = catalog::load::<f32>("wine", Part::All, None)?;
    let (train, test) = protea::data::holdout(&data, 0.3, 1)?;
    let (train, test) = (data.select(&train), data.select(&test));

    for metric in ["euclidean", "linear"] {
        let model = Trainer::named("npc")?.set("per-class", "1")?.set("metric", metric)?.fit(&train)?;
        println!("{metric}: test error {:.1} %", 100.0 * model.error(&test)?);
        let Some(a) = model.components() else { continue };
        let relevance = a.t().dot(a).diag().to_owned();
        let mut order: Vec<usize> = (0..relevance.len()).collect();
        order.sort_by(|&i, &j| relevance[j].total_cmp(&relevance[i]));
        for &j in &order[..5] {
            println!("  feature {:<4} relevance {:.2}", data.features[j], relevance[j]);
        }
    }
    Ok(())
}
