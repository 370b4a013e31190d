//! Deskewing and edges of images as nodes. The formulas are those of [`Deskew`](crate::represent::Deskew) and
//! [`Hog`](crate::represent::Hog).

use super::graph::Graph;
use super::proto::Attribute;
use std::f64::consts::PI;

/// Images straightened by their moments: four pixels around each place are looked up and weighted.
pub(super) fn deskew(g: &mut Graph, x: &str, width: usize, height: usize, background: f64) -> String {
    let n = width * height;
    let place = |at: fn(usize, usize) -> usize| (0..n).map(move |i| at(i, width) as f64).collect::<Vec<_>>();
    let (xs, ys) = (place(|i, w| i % w), place(|i, w| i / w));
    let (columns, rows) = (g.reals("columns", &[n], &xs), g.reals("rows", &[n], &ys));
    let (zero, tiny, least) = (g.real("zero", 0.0), g.real("tiny", 1e-30), g.real("least", 1e-9));
    let back = g.real("background", background);
    let image = g.node("Sub", &[x, &back], &[]);
    let mass = g.sum(&image, 1, true);
    let some = g.node("Greater", &[&mass, &zero], &[]);
    let safe = g.node("Max", &[&mass, &tiny], &[]);
    // A moment: the sum of pixels times a factor, by mass.
    let moment = |g: &mut Graph, by: &[&str]| {
        let product = by.iter().fold(image.clone(), |v, f| g.node("Mul", &[&v, f], &[]));
        let sum = g.sum(&product, 1, true);
        g.node("Div", &[&sum, &safe], &[])
    };
    let (mx, my) = (moment(g, &[&columns]), moment(g, &[&rows]));
    let (dx, dy) = (g.node("Sub", &[&columns, &mx], &[]), g.node("Sub", &[&rows, &my], &[]));
    let (vary, cov) = (moment(g, &[&dy, &dy]), moment(g, &[&dx, &dy]));
    let steep = g.node("Greater", &[&vary, &least], &[]);
    let divisor = g.node("Max", &[&vary, &least], &[]);
    let ratio = g.node("Div", &[&cov, &divisor], &[]);
    let shear = g.node("Where", &[&steep, &ratio, &zero], &[]);
    let off =
        |values: &[f64], size: usize| values.iter().map(|v| v - (size - 1) as f64 / 2.0).collect::<Vec<_>>();
    let (cx, cy) = (g.reals("across", &[n], &off(&xs, width)), g.reals("down", &[n], &off(&ys, height)));
    let slant = g.node("Mul", &[&shear, &cy], &[]);
    let sx = g.node("Add", &[&mx, &cx], &[]);
    let sx = g.node("Add", &[&sx, &slant], &[]);
    let sy = g.node("Add", &[&my, &cy], &[]);
    let straight = bilinear(g, &image, (&sx, width), (&sy, height));
    let straight = g.node("Where", &[&some, &straight, &image], &[]);
    g.node("Add", &[&straight, &back], &[])
}

/// Pixels at places between pixels; 0 outside.
fn bilinear(g: &mut Graph, image: &str, (sx, width): (&str, usize), (sy, height): (&str, usize)) -> String {
    let (one, zero) = (g.real("one", 1.0), g.real("zero", 0.0));
    let last = (g.real("right", (width - 1) as f64), g.real("bottom", (height - 1) as f64));
    let stride = g.integers("stride", &[1], &[width as i64]);
    let (left, top) = (g.node("Floor", &[sx], &[]), g.node("Floor", &[sy], &[]));
    let (u, v) = (g.node("Sub", &[sx, &left], &[]), g.node("Sub", &[sy, &top], &[]));
    let (near_u, near_v) = (g.node("Sub", &[&one, &u], &[]), g.node("Sub", &[&one, &v], &[]));
    let (right, bottom) = (g.node("Add", &[&left, &one], &[]), g.node("Add", &[&top, &one], &[]));
    let mut sum: Option<String> = None;
    for (a, share_a, b, share_b) in [
        (&left, &near_u, &top, &near_v),
        (&right, &u, &top, &near_v),
        (&left, &near_u, &bottom, &v),
        (&right, &u, &bottom, &v),
    ] {
        let clipped = |g: &mut Graph, at: &str, last: &str| {
            let at = g.node("Max", &[at, &zero], &[]);
            g.node("Min", &[&at, last], &[])
        };
        let (ca, cb) = (clipped(g, a, &last.0), clipped(g, b, &last.1));
        let (same_a, same_b) = (g.node("Equal", &[&ca, a], &[]), g.node("Equal", &[&cb, b], &[]));
        let inside = g.node("And", &[&same_a, &same_b], &[]);
        let whole = [("to", Attribute::Int(7))];
        let (ia, ib) = (g.node("Cast", &[&ca], &whole), g.node("Cast", &[&cb], &whole));
        let row = g.node("Mul", &[&ib, &stride], &[]);
        let at = g.node("Add", &[&row, &ia], &[]);
        let pixel = g.node("GatherElements", &[image, &at], &[("axis", Attribute::Int(1))]);
        let pixel = g.node("Where", &[&inside, &pixel, &zero], &[]);
        let share = g.node("Mul", &[share_a, share_b], &[]);
        let part = g.node("Mul", &[&pixel, &share], &[]);
        sum = Some(match sum {
            None => part,
            Some(sum) => g.node("Add", &[&sum, &part], &[]),
        });
    }
    sum.unwrap_or_default()
}

