//! Figures as PNG.

use anyhow::{Context, Result};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels for one unit of a figure.
const SCALE: f32 = 2.0;
/// Latin and Greek letters, so that pictures are the same on every machine; its own fonts serve for other scripts.
const FONT: &[u8] = include_bytes!("font/sans.ttf");
const FAMILY: &str = "DejaVu Sans";

/// Draws SVG of plain styles on white.
pub fn png(svg: &str) -> Result<Vec<u8>> {
    let mut options = Options { font_family: FAMILY.into(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    if svg.chars().any(|c| c > 'ſ' && !"γ…→↓–−".contains(c)) {
        fonts.load_system_fonts();
    }
    let tree = Tree::from_str(svg, &options).context("the figure cannot be turned into PNG")?;
    let size = tree.size().to_int_size().scale_by(SCALE).context("the figure is too large for PNG")?;
    let mut picture = Pixmap::new(size.width(), size.height()).context("the figure is too large for PNG")?;
    picture.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut picture.as_mut());
    Ok(picture.encode_png()?)
}
