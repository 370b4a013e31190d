//! NPC: nearest-prototype classification as the limit of a soft rule.
//!
//! # Loss
//! A sample belongs to prototype `j` with the weight `w_j = exp(−γ d_j) / Σ_l exp(−γ d_l)` and so to class `c` with the
//! probability `q_c = Σ_{j of class c} w_j`. With targets `y_c = +1` for the sample's class, `−1` for the others, and
//! outputs `f_c = 2 q_c − 1`,
//! ```text
//! L = Σ_c Δ(y_c f_c) − floor,     exp:   Δ(z) = e^{−z}           floor = (number of classes summed) / e
//!                                 hinge: Δ(z) = max(0, δ − z)    floor = 0
//! L = −ln q_y                     nll (stochastic neighbour compression)
//! ```
//! over all classes (eq. 20), or over the own class and the most probable other one (eq. 21). The schedule raises γ until
//! the soft rule is the 1-nearest-prototype rule.
//!
//! # Symbols
//! | paper | here | meaning |
//! |---|---|---|
//! | γ | `gamma` | inverse temperature |
//! | w(x, p) | `w` | weight of a prototype |
//! | f | `2 q − 1` | output of a class |
//! | δ | `delta` | margin of the hinge |
//!
//! # Derivative
//! With `a_c = 2 ∂L/∂f_c` (exp: `−2e^{−f_y}` for the own class, `2e^{f_c}` for others): `∂L/∂d_j = −γ w_j (a_{c(j)} −
//! Σ_c a_c q_c)`. For nll `∂L/∂d_j = γ (v_j − w_j)`, where `v` is the soft minimum over the own class alone; both parts
//! are taken in logarithms, so a sample far from its class still has the right loss and derivative.
//!
//! `d` is the squared distance, or with the setting `distance = plain` the distance itself, as in neighbourhood components of
//! learned features; then `∂L/∂d²= ∂L/∂d / 2d`.
//!
//! # Reference
//! Wohlhart, Köstinger, Donoser, Roth, Bischof: "Optimizing 1-Nearest Prototype Classifiers", CVPR 2013 (eq. 10–21).
//! Kusner, Tyree, Weinberger, Agrawal: "Stochastic Neighbor Compression", ICML 2014. The log loss is that of robust soft
//! learning vector quantisation, too: Seo & Obermayer, Neural Computation 2003.
//!
//! # Departures
//! The floor of the exponential loss is subtracted: it would hide progress from tests of relative change.

use super::{Objective, Power, Sample};
use crate::Float;
use crate::kernel::{Kernel, row_min, row_sum, simd, softmin_inline};
use crate::settings::{named_enum, settings};

named_enum! {
    /// Loss of an output.
    pub enum Loss {
        /// `e^{−yf}`, NPC-e.
        Exp = "exp",
        /// `max(0, δ − yf)`, NPC-h.
        Hinge = "hinge",
        /// `−ln q_y`.
        Nll = "nll",
    }
}

named_enum! {
    /// Which classes the loss sums over.
    pub enum Over {
        /// All classes (eq. 20).
        All = "all",
        /// The own class and the most probable other one (eq. 21).
        Pair = "pair",
    }
}

settings! {
    /// The NPC objective.
    pub struct Npc {
        /// Loss of a sample: exponential, hinge, or negative log-likelihood.
        loss("loss"): Loss = Loss::Exp;
        /// Margin of the hinge loss.
        delta("delta"): f64 = 0.5, |v| *v > -1.0 && *v <= 1.0, "a number in (−1, 1]";
        /// Distance in the soft minimum: squared or plain.
        ///
        /// With plain distances far prototypes count for more, and samples far from all of them weigh less.
        distance("distance"): Power = Power::Squared;
        /// Classes that the exp and hinge losses sum over.
        ///
        /// all sums over all classes, pair over the sample's own class and the most probable other one.
        over("over"): Over = Over::All;
    }
}

