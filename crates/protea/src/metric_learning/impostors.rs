//! The search for impostors: all pairs of samples of two classes, one nearer to the other than a target plus the margin.
//!
//! Slow version:
//! ```text
//! for all i < l of different classes:
//!     d = ‖z_i − z_l‖²
//!     for (s, o) in [(i, l), (l, i)], for each target t of s:
//!         if margin + d_st − d > 0:  loss += that;  active_st += 1;  u_s −= z_s − z_o;  u_o += z_s − z_o
//! ```
//! The fast version takes tiles of pairs, each pair once: rows of one class against columns of later classes. One product
//! gives a tile's distances up to rounding, a vectorised scan finds the few pairs that may be impostors, with room for the
//! rounding, and only for those the slow version is run, on the differences themselves. Rows are dealt to lanes with sums
//! of their own, which are added in order.

use super::lanes;
use crate::Float;
use crate::data::ClassLayout;
use crate::kernel::parallel::*;
use crate::kernel::{Kernel, Op, gemm, simd, square_sum};
use std::ops::Range;

/// Rows of a tile.
const ROWS: usize = 64;
/// Columns of a tile.
const COLUMNS: usize = 512;
/// Columns that are looked at together.
const CHUNK: usize = 32;

/// Samples at one point of the parameter space.
pub(super) struct View<'a, F> {
    /// Images of the samples in class order, `n × r`.
    pub z: &'a [F],
    pub r: usize,
    /// Squared distances to targets, `n × per_sample`, −∞ where there is none.
    pub targets: &'a [F],
    pub per_sample: usize,
    pub margin: F,
    pub weights: &'a [F],
}

impl<F: Float> View<'_, F> {
    fn row(&self, i: usize) -> &[F] {
        &self.z[i * self.r..(i + 1) * self.r]
    }
}

/// The pairs to search, and what the last search found.
pub(super) struct Impostors<F> {
    /// Rows of one class, and where later classes begin.
    blocks: Vec<(Range<usize>, usize)>,
    lanes: Vec<Lane<F>>,
    n: usize,
    wrong: usize,
}

/// Sums and buffers of one lane.
struct Lane<F> {
    loss: f64,
    u: Vec<F>,
    active: Vec<u32>,
    /// Samples with an impostor nearer than every target.
    wrong: Vec<bool>,
    tile: Vec<F>,
    difference: Vec<F>,
}

/// What the scan compares: norms less what rounding may have added to distances, and the reach of each sample, its
/// farthest target and the margin.
struct Bounds<F> {
    norms: Vec<F>,
    reach: Vec<F>,
}

impl<F: Float> Impostors<F> {
    /// For samples of these classes.
    pub fn new(classes: &ClassLayout, r: usize, per_sample: usize) -> Self {
        let n = classes.of().len();
        let blocks: Vec<(Range<usize>, usize)> = classes
            .ranges()
            .iter()
            .filter(|class| class.end < n)
            .flat_map(|class| {
                let starts = class.clone().step_by(ROWS);
                starts.map(|s| (s..(s + ROWS).min(class.end), class.end))
            })
            .collect();
        let lanes = (0..lanes(n * r, blocks.len()))
            .map(|_| Lane {
                loss: 0.0,
                u: vec![F::zero(); n * r],
                active: vec![0; n * per_sample],
                wrong: vec![false; n],
                tile: vec![F::zero(); ROWS * COLUMNS],
                difference: vec![F::zero(); r],
            })
            .collect();
        Impostors { blocks, lanes, n, wrong: 0 }
    }

    /// Samples with an impostor nearer than every target in the last search.
    pub fn wrong(&self) -> usize {
        self.wrong
    }

    /// Sum of what impostors are inside the margin, its derivative by `z` but for the targets' part (halved), and the
    /// number of impostors of each target.
    pub fn gather(&mut self, view: &View<F>) -> (f64, Vec<F>, Vec<u32>) {
        let bounds = Bounds::new(view);
        let (blocks, count, n) = (&self.blocks, self.lanes.len(), self.n);
        self.lanes.par_iter_mut().enumerate().for_each(|(l, lane)| {
            lane.clear();
            // Blocks of the first classes have more columns: dealt in turn, lanes have about the same work.
            for (rows, next) in blocks.iter().skip(l).step_by(count) {
                for start in (*next..n).step_by(COLUMNS) {
                    lane.tile(view, &bounds, rows.clone(), start..(start + COLUMNS).min(n));
                }
            }
        });
        self.sum()
    }

    /// The sums of all lanes, in order.
    fn sum(&mut self) -> (f64, Vec<F>, Vec<u32>) {
        let lanes = &self.lanes;
        let loss = lanes.iter().map(|l| l.loss).sum();
        let total = |i: usize| lanes.iter().fold(F::zero(), |s, l| s + l.u[i]);
        let u = (0..lanes[0].u.len()).into_par_iter().with_min_len(4096).map(total).collect();
        let active = (0..lanes[0].active.len()).map(|i| lanes.iter().map(|l| l.active[i]).sum()).collect();
        self.wrong = (0..self.n).filter(|&i| lanes.iter().any(|l| l.wrong[i])).count();
        (loss, u, active)
    }
}

