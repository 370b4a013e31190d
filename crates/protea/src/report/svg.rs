//! Charts as SVG: axes with ticks, lines, bars, rectangles. Colours come from `figure.css`, for light and dark.

use std::fmt::Write;

/// Size of a chart in its own units.
pub(super) const SIZE: (f64, f64) = (460.0, 310.0);
/// Room for labels: right, top, bottom; on the left the labels of ticks decide.
const MARGIN: (f64, f64, f64) = (30.0, 17.0, 50.0);
/// Room for the title of the vertical axis, and for the gaps around the labels of its ticks.
const TITLE: f64 = 34.0;
/// Width of a character of a label, at most on average.
const CHARACTER: f64 = 8.6;
/// Images that are wider than this may be scrolled on a small screen.
const BROAD: f64 = 560.0;

/// Text that may stand in HTML and SVG. Characters that XML does not allow become the replacement character, marks that turn the
/// direction of text around are left out.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c if c.is_control() => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            c => out.push(c),
        }
    }
    out
}

/// A name as HTML that is broken into lines after its punctuation or before a capital, not inside a word.
pub(super) fn breakable(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut last = ' ';
    for c in name.chars() {
        let ends_word = "_=./\\-:,;|+".contains(last) && !"_=./\\-:,;|+".contains(c);
        if c != ' ' && (ends_word || (last.is_lowercase() && c.is_uppercase())) {
            out += "<wbr>";
        }
        out += &escape(c.encode_utf8(&mut [0; 4]));
        last = c;
    }
    out
}

/// A share as a bar, for a cell of a table.
pub(super) fn share_bar(share: f64) -> String {
    format!(
        "<svg class=\"share\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect width=\"{:.1}\" height=\"6\"/></svg>",
        100.0 * share.clamp(0.0, 1.0)
    )
}

/// A whole SVG image with a text alternative.
pub(super) fn image(width: f64, height: f64, alt: &str, body: &str) -> String {
    image_of(if width > BROAD { "figure broad" } else { "figure" }, (width, height), alt, body)
}

fn image_of(class: &str, (width, height): (f64, f64), alt: &str, body: &str) -> String {
    let alt = escape(alt);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         role=\"img\" class=\"{class}\" aria-label=\"{alt}\"><title>{alt}</title>{body}</svg>\n"
    )
}

/// An image with its style inside, behind the text alternative, so that readers of the file find that first.
pub(super) fn standing_alone(image: &str, style: &str) -> String {
    image.replacen("</title>", &format!("</title><style>{style}</style>"), 1)
}

/// A style sheet of figures with the values of its first line, the light ones, in the place of their names, and without media
/// queries.
pub(super) fn plain_style(style: &str) -> String {
    let (first, rest) = style.split_once('\n').unwrap_or((style, ""));
    let values = first.split(['{', ';', '}']).filter_map(|v| v.strip_prefix("--")?.split_once(':'));
    let rules: Vec<&str> = rest.lines().filter(|line| !line.starts_with('@')).collect();
    values.fold(rules.join("\n"), |text, (name, value)| text.replace(&format!("var(--{name})"), value))
}

/// A name, cut to `most` characters.
pub(super) fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.into();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

/// What one direction of a chart shows.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub label: String,
    pub from: f64,
    pub to: f64,
    /// Values are shares, shown in per cent.
    pub percent: bool,
    /// Equal ratios have equal lengths; all values are above 0.
    pub log: bool,
    /// Names of equal parts from 0 on, in place of numbers.
    pub names: Vec<String>,
}

impl Axis {
    /// An axis that holds all values; an empty range is widened.
    pub fn holding(label: &str, values: impl IntoIterator<Item = f64>, percent: bool) -> Self {
        let bounds = |(a, b): (f64, f64), v: f64| (a.min(v), b.max(v));
        let values = values.into_iter().filter(|v| v.is_finite());
        let (mut from, mut to) = values.fold((f64::INFINITY, f64::NEG_INFINITY), bounds);
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        if to - from <= 1e-12 * (1.0 + to.abs()) {
            (from, to) = (from - 0.5, to + 0.5);
            if percent {
                (from, to) = (from.max(0.0), to.min(1.0));
            }
        }
        Axis { label: label.into(), from, to, percent, log: false, names: Vec::new() }
    }

