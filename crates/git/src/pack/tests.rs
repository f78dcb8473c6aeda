//! Hand-made packs, well formed and hostile. `tests/git/packs.rs` has those of Git.

mod made;
mod nested;
mod work;

use std::time::Duration;

use cpu_time::ThreadTime;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::parser::Parser;
use super::resolver::Resolver;
use super::{PackError, PackLimits, ReceivedPack};
use crate::{LONGEST_LINE, Sha};
use made::{PackBuilder, form, repeated, signed};
use storage::entities::git_object::ObjectKind;

/// Far less time than a hostile pack would take without limits.
const PROCESSOR_TIME: Duration = Duration::from_secs(8);

fn received(pack: &[u8], limits: PackLimits) -> Result<ReceivedPack, PackError> {
    in_pieces(pack, limits, pack.len().max(1))
}

fn in_pieces(pack: &[u8], limits: PackLimits, length: usize) -> Result<ReceivedPack, PackError> {
    let parser = parsed(pack, limits, length)?;
    parser.finish()?;
    let mut resolver = Resolver::new(parser, limits)?;
    while !resolver.resolve()? {}
    resolver.finish()
}

fn parsed(pack: &[u8], limits: PackLimits, length: usize) -> Result<Parser, PackError> {
    let mut parser = Parser::new(limits)?;
    for piece in pack.chunks(length) {
        let mut taken = 0;
        while taken < piece.len() {
            taken += parser.push(&piece[taken..])?;
        }
    }
    Ok(parser)
}

fn refusal(pack: &[u8]) -> String {
    match received(pack, PackLimits::default()) {
        Ok(_) => panic!("the pack is accepted"),
        Err(error) => error.to_string(),
    }
}

/// A blob, three deltas of it, and a tree.
fn sample() -> (Vec<u8>, Vec<Sha>) {
    let text = b"one\ntwo\nthree\n".repeat(20);
    let mut pack = PackBuilder::default();
    let base = pack.object(ObjectKind::Blob, &text);
    let mut names = vec![Sha::of(ObjectKind::Blob, &text)];
    let last = pack.next_offset();
    pack.offset_delta(last - base, &repeated(text.len(), 2, b"four"));
    let second = [&text[..], &text, b"four"].concat();
    names.push(Sha::of(ObjectKind::Blob, &second));
    pack.named_delta(names[1], &repeated(second.len(), 1, b"five"));
    let third = [&second[..], b"five"].concat();
    names.push(Sha::of(ObjectKind::Blob, &third));
    // The base of this one comes later.
    let tree = [b"100644 a\0", &names[0].as_bytes()[..]].concat();
    let entry = [b"100644 b\0", &names[1].as_bytes()[..]].concat();
    let wider = [&tree[..], &entry].concat();
    pack.named_delta(
        Sha::of(ObjectKind::Tree, &tree),
        &repeated(tree.len(), 1, &entry),
    );
    pack.object(ObjectKind::Tree, &tree);
    names.extend([
        Sha::of(ObjectKind::Tree, &tree),
        Sha::of(ObjectKind::Tree, &wider),
    ]);
    (pack.finish(), names)
}

#[test]
fn a_pack_is_received_in_pieces_of_any_size() {
    let (pack, names) = sample();
    for length in [1, 2, 3, 19, 64, pack.len()] {
        let received_pack = in_pieces(&pack, PackLimits::default(), length).unwrap();
        assert_eq!(received_pack.objects(), names.len());
        let kinds: Vec<_> = names
            .iter()
            .map(|name| received_pack.kind_of(*name))
            .collect();
        let (blob, tree) = (Some(ObjectKind::Blob), Some(ObjectKind::Tree));
        assert_eq!(kinds, [blob, blob, blob, tree, tree]);
        assert_eq!(received_pack.kind_of(Sha::EMPTY_TREE), None);
    }
    let empty = PackBuilder::default().finish();
    assert_eq!(
        received(&empty, PackLimits::default()).unwrap().objects(),
        0
    );
}

