//! What `protea eval` measures on demand: refusal, verification, the use of prototypes, certified errors.

use crate::args::Measures;
use crate::output::{pairs, percent, short, table};
use anyhow::Result;
use protea::certify::{Bound, Certifier, Norm, certified_error};
use protea::eval::{
    Certainty, Evaluation, PrototypeUse, Rates, RefusalCurve, Verification, prototype_uses, refusal,
    verification,
};
use protea::{Dataset, Float, Model, SettingValue};
use serde_json::{Map, Value, json};

/// Recalls at which the text shows the precision, in percent.
const RECALLS: [u32; 6] = [100, 99, 95, 90, 80, 50];

/// The measures that were asked for.
pub struct More {
    refusal: Option<(Certainty, RefusalCurve)>,
    verification: Option<(Verification, Option<Rates>)>,
    /// Most used first.
    prototypes: Option<Vec<PrototypeUse>>,
    certified: Option<Certified>,
}

/// Errors under the worst change of the input.
struct Certified {
    norm: Norm,
    /// Radius of half the samples that are decided rightly, at least.
    median: f64,
    /// Radius and certified error.
    errors: Vec<(f64, f64)>,
}

impl Certified {
    fn measure<F: Float>(model: &Model<F>, test: &Dataset<F>, asked: &Measures) -> Result<Self> {
        let certificates = Certifier::new(model, asked.norm, Bound::HalfSpace)?.certify(test.x.view())?;
        let right = certificates.iter().zip(&test.y).filter(|(c, y)| c.class == **y);
        let mut radii: Vec<f64> = right.map(|(c, _)| c.radius).collect();
        radii.sort_by(f64::total_cmp);
        let errors = asked.certified.iter().map(|&r| (r, certified_error(&certificates, &test.y, r)));
        Ok(Certified {
            norm: asked.norm,
            median: radii.get(radii.len() / 2).copied().unwrap_or(0.0),
            errors: errors.collect(),
        })
    }
}

impl More {
    /// Measures what was asked for.
    pub fn measure<F: Float>(model: &Model<F>, test: &Dataset<F>, asked: &Measures) -> Result<More> {
        let curve = || refusal(model, test, asked.certainty).map(|curve| (asked.certainty, curve));
        let trials = || {
            verification(model, test).map(|v| (v.clone(), asked.accept_at.map(|threshold| v.at(threshold))))
        };
        let uses = || {
            prototype_uses(model, test).map(|mut uses| {
                uses.sort_by_key(|u| (std::cmp::Reverse(u.answers), u.prototype));
                uses
            })
        };
        Ok(More {
            refusal: asked.refusal.then(curve).transpose()?,
            verification: asked.verification.then(trials).transpose()?,
            prototypes: asked.prototypes.then(uses).transpose()?,
            certified: match asked.certified.is_empty() {
                true => None,
                false => Some(Certified::measure(model, test, asked)?),
            },
        })
    }

    /// One entry for each.
    pub fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        if let Some((certainty, curve)) = &self.refusal {
            let document =
                json!({ "certainty": certainty.show(), "area": curve.area, "curve": curve.points });
            map.insert("refusal".into(), document);
        }
        if let Some((v, given)) = &self.verification {
            let document = json!({ "genuine": v.genuine, "impostors": v.impostors, "equal_error": v.equal_error(),
                "best": v.best(), "given": given, "curve": v.curve() });
            map.insert("verification".into(), document);
        }
        if let Some(uses) = &self.prototypes {
            map.insert("prototypes".into(), json!(uses));
        }
        if let Some(c) = &self.certified {
            let errors: Vec<Value> =
                c.errors.iter().map(|(radius, error)| json!({ "radius": radius, "error": error })).collect();
            let document = json!({ "norm": c.norm.show(), "median_radius": c.median, "errors": errors });
            map.insert("certified".into(), document);
        }
        map
    }

    /// One table for each, below the evaluation.
    pub fn text(&self, evaluation: &Evaluation) -> String {
        let mut text = String::new();
        if let Some((certainty, curve)) = &self.refusal {
            text += &refusal_table(*certainty, curve);
        }
        if let Some((v, given)) = &self.verification {
            text += &verification_table(v, given.as_ref());
        }
        if let Some(uses) = &self.prototypes {
            text += &prototype_table(uses, evaluation.samples);
        }
        if let Some(certified) = &self.certified {
            text += &certified_table(certified);
        }
        text
    }
}

fn refusal_table(certainty: Certainty, curve: &RefusalCurve) -> String {
    let rows = RECALLS.iter().filter_map(|&recall| {
        let p = curve.at(f64::from(recall) / 100.0)?;
        let threshold = format!("{:.4}", p.threshold);
        Some(vec![format!("{recall} %"), p.answered.to_string(), percent(p.precision), threshold])
    });
    let header = ["recall", "answered", "precision", "certainty"];
    let rows = table(&header, rows, 0);
    format!("\nRefusal by {}, area {:.4}\n{rows}", certainty.show(), curve.area)
}

fn verification_table(v: &Verification, given: Option<&Rates>) -> String {
    let rates = |r: &Rates| {
        let [fa, fr, half] = [r.false_acceptance, r.false_rejection, r.half_total_error].map(percent);
        format!("{half} (FA {fa}, FR {fr}, probability {:.4})", r.threshold)
    };
    let mut lines = vec![("equal error rate", percent(v.equal_error())), ("smallest HTER", rates(&v.best()))];
    lines.extend(given.map(|r| ("HTER as accepted", rates(r))));
    format!("\nVerification, {} genuine claims and {} others\n{}", v.genuine, v.impostors, pairs(&lines))
}

fn certified_table(certified: &Certified) -> String {
    let rows = certified.errors.iter().map(|(radius, error)| vec![short(*radius), percent(*error)]);
    let rows = table(&["radius", "certified error"], rows, 0);
    let (norm, median) = (certified.norm.show(), short(certified.median));
    format!(
        "\nErrors under any change up to a radius in {norm}; median radius of right answers {median}\n{rows}"
    )
}

fn prototype_table(uses: &[PrototypeUse], samples: usize) -> String {
    let rows = uses.iter().map(|u| {
        vec![
            u.prototype.to_string(),
            u.class.clone(),
            u.answers.to_string(),
            u.wrong.to_string(),
            if u.added_errors == 0 { "0".into() } else { format!("{:+}", u.added_errors) },
            percent(u.importance),
        ]
    });
    let header = ["prototype", "class", "answers for", "wrong", "errors without it", "importance"];
    let rows = table(&header, rows, 2);
    format!("\nPrototypes as the nearest of {samples} samples\n{rows}")
}
