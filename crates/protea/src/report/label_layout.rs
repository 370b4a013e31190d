//! Names next to the marks of a chart.

use super::svg::{SIZE, escape};

/// Places names next to marks so that they do not overlap.
#[derive(Default)]
pub(super) struct Names {
    /// Left and right ends and heights of names already placed.
    taken: Vec<(f64, f64, f64)>,
}

impl Names {
    /// Text beside a mark, to its left on the right of a chart, or as near above or below as other names leave room.
    pub fn beside(&mut self, (x, y): (f64, f64), class: &str, name: &str, letter: f64) -> String {
        let (width, leftwards) = (letter * name.chars().count() as f64, x > 0.68 * SIZE.0);
        let (side, at) = if leftwards { ("end", x - 8.0) } else { ("", x + 8.0) };
        let left = if leftwards { at - width } else { at };
        let high = 1.7 * letter;
        let free = |y: f64| {
            !self.taken.iter().any(|&(l, r, t)| left < r && l < left + width && (t - y).abs() < high)
        };
        let rooms = (0..8).map(|k| y + 4.0 + high * f64::from(if k % 2 == 0 { -k } else { k + 1 }) / 2.0);
        let at_y = rooms.into_iter().find(|y| free(*y)).unwrap_or(y + 4.0);
        self.taken.push((left, left + width, at_y));
        let name = escape(name);
        format!("<text class=\"{class} {side}\" x=\"{at:.1}\" y=\"{at_y:.1}\">{name}</text>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_hides_another() {
        let mut names = Names::default();
        let texts: Vec<String> = (0..3).map(|_| names.beside((100.0, 50.0), "", "knn", 6.0)).collect();
        let heights: Vec<&str> =
            texts.iter().filter_map(|t| t.split("y=\"").nth(1)?.split('"').next()).collect();
        assert_eq!(heights, ["54.0", "64.2", "43.8"]);
        assert!(
            names.beside((500.0, 50.0), "", "<b>", 6.0).contains("end\" x=\"492.0\" y=\"54.0\">&lt;b&gt;")
        );
    }
}
