//! Packs and reports in bands: each packet begins with the number of its band, so that a
//! pack, progress and errors can share a response.

use super::packet;

/// The bands of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bands {
    /// The bytes as they are.
    None,
    /// Packets of at most 1000 bytes.
    Small,
    /// Packets of at most 65,520 bytes.
    Large,
}

const DATA: u8 = 1;
const PROGRESS: u8 = 2;
const ERROR: u8 = 3;

/// The length of a packet and its band.
const HEAD: usize = 5;

impl Bands {
    /// The most bytes of a packet besides its head.
    fn max_payload(self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Small => Some(1000 - HEAD),
            Self::Large => Some(packet::LONGEST - HEAD),
        }
    }

    /// Bytes of the pack or report.
    pub fn data(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::None => bytes.to_vec(),
            _ => self.band(DATA, bytes),
        }
    }

    /// A message for the user; empty without bands.
    pub fn progress(self, message: &str) -> Vec<u8> {
        self.band(PROGRESS, message.as_bytes())
    }

    /// An error that ends the response; empty without bands.
    pub fn error(self, message: &str) -> Vec<u8> {
        self.band(ERROR, message.as_bytes())
    }

    /// The packet that ends the response.
    pub fn end(self) -> &'static [u8] {
        match self {
            Self::None => b"",
            _ => b"0000",
        }
    }

    fn band(self, band: u8, bytes: &[u8]) -> Vec<u8> {
        let Some(max_payload) = self.max_payload() else {
            return Vec::new();
        };
        let packets = bytes.len().div_ceil(max_payload);
        let mut out = Vec::with_capacity(bytes.len() + packets * HEAD);
        for piece in bytes.chunks(max_payload) {
            out.extend(format!("{:04x}", piece.len() + HEAD).bytes());
            out.push(band);
            out.extend(piece);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bytes_take_several_packets() {
        let out = Bands::Small.data(&[7; 1200]);
        assert_eq!(&out[..5], b"03e8\x01");
        assert_eq!(&out[1000..1005], b"00d2\x01");
        assert_eq!(out.len(), 1210);
        assert_eq!(Bands::Large.progress("hi"), b"0007\x02hi");
        assert_eq!(Bands::Large.error("no"), b"0007\x03no");
        assert_eq!(Bands::None.data(b"x"), b"x");
        assert_eq!(Bands::None.progress("x"), b"");
    }
}