impl<F: Float> Objective<F> for Npc {
    fn power(&self) -> Power {
        self.distance
    }

    fn loss(&self, s: &Sample<F>, g: &mut [F], per_class: &mut [F]) -> f64 {
        match self.loss {
            Loss::Exp => simd::run(Lifted { s, w: g, q: per_class, over: self.over, delta: Exponential }),
            Loss::Hinge => {
                simd::run(Lifted { s, w: g, q: per_class, over: self.over, delta: Hinge(F::of(self.delta)) })
            }
            Loss::Nll => simd::run(LogLoss { s, w: g }),
        }
    }
}

/// Loss of `z = y f`, as its slope and the value that goes with it; the value is less its floor.
trait Delta<F> {
    fn slope(&self, z: F) -> F;
    fn value(&self, z: F, slope: F) -> F;
}

struct Exponential;

impl<F: Float> Delta<F> for Exponential {
    #[inline(always)]
    fn slope(&self, z: F) -> F {
        -(-z).exp_fast()
    }

    #[inline(always)]
    fn value(&self, _: F, slope: F) -> F {
        -slope - F::of(std::f64::consts::E.recip())
    }
}

struct Hinge<F>(F);

impl<F: Float> Delta<F> for Hinge<F> {
    #[inline(always)]
    fn slope(&self, z: F) -> F {
        if z < self.0 { -F::one() } else { F::zero() }
    }

    #[inline(always)]
    fn value(&self, z: F, slope: F) -> F {
        (z - self.0) * slope
    }
}

/// Losses that are a sum over classes of `Δ(y_c f_c)`: one row of distances to loss and derivative.
struct Lifted<'a, 'b, F, D> {
    s: &'a Sample<'b, F>,
    w: &'a mut [F],
    q: &'a mut [F],
    over: Over,
    delta: D,
}

impl<F: Float, D: Delta<F>> Kernel for Lifted<'_, '_, F, D> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Lifted { s, w, q, over, delta } = self;
        softmin_inline(s.d, s.gamma, w);
        // Two values for each class: its probability q_c, and a_c = 2 ∂L/∂f_c.
        let (q, a) = q.split_at_mut(s.classes.n_classes());
        for (q, range) in q.iter_mut().zip(s.classes.ranges()) {
            *q = row_sum(&w[range.clone()]);
        }
        let scale = F::one() / row_sum(q);
        let (two, one) = (F::of(2.0), F::one());
        for (q, a) in q.iter_mut().zip(&mut *a) {
            *q *= scale;
            *a = -two * delta.slope(one - two * *q);
        }
        if over == Over::Pair {
            let rival = most_probable_other(q, s.y);
            a.iter_mut().enumerate().filter(|(c, _)| Some(*c) != rival).for_each(|(_, a)| *a = F::zero());
        }
        let own = two * q[s.y] - one;
        let own_slope = delta.slope(own);
        a[s.y] = F::zero();
        let mut loss = delta.value(own, own_slope).f64();
        for (&q, &a) in q.iter().zip(&*a) {
            let value = delta.value(one - two * q, a / -two);
            loss += if a == F::zero() { 0.0 } else { value.f64() };
        }
        a[s.y] = two * own_slope;
        let mean = q.iter().zip(&*a).fold(F::zero(), |m, (&q, &a)| m + q * a);

        let scale = s.gamma * scale;
        for (&a, range) in a.iter().zip(s.classes.ranges()) {
            let factor = scale * (mean - a);
            for w in &mut w[range.clone()] {
                *w *= factor;
            }
        }
        loss
    }
}

/// The most probable class besides `y`, the lowest of equals; `None` with one class.
fn most_probable_other<F: Float>(q: &[F], y: usize) -> Option<usize> {
    (0..q.len()).filter(|&c| c != y).fold(None, |best, c| match best {
        Some(b) if q[b] >= q[c] => Some(b),
        _ => Some(c),
    })
}