#[test]
fn a_pack_that_is_cut_short_or_changed_is_refused() {
    let (pack, _) = sample();
    for length in 0..pack.len() {
        assert_eq!(refusal(&pack[..length]), "early EOF", "{length}");
    }
    for at in 0..pack.len() {
        let mut changed = pack.clone();
        changed[at] ^= 0x10;
        refusal(&changed);
    }
    let junk = [&pack[..], b"x"].concat();
    assert_eq!(refusal(&junk), "pack has junk at the end");
    let (body, _) = pack.split_at(pack.len() - 20);
    assert_eq!(
        refusal(&[body, &[0; 20]].concat()),
        "pack is corrupted (SHA1 mismatch)"
    );
    assert_eq!(
        refusal(&signed(b"JUNK\0\0\0\x02\0\0\0\0")),
        "pack signature mismatch"
    );
    assert_eq!(
        refusal(&signed(b"PACK\0\0\0\x04\0\0\0\0")),
        "pack version 4 unsupported"
    );
}

/// Changed at random and signed again, so that only the content is wrong.
#[test]
fn no_pack_makes_the_receiver_panic() {
    let (pack, _) = sample();
    let body = &pack[..pack.len() - 20];
    let mut random = StdRng::seed_from_u64(1);
    for _ in 0..2000 {
        let mut changed = body.to_vec();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..changed.len());
            changed[at] = random.random();
        }
        let _ = received(&signed(&changed), PackLimits::default());
    }
}

