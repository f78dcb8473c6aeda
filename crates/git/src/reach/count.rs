//! How many commits a table reaches.

use super::{LEVELS, Look, NodeAddress, NotYet, Pages, decode_position};

/// The number of commits on all chains but one, up to where the table reaches each. Reads
/// the whole table: a leaf for each chain.
pub(in super::super) fn count(
    pages: &Pages,
    root: Option<NodeAddress>,
    except: i64,
) -> Result<i64, NotYet> {
    let mut look = Look::new(pages);
    let mut total = 0;
    let mut pending = vec![(root.map_or(0, |root| root.0), LEVELS, 0)];
    while let Some((at, level, chain)) = pending.pop() {
        if at == 0 {
            continue;
        }
        if level == 0 {
            let position = decode_position(at).filter(|_| chain != except);
            total += position.map_or(0, |position| position + 1);
            continue;
        }
        let slots = look.node(at).slots;
        let slots = (0_i64..).zip(slots);
        pending.extend(slots.map(|(digit, slot)| (slot, level - 1, chain << 4 | digit)));
    }
    look.finish(total)
}