/// Histograms of the directions of edges.
pub(super) fn hog(
    g: &mut Graph,
    x: &str,
    width: usize,
    height: usize,
    side: usize,
    block: usize,
    bins: usize,
) -> String {
    let (across, down) = (width / side, height / side);
    let strengths = directions(g, x, (width, height), (across * side, down * side), bins);
    // Sums over the pixels of a cell.
    let cells = g.reshape(&strengths, &[down, side, across, side, bins]);
    let axes = g.integers("axes", &[2], &[2, 4]);
    let cells = g.node("ReduceSum", &[&cells, &axes], &[("keepdims", Attribute::Int(0))]);
    let cells = g.reshape(&cells, &[across * down * bins]);
    let (wide, high, size) = (across + 1 - block, down + 1 - block, block * block * bins);
    let places = (0..wide * high).flat_map(|k| {
        let cell =
            move |i: usize| ((k / wide + i / (block * bins)) * across + k % wide) * bins + i % (block * bins);
        (0..size).map(cell)
    });
    let blocks = g.columns(&cells, places);
    let mut blocks = g.reshape(&blocks, &[wide * high, size]);
    let (even, cut) = (g.real("even", 1e-10), g.real("cut", 0.2));
    for first in [true, false] {
        let squares = g.reduce("ReduceSumSquare", &blocks, 2, true);
        let squares = g.node("Add", &[&squares, &even], &[]);
        let length = g.node("Sqrt", &[&squares], &[]);
        blocks = g.node("Div", &[&blocks, &length], &[]);
        if first {
            blocks = g.node("Min", &[&blocks, &cut], &[]);
        }
    }
    g.reshape(&blocks, &[wide * high * size])
}

/// For every pixel the strength of its edge, shared between the two nearest of the directions: `rows × pixels × bins`.
fn directions(
    g: &mut Graph,
    x: &str,
    (width, height): (usize, usize),
    (columns, rows): (usize, usize),
    bins: usize,
) -> String {
    let place = |at: &dyn Fn(usize, usize) -> usize| -> Vec<usize> {
        (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))).map(|(r, c)| at(r, c)).collect()
    };
    let right = g.columns(x, place(&|r, c| r * width + (c + 1).min(width - 1)));
    let left = g.columns(x, place(&|r, c| r * width + c.saturating_sub(1)));
    let below = g.columns(x, place(&|r, c| (r + 1).min(height - 1) * width + c));
    let above = g.columns(x, place(&|r, c| r.saturating_sub(1) * width + c));
    let (gx, gy) = (g.node("Sub", &[&right, &left], &[]), g.node("Sub", &[&below, &above], &[]));
    let (xx, yy) = (g.node("Mul", &[&gx, &gx], &[]), g.node("Mul", &[&gy, &gy], &[]));
    let squares = g.node("Add", &[&xx, &yy], &[]);
    let strength = g.node("Sqrt", &[&squares], &[]);
    // The angle as a share of π in [0, 1): atan(gy / gx) / π, plus 1 if negative; ½ where gx is 0.
    let (zero, one, half) = (g.real("zero", 0.0), g.real("one", 1.0), g.real("half", 0.5));
    let upright = g.node("Equal", &[&gx, &zero], &[]);
    let divisor = g.node("Where", &[&upright, &one, &gx], &[]);
    let slope = g.node("Div", &[&gy, &divisor], &[]);
    let angle = g.node("Atan", &[&slope], &[]);
    let per_pi = g.real("per_pi", 1.0 / PI);
    let share = g.node("Mul", &[&angle, &per_pi], &[]);
    let negative = g.node("Less", &[&share, &zero], &[]);
    let turned = g.node("Add", &[&share, &one], &[]);
    let share = g.node("Where", &[&negative, &turned, &share], &[]);
    let share = g.node("Where", &[&upright, &half, &share], &[]);
    // Each direction gets what 1 minus its distance on the circle of directions leaves.
    let count = g.real("bins", bins as f64);
    let turn = g.node("Mul", &[&share, &count], &[]);
    let turn = g.node("Sub", &[&turn, &half], &[]);
    let turn = g.reshape(&turn, &[rows * columns, 1]);
    let middles: Vec<f64> = (0..bins).map(|b| b as f64).collect();
    let middles = g.reals("middles", &[bins], &middles);
    let away = g.node("Sub", &[&turn, &middles], &[]);
    let away = g.node("Abs", &[&away], &[]);
    let around = g.node("Sub", &[&count, &away], &[]);
    let away = g.node("Min", &[&away, &around], &[]);
    let given = g.node("Sub", &[&one, &away], &[]);
    let given = g.node("Relu", &[&given], &[]);
    let strength = g.reshape(&strength, &[rows * columns, 1]);
    g.node("Mul", &[&given, &strength], &[])
}
