//! Straightens slanted images by their moments and centres them.
//!
//! With intensities above the background as mass, centre of mass `(m_x, m_y)` and shear `a = cov_xy / var_y`, each pixel
//! is read, bilinearly, from
//! ```text
//! x_src = m_x + (x − c_x) + a (y − c_y),     y_src = m_y + (y − c_y)
//! ```
//! where `(c_x, c_y)` is the middle of the image. It uses no labels.

use super::ImageSize;
use crate::Float;
use ndarray::{ArrayView2, ArrayViewMut2};

/// A learned deskewing: image size and background value.
#[derive(Debug, Clone, PartialEq)]
pub struct Deskew {
    /// Width and height.
    pub size: ImageSize,
    /// Value of empty pixels: the lowest value of the training images.
    pub background: f64,
}

impl Deskew {
    /// Learns the background from training images.
    pub fn learn<F: Float>(size: ImageSize, x: ArrayView2<F>) -> Self {
        Deskew { size, background: x.iter().fold(f64::INFINITY, |m, v| m.min(v.f64())) }
    }

    /// Straightens images in place.
    pub fn apply<F: Float>(&self, mut x: ArrayViewMut2<F>) {
        let mut image = vec![0.0f64; x.ncols()];
        for mut row in x.rows_mut() {
            image.iter_mut().zip(&row).for_each(|(p, v)| *p = v.f64() - self.background);
            if let Some(straight) = self.straighten(&image) {
                row.iter_mut().zip(straight).for_each(|(v, s)| *v = F::of(s + self.background));
            }
        }
    }

    /// The straightened image over a background of 0; `None` for an empty one.
    fn straighten(&self, image: &[f64]) -> Option<Vec<f64>> {
        let ImageSize { width, height } = self.size;
        let pixel = |i: usize| ((i % width) as f64, (i / width) as f64);
        let mass: f64 = image.iter().sum();
        if mass <= 0.0 {
            return None;
        }
        let moment = |f: &dyn Fn(f64, f64) -> f64| {
            image.iter().enumerate().map(|(i, v)| v * f(pixel(i).0, pixel(i).1)).sum::<f64>() / mass
        };
        let (mx, my) = (moment(&|x, _| x), moment(&|_, y| y));
        let var_y = moment(&|_, y| (y - my) * (y - my));
        let cov = moment(&|x, y| (x - mx) * (y - my));
        let shear = if var_y > 1e-9 { cov / var_y } else { 0.0 };
        let (cx, cy) = ((width - 1) as f64 / 2.0, (height - 1) as f64 / 2.0);
        let at = |x: i64, y: i64| {
            let inside = x >= 0 && y >= 0 && (x as usize) < width && (y as usize) < height;
            if inside { image[y as usize * width + x as usize] } else { 0.0 }
        };
        let read = |i: usize| {
            let (x, y) = pixel(i);
            let (sx, sy) = (mx + (x - cx) + shear * (y - cy), my + (y - cy));
            let (x0, y0) = (sx.floor(), sy.floor());
            let (u, v, x0, y0) = (sx - x0, sy - y0, x0 as i64, y0 as i64);
            let top = (1.0 - u) * at(x0, y0) + u * at(x0 + 1, y0);
            let bottom = (1.0 - u) * at(x0, y0 + 1) + u * at(x0 + 1, y0 + 1);
            (1.0 - v) * top + v * bottom
        };
        Some((0..image.len()).map(read).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    /// A bar of slope 1 becomes upright in the middle; an upright one stays.
    #[test]
    fn a_slanted_bar_becomes_upright() {
        let size = ImageSize { width: 5, height: 5 };
        let slanted = Array2::from_shape_fn((1, 25), |(_, i)| if i % 5 == i / 5 { 7.0 } else { -1.0 });
        let deskew = Deskew::learn(size, slanted.view());
        assert_eq!(deskew.background, -1.0);
        let mut straight = slanted.clone();
        deskew.apply(straight.view_mut());
        let upright = Array2::from_shape_fn((1, 25), |(_, i)| if i % 5 == 2 { 7.0 } else { -1.0 });
        assert_eq!(straight, upright);
        deskew.apply(straight.view_mut());
        assert_eq!(straight, upright);
    }

    #[test]
    fn an_empty_image_stays_empty() {
        let mut x = Array2::<f32>::zeros((1, 9));
        Deskew { size: ImageSize { width: 3, height: 3 }, background: 0.0 }.apply(x.view_mut());
        assert_eq!(x, Array2::<f32>::zeros((1, 9)));
    }
}
