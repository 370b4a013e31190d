//! One C99 header that holds a model: no allocation, constant tables, nothing but `<stdint.h>`, and `<math.h>` if the model needs it.
//!
//! | file | writes |
//! |---|---|
//! | `mod.rs` | the frame: usage, declarations, functions |
//! | `tables.rs` | arrays as constant tables |
//! | `steps.rs` | what is done before distances are taken |
//! | `decide.rs` | distances, votes, scores, probabilities |
//!
//! The header declares; one file of a program defines `NAME_IMPLEMENTATION` before it includes the header and gets the definitions, as
//! is usual for single-header libraries. Tables can stay in flash on AVR, whose constants would otherwise be copied to memory.

mod decide;
mod steps;
mod tables;

use super::{Export, ExportOptions, File, refused};
use crate::Result;
use crate::plan::{Op, Plan};
use tables::Tables;

/// The format `c`.
pub(super) struct C;

impl Export for C {
    fn name(&self) -> &'static str {
        "c"
    }

    fn about(&self) -> &'static str {
        "one C99 header for any microcontroller, also valid C++; no allocation"
    }

    fn holds_rounded(&self) -> bool {
        true
    }

    fn write(&self, plan: &Plan, options: &ExportOptions) -> Result<Vec<File>> {
        let plan = plan.folded();
        let source = Source::new(&plan, options.identifier());
        Ok(vec![File::new("h", source.write()?)])
    }
}

/// A plan on its way to C.
struct Source<'a> {
    plan: &'a Plan,
    /// Prefix of functions and tables.
    name: String,
    /// Prefix of macros.
    upper: String,
    /// `float` or `double`.
    real: &'static str,
    /// What the names of functions and constants of that type end with: `f`, or nothing.
    suffix: &'static str,
    /// Position of the operation that takes distances.
    distance: usize,
    /// Whether distances are taken in whole numbers.
    rounded: bool,
}

impl<'a> Source<'a> {
    fn new(plan: &'a Plan, name: String) -> Self {
        let takes = |op: &Op| {
            matches!(op, Op::Distance { .. } | Op::MatrixDistance { .. } | Op::RoundedDistance { .. })
        };
        let distance = plan.ops.iter().position(takes).unwrap_or(plan.ops.len());
        let rounded = matches!(plan.ops.get(distance), Some(Op::RoundedDistance { .. }));
        // Rounded plans round in `f32` whatever the model's type is.
        let wide = plan.precision == "f64" && !rounded;
        let (real, suffix) = if wide { ("double", "") } else { ("float", "f") };
        Source { plan, upper: name.to_uppercase(), name, real, suffix, distance, rounded }
    }

    /// A number as a constant of the model's type.
    fn number(&self, v: f64) -> String {
        match self.real {
            "double" => format!("{v:?}"),
            _ => format!("{:?}f", v as f32),
        }
    }

