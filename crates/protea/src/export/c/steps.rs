//! What is done to a sample before distances are taken, as C.

use super::{Source, refused, tables::Tables};
use crate::Result;
use crate::plan::Op;

impl Source<'_> {
    /// The function from features to the row that distances are taken of.
    pub(super) fn prepare(&self, tables: &mut Tables) -> Result<String> {
        let steps = &self.plan.ops[..self.distance];
        let mut helpers = String::new();
        let mut body = String::new();
        let (mut from, mut dim) = ("x".to_string(), self.plan.features.len());
        for (k, op) in steps.iter().enumerate() {
            let after = self.plan.row_after(op, dim);
            let last = k + 1 == steps.len();
            let to = if last { "z".to_string() } else { format!("v{k}") };
            if !last {
                let whole = matches!(op, Op::Round { .. } | Op::RoundedAffine { .. });
                let kind = if whole { "int16_t" } else { self.real };
                body += &format!("    {kind} {to}[{after}];\n");
            }
            if matches!(op, Op::Round { .. }) && helpers.is_empty() {
                helpers = self.round_function();
            }
            body += &self.step(op, &from, &to, dim, after, tables)?;
            (from, dim) = (to, after);
        }
        if steps.is_empty() {
            body = format!("    for (uint_fast16_t i = 0; i < {dim}; i++)\n        z[i] = x[i];\n");
        }
        let (name, row) = (&self.name, self.row_type());
        Ok(format!(
            "{helpers}/* Preprocessing. */\nstatic void {name}_prepare(const $real *x, {row} *z)\n{{\n{body}}}\n\n"
        ))
    }

    /// Numbers that distances are taken of.
    pub(super) fn width(&self) -> usize {
        self.plan.ops[..self.distance]
            .iter()
            .fold(self.plan.features.len(), |dim, op| self.plan.row_after(op, dim))
    }

    fn round_function(&self) -> String {
        format!(
            "/* The nearest whole number within +-limit; ties away from zero. */\n\
             static int16_t {}_round(float v, int16_t limit)\n{{\n    if (v > -(float)limit && v < (float)limit)\n\
             {:8}return (int16_t)(v < 0.0f ? v - 0.5f : v + 0.5f);\n\
             {:4}return (int16_t)(v >= (float)limit ? limit : -limit);\n}}\n\n",
            self.name, "", ""
        )
    }

    fn step(
        &self,
        op: &Op,
        from: &str,
        to: &str,
        dim: usize,
        after: usize,
        tables: &mut Tables,
    ) -> Result<String> {
        let each = |n: usize| format!("    for (uint_fast16_t i = 0; i < {n}; i++)");
        Ok(match *op {
            Op::Scale { centre, factor } => {
                let (c, f) = (tables.array(centre).at("i"), tables.array(factor).at("i"));
                format!("{}\n        {to}[i] = ({from}[i] - {c}) * {f};\n", each(dim))
            }
            Op::Round { centre, factor, limit } => {
                let (c, f, name) = (tables.array(centre).at("i"), tables.array(factor).at("i"), &self.name);
                format!("{}\n        {to}[i] = {name}_round(({from}[i] - {c}) * {f}, {limit});\n", each(dim))
            }
            Op::Affine { centre, matrix, .. } => {
                let c = tables.array(centre).at("f");
                let a = tables.array(matrix).at(&format!("(i * {dim} + f)"));
                format!(
                    "{} {{\n        $real sum = 0;\n        for (uint_fast16_t f = 0; f < {dim}; f++)\n\
                     {:12}sum += {a} * ({from}[f] - {c});\n        {to}[i] = sum;\n    }}\n",
                    each(after),
                    ""
                )
            }
            Op::RoundedAffine { matrix, shift, limit } => {
                let a = tables.array(matrix).at(&format!("(i * {dim} + f)"));
                let half = (1 << shift) / 2;
                format!(
                    "{} {{\n        int32_t sum = 0;\n        for (uint_fast16_t f = 0; f < {dim}; f++)\n\
                     {:12}sum += (int32_t){a} * {from}[f];\n\
                     {:8}sum = (sum < 0 ? sum - {half} : sum + {half}) / {};\n\
                     {:8}{to}[i] = (int16_t)(sum < -{limit} ? -{limit} : sum > {limit} ? {limit} : sum);\n    }}\n",
                    each(after),
                    "",
                    "",
                    1u32 << shift,
                    ""
                )
            }
            Op::SmoothClip { limit } => {
                let (limit, f) = (self.number(limit), self.suffix);
                let share = format!("({from}[i] / {limit})");
                format!("{}\n        {to}[i] = {from}[i] / sqrt{f}(1 + {share} * {share});\n", each(dim))
            }
            Op::PiecewiseLinear { edges, ends } => {
                let table = tables.array(edges);
                let (low, high, end) = (table.at("e"), table.at("(e + 1)"), tables.array(ends).at("i"));
                piecewise(from, to, dim, [&low, &high, &end])
            }
            Op::Unit => self.unit(from, to, dim),
            Op::Deskew { width, height, background } => self.deskew(from, to, width, height, background),
            Op::Hog { width, height, side, block, bins } => {
                self.cells(from, width, height, side, bins)
                    + &self.blocks(to, width / side, height / side, block, bins)
            }
            ref other => return Err(refused(other, "a C header")),
        })
    }

    fn unit(&self, from: &str, to: &str, dim: usize) -> String {
        let f = self.suffix;
        format!(
            "    {{\n        $real most = 0, sum = 0;\n        for (uint_fast16_t i = 0; i < {dim}; i++) {{\n\
             {:12}$real a = {from}[i] < 0 ? -{from}[i] : {from}[i];\n            if (a > most)\n                most = a;\n        }}\n\
             {:8}for (uint_fast16_t i = 0; most > 0 && i < {dim}; i++)\n            sum += ({from}[i] / most) * ({from}[i] / most);\n\
             {:8}sum = most > 0 ? sqrt{f}(sum) * most : 1;\n\
             {:8}for (uint_fast16_t i = 0; i < {dim}; i++)\n            {to}[i] = {from}[i] / sum;\n    }}\n",
            "", "", "", ""
        )
    }

    /// An image straightened by its moments.
    fn deskew(&self, from: &str, to: &str, width: usize, height: usize, background: f64) -> String {
        let (n, f, b) = (width * height, self.suffix, self.number(background));
        let (cx, cy) = (self.number((width - 1) as f64 / 2.0), self.number((height - 1) as f64 / 2.0));
        let least = self.number(1e-9);
        format!(
            r"    {{
        $real mass = 0, mx = 0, my = 0, vary = 0, cov = 0, shear;
        for (uint_fast16_t i = 0; i < {n}; i++) {{
            $real v = {from}[i] - {b};
            mass += v;
            mx += v * ($real)(i % {width});
            my += v * ($real)(i / {width});
        }}
        mx = mass > 0 ? mx / mass : 0;
        my = mass > 0 ? my / mass : 0;
        for (uint_fast16_t i = 0; i < {n}; i++) {{
            $real v = {from}[i] - {b}, dx = ($real)(i % {width}) - mx, dy = ($real)(i / {width}) - my;
            vary += v * dy * dy;
            cov += v * dx * dy;
        }}
        shear = mass > 0 && vary > mass * {least} ? cov / vary : 0;
        for (uint_fast16_t i = 0; i < {n}; i++) {{
            $real y = ($real)(i / {width}) - {cy}, sx = mx + (($real)(i % {width}) - {cx}) + shear * y, sy = my + y;
            $real left = floor{f}(sx), top = floor{f}(sy), u = sx - left, v = sy - top, sum = 0;
            if (!(mass > 0)) {{
                {to}[i] = {from}[i];
                continue;
            }}
            for (int k = 0; k < 4; k++) {{
                $real a = left + ($real)(k % 2), b = top + ($real)(k / 2);
                $real share = (k % 2 ? u : 1 - u) * (k / 2 ? v : 1 - v);
                if (a >= 0 && b >= 0 && a < {width} && b < {height})
                    sum += share * ({from}[(uint_fast16_t)b * {width} + (uint_fast16_t)a] - {b});
            }}
            {to}[i] = sum + {b};
        }}
    }}
