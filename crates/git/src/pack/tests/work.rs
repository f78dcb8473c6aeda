//! The work and the memory for a pack are bounded by what was sent, and others get their turn.

use std::sync::Arc;
use std::time::Duration;

use super::made::{PackBuilder, copied, form, repeated};
use super::{parsed, received};
use crate::Sha;
use crate::pack::parser::{Parser, TURN};
use crate::pack::receive::receive;
use crate::pack::resolver::Resolver;
use crate::pack::{PackError, PackLimits};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy::{self, Permits, RequestMemory};
use storage::limits::Subject;

const MEGABYTE: usize = 1 << 20;

/// A tree with so many entries for the same object.
fn wide_tree(entries: usize) -> Vec<u8> {
    let mut tree = Vec::new();
    for number in 0..entries {
        tree.extend(format!("100644 {number:08}\0").bytes());
        tree.extend(Sha::EMPTY_TREE.as_bytes());
    }
    tree
}

#[test]
fn a_tree_that_arrives_is_not_kept() {
    let tree = wide_tree(400_000);
    let mut pack = PackBuilder::default();
    pack.object(ObjectKind::Tree, &tree);
    let pack = pack.finish();
    let unfinished = &pack[..pack.len() - 1000];
    let parser = parsed(unfinished, PackLimits::default(), 128 * 1024).unwrap();
    assert!(parser.finish().is_err());
    assert!(parser.memory() < MEGABYTE, "{}", parser.memory());
    assert!(received(&pack, PackLimits::default()).is_ok());
}

#[test]
fn announced_objects_take_no_memory() {
    let head = [b"PACK\0\0\0\x02", &1_000_000_u32.to_be_bytes()[..]].concat();
    let parser = parsed(&head, PackLimits::default(), 12).unwrap();
    assert_eq!(parser.memory(), 0);
}

