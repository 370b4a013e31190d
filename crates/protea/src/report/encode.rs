//! Grey pixels as PNG, for what a page carries inside.

use crate::export::base64;
use flate2::{Compression, Crc, write::ZlibEncoder};
use std::io::Write;

/// A grey image as the address of an `<img>`.
pub(super) fn png_address(width: usize, height: usize, pixels: &[u8]) -> String {
    format!("data:image/png;base64,{}", base64(&png(width, height, pixels)))
}

/// A grey image, eight bits a pixel.
fn png(width: usize, height: usize, pixels: &[u8]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::from((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    // Eight bits, grey, and the only compression, filter and order that are simple.
    header.extend([8, 0, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &header);
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in pixels.chunks(width) {
        // Writing to memory cannot fail.
        let _ = zlib.write_all(&[0]).and_then(|()| zlib.write_all(row));
    }
    chunk(&mut file, b"IDAT", &zlib.finish().expect("writing to a vector does not fail"));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) {
    file.extend((content.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend(content);
    let mut crc = Crc::new();
    crc.update(&file[start..]);
    file.extend(crc.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_the_check_sums_of_the_standard() {
        let file = png(2, 1, &[0, 255]);
        // The end of every PNG.
        assert!(file.ends_with(b"\0\0\0\0IEND\xae\x42\x60\x82"));
        assert_eq!(&file[12..24], b"IHDR\0\0\0\x02\0\0\0\x01");
    }
}