    /// A logarithmic axis that holds all values, with room around them.
    pub fn ratios(label: &str, values: impl IntoIterator<Item = f64>) -> Self {
        let values = values.into_iter().filter(|v| *v > 0.0 && v.is_finite());
        let (from, to) = values.fold((f64::INFINITY, 0.0), |(a, b), v| (f64::min(a, v), f64::max(b, v)));
        let (from, to) = if from <= to { (from / 1.6, to * 1.6) } else { (1.0, 10.0) };
        Axis { label: label.into(), from, to, percent: false, log: true, names: Vec::new() }
    }

    /// Parts of equal width with a name each, the first from 0 to 1.
    pub fn named(label: &str, names: Vec<String>) -> Self {
        let to = names.len() as f64;
        Axis { label: label.into(), from: 0.0, to, percent: false, log: false, names }
    }

    /// From 0 to 1 in per cent.
    pub fn share(label: &str) -> Self {
        Axis { label: label.into(), from: 0.0, to: 1.0, percent: true, log: false, names: Vec::new() }
    }

    /// The same axis with 0 on it.
    pub fn with_zero(mut self) -> Self {
        (self.from, self.to) = (self.from.min(0.0), self.to.max(0.0));
        self
    }

    /// The same axis, ending in round values.
    pub fn rounded(mut self) -> Self {
        let step = self.step();
        self.from = (self.from / step + 1e-9).floor() * step;
        self.to = (self.to / step - 1e-9).ceil() * step;
        self
    }

    /// Distance of round values: 1, 2 or 5 times a power of ten, about five of them.
    fn step(&self) -> f64 {
        let raw = (self.to - self.from) / 5.0;
        let power = 10f64.powf(raw.log10().floor());
        power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|s| s * power >= raw).unwrap_or(10.0)
    }

    fn at(&self, v: f64) -> f64 {
        if self.log {
            return (v / self.from).ln() / (self.to / self.from).ln();
        }
        (v - self.from) / (self.to - self.from)
    }

    /// Round values; of ratios the powers of ten, and for less than two of these 1, 2 and 5 times them.
    fn ticks(&self) -> Vec<f64> {
        if !self.names.is_empty() {
            return (0..self.names.len()).map(|k| k as f64 + 0.5).collect();
        }
        if self.log {
            let inside = |t: &f64| (self.from..=self.to).contains(t);
            let powers = self.from.log10().floor() as i32..=self.to.log10().ceil() as i32;
            let tens: Vec<f64> = powers.map(|k| 10f64.powi(k)).collect();
            let few = tens.iter().filter(|t| inside(t)).count() < 2;
            let fine = tens.iter().flat_map(|t| [*t, 2.0 * t, 5.0 * t]);
            return if few {
                fine.filter(inside).collect()
            } else {
                tens.into_iter().filter(inside).collect()
            };
        }
        let step = self.step();
        let first = (self.from / step - 1e-9).ceil() as i64;
        let last = (self.to / step + 1e-9).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }

    /// The label of a tick, with the digits that tell it from the next.
    fn show(&self, v: f64) -> String {
        if let Some(name) = self.names.get(v as usize) {
            return escape(name);
        }
        let unit = if self.percent { 100.0 } else { 1.0 };
        let step = unit * self.step();
        let text = match self.log || !(1e-4..1e6).contains(&step) {
            true => short(unit * v),
            // Adding 0 takes the sign from −0.
            false => format!("{:.*}", (-step.log10().floor()).max(0.0) as usize, unit * v + 0.0),
        };
        if self.percent { text + " %" } else { text }
    }

    /// Width of the longest label of a tick.
    fn label_width(&self) -> f64 {
        let characters = self.ticks().into_iter().map(|v| self.show(v).chars().count());
        CHARACTER * characters.max().unwrap_or(0) as f64
    }
}