#[test]
fn a_malformed_tree_is_named_although_it_is_not_kept() {
    let mut tree = wide_tree(10_000);
    tree.extend(wide_tree(1));
    let mut pack = PackBuilder::default();
    pack.object(ObjectKind::Tree, &tree);
    let error = received(&pack.finish(), PackLimits::default())
        .err()
        .unwrap();
    let name = Sha::of(ObjectKind::Tree, &tree);
    let reason = "malformed tree: its entries are not sorted";
    let expected = format!("fsck error in packed object {name}: {reason}");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_entry_that_inflates_to_much_takes_several_turns() {
    let mut pack = PackBuilder::default();
    pack.object(ObjectKind::Blob, &vec![0; 40 * MEGABYTE]);
    let pack = pack.finish();
    let mut parser = Parser::new(PackLimits::default()).unwrap();
    let (mut taken, mut turns) = (0, 0);
    while taken < pack.len() {
        taken += parser.push(&pack[taken..]).unwrap();
        turns += 1;
    }
    parser.finish().unwrap();
    assert!((9..20).contains(&turns), "{turns}");
}

/// A pack of deltas that each make `times` copies of a megabyte.
fn bomb(deltas: u32, times: usize) -> Vec<u8> {
    let mut pack = PackBuilder::default();
    let base = pack.object(ObjectKind::Blob, &vec![0; MEGABYTE]);
    for number in 0..deltas {
        let back = pack.next_offset() - base;
        pack.offset_delta(back, &repeated(MEGABYTE, times, &number.to_be_bytes()));
    }
    pack.finish()
}

#[test]
fn deltas_that_make_too_much_are_refused_before_they_are_resolved() {
    let limits = PackLimits::default();
    let pack = bomb(6, 99);
    let parser = parsed(&pack, limits, pack.len()).unwrap();
    let refusal = Resolver::new(parser, limits).err().unwrap().to_string();
    assert!(refusal.contains("before compression (5"), "{refusal}");
    let enough = PackLimits {
        inflated_base: 2 << 30,
        ..limits
    };
    let parser = parsed(&pack, enough, pack.len()).unwrap();
    assert!(Resolver::new(parser, enough).is_ok());
}

/// Its objects are too large for the cache of bases.
#[test]
fn a_chain_of_large_objects_is_resolved_without_repetition() {
    let size = 18 * MEGABYTE;
    let mut pack = PackBuilder::default();
    let mut base = pack.object(ObjectKind::Blob, &vec![0; size + 1]);
    for number in 1..7 {
        let back = pack.next_offset() - base;
        base = pack.offset_delta(back, &copied(size + 1, size / 2, 2, &[number]));
    }
    let limits = PackLimits {
        inflated_base: (9 * size) as u64,
        inflated_factor: 0,
        ..PackLimits::default()
    };
    assert_eq!(received(&pack.finish(), limits).unwrap().objects(), 7);
}

fn turns(pack: &[u8]) -> usize {
    let limits = PackLimits::default();
    let parser = parsed(pack, limits, pack.len()).unwrap();
    let mut resolver = Resolver::new(parser, limits).unwrap();
    let mut turns = 1;
    while !resolver.resolve().unwrap() {
        turns += 1;
    }
    turns
}

#[test]
fn many_deltas_take_several_turns() {
    let turns = turns(&bomb(60, 1));
    let fewest = 60 * MEGABYTE / TURN as usize;
    assert!((fewest - 1..3 * fewest).contains(&turns), "{turns}");
}

#[test]
fn the_deltas_of_an_object_that_occurs_often_are_looked_at_once() {
    let mut pack = PackBuilder::default();
    for _ in 0..3000 {
        pack.object(ObjectKind::Blob, b"");
    }
    let name = Sha::of(ObjectKind::Blob, b"");
    for number in 0..3000_u32 {
        pack.named_delta(name, &repeated(0, 0, &number.to_be_bytes()));
    }
    let turns = turns(&pack.finish());
    assert!(turns < 5, "{turns}");
}

/// One permit is left for all: whoever waits for it gets it after a turn.
#[tokio::test]
async fn others_get_a_permit_while_a_pack_is_received() {
    let pack = bomb(60, 1);
    let permits = Permits::new(1, Arc::default());
    let connection = Connection::from(sea_orm::DatabaseConnection::default());
    let receiving = receive(&pack[..], PackLimits::default(), &connection, 1);
    let receiving = heavy::request(permits.of(Subject::User(1)), receiving);
    let mut receiving = std::pin::pin!(receiving);
    let other = permits.of(Subject::User(2));
    let mut granted = 0;
    let received = loop {
        tokio::select! {
            biased;
            received = &mut receiving => break received,
            permit = other.acquire() => {
                drop(permit);
                granted += 1;
            }
        }
    };
    assert_eq!(received.unwrap().objects(), 61);
    assert!(granted >= 10, "{granted}");
}

#[test]
fn what_an_entry_declares_counts_before_it_arrives() {
    let limits = PackLimits {
        inflated_base: 1000,
        inflated_factor: 0,
        ..PackLimits::default()
    };
    let mut pack = PackBuilder::default();
    pack.add(&form(3, 1001), b"");
    let error = parsed(&pack.finish(), limits, 20).err().unwrap();
    assert!(error.to_string().contains("before compression (1000)"));
}

/// Names far more objects than it has bytes for each.
#[tokio::test]
async fn what_a_pack_takes_in_memory_is_counted() {
    let mut tree = Vec::new();
    for number in 0..200_000_u32 {
        let mut sha = [1; Sha::BYTES];
        sha[..4].copy_from_slice(&number.to_be_bytes());
        tree.extend(format!("100644 {number:08}\0").bytes());
        tree.extend(sha);
    }
    let mut pack = PackBuilder::default();
    pack.object(ObjectKind::Tree, &tree);
    let pack = pack.finish();
    let connection = Connection::from(sea_orm::DatabaseConnection::default());
    for (megabytes, enough) in [(6, false), (64, true)] {
        let memory = Arc::new(
            RequestMemory::new(megabytes * MEGABYTE).with_patience(Duration::from_millis(20)),
        );
        // Somebody else holds something: who is alone may hold any size.
        let other = memory.hold(Subject::User(2), 1).await.unwrap();
        let permits = Permits::new(2, memory.clone());
        let received = receive(&pack[..], PackLimits::default(), &connection, 1);
        let received = heavy::request(permits.of(Subject::User(1)), received).await;
        match received {
            Ok(pack) => {
                assert!(enough && memory.figures().held > 4 * MEGABYTE);
                drop(pack);
            }
            Err(error) => assert!(!enough && matches!(error, PackError::Refused(_)), "{error}"),
        }
        assert_eq!(memory.figures().held, 1);
        drop(other);
    }
}
