//! Answers of a checked model. Nothing here can fail: [`Model::parse`](crate::Model::parse) has seen every table.

use crate::layout::Tag;
use crate::{Model, Operation, Operations, math, u16_at, u32_at, whole};

/// One prediction at a time, in the caller's memory.
pub(crate) struct Run<'a, 'b> {
    model: &'b Model<'a>,
    /// A number for each class.
    evidence: &'b mut [f32],
    /// Two rows: that which an operation finds, and that which it leaves.
    rows: &'b mut [f32],
}

fn f32_at(table: &[u8], at: usize) -> f32 {
    u32_at(table, 4 * at).map_or(0.0, f32::from_bits)
}

/// `(v − centre) factor` in whole numbers, ties away from zero.
fn round(v: f32, limit: f32) -> f32 {
    if v > -limit && v < limit {
        (if v < 0.0 { v - 0.5 } else { v + 0.5 }) as i32 as f32
    } else if v >= limit {
        limit
    } else {
        -limit
    }
}

/// What a model has behind its preprocessing.
struct Tail<'a> {
    distance: Operation<'a>,
    /// Length of the row.
    width: usize,
    prototypes: usize,
    rest: Operations<'a>,
}

impl<'a, 'b> Run<'a, 'b> {
    pub fn new(model: &'b Model<'a>, scratch: &'b mut [f32]) -> Self {
        let (evidence, rows) = scratch.split_at_mut(model.classes.min(scratch.len()));
        Run { model, evidence, rows }
    }

    /// Index of the class of a sample.
    pub fn class(&mut self, sample: &[f32]) -> usize {
        self.decide(sample)
    }

    /// Probability of each class.
    pub fn probabilities(&mut self, sample: &[f32], out: &mut [f32]) {
        self.decide(sample);
        let most = self.evidence.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut total = 0.0;
        for (out, e) in out.iter_mut().zip(self.evidence.iter()) {
            *out = math::exp(e - most);
            total += *out;
        }
        out.iter_mut().for_each(|q| *q /= total);
    }

    /// The class, with the evidence for all classes left in its place.
    fn decide(&mut self, sample: &[f32]) -> usize {
        let mut class = 0;
        let Some(mut tail) = self.prepare(sample) else { return 0 };
        let mut unit = 1.0;
        let mut scored = false;
        while let Some(op) = tail.rest.next() {
            match op.tag {
                Tag::Vote => class = self.vote(&tail, op.numbers[0] as usize),
                Tag::Largest => class = largest(self.evidence),
                Tag::Multiply if !scored => unit = f32::from_bits(op.numbers[0]),
                Tag::Least => {
                    self.least(&tail, &op, unit);
                    scored = true;
                }
                Tag::SoftLeast => {
                    self.soft_least(&tail, f32::from_bits(op.numbers[0]), unit);
                    scored = true;
                }
                _ => self.each_class(&op),
            }
        }
        class
    }