/// A number without digits that say nothing.
pub(super) fn short(v: f64) -> String {
    let text = match v.abs() {
        0.0 => return "0".into(),
        a if !(1e-4..1e7).contains(&a) => return format!("{v:.1e}"),
        a if a >= 1000.0 => format!("{v:.0}"),
        a if a >= 10.0 => format!("{v:.1}"),
        a if a >= 1.0 => format!("{v:.2}"),
        _ => format!("{v:.4}"),
    };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// A chart with two axes.
pub(super) struct Chart {
    x: Axis,
    y: Axis,
    /// Where the horizontal axis begins.
    left: f64,
    body: String,
}

impl Chart {
    /// An empty chart.
    pub fn new(x: Axis, y: Axis) -> Self {
        Chart { left: TITLE + y.label_width(), x, y, body: String::new() }
    }

    /// Where a point is drawn.
    pub fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (right, top, bottom) = MARGIN;
        let (w, h) = (SIZE.0 - self.left - right, SIZE.1 - top - bottom);
        (self.left + w * self.x.at(x), top + h * (1.0 - self.y.at(y)))
    }

    /// Adds anything that is already SVG.
    pub fn add(&mut self, svg: &str) {
        self.body += svg;
    }

    /// A line through points; values that are not finite break it.
    pub fn line(&mut self, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let (mut path, mut pen_up) = (String::new(), true);
        for (x, y) in points {
            if !x.is_finite() || !y.is_finite() {
                pen_up = true;
                continue;
            }
            let (px, py) = self.place(x, y);
            let _ = write!(path, "{}{px:.1} {py:.1}", if pen_up { "M" } else { "L" });
            pen_up = false;
        }
        let _ = write!(self.body, "<path class=\"line {class}\" d=\"{path}\"/>");
    }

    /// A rectangle between two points of the chart.
    pub fn block(&mut self, class: &str, (x0, y0): (f64, f64), (x1, y1): (f64, f64), title: &str) {
        let ((ax, ay), (bx, by)) = (self.place(x0, y0), self.place(x1, y1));
        let (x, y, w, h) = (ax.min(bx), ay.min(by), (bx - ax).abs(), (by - ay).abs());
        let title = escape(title);
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"><title>{title}</title></rect>"
        );
    }

    /// Names of the lines, from the top right corner down.
    pub fn legend(&mut self, entries: &[(&str, &str)]) {
        for (i, (class, name)) in entries.iter().enumerate() {
            let (x, y) = (SIZE.0 - MARGIN.0 - 8.0, MARGIN.1 + 18.0 * (i as f64 + 1.0));
            let name = escape(name);
            let _ = write!(
                self.body,
                "<path class=\"line {class}\" d=\"M{} {}h22\"/><text class=\"end\" x=\"{}\" y=\"{y}\">{name}</text>",
                x - 22.0,
                y - 4.0,
                x - 28.0
            );
        }
    }

    /// The finished image.
    pub fn finish(self, alt: &str) -> String {
        let mut axes = String::new();
        let small = if self.x.names.is_empty() { "" } else { " small" };
        for v in self.x.ticks() {
            let (x, y) = self.place(v, self.y.from);
            let (_, top) = self.place(v, self.y.to);
            let _ = write!(
                axes,
                "<path class=\"grid\" d=\"M{x:.1} {top:.1}V{y:.1}\"/><text class=\"mid tick{small}\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                y + 21.0,
                self.x.show(v)
            );
        }
        for v in self.y.ticks() {
            let (x, y) = self.place(self.x.from, v);
            let (right, _) = self.place(self.x.to, v);
            let _ = write!(
                axes,
                "<path class=\"grid\" d=\"M{x:.1} {y:.1}H{right:.1}\"/><text class=\"end tick\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x - 6.0,
                y + 4.0,
                self.y.show(v)
            );
        }
        let (right, top, bottom) = MARGIN;
        let (middle_x, middle_y) = ((self.left + SIZE.0 - right) / 2.0, (top + SIZE.1 - bottom) / 2.0);
        let _ = write!(
            axes,
            "<text class=\"mid title\" x=\"{middle_x:.1}\" y=\"{}\">{}</text>\
             <text class=\"mid title\" transform=\"translate(14 {middle_y:.1}) rotate(-90)\">{}</text>",
            SIZE.1 - 8.0,
            escape(&self.x.label),
            escape(&self.y.label)
        );
        image_of("figure chart", SIZE, alt, &(axes + &self.body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis =
            |from, to| Axis { label: String::new(), from, to, percent: false, log: false, names: Vec::new() };
        assert_eq!(axis(0.0, 1.0).ticks().len(), 6);
        assert_eq!(axis(0.0, 390.0).ticks(), [0.0, 100.0, 200.0, 300.0]);
        let ticks = axis(-0.3, 0.41).ticks();
        assert!(ticks.iter().all(|t| (-0.3..=0.41).contains(t)) && ticks.contains(&0.0));
        let round = axis(0.003, 0.668).rounded();
        assert!(round.from == 0.0 && (round.to - 0.8).abs() < 1e-12);
    }

    #[test]
    fn ratios_have_powers_of_ten() {
        let axis = Axis::ratios("bytes", [500.0, 2e6]);
        assert_eq!(axis.ticks(), [1e3, 1e4, 1e5, 1e6]);
        assert!(
            (axis.at(axis.from * 10.0) - axis.at(axis.from) - axis.at(axis.from * 100.0) / 2.0).abs() < 1e-12
        );
        assert_eq!(Axis::ratios("µs", [1.2, 3.0]).ticks(), [1.0, 2.0]);
    }

    #[test]
    fn numbers_and_text_are_shown_briefly_and_safely() {
        let shown = [0.0, 1234.5, 0.25, 12.0, 3.4567, 1e-9].map(short);
        assert_eq!(shown, ["0", "1234", "0.25", "12", "3.46", "1.0e-9"]);
        assert_eq!((cut("vegetation", 10), cut("damp grey soil", 6)), ("vegetation".into(), "damp …".into()));
        assert_eq!(escape("<a & \"b\">\n"), "&lt;a &amp; &quot;b&quot;&gt; ");
    }

    #[test]
    fn ticks_differ_and_have_room_beside_the_title() {
        let narrow = Axis::holding("right", [0.9991, 1.0], true);
        let labels: Vec<String> = narrow.ticks().into_iter().map(|v| narrow.show(v)).collect();
        assert_eq!(labels, ["99.92 %", "99.94 %", "99.96 %", "99.98 %", "100.00 %"]);
        let left = |y: Axis| Chart::new(Axis::share("x"), y).left;
        assert!(left(narrow) >= left(Axis::share("y")) + 3.0 * 8.0);
        assert_eq!(Axis::holding("x", [-1.0, 1.0], false).show(-0.0), "0.0");
    }

    #[test]
    fn names_are_broken_between_words_only() {
        assert_eq!(breakable("bill_length_mm"), "bill_<wbr>length_<wbr>mm");
        assert_eq!(breakable("island=<b> c"), "island=<wbr>&lt;b&gt; c");
        assert_eq!(
            (breakable("SepalLength"), breakable("a__b")),
            ("Sepal<wbr>Length".into(), "a__<wbr>b".into())
        );
    }

    #[test]
    fn plain_styles_have_no_names_left() {
        let plain = plain_style(include_str!("figure.css"));
        assert!(!plain.contains("var(") && !plain.contains('@') && plain.contains("fill:#1b1b1b"));
    }

    #[test]
    fn an_axis_is_never_empty() {
        let one = Axis::holding("x", [3.0, 3.0], false);
        assert!(one.from < 3.0 && one.to > 3.0);
        // No share is above 1.
        let all = Axis::holding("right", [1.0, 1.0], true);
        assert_eq!((all.from, all.to), (0.5, 1.0));
        let none = Axis::holding("x", [f64::NAN], false);
        assert_eq!((none.from, none.to), (0.0, 1.0));
    }
}
