//! Distances, votes, scores and probabilities, as C.

use super::{Source, refused, tables::Tables};
use crate::Result;
use crate::plan::Op;

impl Source<'_> {
    /// The function that takes the squared distance to one prototype.
    pub(super) fn distance(&self, tables: &mut Tables) -> Result<String> {
        let (plan, name, d) = (self.plan, &self.name, self.width());
        let body = match plan.ops[self.distance] {
            Op::RoundedDistance { prototypes } => {
                let p = tables.array(prototypes).at(&format!("((uint32_t)j * {d} + i)"));
                format!(
                    "    int32_t sum = 0;\n    for (uint_fast16_t i = 0; i < {d}; i++) {{\n\
                     {:8}int16_t t = (int16_t)(z[i] - {p});\n        sum += (int32_t)t * t;\n    }}\n    return sum;\n",
                    ""
                )
            }
            Op::Distance { prototypes, weights } => {
                let at = format!("((uint32_t)j * {d} + i)");
                let p = tables.array(prototypes).at(&at);
                let weight = match weights {
                    None => String::new(),
                    Some(w) => {
                        // A weight for each feature and prototype: `folded` has put those that all share into the scale.
                        let squares: Vec<f64> = plan.reals(w).iter().map(|w| w * w).collect();
                        let index = if squares.len() == d { "i".to_string() } else { at };
                        format!(" * {}", tables.reals("weights", &squares).at(&index))
                    }
                };
                format!(
                    "    $real sum = 0;\n    for (uint_fast16_t i = 0; i < {d}; i++) {{\n\
                     {:8}$real t = z[i] - {p};\n        sum += t * t{weight};\n    }}\n    return sum;\n",
                    ""
                )
            }
            Op::MatrixDistance { prototypes, matrices, ends } => {
                let rank = plan.shape(matrices)[1];
                let group = |j: usize| plan.wholes(ends).partition_point(|&end| end <= j);
                let groups: Vec<usize> = (0..plan.shape(prototypes)[0]).map(group).collect();
                let p = tables.array(prototypes).at(&format!("((uint32_t)j * {d} + i)"));
                let a = tables.array(matrices).at(&format!("((group * {rank} + r) * {d} + i)"));
                let g = tables.wholes("groups", &groups).at("j");
                format!(
                    "    $real delta[{d}], sum = 0;\n    uint32_t group = {g};\n\
                     {:4}for (uint_fast16_t i = 0; i < {d}; i++)\n        delta[i] = z[i] - {p};\n\
                     {:4}for (uint_fast16_t r = 0; r < {rank}; r++) {{\n        $real t = 0;\n\
                     {:8}for (uint_fast16_t i = 0; i < {d}; i++)\n            t += {a} * delta[i];\n\
                     {:8}sum += t * t;\n    }}\n    return sum;\n",
                    "", "", "", ""
                )
            }
            ref other => return Err(refused(other, "a C header")),
        };
        let (row, result) = (self.row_type(), self.distance_type());
        Ok(format!(
            "/* Squared distance to prototype j. */\n\
             static {result} {name}_distance(const {row} *z, uint_fast16_t j)\n{{\n{body}}}\n\n"
        ))
    }

    /// Operations after the distances.
    fn rest(&self) -> &[Op] {
        &self.plan.ops[self.distance + 1..]
    }

    fn prototypes(&self) -> usize {
        self.plan.row_after(&self.plan.ops[self.distance], 0)
    }

    /// The function that names the class.
    pub(super) fn predict(&self, tables: &mut Tables) -> Result<String> {
        let (name, row, width) = (&self.name, self.row_type(), self.width());
        let largest = self.rest().iter().position(|op| *op == Op::Largest);
        let (before, body) = match (self.rest().iter().find(|op| matches!(op, Op::Vote { .. })), largest) {
            (Some(Op::Vote { k, labels }), _) => {
                let m = self.prototypes();
                let label = |j: &str, tables: &mut Tables| tables.array(*labels).at(j);
                (
                    String::new(),
                    match (*k).min(m) {
                        1 => self.nearest(m, &label("best", tables)),
                        k => self.votes(m, k, &label("near[i]", tables)),
                    },
                )
            }
            (_, Some(at)) => {
                let scores = self.scores(&self.rest()[..at], tables)?;
                let body = format!(
                    "    $real e[{upper}_CLASSES];\n    int best = 0;\n    {name}_scores(z, e);\n\
                     {:4}for (int c = 1; c < {upper}_CLASSES; c++)\n        if (e[c] > e[best])\n            best = c;\n    return best;\n",
                    "",
                    upper = self.upper
                );
                (scores, body)
            }
            _ => return Err(crate::Error::data("the plan names no class")),
        };
        Ok(format!(
            "{before}int {name}_predict(const $real *x)\n{{\n    {row} z[{width}];\n    {name}_prepare(x, z);\n{body}}}\n"
        ))
    }

    /// The class of the nearest prototype, the first of several at the same distance.
    fn nearest(&self, m: usize, label: &str) -> String {
        let (name, kind) = (&self.name, self.distance_type());
        format!(
            "    uint_fast16_t best = 0;\n    {kind} least = {name}_distance(z, 0);\n\
             {:4}for (uint_fast16_t j = 1; j < {m}; j++) {{\n        {kind} d = {name}_distance(z, j);\n\
             {:8}if (d < least) {{\n            least = d;\n            best = j;\n        }}\n    }}\n    return (int){label};\n",
            "", ""
        )
    }

    /// The class with most votes among the k nearest; of several, that of the nearest.
    fn votes(&self, m: usize, k: usize, label: &str) -> String {
        let (name, upper, kind) = (&self.name, &self.upper, self.distance_type());
        format!(
            r"    uint_fast16_t near[{k}], votes[{upper}_CLASSES] = {{ 0 }}, n = 0, most = 0;
    {kind} least[{k}];
    for (uint_fast16_t j = 0; j < {m}; j++) {{
        {kind} d = {name}_distance(z, j);
        uint_fast16_t i = n;
        if (n == {k} && !(d < least[{k} - 1]))
            continue;
        i = n < {k} ? n++ : {k} - 1;
        for (; i > 0 && d < least[i - 1]; i--) {{
            least[i] = least[i - 1];
            near[i] = near[i - 1];
        }}
        least[i] = d;
        near[i] = j;
    }}
    for (uint_fast16_t i = 0; i < n; i++) {{
        uint_fast16_t v = ++votes[{label}];
        most = v > most ? v : most;
    }}
    for (uint_fast16_t i = 0; i < n; i++)
        if (votes[{label}] == most)
            return (int){label};
    return 0;
"
        )
    }

    /// The function from the row to a number for each class, by operations after the distances.
    fn scores(&self, ops: &[Op], tables: &mut Tables) -> Result<String> {
        let (name, row) = (&self.name, self.row_type());
        let mut ops = ops.iter().filter(|op| !matches!(op, Op::Vote { .. } | Op::Largest)).peekable();
        // Distances in whole numbers are brought to their unit first.
        let mut d = format!("{name}_distance(z, j)");
        if let Some(Op::Multiply { by }) = ops.peek() {
            d = format!("($real){d} * {}", self.number(*by));
            ops.next();
        }
        let Some(first) = ops.next() else {
            return Err(crate::Error::data("the plan has no evidence for classes"));
        };
        let mut body = self.by_class(first, &d, tables)?;
        for op in ops {
            body += &self.each_class(op, tables)?;
        }
        Ok(format!("static void {name}_scores(const {row} *z, $real *e)\n{{\n{body}}}\n\n"))
    }

    /// From distances to classes.
    fn by_class(&self, op: &Op, d: &str, tables: &mut Tables) -> Result<String> {
        let (m, f) = (self.prototypes(), self.suffix);
        let most = if self.real == "double" { "1.7976931348623157e308" } else { "3.40282347e38f" };
        Ok(match *op {
            Op::Least { labels, ends, classes } => {
                let label = tables.array(labels).at("j");
                let members = self.plan.wholes(ends).len();
                let end = tables.array(ends).at("k");
                format!(
                    r"    $real least[{classes}];
    uint_fast16_t j = 0;
    for (int c = 0; c < {classes}; c++)
        e[c] = 0;
    for (uint_fast16_t k = 0; k < {members}; k++) {{
        for (int c = 0; c < {classes}; c++)
            least[c] = {most};
        for (; j < {end}; j++) {{
            $real d = {d};
            uint_fast16_t c = {label};
            if (d < least[c])
                least[c] = d;
        }}
        for (int c = 0; c < {classes}; c++)
            e[c] += least[c] / {members};
    }}
"
                )
            }
            Op::SoftLeast { labels, classes, gamma } => {
                let (label, gamma) = (tables.array(labels).at("j"), self.number(gamma));
                format!(
                    r"    $real least[{classes}];
    for (int c = 0; c < {classes}; c++) {{
        least[c] = {most};
        e[c] = 0;
    }}
    for (uint_fast16_t j = 0; j < {m}; j++) {{
        $real d = {d};
        uint_fast16_t c = {label};
        if (d < least[c]) {{
            e[c] = e[c] * exp{f}(-{gamma} * (least[c] - d)) + 1;
            least[c] = d;
        }} else {{
            e[c] += exp{f}(-{gamma} * (d - least[c]));
        }}
    }}
    for (int c = 0; c < {classes}; c++)
        e[c] = e[c] > 0 ? log{f}(e[c]) - {gamma} * least[c] : -{most};
"
                )
            }
            Op::Code { labels, learners, classes, sparse } => {
                self.code(labels, learners, classes, sparse, d, tables)
            }
            ref other => return Err(refused(other, "a C header")),
        })
    }

    fn code(
        &self,
        labels: crate::plan::ArrayId,
        learners: crate::plan::ArrayId,
        classes: usize,
        sparse: bool,
        d: &str,
        tables: &mut Tables,
    ) -> String {
        let (label, learner) = (tables.array(labels).at("j"), tables.array(learners).at("j"));
        let n = self.plan.wholes(learners).iter().max().map_or(0, |l| l + 1);
        let (size, m, floor) = (n * classes, self.prototypes(), self.number(1e-30));
        let cut = format!(
            r"    for (uint_fast16_t l = 0; l < {n}; l++) {{
        $real *of = v + l * {classes};
        uint_fast16_t best = {classes};
        for (uint_fast16_t c = 0; c < {classes}; c++)
            if (of[c] >= 0 && (best == {classes} || of[c] < of[best]))
                best = c;
        for (uint_fast16_t c = 0; c < {classes}; c++)
            if (c != best)
                of[c] = -1;
    }}
