//! Train and predict on arrays of your own, with nothing but the core: `--no-default-features` gives the same bits.

use ndarray::Array2;
use protea::{Dataset, Model, Trainer};
use sha2::{Digest, Sha256};

/// Points of a low-discrepancy sequence on three arms of a spiral, and their arms.
fn spirals(n: usize, first: usize) -> protea::Result<Dataset<f32>> {
    let share = |i: usize, step: f64| (i as f64 * step).fract();
    let arm = |i: usize| i % 3;
    let x = Array2::from_shape_fn((n, 2), |(i, j)| {
        let along = share(first + i, 0.618_033_988_749_895);
        let aside = share(first + i, 0.414_213_562_373_095) - 0.5;
        let angle = 4.0 * along + std::f64::consts::TAU * arm(i) as f64 / 3.0;
        let radius = 0.3 + along + 0.55 * aside;
        (radius * if j == 0 { angle.cos() } else { angle.sin() }) as f32
    });
    Dataset::new(x, (0..n).map(arm).collect(), ["a", "b", "c"].map(String::from).to_vec())
}

fn main() -> protea::Result<()> {
    let (train, test) = (spirals(3000, 0)?, spirals(1000, 3000)?);

    let trainer = Trainer::named("npc")?.set("per-class", "6")?.set("metric", "local-linear")?;
    let model = trainer.set("epochs", "20")?.fit(&train)?;

    // What `save` would write; a model that is read answers as before.
    let bytes = model.to_bytes()?;
    let model = Model::<f32>::from_bytes(&bytes, "memory")?;
    let answers = model.predict(test.x.view())?;
    let wrong = answers.iter().zip(&test.y).filter(|(a, y)| a != y).count();

    println!("{} prototypes, test error {:.1} %", model.prototypes().y.len(), wrong as f64 / 10.0);
    println!("{} bytes, SHA-256 {}", bytes.len(), hex(&Sha256::digest(&bytes)));
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