    /// The row that distances are taken of, at the start of `rows`.
    fn prepare(&mut self, sample: &[f32]) -> Option<Tail<'a>> {
        let mut operations = Operations::new(self.model.bytes, self.model.features, self.model.classes);
        self.rows.get_mut(..sample.len())?.copy_from_slice(sample);
        loop {
            let width = operations.row;
            let op = operations.next()?;
            match op.tag {
                Tag::Distance | Tag::WeightedDistance | Tag::RoundedDistance => {
                    let prototypes = operations.prototypes;
                    return Some(Tail { distance: op, width, prototypes, rest: operations });
                }
                _ => self.step(&op, width, operations.row)?,
            }
        }
    }

    fn step(&mut self, op: &Operation, width: usize, after: usize) -> Option<()> {
        let (row, out) = self.rows.split_at_mut_checked(width)?;
        match op.tag {
            Tag::Scale | Tag::Round => {
                for (f, v) in row.iter_mut().enumerate() {
                    *v = (*v - f32_at(op.tables, f)) * f32_at(op.tables, width + f);
                    if op.tag == Tag::Round {
                        *v = round(*v, op.numbers[0] as f32);
                    }
                }
                return Some(());
            }
            Tag::Unit => unit_length(row),
            Tag::SmoothClip => {
                let limit = f32::from_bits(op.numbers[0]);
                row.iter_mut().for_each(|v| *v /= math::sqrt(1.0 + (*v / limit) * (*v / limit)));
            }
            Tag::PiecewiseLinear => {
                let (mut e, mut out) = (0, out.iter_mut().take(after));
                for (f, v) in row.iter().enumerate() {
                    let end = u32_at(op.tables, 4 * (op.numbers[1] as usize + f))? as usize;
                    while e + 1 < end {
                        let (low, high) = (f32_at(op.tables, e), f32_at(op.tables, e + 1));
                        let share = if high > low { (v - low) / (high - low) } else { 0.0 };
                        *out.next()? = share.clamp(0.0, 1.0);
                        e += 1;
                    }
                    e = end;
                }
                self.rows.copy_within(width..width + after, 0);
            }
            Tag::Affine => {
                for (i, out) in out.iter_mut().enumerate().take(after) {
                    let term = |(f, v): (usize, &f32)| {
                        f32_at(op.tables, width + i * width + f) * (v - f32_at(op.tables, f))
                    };
                    *out = row.iter().enumerate().map(term).sum();
                }
                self.rows.copy_within(width..width + after, 0);
            }
            Tag::RoundedAffine => {
                let [_, shift, limit, size] = op.numbers;
                for (i, out) in out.iter_mut().enumerate().take(after) {
                    let term =
                        |(f, v): (usize, &f32)| whole(op.tables, size as usize, i * width + f) * *v as i32;
                    let sum: i32 = row.iter().enumerate().map(term).sum();
                    let half = (1i32 << shift) / 2;
                    let sum = (if sum < 0 { sum - half } else { sum + half }) / (1 << shift);
                    *out = sum.clamp(-(limit as i32), limit as i32) as f32;
                }
                self.rows.copy_within(width..width + after, 0);
            }
            _ => (),
        }
        Some(())
    }

    /// Squared distance to a prototype; whole numbers are exact in `i32` and are compared as such.
    fn distance(&self, tail: &Tail, j: usize) -> Distance {
        let (op, d) = (&tail.distance, tail.width);
        let row = self.rows.iter().take(d).enumerate();
        if op.tag == Tag::RoundedDistance {
            let term = |(f, v): (usize, &f32)| {
                let t = *v as i32 - whole(op.tables, op.numbers[1] as usize, j * d + f);
                t * t
            };
            return Distance { whole: row.map(term).sum(), real: 0.0 };
        }
        let weights = tail.prototypes * d;
        let term = |(f, v): (usize, &f32)| {
            let t = v - f32_at(op.tables, j * d + f);
            let weight =
                if op.tag == Tag::WeightedDistance { f32_at(op.tables, weights + j * d + f) } else { 1.0 };
            t * t * weight
        };
        Distance { whole: 0, real: row.map(term).sum() }
    }

    fn label(&self, j: usize) -> usize {
        u16_at(self.model.labels, 2 * j).map_or(0, usize::from)
    }

    /// The class with most votes among the `k` nearest; of several, that of the nearest.
    ///
    /// Without memory for `k` prototypes, the next nearest is searched `k` times, which for the usual `k` is as quick.
    fn vote(&mut self, tail: &Tail, k: usize) -> usize {
        let nearest = |run: &Self, after: Option<(Distance, usize)>| {
            let mut best: Option<(Distance, usize)> = None;
            for j in 0..tail.prototypes {
                let d = run.distance(tail, j);
                let later = after.is_none_or(|(a, i)| a.before(&d) || (!d.before(&a) && j > i));
                if later && best.is_none_or(|(b, _)| d.before(&b)) {
                    best = Some((d, j));
                }
            }
            best
        };
        if k == 1 {
            return nearest(self, None).map_or(0, |(_, j)| self.label(j));
        }
        self.evidence.iter_mut().for_each(|e| *e = 0.0);
        let (mut last, mut order) = (None, 0.0);
        for _ in 0..k.min(tail.prototypes) {
            let Some(next) = nearest(self, last) else { break };
            // A vote counts one; the first vote of a class also says how early it came, by less than any vote.
            let class = self.label(next.1);
            if let Some(votes) = self.evidence.get_mut(class) {
                *votes += if *votes == 0.0 { 1.5 - order } else { 1.0 };
            }
            order += 0.5 / (k as f32 + 1.0);
            last = Some(next);
        }
        largest(self.evidence)
    }

    fn least(&mut self, tail: &Tail, op: &Operation, unit: f32) {
        let members = op.numbers[0] as usize;
        let classes = self.model.classes;
        self.evidence.iter_mut().for_each(|e| *e = 0.0);
        let mut start = 0;
        for k in 0..members {
            let end = u32_at(op.tables, 4 * k).map_or(0, |v| v as usize);
            for c in 0..classes {
                let of_class = (start..end).filter(|&j| self.label(j) == c);
                let least =
                    of_class.map(|j| self.distance(tail, j).value() * unit).fold(f32::INFINITY, f32::min);
                if let Some(e) = self.evidence.get_mut(c) {
                    *e += least / members as f32;
                }
            }
            start = end;
        }
    }

    fn soft_least(&mut self, tail: &Tail, gamma: f32, unit: f32) {
        for c in 0..self.model.classes {
            let (mut least, mut sum) = (f32::INFINITY, 0.0f32);
            for j in (0..tail.prototypes).filter(|&j| self.label(j) == c) {
                let d = self.distance(tail, j).value() * unit;
                if d < least {
                    sum = sum * math::exp(-gamma * (least - d)) + 1.0;
                    least = d;
                } else {
                    sum += math::exp(-gamma * (d - least));
                }
            }
            if let Some(e) = self.evidence.get_mut(c) {
                *e = if sum > 0.0 { math::ln(sum) - gamma * least } else { f32::MIN };
            }
        }
    }

    fn each_class(&mut self, op: &Operation) {
        let classes = self.model.classes;
        for (c, e) in self.evidence.iter_mut().enumerate() {
            *e = match op.tag {
                Tag::Weigh => -(f32_at(op.tables, c) * *e + f32_at(op.tables, classes + c)),
                Tag::InverseLog => -0.5 * math::ln(*e),
                Tag::Multiply => *e * f32::from_bits(op.numbers[0]),
                _ => *e,
            };
        }
    }
}

/// A squared distance: a whole number, or a real one.
#[derive(Debug, Clone, Copy)]
struct Distance {
    whole: i32,
    real: f32,
}

impl Distance {
    fn before(&self, other: &Distance) -> bool {
        self.whole < other.whole || self.real < other.real
    }

    fn value(&self) -> f32 {
        self.whole as f32 + self.real
    }
}

/// The place of the largest number, the first of several.
fn largest(values: &[f32]) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (c, &v) in values.iter().enumerate() {
        if v > best.1 {
            best = (c, v);
        }
    }
    best.0
}

/// Divides a row by its length; zeros stay.
fn unit_length(row: &mut [f32]) {
    let most = row.iter().fold(0.0, |m: f32, v| if *v < 0.0 { m.max(-v) } else { m.max(*v) });
    if most > 0.0 {
        let squares: f32 = row.iter().map(|v| (v / most) * (v / most)).sum();
        let length = math::sqrt(squares) * most;
        row.iter_mut().for_each(|v| *v /= length);
    }
}
