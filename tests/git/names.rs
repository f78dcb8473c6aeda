//! Compares the validation of reference names with `git check-ref-format`.

use git::refs::{RefName, check_format};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::database::{seed, trial_factor};
use crate::support::git::Git;

/// Parts for valid and invalid names.
const PIECES: &[&str] = &[
    "refs", "heads", "a", "b", "/", "/", "/", ".", "..", ".lock", "lock", "@", "{", "@{", "~", "^",
    ":", "?", "*", "[", "]", "\\", " ", "\t", "\u{1}", "\u{7f}", "\u{80}", "é", "-", "main", "}",
];

#[test]
fn a_name_is_valid_exactly_if_git_accepts_it() {
    let git = Git::bare();
    let mut random = StdRng::seed_from_u64(seed());
    let mut valid = 0;
    for _ in 0..1500 * trial_factor() {
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
        valid += usize::from(named);
    }
    assert!(valid > 50, "only {valid} valid names");
}