"
        )
    }

    /// Histograms of the directions of edges, cell by cell, in `cells`.
    fn cells(&self, from: &str, width: usize, height: usize, side: usize, bins: usize) -> String {
        let (across, down, f) = (width / side, height / side, self.suffix);
        let (size, pi) = (across * down * bins, self.number(std::f64::consts::PI));
        let half = self.number(0.5);
        format!(
            r"    $real cells[{size}];
    for (uint_fast16_t i = 0; i < {size}; i++)
        cells[i] = 0;
    for (uint_fast16_t r = 0; r < {rows}; r++)
        for (uint_fast16_t c = 0; c < {columns}; c++) {{
            const $real *row = {from} + r * {width};
            $real gx = row[c + 1 < {width} ? c + 1 : c] - row[c > 0 ? c - 1 : c];
            $real gy = {from}[(r + 1 < {height} ? r + 1 : r) * {width} + c] - {from}[(r > 0 ? r - 1 : r) * {width} + c];
            $real strength = sqrt{f}(gx * gx + gy * gy), turn, share;
            uint_fast16_t bin, cell = (r / {side} * {across} + c / {side}) * {bins};
            if (!(strength > 0))
                continue;
            turn = atan2{f}(gy, gx);
            turn = (turn < 0 ? turn + {pi} : turn) / {pi};
            turn = (turn >= 1 ? turn - 1 : turn) * {bins} - {half};
            share = turn - floor{f}(turn);
            bin = (uint_fast16_t)(floor{f}(turn) + {bins}) % {bins};
            cells[cell + bin] += (1 - share) * strength;
            cells[cell + (bin + 1) % {bins}] += share * strength;
        }}
",
            rows = down * side,
            columns = across * side,
        )
    }

    /// Blocks of cells, each brought to length 1, cut at 0.2 and brought to length 1 again.
    fn blocks(&self, to: &str, across: usize, down: usize, block: usize, bins: usize) -> String {
        let (size, wide, f) = (block * block * bins, across + 1 - block, self.suffix);
        let count = wide * (down + 1 - block);
        let (even, cut, row) = (self.number(1e-10), self.number(0.2), block * bins);
        format!(
            r"    for (uint_fast16_t k = 0; k < {count}; k++) {{
        $real *out = {to} + k * {size};
        for (uint_fast16_t i = 0; i < {size}; i++)
            out[i] = cells[((k / {wide} + i / {row}) * {across} + k % {wide}) * {bins} + i % {row}];
        for (int twice = 0; twice < 2; twice++) {{
            $real sum = {even};
            for (uint_fast16_t i = 0; i < {size}; i++)
                sum += out[i] * out[i];
            sum = sqrt{f}(sum);
            for (uint_fast16_t i = 0; i < {size}; i++) {{
                out[i] /= sum;
                if (twice == 0 && out[i] > {cut})
                    out[i] = {cut};
            }}
        }}
    }}
"
        )
    }
}

/// The share of each bin that a value fills; `low` and `high` are the edges of bin `e`, `end` is where those of feature `i` end.
fn piecewise(from: &str, to: &str, dim: usize, [low, high, end]: [&str; 3]) -> String {
    format!(
        r"    {{
        uint_fast16_t e = 0, k = 0;
        for (uint_fast16_t i = 0; i < {dim}; i++, e++)
            for (; e + 1 < (uint_fast16_t){end}; e++) {{
                $real low = {low}, wide = {high} - low, share = wide > 0 ? ({from}[i] - low) / wide : 0;
                {to}[k++] = share < 0 ? 0 : share > 1 ? 1 : share;
            }}
    }}
"
    )
}
