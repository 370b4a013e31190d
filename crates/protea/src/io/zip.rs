//! The little of the zip format that NPZ archives need: stored or deflated members are read, found by the directory at the
//! end of the file; stored ones are written.

use super::limit::Limit;
use crate::{Error, Result};
use flate2::{Crc, read::DeflateDecoder};
use std::io::Read;

/// One member of an archive.
#[derive(Debug)]
pub(super) struct Member<'a> {
    /// Its name.
    pub(super) name: String,
    method: u16,
    crc: u32,
    size: usize,
    packed: &'a [u8],
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|b| u16::from_le_bytes(*b))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

/// The members of the archive.
pub(super) fn members<'a>(source: &str, bytes: &'a [u8]) -> Result<Vec<Member<'a>>> {
    directory(bytes).ok_or_else(|| {
        Error::file(
            source,
            "is a zip archive that is damaged, ends too early or exceeds 4 GiB; copy it again",
        )
    })
}

fn directory(bytes: &[u8]) -> Option<Vec<Member<'_>>> {
    // The end record is 22 bytes and a comment of up to 65535.
    let from = bytes.len().saturating_sub(22 + 65_535);
    let end = from + bytes[from..].windows(4).rposition(|w| w == b"PK\x05\x06")?;
    let count = u16_at(bytes, end + 10)?;
    let mut at = u32_at(bytes, end + 16)? as usize;
    let mut members = Vec::new();
    for _ in 0..count {
        if bytes.get(at..at.checked_add(4)?)? != b"PK\x01\x02" {
            return None;
        }
        let method = u16_at(bytes, at + 10)?;
        let (crc, packed) = (u32_at(bytes, at + 16)?, u32_at(bytes, at + 20)? as usize);
        let (size, name) = (u32_at(bytes, at + 24)? as usize, u16_at(bytes, at + 28)? as usize);
        let (extra, comment) = (u16_at(bytes, at + 30)? as usize, u16_at(bytes, at + 32)? as usize);
        let header = u32_at(bytes, at + 42)? as usize;
        let name_bytes = bytes.get(at + 46..at + 46 + name)?;
        // The lengths in the member's own header may differ from those in the directory.
        let data = header + 30 + u16_at(bytes, header + 26)? as usize + u16_at(bytes, header + 28)? as usize;
        members.push(Member {
            name: String::from_utf8_lossy(name_bytes).into_owned(),
            method,
            crc,
            size,
            packed: bytes.get(data..data.checked_add(packed)?)?,
        });
        at += 46 + name + extra + comment;
    }
    Some(members)
}

impl Member<'_> {
    /// The bytes of the member, unpacked and checked.
    pub(super) fn bytes(&self, source: &str, limit: Limit) -> Result<Vec<u8>> {
        let damaged = || Error::file(source, format!("the member {:?} of the archive is damaged", self.name));
        if self.size as u64 > limit.bytes() {
            return Err(limit.unpacked(source));
        }
        let mut bytes = Vec::new();
        match self.method {
            0 => bytes.extend_from_slice(self.packed),
            8 => {
                let limit = self.size as u64 + 1;
                let unpacked = DeflateDecoder::new(self.packed).take(limit).read_to_end(&mut bytes);
                unpacked.map_err(|e| damaged().because(e))?;
            }
            other => {
                let problem = format!("the member {:?} uses compression method {other}", self.name);
                return Err(Error::file(source, format!("{problem}; save it stored or deflated")));
            }
        }
        let mut crc = Crc::new();
        crc.update(&bytes);
        if bytes.len() != self.size || crc.sum() != self.crc {
            return Err(damaged());
        }
        Ok(bytes)
    }
}

/// An archive of stored members; refuses more than the format's 4 GiB.
pub(super) fn write(members: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let total: usize = members.iter().map(|(name, bytes)| bytes.len() + 2 * name.len() + 80).sum();
    if total > u32::MAX as usize {
        return Err(Error::unsupported(
            "the arrays exceed the 4 GiB of an NPZ archive; write CSV, or fewer rows",
        ));
    }
    let (mut out, mut directory) = (Vec::with_capacity(total), Vec::new());
    for (name, bytes) in members {
        let mut crc = Crc::new();
        crc.update(bytes);
        let (start, size) = (out.len() as u32, bytes.len() as u32);
        // Version, flags, method, time and date of 1980, check sum, sizes, length of the name, no extra field.
        let mut common = Vec::new();
        [20u16, 0, 0, 0, 0x21].iter().for_each(|v| common.extend(v.to_le_bytes()));
        [crc.sum(), size, size].iter().for_each(|v| common.extend(v.to_le_bytes()));
        [name.len() as u16, 0].iter().for_each(|v| common.extend(v.to_le_bytes()));
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(bytes);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, size, count) = (out.len() as u32, directory.len() as u32, members.len() as u16);
    out.extend(directory);
    out.extend(b"PK\x05\x06\x00\x00\x00\x00");
    [count, count].iter().for_each(|v| out.extend(v.to_le_bytes()));
    [size, start].iter().for_each(|v| out.extend(v.to_le_bytes()));
    out.extend([0, 0]);
    Ok(out)
}
