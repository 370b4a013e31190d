//! Samples as they might have been, judged by their neighbours: noise that has the shape of the classes themselves.
//!
//! ```text
//! x_i ← x_i + t (x_a − x_i),    t ~ N(0, strength²),    a drawn from samples of i's class that are near to it
//! ```
//! Normal noise moves a sample in all directions alike; differences of samples of a class are changes that occur. Near is the
//! nearest of [`CANDIDATES`] random ones: cheap, and neither the very next sample, which says little, nor any of a class that may
//! have several parts.

use crate::kernel::parallel::*;
use crate::{Float, normal_pair, rng};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Random samples of which the nearest becomes a partner.
const CANDIDATES: usize = 8;
/// Partners that each sample has.
const PARTNERS: usize = 16;

/// Partners of all samples.
pub(super) struct Vary {
    strength: f64,
    /// `PARTNERS` for each sample; itself where it is alone in its class.
    partners: Vec<usize>,
    pub rng: Xoshiro256PlusPlus,
}

impl Vary {
    /// Over samples `x` (row-major) of classes `y`.
    pub fn new<F: Float>(x: &[F], y: &[usize], dim: usize, strength: f64, seed: u64) -> Self {
        let mut members = vec![Vec::new(); y.iter().max().map_or(0, |most| most + 1)];
        y.iter().enumerate().for_each(|(i, &class)| members[class].push(i));
        let mut rng = rng(seed, "vary");
        let candidates: Vec<usize> = y
            .iter()
            .flat_map(|&class| std::iter::repeat_n(&members[class], PARTNERS * CANDIDATES))
            .map(|members| members[rng.random_range(0..members.len())])
            .collect();
        let row = |i: usize| &x[i * dim..(i + 1) * dim];
        let apart = |i: usize, j: usize| {
            if i == j {
                return f64::INFINITY;
            }
            row(i).iter().zip(row(j)).fold(F::zero(), |sum, (&a, &b)| sum + (a - b) * (a - b)).f64()
        };
        let nearest = |(at, of): (usize, &[usize])| {
            let i = at / PARTNERS;
            let apart = of.iter().map(|&j| (apart(i, j), j));
            apart.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(i, |(_, j)| j)
        };
        let partners = candidates.par_chunks_exact(CANDIDATES).enumerate().map(nearest).collect();
        Vary { strength, partners, rng }
    }

    /// Moves a copy of sample `i`.
    pub fn change<F: Float>(&mut self, x: &[F], i: usize, copy: &mut [F]) {
        let dim = copy.len();
        let partner = self.partners[i * PARTNERS + self.rng.random_range(0..PARTNERS)];
        let t = F::of(self.strength * normal_pair(&mut self.rng)[0]);
        let (from, to) = (&x[i * dim..(i + 1) * dim], &x[partner * dim..(partner + 1) * dim]);
        copy.iter_mut().zip(from.iter().zip(to)).for_each(|(v, (&a, &b))| *v += t * (b - a));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes on parallel lines; samples move along their own line, by the strength that was asked for.
    #[test]
    fn samples_move_along_their_class() {
        let n = 200;
        let x: Vec<f64> = (0..n).flat_map(|i| [(i / 2) as f64, (i % 2) as f64 * 7.0]).collect();
        let y: Vec<usize> = (0..n).map(|i| i % 2).collect();
        let mut vary = Vary::new(&x, &y, 2, 0.5, 3);
        let mut ratios = Vec::new();
        for i in 0..n {
            let partners = &vary.partners[i * PARTNERS..(i + 1) * PARTNERS];
            assert!(partners.iter().all(|&a| a != i && y[a] == y[i]), "{i}: {partners:?}");
            let steps = partners.iter().map(|&a| (x[2 * a] - x[2 * i]).powi(2));
            let near = (steps.sum::<f64>() / PARTNERS as f64).sqrt();
            assert!(near < 30.0, "the nearest of eight among a hundred is {near} away");
            for _ in 0..20 {
                let mut copy = x[2 * i..2 * i + 2].to_vec();
                vary.change(&x, i, &mut copy);
                assert_eq!(copy[1], x[2 * i + 1]);
                ratios.push(((copy[0] - x[2 * i]) / near).powi(2));
            }
        }
        let strength = (ratios.iter().sum::<f64>() / ratios.len() as f64).sqrt();
        assert!((strength - 0.5).abs() < 0.05, "{strength}");
    }

    #[test]
    fn a_sample_alone_in_its_class_stays() {
        let (x, y) = ([1.0, 2.0, 3.0], [0, 1, 0]);
        let mut vary = Vary::new(&x, &y, 1, 1.0, 0);
        let mut copy = [2.0];
        vary.change(&x, 1, &mut copy);
        assert_eq!(copy, [2.0]);
    }
}
