//! Learn fifteen prototypes per letter, save them, and classify with the saved file.

use protea::catalog::{self, Part};
use protea::{Model, Trainer};

fn main() -> protea::Result<()> {
    let train = catalog::load::<f32>("letter", Part::Train, None)?;
    let test = catalog::load::<f32>("letter", Part::Test, None)?;

    let model = Trainer::named("npc")?.set("per-class", "15")?.set("epochs", "20")?.fit(&train)?;
    let folder = tempfile::tempdir().map_err(|e| protea::Error::file("a temporary folder", e))?;
    let path = folder.path().join("letter.safetensors");
    model.save(&path)?;

    let model = Model::<f32>::load(&path)?;
    let (m, kb) = (model.prototypes().y.len(), model.bytes() as f64 / 1e3);
    println!("{m} prototypes, {kb:.1} kB, test error {:.2} %", 100.0 * model.error(&test)?);

    let first = &model.neighbours(test.x.view(), 2)?[0];
    for n in first {
        println!(
            "prototype {} of class {} at squared distance {:.2}",
            n.prototype,
            model.classes()[n.class],
            n.distance
        );
    }
    Ok(())
}