/// `−ln q_y`: one row of distances to loss and derivative.
struct LogLoss<'a, 'b, F> {
    s: &'a Sample<'b, F>,
    w: &'a mut [F],
}

impl<F: Float> Kernel for LogLoss<'_, '_, F> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let LogLoss { s, w } = self;
        let own = s.classes.range(s.y);
        let min = softmin_inline(s.d, s.gamma, w);
        let total = row_sum(w);
        let scale = -s.gamma / total;
        w.iter_mut().for_each(|w| *w *= scale);

        let own_min = row_min(&s.d[own.clone()]);
        let weight = |d: F| (-(s.gamma * (d - own_min))).exp_fast();
        let own_total = s.d[own.clone()].iter().fold(F::zero(), |a, &d| a + weight(d));
        let scale = s.gamma / own_total;
        for (w, &d) in w[own.clone()].iter_mut().zip(&s.d[own]) {
            *w += scale * weight(d);
        }
        (s.gamma * (own_min - min)).f64() + total.f64().ln() - own_total.f64().ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ClassLayout;

    fn loss(npc: Npc, d: &[f64], of: &[usize], y: usize, gamma: f64) -> (f64, Vec<f64>) {
        let classes = ClassLayout::new(of, 3);
        let mut g = vec![0.0; d.len()];
        let l = npc.loss(&Sample { d, y, classes: &classes, gamma }, &mut g, &mut [0.0; 6]);
        (l, g)
    }

    /// Two prototypes at d = 0 and d = ln 3, γ = 1: w = (3/4, 1/4), q = (3/4, 1/4, 0), f = (½, −½, −1).
    #[test]
    fn losses_match_values_worked_out_by_hand() {
        let d = [0.0, 3f64.ln()];
        let e = |v: f64| v.exp();
        let exp = loss(Npc::default(), &d, &[0, 1], 0, 1.0).0;
        assert!((exp - (2.0 * e(-0.5) + e(-1.0) - 3.0 * e(-1.0))).abs() < 1e-12);
        let pair = loss(Npc { over: Over::Pair, ..Npc::default() }, &d, &[0, 1], 0, 1.0).0;
        assert!((pair - (2.0 * e(-0.5) - 2.0 * e(-1.0))).abs() < 1e-12);
        let hinge = Npc { loss: Loss::Hinge, delta: 0.75, ..Npc::default() };
        assert!((loss(hinge, &d, &[0, 1], 0, 1.0).0 - 0.5).abs() < 1e-12);
        let nll = Npc { loss: Loss::Nll, ..Npc::default() };
        assert!((loss(nll.clone(), &d, &[0, 1], 1, 1.0).0 - 4f64.ln()).abs() < 1e-12);
        // nll: ∂L/∂d = γ (v − w) with v = (0, 1).
        let g = loss(nll, &d, &[0, 1], 1, 1.0).1;
        assert!((g[0] + 0.75).abs() < 1e-12 && (g[1] - 0.75).abs() < 1e-12);
    }

    /// Far from its own class the probability underflows, the log loss must not: L ≈ γ (d_own − d_min).
    #[test]
    fn the_log_loss_survives_underflow() {
        let (l, g) = loss(Npc { loss: Loss::Nll, ..Npc::default() }, &[0.0, 1e6], &[0, 1], 1, 10.0);
        assert!((l - 1e7).abs() < 1e-6 && g == [-10.0, 10.0]);
    }

    #[test]
    fn a_perfect_sample_has_no_loss_and_no_slope() {
        for l in [Loss::Exp, Loss::Hinge, Loss::Nll] {
            let (l, g) = loss(Npc { loss: l, ..Npc::default() }, &[0.0, 1e9], &[0, 1], 0, 1.0);
            assert!(l.abs() < 1e-15 && g.iter().all(|v| v.abs() < 1e-15));
        }
    }
}