#[test]
fn announced_objects_cost_nothing_until_they_arrive() {
    let started = ThreadTime::now();
    let mut many = signed(b"PACK\0\0\0\x02\0\x1e\0\0");
    assert!(refusal(&many).starts_with("pack has bad object at offset 12"));
    many.truncate(12);
    assert_eq!(refusal(&many), "early EOF");
    let more = signed(b"PACK\0\0\0\x02\0\x98\x96\x80");
    assert!(refusal(&more).contains("number of objects (2000000)"));
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[test]
fn objects_that_swell_are_refused_in_good_time() {
    let zeros = vec![0; 4 << 20];
    let started = ThreadTime::now();
    let mut lying = PackBuilder::default();
    lying.add(&form(3, 10), &zeros);
    assert!(refusal(&lying.finish()).contains("longer than declared"));
    let mut short = PackBuilder::default();
    short.add(&form(3, 10), b"short");
    assert!(refusal(&short.finish()).contains("shorter than declared"));
    let mut large = PackBuilder::default();
    large.add(&form(3, 101 << 20), b"");
    assert!(refusal(&large.finish()).contains("is too large"));
    let mut long_commit = PackBuilder::default();
    long_commit.add(&form(1, 2 << 20), b"");
    assert!(refusal(&long_commit.finish()).contains("is too large"));

    // A hundred bytes of delta for each gigabyte.
    let mut pack = PackBuilder::default();
    let base = pack.object(ObjectKind::Blob, &zeros[..1 << 20]);
    let back = pack.next_offset() - base;
    pack.offset_delta(back, &repeated(1 << 20, 101, b""));
    assert!(refusal(&pack.finish()).contains("the result of the delta is too large"));
    let mut pack = PackBuilder::default();
    let base = pack.object(ObjectKind::Blob, &zeros[..1 << 20]);
    for number in 0..100_u32 {
        let back = pack.next_offset() - base;
        pack.offset_delta(back, &repeated(1 << 20, 2, &number.to_be_bytes()));
    }
    let limits = PackLimits {
        inflated_base: 10 << 20,
        inflated_factor: 0,
        ..PackLimits::default()
    };
    let message = received(&pack.finish(), limits).err().unwrap().to_string();
    assert!(
        message.contains("before compression (10485760)"),
        "{message}"
    );
    assert!(
        started.elapsed() < PROCESSOR_TIME,
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn what_a_pack_may_cost_is_limited() {
    let (pack, _) = sample();
    let usual = PackLimits::default();
    let message = |limits| received(&pack, limits).err().unwrap().to_string();
    for (limits, reason) in [
        (
            PackLimits {
                pack_bytes: 50,
                ..usual
            },
            "allowed size (50)",
        ),
        (
            PackLimits {
                objects: 4,
                ..usual
            },
            "number of objects (4)",
        ),
        (
            PackLimits {
                inflated_bytes: 300,
                ..usual
            },
            "compression (300)",
        ),
        (
            PackLimits {
                spool_bytes: 100,
                ..usual
            },
            "size of its objects (100)",
        ),
        (
            PackLimits {
                chain_depth: 1,
                ..usual
            },
            "on top of each other (1)",
        ),
    ] {
        let message = message(limits);
        assert!(message.contains(reason), "{message}");
    }
    let enough = PackLimits {
        chain_depth: 2,
        objects: 5,
        ..usual
    };
    assert!(received(&pack, enough).is_ok());
}

#[test]
fn deltas_need_a_base() {
    let (one, other) = (Sha::from_bytes([1; 20]), Sha::from_bytes([2; 20]));
    let mut circle = PackBuilder::default();
    circle.named_delta(one, &repeated(5, 1, b"x"));
    circle.named_delta(other, &repeated(5, 1, b"x"));
    assert_eq!(refusal(&circle.finish()), "pack has 2 unresolved deltas");
    for back in [0, 1, 12, 1000, u64::MAX >> 9] {
        let mut pack = PackBuilder::default();
        pack.object(ObjectKind::Blob, b"hello");
        pack.offset_delta(back, &repeated(5, 1, b"x"));
        let message = refusal(&pack.finish());
        assert!(message.contains("base offset is out of bound"), "{message}");
    }
    let mut pack = PackBuilder::default();
    let base = pack.object(ObjectKind::Blob, b"hello");
    let back = pack.next_offset() - base;
    pack.offset_delta(back, &repeated(6, 1, b"x"));
    assert!(refusal(&pack.finish()).contains("delta base size mismatch"));
}

#[test]
fn objects_come_once_and_well_formed() {
    let mut twice = PackBuilder::default();
    twice.object(ObjectKind::Blob, b"hello");
    twice.object(ObjectKind::Blob, b"hello");
    let name = Sha::of(ObjectKind::Blob, b"hello");
    let expected = format!("the same object {name} appears twice in the pack");
    assert_eq!(refusal(&twice.finish()), expected);
    let person = "a".repeat(LONGEST_LINE + 1);
    let sha = Sha::EMPTY_TREE;
    let commit = format!("tree {sha}\nauthor {person}\ncommitter C <c@d> 2 +0000\n");
    let tag = format!("object {sha}\ntype tree\ntag v1\ntagger {person}\n");
    for (kind, content) in [
        (ObjectKind::Commit, commit.as_bytes()),
        (ObjectKind::Tag, tag.as_bytes()),
        (ObjectKind::Commit, &b"no commit"[..]),
        (ObjectKind::Tree, b"100644 .git\0aaaaaaaaaaaaaaaaaaaa"),
        (ObjectKind::Tag, b"object 12\n"),
    ] {
        let mut pack = PackBuilder::default();
        pack.object(kind, content);
        let name = Sha::of(kind, content);
        let expected = format!("fsck error in packed object {name}: malformed");
        assert!(refusal(&pack.finish()).starts_with(&expected));
    }
    // Also when a delta makes it.
    let mut pack = PackBuilder::default();
    let base = pack.object(ObjectKind::Tree, b"");
    let back = pack.next_offset() - base;
    pack.offset_delta(back, &[0, 1, 1, b'x']);
    assert!(refusal(&pack.finish()).starts_with("fsck error"));
}