impl<F: Float> Bounds<F> {
    fn new(view: &View<F>) -> Self {
        // The product of two rows is off by no more than (r + 4) ε |z_i||z_l|, and 2|z_i||z_l| ≤ |z_i|² + |z_l|².
        let shrink = F::of(1.0 - 4.0 * (view.r + 4) as f64 * F::EPS);
        Bounds {
            norms: view.z.par_chunks_exact(view.r).map(|z| shrink * square_sum(z)).collect(),
            reach: view
                .targets
                .chunks_exact(view.per_sample)
                .map(|d| d.iter().fold(F::neg_infinity(), |m, &d| m.max(d)) + view.margin)
                .collect(),
        }
    }
}

impl<F: Float> Lane<F> {
    fn clear(&mut self) {
        self.loss = 0.0;
        self.u.fill(F::zero());
        self.active.fill(0);
        self.wrong.fill(false);
    }

    fn tile(&mut self, view: &View<F>, bounds: &Bounds<F>, rows: Range<usize>, columns: Range<usize>) {
        let r = view.r;
        let mut tile = std::mem::take(&mut self.tile);
        let products = &mut tile[..rows.len() * columns.len()];
        let part = |range: &Range<usize>| &view.z[range.start * r..range.end * r];
        let (a, b) = (Op::N(part(&rows), rows.len(), r), Op::T(part(&columns), columns.len(), r));
        gemm(F::of(-2.0), a, b, products, false);
        simd::run(Scan { lane: self, view, bounds, rows, columns, products });
        self.tile = tile;
    }

    /// The slow version for one pair.
    #[inline(always)]
    fn pair(&mut self, view: &View<F>, bounds: &Bounds<F>, i: usize, l: usize) {
        for ((d, &a), &b) in self.difference.iter_mut().zip(view.row(i)).zip(view.row(l)) {
            *d = a - b;
        }
        let d = square_sum(&self.difference);
        let mut weight = F::zero();
        for s in [i, l] {
            if d < bounds.reach[s] {
                weight += view.weights[s] * F::of(self.pushed(view, s, d).into());
            }
        }
        if weight > F::zero() {
            let r = view.r;
            for (u, &d) in self.u[i * r..(i + 1) * r].iter_mut().zip(&self.difference) {
                *u -= weight * d;
            }
            for (u, &d) in self.u[l * r..(l + 1) * r].iter_mut().zip(&self.difference) {
                *u += weight * d;
            }
        }
    }

    /// Counts a sample of another class at distance `d` from `s`: how many targets of `s` it is too near for.
    #[inline(always)]
    fn pushed(&mut self, view: &View<F>, s: usize, d: F) -> u32 {
        let places = s * view.per_sample..(s + 1) * view.per_sample;
        let mut count = 0;
        let mut nearer = true;
        let mut loss = F::zero();
        for (active, &target) in self.active[places.clone()].iter_mut().zip(&view.targets[places]) {
            let inside = view.margin + target - d;
            if inside > F::zero() {
                loss += inside;
                *active += 1;
                count += 1;
            }
            nearer &= d < target || target == F::neg_infinity();
        }
        self.wrong[s] |= nearer;
        self.loss += (view.weights[s] * loss).f64();
        count
    }
}

/// Finds the pairs of a tile that may be impostors, and hands them on.
struct Scan<'a, 'b, F> {
    lane: &'a mut Lane<F>,
    view: &'a View<'b, F>,
    bounds: &'a Bounds<F>,
    rows: Range<usize>,
    columns: Range<usize>,
    /// −2 z_i·z_l.
    products: &'a [F],
}

impl<F: Float> Kernel for Scan<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Scan { lane, view, bounds, rows, columns, products } = self;
        let (norms, reach) = (&bounds.norms[columns.clone()], &bounds.reach[columns.clone()]);
        for (i, products) in rows.zip(products.chunks_exact(columns.len())) {
            let own = (bounds.norms[i], bounds.reach[i]);
            let chunks = products.chunks(CHUNK).zip(norms.chunks(CHUNK)).zip(reach.chunks(CHUNK));
            for (c, ((products, norms), reach)) in chunks.enumerate() {
                if inside_any(products, norms, reach, own) {
                    for k in 0..products.len() {
                        if inside(products[k], norms[k], reach[k], own) {
                            lane.pair(view, bounds, i, columns.start + c * CHUNK + k);
                        }
                    }
                }
            }
        }
    }
}

/// Whether a pair may be nearer than the reach of one of its samples; `own` is norm and reach of the row.
#[inline(always)]
fn inside<F: Float>(product: F, norm: F, reach: F, own: (F, F)) -> bool {
    product + norm + own.0 < if reach > own.1 { reach } else { own.1 }
}

/// Whether [`inside`] holds anywhere in a chunk; without a branch, so that it vectorises.
#[inline(always)]
fn inside_any<F: Float>(products: &[F], norms: &[F], reach: &[F], own: (F, F)) -> bool {
    let mut hits = 0u32;
    for ((&p, &n), &reach) in products.iter().zip(norms).zip(reach) {
        hits += u32::from(inside(p, n, reach, own));
    }
    hits > 0
}
