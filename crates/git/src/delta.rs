//! Deltas: the instructions that make an object of its base
//! (<https://git-scm.com/docs/gitformat-pack#_deltified_representation>).

/// Two sizes take no more bytes than this.
pub(super) const LONGEST_SIZES: usize = 20;

/// A delta of an object of another size.
pub(super) const WRONG_BASE: &str = "delta base size mismatch";

/// The sizes at the head of a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) base: u64,
    pub(super) result: u64,
    length: usize,
}

/// Parses the sizes of the base and the result.
pub(super) fn sizes(delta: &[u8]) -> Result<Sizes, &'static str> {
    let (base, first) = size(delta)?;
    let (result, second) = size(&delta[first..])?;
    Ok(Sizes {
        base,
        result,
        length: first + second,
    })
}

fn size(bytes: &[u8]) -> Result<(u64, usize), &'static str> {
    let mut size = 0;
    for (at, byte) in bytes.iter().take(LONGEST_SIZES / 2).enumerate() {
        let bits = u64::from(byte & 0x7f);
        size |= bits.checked_shl(7 * at as u32).unwrap_or(0);
        if byte & 0x80 == 0 {
            return Ok((size, at + 1));
        }
    }
    Err("a size in the delta is not terminated")
}

/// Makes an object of its base. Allocates no more than `limit` bytes.
pub(crate) fn apply(base: &[u8], delta: &[u8], limit: u64) -> Result<Vec<u8>, &'static str> {
    let sizes = sizes(delta)?;
    if sizes.base != base.len() as u64 {
        return Err(WRONG_BASE);
    }
    if sizes.result > limit {
        return Err("the result of the delta is too large");
    }
    let length = usize::try_from(sizes.result).map_err(|_| "the delta is too large")?;
    let mut result = Vec::with_capacity(length);
    let mut rest = &delta[sizes.length..];
    while let Some((instruction, after)) = rest.split_first() {
        let (piece, after) = match *instruction {
            0 => return Err("unexpected delta opcode 0"),
            count @ 1..0x80 => after
                .split_at_checked(usize::from(count))
                .ok_or("the delta is truncated")?,
            bits => copied(bits, base, after)?,
        };
        if piece.len() > length - result.len() {
            return Err("the result of the delta is longer than declared");
        }
        result.extend_from_slice(piece);
        rest = after;
    }
    match result.len() == length {
        true => Ok(result),
        false => Err("the result of the delta is shorter than declared"),
    }
}

/// The piece of the base that an instruction copies, and the rest of the delta.
fn copied<'a>(
    bits: u8,
    base: &'a [u8],
    mut rest: &'a [u8],
) -> Result<(&'a [u8], &'a [u8]), &'static str> {
    let mut numbers = [0_usize; 7];
    for (at, number) in numbers.iter_mut().enumerate() {
        if bits & (1 << at) != 0 {
            let (byte, after) = rest.split_first().ok_or("the delta is truncated")?;
            *number = usize::from(*byte);
            rest = after;
        }
    }
    let [a, b, c, d, e, f, g] = numbers;
    let start = a | b << 8 | c << 16 | d << 24;
    let length = match e | f << 8 | g << 16 {
        0 => 0x10000,
        length => length,
    };
    let end = start
        .checked_add(length)
        .ok_or("a copy in the delta overflows")?;
    let piece = base
        .get(start..end)
        .ok_or("a copy in the delta exceeds its base")?;
    Ok((piece, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_copies_and_inserts() {
        let base = b"the quick brown fox";
        // Copy 4 bytes from 0, insert "slow", copy 10 bytes from 9.
        let delta = [&[19, 18][..], &[0x90, 4], &[4], b"slow", &[0x91, 9, 10]].concat();
        let result = apply(base, &delta, 100).unwrap();
        assert_eq!(result, b"the slow brown fox");
        assert!(apply(base, &delta, 17).is_err());
        for length in 0..delta.len() {
            assert!(apply(base, &delta[..length], 100).is_err(), "{length}");
        }
    }

    #[test]
    fn a_delta_never_leaves_its_base_or_its_size() {
        let base = [7; 10];
        for wrong in [
            &[9, 1, 0x90, 1][..],
            &[10, 1, 0x90, 2],
            &[10, 2, 0x91, 9, 2],
            &[10, 1, 0],
            &[10, 1, 0xff, 255, 255, 255, 255, 255, 255, 255],
            &[10, 5, 0x80],
            &[0x80; 30],
            &[],
        ] {
            assert!(apply(&base, wrong, 1 << 20).is_err(), "{wrong:?}");
        }
        assert_eq!(apply(&base, &[10, 0], 10), Ok(Vec::new()));
    }
}