    /// Type of the row that distances are taken of.
    fn row_type(&self) -> &'static str {
        if self.rounded { "int16_t" } else { self.real }
    }

    /// Type of a distance.
    fn distance_type(&self) -> &'static str {
        if self.rounded { "int32_t" } else { self.real }
    }

    fn write(&self) -> Result<String> {
        let mut tables = Tables::new(self);
        let prepare = self.prepare(&mut tables)?;
        let distance = self.distance(&mut tables)?;
        let predict = self.predict(&mut tables)?;
        let main = tables.take();
        let probabilities = self.probabilities(&mut tables)?;
        let more = tables.take();
        let (name, upper, real) = (&self.name, &self.upper, self.real);
        // The tables of C are counted; names are not, which only printing needs.
        let head = self.head(main.bytes, more.bytes);
        let needs_math = [&prepare, &predict].iter().any(|text| uses_math(text));
        let math = if needs_math { "#include <math.h>\n" } else { "" };
        let more_math = if needs_math { "" } else { "#include <math.h>\n" };
        let names: Vec<String> = self.plan.classes.iter().map(|c| tables::quoted(c)).collect();
        Ok(format!(
            "{head}#ifdef {upper}_IMPLEMENTATION\n\n{math}{}\n\
             const char *const {name}_class_names[{upper}_CLASSES] = {{\n    {}\n}};\n\n\
             {}{prepare}{distance}{predict}\n\
             #ifdef {upper}_PROBABILITIES\n\n{more_math}{}{probabilities}\n#endif /* {upper}_PROBABILITIES */\n\n\
             #endif /* {upper}_IMPLEMENTATION */\n",
            self.reading(),
            names.join(",\n    "),
            main.text,
            more.text,
        )
        // Texts of the model cannot hold the mark: `quoted` and `comment` replace the dollar.
        .replace("$real", real))
    }

    /// Usage, sizes and declarations.
    fn head(&self, bytes: usize, more: usize) -> String {
        let (name, upper, plan) = (&self.name, &self.upper, self.plan);
        let shown: Vec<String> = plan.features.iter().take(8).map(|f| tables::comment(f)).collect();
        let rest = if plan.features.len() > 8 { ", ..." } else { "" };
        let proof = if self.rounded { self.proof() } else { String::new() };
        format!(
            "/* {name}.h: a classifier, written by protea {version}. C99 and C++; no allocation.\n *\n\
             {sp}* In one file of your program:\n *     #define {upper}_IMPLEMENTATION\n *     #include \"{name}.h\"\n\
             {sp}* In all others, only the #include. Then:\n\
             {sp}*     $real x[{upper}_FEATURES] = {{ ... }};   in the units of the training data\n\
             {sp}*     int c = {name}_predict(x);           0 to {upper}_CLASSES - 1\n\
             {sp}*     puts({name}_class_names[c]);\n\
             {sp}* Define {upper}_PROBABILITIES before every #include for {name}_probabilities (needs <math.h>).\n *\n\
             {sp}* Features, in this order: {features}{rest}\n\
             {sp}* Constant tables: {bytes} bytes; {more} more for probabilities.\n{proof}{sp}*/\n\
             #ifndef {upper}_H\n#define {upper}_H\n\n#include <stdint.h>\n\n\
             #define {upper}_FEATURES {n}\n#define {upper}_CLASSES {c}\n#define {upper}_TABLE_BYTES {bytes}\n\n\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
             /* Names of the classes, UTF-8. */\nextern const char *const {name}_class_names[{upper}_CLASSES];\n\n\
             /* Index of the class of a sample. */\nint {name}_predict(const $real *x);\n\n\
             #ifdef {upper}_PROBABILITIES\n/* Probability of each class. */\n\
             void {name}_probabilities(const $real *x, $real *p);\n#endif\n\n\
             #ifdef __cplusplus\n}}\n#endif\n\n#endif /* {upper}_H */\n\n",
            sp = " ",
            version = env!("CARGO_PKG_VERSION"),
            features = shown.join(", "),
            n = plan.features.len(),
            c = plan.classes.len(),
        )
    }

    /// Why whole numbers cannot overflow, for the comment.
    fn proof(&self) -> String {
        let mut text = String::new();
        let mut limit = 0;
        for op in &self.plan.ops {
            match *op {
                Op::Round { limit: to, .. } => limit = to,
                Op::RoundedAffine { matrix, shift, limit: to } => {
                    let dim = self.plan.shape(matrix)[1];
                    let sum = |row: &[i32]| row.iter().map(|v| i64::from(v.abs())).sum::<i64>();
                    let most = self.plan.roundeds(matrix).chunks_exact(dim).map(sum).max().unwrap_or(0);
                    text += &format!(
                        " * No sum overflows: a row of the matrix adds at most {most} * {limit} + 2^{shift} / 2 = {} < 2^31.\n",
                        most * i64::from(limit) + (1 << shift) / 2
                    );
                    limit = to;
                }
                Op::RoundedDistance { prototypes } => {
                    let dim = self.plan.shape(prototypes)[1];
                    let p = self.plan.roundeds(prototypes).iter().map(|v| v.abs()).max().unwrap_or(0);
                    let square = dim as i64 * i64::from(limit + p) * i64::from(limit + p);
                    text += &format!(
                        " * No distance overflows: {dim} * ({limit} + {p})^2 = {square} < 2^31, so it is exact in 32 bits.\n"
                    );
                }
                _ => (),
            }
        }
        text
    }

    /// How tables are read: on AVR from flash.
    fn reading(&self) -> String {
        let upper = &self.upper;
        let mut text = format!(
            "#if defined(__AVR__) && !defined({upper}_TABLES_IN_MEMORY)\n#include <avr/pgmspace.h>\n\
             #define {upper}_FLASH PROGMEM\n"
        );
        let kinds = [
            ("R", "pgm_read_float(p)"),
            ("I8", "((int8_t)pgm_read_byte(p))"),
            ("I16", "((int16_t)pgm_read_word(p))"),
            ("U8", "pgm_read_byte(p)"),
            ("U16", "pgm_read_word(p)"),
            ("U32", "pgm_read_dword(p)"),
        ];
        kinds.iter().for_each(|(kind, read)| text += &format!("#define {upper}_GET_{kind}(p) {read}\n"));
        text += &format!("#else\n#define {upper}_FLASH\n");
        kinds.iter().for_each(|(kind, _)| text += &format!("#define {upper}_GET_{kind}(p) (*(p))\n"));
        text + "#endif\n"
    }
}

/// Whether a function of `<math.h>` is called.
fn uses_math(text: &str) -> bool {
    ["sqrt", "exp", "log", "atan2", "floor"].iter().any(|f| {
        text.contains(&format!(" {f}("))
            || text.contains(&format!(" {f}f("))
            || text.contains(&format!("({f}f("))
            || text.contains(&format!("({f}("))
    })
}
