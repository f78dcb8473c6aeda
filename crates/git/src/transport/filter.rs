//! The filters of partial clones. Objects that the client requests by name are always sent.

use super::BadRequest;

/// The objects to omit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ObjectFilter {
    #[default]
    Nothing,
    /// Blobs of at least this size.
    Blobs {
        from: u64,
    },
    Trees,
}

impl ObjectFilter {
    /// `blob:none`, `blob:limit=<size>` or `tree:0`.
    pub fn parse(text: &str) -> Result<Self, BadRequest> {
        let unknown = || BadRequest::new(format!("filter '{text}' not supported"));
        match text {
            "blob:none" => Ok(Self::Blobs { from: 0 }),
            "tree:0" => Ok(Self::Trees),
            _ => {
                let limit = text.strip_prefix("blob:limit=").ok_or_else(unknown)?;
                let from = size(limit).ok_or_else(unknown)?;
                Ok(Self::Blobs { from })
            }
        }
    }

    /// Whether no blob passes.
    pub fn omits_all_blobs(self) -> bool {
        matches!(self, Self::Trees | Self::Blobs { from: 0 })
    }
}

/// A number with an optional unit: `k`, `m` or `g`.
fn size(text: &str) -> Option<u64> {
    let unit = match text.as_bytes().last()? {
        b'k' | b'K' => 10,
        b'm' | b'M' => 20,
        b'g' | b'G' => 30,
        _ => 0,
    };
    let digits = if unit > 0 {
        &text[..text.len() - 1]
    } else {
        text
    };
    let digits: u64 = digits.parse().ok()?;
    digits.checked_mul(1 << unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_and_others_are_refused() {
        let blobs = |from| Ok(ObjectFilter::Blobs { from });
        assert_eq!(ObjectFilter::parse("blob:none"), blobs(0));
        assert_eq!(ObjectFilter::parse("blob:limit=12"), blobs(12));
        assert_eq!(ObjectFilter::parse("blob:limit=1k"), blobs(1024));
        assert_eq!(ObjectFilter::parse("blob:limit=2M"), blobs(2 << 20));
        assert_eq!(ObjectFilter::parse("tree:0"), Ok(ObjectFilter::Trees));
        for invalid in [
            "",
            "tree:1",
            "blob:limit=",
            "blob:limit=k",
            "blob:limit=ük",
            "blob:limit=99999999999999999999",
            "blob:limit=99999999999999999g",
            "sparse:oid=x",
            "combine:blob:none+tree:0",
        ] {
            assert!(ObjectFilter::parse(invalid).is_err(), "{invalid}");
        }
    }
}
