//! Bytes of a model, whole and damaged. The library's own tests compare the answers of compiled models with its plans.

use protea_core::{Error, Model};

const BYTES: &[u8] = include_bytes!("wine.bin");
const WINE: [f32; 13] = [13.2, 1.78, 2.14, 11.2, 100.0, 2.65, 2.76, 0.26, 1.28, 4.38, 1.05, 3.4, 1050.0];

fn ask(model: &Model) -> usize {
    let (mut scratch, mut q) = (vec![0.0; model.scratch()], vec![0.0; model.classes()]);
    model.probabilities(&WINE, &mut scratch, &mut q).unwrap();
    assert_eq!(q.len(), model.classes());
    model.predict(&WINE, &mut scratch).unwrap()
}

#[test]
fn a_whole_model_answers() {
    let model = Model::parse(BYTES).unwrap();
    assert_eq!((model.features(), model.classes(), ask(&model)), (13, 3, 0));
    assert_eq!((model.class_name(0), model.class_name(3)), (Some("1"), None));
    let mut q = [0.0; 3];
    model.probabilities(&WINE, &mut vec![0.0; model.scratch()], &mut q).unwrap();
    assert!(q[0] > 0.9 && (q.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{q:?}");
    let error = model.probabilities(&WINE, &mut vec![0.0; model.scratch()], &mut [0.0; 2]);
    assert_eq!(error, Err(Error::Classes { expected: 3, found: 2 }));
}

/// Every single byte set to each of some values: refused, or answered with a class that there is.
#[test]
fn every_byte_may_be_damaged() {
    for at in 0..BYTES.len() {
        for value in [0, 1, 2, 17, 0x7f, 0x80, 0xff] {
            let mut damaged = BYTES.to_vec();
            damaged[at] = value;
            if let Ok(model) = Model::parse(&damaged)
                && model.features() == WINE.len()
            {
                assert!(ask(&model) < model.classes(), "byte {at} = {value}");
            }
        }
        assert!(Model::parse(&BYTES[..at]).is_err(), "cut to {at} bytes");
    }
    assert_eq!(Model::parse(&[BYTES, &[0]].concat()).unwrap_err(), Error::Length);
}