"
        );
        format!(
            r"    $real v[{size}], total = 0;
    for (uint_fast16_t i = 0; i < {size}; i++)
        v[i] = -1;
    for (uint_fast16_t j = 0; j < {m}; j++) {{
        $real d = {d} + {floor};
        uint_fast16_t at = (uint_fast16_t){learner} * {classes} + {label};
        if (v[at] < 0 || d < v[at])
            v[at] = d;
    }}
{}    for (uint_fast16_t i = 0; i < {size}; i++)
        total += v[i] > 0 ? v[i] : 0;
    for (uint_fast16_t i = 0; i < {size}; i++)
        v[i] = v[i] > 0 ? v[i] / total : 0;
",
            if sparse { cut } else { String::new() }
        )
    }

    /// What follows, class by class.
    fn each_class(&self, op: &Op, tables: &mut Tables) -> Result<String> {
        let classes = self.plan.classes.len();
        let each = |what: String| format!("    for (int c = 0; c < {classes}; c++)\n        {what}\n");
        Ok(match *op {
            Op::Weigh { weights, biases } => {
                let (w, b) = (tables.array(weights).at("c"), tables.array(biases).at("c"));
                each(format!("e[c] = -({w} * e[c] + {b});"))
            }
            Op::Product { weights, biases } => {
                let size = self.plan.shape(weights)[1];
                let (w, b) =
                    (tables.array(weights).at(&format!("(c * {size} + i)")), tables.array(biases).at("c"));
                format!(
                    "    for (int c = 0; c < {classes}; c++) {{\n        e[c] = {b};\n\
                     {:8}for (int i = 0; i < {size}; i++)\n            e[c] += {w} * v[i];\n    }}\n",
                    ""
                )
            }
            Op::InverseLog => {
                let (f, half) = (self.suffix, self.number(-0.5));
                let least = if self.real == "double" { "2.2250738585072014e-308" } else { "1.17549435e-38f" };
                each(format!("e[c] = {half} * log{f}(e[c] > {least} ? e[c] : {least});"))
            }
            Op::Multiply { by } => each(format!("e[c] *= {};", self.number(by))),
            ref other => return Err(refused(other, "a C header")),
        })
    }

    /// The function that gives probabilities.
    pub(super) fn probabilities(&self, tables: &mut Tables) -> Result<String> {
        let (name, row, width, f) = (&self.name, self.row_type(), self.width(), self.suffix);
        let largest = self.rest().iter().position(|op| *op == Op::Largest);
        let (scores, after) = match largest {
            // Up to here the function for the class has them.
            Some(at) => (String::new(), &self.rest()[at + 1..]),
            None => (self.scores(self.rest(), tables)?, &self.rest()[..0]),
        };
        let mut more = String::new();
        for op in after {
            more += &self.each_class(op, tables)?.replace("e[c]", "p[c]");
        }
        let classes = self.plan.classes.len();
        Ok(format!(
            r"{scores}void {name}_probabilities(const $real *x, $real *p)
{{
    {row} z[{width}];
    $real most, total = 0;
    {name}_prepare(x, z);
    {name}_scores(z, p);
{more}    most = p[0];
    for (int c = 1; c < {classes}; c++)
        most = p[c] > most ? p[c] : most;
    for (int c = 0; c < {classes}; c++) {{
        p[c] = exp{f}(p[c] - most);
        total += p[c];
    }}
    for (int c = 0; c < {classes}; c++)
        p[c] /= total;
}}
"
        ))
    }
}
