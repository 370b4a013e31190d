//! Images as bags of patches, coded by iterative nearest neighbours: votes of the patches, and a pyramid under a linear machine.
//!
//! Needs USPS: `PROTEA_DATA` names its folder.

use ndarray::s;
use protea::Dataset;
use protea::catalog::{self, Part};
use protea::coding::{Code, Dictionary, Inn, Patches, codes, naive_bayes, pyramid};
use protea::init::KMeans;
use protea::represent::ImageSize;
use protea::svm::{Labelled, Rows, Svm};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

const LEVELS: u32 = 3;
const WORDS: usize = 200;

fn main() -> protea::Result<()> {
    let folder = std::env::var_os("PROTEA_DATA").map(std::path::PathBuf::from);
    let load = |part| catalog::load::<f32>("usps", part, folder.as_deref());
    let (train, test) = match (load(Part::Train), load(Part::Test)) {
        (Ok(train), Ok(test)) => (train, test),
        (Err(e), _) | (_, Err(e)) => {
            println!("nothing to show: {e}");
            return Ok(());
        }
    };
    let every = |data: &Dataset<f32>, k: usize| data.select(&(0..data.len()).step_by(k).collect::<Vec<_>>());
    let (train, test) = (every(&train, 3), every(&test, 2));
    let patches = Patches::new(ImageSize { width: 16, height: 16 }, 8, 2)?;
    let (bags, queries) = (patches.descriptors(train.x.view())?, patches.descriptors(test.x.view())?);
    let per_image = patches.count();
    println!("{} and {} images of {per_image} patches each", train.len(), test.len());

    // Votes: every patch of an image looks for similar patches among those of some training images.
    let some: Vec<usize> = (0..train.len()).step_by(4).collect();
    let pool: Vec<usize> = some.iter().flat_map(|&i| i * per_image..(i + 1) * per_image).collect();
    let labels: Vec<usize> = pool.iter().map(|&k| train.y[k / per_image]).collect();
    let coder = Inn::default().over(Dictionary::new(bags.select(ndarray::Axis(0), &pool).view())?)?;
    let coded = codes(&coder, queries.view())?;
    let decide = |bag: &[Code<f32>]| largest(&naive_bayes(bag, &labels, train.n_classes()));
    let wrong = coded.chunks(per_image).zip(&test.y).filter(|(bag, y)| decide(bag) != **y).count();
    println!("votes over {} patches: error {:.1} %", pool.len(), 100.0 * wrong as f64 / test.len() as f64);

    // Pyramid: codes over a few hundred typical patches are the features of an image.
    let book = KMeans::default().fit(
        bags.slice(s![..;7, ..]),
        None,
        WORDS,
        &mut Xoshiro256PlusPlus::seed_from_u64(0),
    );
    let coder = Inn::default().over(Dictionary::new(book.view())?)?;
    let places = patches.places();
    let pooled = |x: &ndarray::Array2<f32>| -> protea::Result<Rows> {
        let cells: usize = (0..LEVELS).map(|level| 1 << (2 * level)).sum();
        let mut rows = Rows::new(cells * WORDS);
        for bag in codes(&coder, x.view())?.chunks(per_image) {
            rows.push(pyramid(bag, &places, WORDS, LEVELS))?;
        }
        Ok(rows)
    };
    let rows = pooled(&bags)?;
    let samples = Labelled { rows: &rows, y: &train.y, classes: train.n_classes(), weights: None };
    let machine = Svm::default().fit(&samples, &|| false)?;
    let decided = machine.predict_all(&pooled(&queries)?);
    let wrong = decided.iter().zip(&test.y).filter(|(a, b)| a != b).count();
    println!("pyramid of {WORDS} words: error {:.1} %", 100.0 * wrong as f64 / test.len() as f64);
    Ok(())
}

fn largest(scores: &[f64]) -> usize {
    (0..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
}
