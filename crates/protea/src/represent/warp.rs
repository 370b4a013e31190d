//! Images read at other places: an affine map of the pixels, bilinear between them.

use super::ImageSize;

/// Where the pixels of a warped image are read: pixel `p` at `from + turn · (p − middle of the image)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Warp {
    /// Place, in pixels, that comes to the middle.
    pub from: (f64, f64),
    /// Linear part, by rows.
    pub turn: [f64; 4],
}

impl Warp {
    /// Middle of an image.
    pub fn middle(size: ImageSize) -> (f64, f64) {
        ((size.width - 1) as f64 / 2.0, (size.height - 1) as f64 / 2.0)
    }

    /// Writes the warped image; outside the image there is 0.
    pub fn read(&self, image: &[f64], size: ImageSize, out: &mut [f64]) {
        let ImageSize { width, height } = size;
        let (cx, cy) = Self::middle(size);
        let at = |x: i64, y: i64| {
            let inside = x >= 0 && y >= 0 && (x as usize) < width && (y as usize) < height;
            if inside { image[y as usize * width + x as usize] } else { 0.0 }
        };
        for (i, out) in out.iter_mut().enumerate() {
            let (x, y) = ((i % width) as f64 - cx, (i / width) as f64 - cy);
            let (sx, sy) = (
                self.from.0 + self.turn[0] * x + self.turn[1] * y,
                self.from.1 + self.turn[2] * x + self.turn[3] * y,
            );
            let (x0, y0) = (sx.floor(), sy.floor());
            let (u, v, x0, y0) = (sx - x0, sy - y0, x0 as i64, y0 as i64);
            let top = (1.0 - u) * at(x0, y0) + u * at(x0 + 1, y0);
            let bottom = (1.0 - u) * at(x0, y0 + 1) + u * at(x0 + 1, y0 + 1);
            *out = (1.0 - v) * top + v * bottom;
        }
    }
}
