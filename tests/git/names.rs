//! Names of references, held against `git check-ref-format`.

use forgewright::git::refs::{RefName, check_format};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use crate::database::{seed, times};
use crate::support::git::Git;

/// Pieces that names go wrong with.
const PIECES: &[&str] = &[
    "refs", "heads", "a", "b", "/", "/", "/", ".", "..", ".lock", "lock", "@", "{", "@{", "~", "^",
    ":", "?", "*", "[", "]", "\\", " ", "\t", "\u{1}", "\u{7f}", "\u{80}", "é", "-", "main", "}",
];

#[test]
fn a_name_is_good_exactly_when_git_says_so() {
    let git = Git::bare();
    let mut random = StdRng::seed_from_u64(seed());
    let mut good = 0;
    for _ in 0..1500 * times() {
        let start = *["", "refs/heads/", "refs/"].choose(&mut random).unwrap();
        let count = random.random_range(0..6);
        let pieces = (0..count).map(|_| *PIECES.choose(&mut random).unwrap());
        let name = format!("{start}{}", pieces.collect::<String>());
        let (full, _) = git.attempt(&["check-ref-format", &name]);
        let ours = check_format(&name);
        assert_eq!(
            ours.is_ok() && name.contains('/'),
            full,
            "{name:?}: {ours:?}"
        );
        let named = full && name.starts_with("refs/") && name.matches('/').count() > 1;
        assert_eq!(RefName::parse(&name).is_ok(), named, "{name:?}");
        good += usize::from(named);
    }
    assert!(good > 50, "{good} good names are too few to prove anything");
}
