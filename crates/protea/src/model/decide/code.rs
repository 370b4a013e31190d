//! Codes over the prototypes, as `inn`, `src`, `crc` and others make them: what [`Coded`](crate::model::Coded) does with a model's
//! samples.

use super::{Decision, Labels, Rule, Soft};
use crate::coding::{Coding, Priors};
use crate::plan::{ArrayId, Plan};
use crate::settings::Values;
use crate::store::Stored;
use crate::{Error, Float, Result};
use serde_json::{Map, Value, json};

/// A coder over the prototypes.
#[derive(Debug, Clone)]
pub struct ByCode(pub Coding);

impl<F: Float> Decision<F> for ByCode {
    fn tag(&self) -> &'static str {
        "code"
    }

    fn fits(&self, _: Labels) -> bool {
        true
    }

    /// By distances, for rules that ask for them; codes have evidence of their own.
    fn evidence(&self, d: &[F], labels: Labels, gamma: f64) -> Vec<f64> {
        Soft.evidence(d, labels, gamma)
    }

    fn rule(&self) -> Option<Rule> {
        Some(Rule::Code)
    }

    fn with_shifts(&self, _: &[f64]) -> Result<Box<dyn Decision<F>>> {
        Err(Error::unsupported("a model that decides by codes has no class weights"))
    }

    fn coding(&self) -> Option<&Coding> {
        Some(&self.0)
    }

    fn adds(&self) -> Option<&'static str> {
        Some("a coder")
    }

    fn describe(&self, gamma: f64) -> String {
        format!("by codes, γ = {gamma:.6}")
    }

    fn store(&self) -> Stored<F> {
        let settings: Map<String, Value> = self.0.values().into_iter().map(|(n, v)| (n, v.into())).collect();
        let stored =
            Stored::new("code").with("coder", json!({ "name": self.0.name(), "settings": settings }));
        match &self.0.priors {
            Some(p) => stored.with_doubles("code.atoms", &p.atoms).with_doubles("code.features", &p.features),
            None => stored,
        }
    }

    fn lower(&self, _: Labels, _: ArrayId, _: f64, _: &mut Plan) -> Result<Option<f64>> {
        Err(Error::data("a model that decides by codes over its prototypes has no plan"))
    }

    fn boxed(&self) -> Box<dyn Decision<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Decision<F>>> {
    let lacks = || Error::data("the model has a coder without a name or settings");
    let coder = stored.fields.get("coder").ok_or_else(lacks)?;
    let name = coder.get("name").and_then(Value::as_str).ok_or_else(lacks)?;
    let settings = coder.get("settings").and_then(Value::as_object).ok_or_else(lacks)?;
    let setting = |(n, v): (&String, &Value)| v.as_str().map(|v| (n.clone(), v.to_string()));
    let settings: Values = settings.iter().map(setting).collect::<Option<_>>().ok_or_else(lacks)?;
    let mut coding = Coding::parse(name, &settings)?;
    if stored.has("code.atoms") {
        let (atoms, features) = (stored.doubles("code.atoms")?, stored.doubles("code.features")?);
        coding.priors = Some(Priors { atoms, features });
    }
    Ok(Box::new(ByCode(coding)))
}
