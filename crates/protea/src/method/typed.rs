//! From an objective or a rule, as a value with typed settings, to a trainer: `Npc { loss: Loss::Nll, ..Npc::default() }.trainer()`.

use super::{dmpl, glvq, lpd, lvq, npc};
use crate::objective::{Dmpl, Glvq, Lpd, Npc};
use crate::rule::{Lvq1, Lvq2, Lvq3, Olvq1};
use crate::settings::Values;
use crate::train::{Method, Trainer};
use crate::{Float, Result};

/// Gives types a `trainer` for the method that they are the settings of.
macro_rules! trainers {
    ($($name:ident => $method:path, $options:expr;)*) => {$(
        impl $name {
            /// A trainer with the defaults of the method and these settings.
            pub fn trainer<F: Float>(&self) -> Trainer<F> {
                let options: fn(&Self) -> Values = $options;
                trainer(&$method).expect("defaults of the registry are sound").with_options(options(self))
            }
        }
    )*};
}

trainers! {
    Npc => npc::NPC, Npc::values;
    Dmpl => dmpl::DMPL, Dmpl::values;
    Glvq => glvq::GLVQ, Glvq::values;
    Lpd => lpd::LPD, |_| Values::new();
    Lvq1 => lvq::LVQ1, |_| Values::new();
    Olvq1 => lvq::OLVQ1, |_| Values::new();
    Lvq2 => lvq::LVQ2, Lvq2::values;
    Lvq3 => lvq::LVQ3, Lvq3::values;
}

fn trainer<F: Float>(method: &Method) -> Result<Trainer<F>> {
    Trainer::named(method.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{self, Part};
    use crate::metric::MetricKind;
    use crate::objective::Loss;
    use crate::represent::Scale;

    /// What is set by types and what is set by names trains the same prototypes and is recorded alike.
    #[test]
    fn both_doors_lead_into_the_same_room() {
        let data = catalog::load::<f64>("wine", Part::All, None).unwrap();
        let named = |method: &str, more: &[(&str, &str)]| {
            let shared = [("per-class", "2"), ("epochs", "3"), ("seed", "7"), ("scale", "standard")];
            let trainer = Trainer::named(method).unwrap();
            shared.iter().chain(more).fold(trainer, |t, (n, v)| t.set(n, v).unwrap())
        };
        let typed = |t: Trainer<f64>| t.prototypes(2).epochs(3).seed(7).scale(Scale::Standard);
        let npc = Npc { loss: Loss::Hinge, delta: 0.3, ..Npc::default() };
        let linear = [("loss", "hinge"), ("delta", "0.3"), ("metric", "linear"), ("rank", "3")];
        let pairs = [
            (typed(npc.trainer()).metric(MetricKind::Linear).rank(3), named("npc", &linear)),
            (
                typed(Dmpl { mu: 0.5, margin: Some(1.0), ..Dmpl::default() }.trainer()),
                named("dmpl", &[("mu", "0.5"), ("margin", "1")]),
            ),
            (typed(Glvq::default().trainer()), named("glvq", &[])),
            (typed(Lpd.trainer()), named("lpd", &[])),
            (typed(Lvq1.trainer()), named("lvq1", &[])),
            (typed(Olvq1::default().trainer()), named("olvq1", &[])),
            (typed(Lvq2 { window: 0.2 }.trainer()), named("lvq2.1", &[("window", "0.2")])),
            (typed(Lvq3 { epsilon: 0.1, ..Lvq3::default() }.trainer()), named("lvq3", &[("epsilon", "0.1")])),
        ];
        for (typed, named) in pairs {
            let (typed, named) = (typed.fit(&data).unwrap(), named.fit(&data).unwrap());
            let method = &named.provenance().method;
            assert_eq!(typed.prototypes(), named.prototypes(), "{method}");
            assert_eq!(typed.provenance().settings, named.provenance().settings, "{method}");
            assert_eq!(typed.provenance().method, *method);
        }
    }

    #[test]
    fn what_types_allow_and_ranges_do_not_is_refused_before_training() {
        let data = catalog::load::<f64>("wine", Part::All, None).unwrap();
        let refusal = |t: Trainer<f64>| t.fit(&data).unwrap_err().to_string();
        let wide = Npc { loss: Loss::Hinge, delta: 7.0, ..Npc::default() };
        assert_eq!(refusal(wide.trainer()), "delta = 7, expected a number in (−1, 1]");
        assert!(
            refusal(Npc::default().trainer().epochs(0)).starts_with("epochs = 0, expected none or a number")
        );
        assert_eq!(
            refusal(Npc::default().trainer().rank(2)),
            "npc does not use rank; the metric euclidean has no matrix"
        );
    }
}
