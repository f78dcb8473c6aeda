//! Compares the validation of reference names with libgit2's.

use forge::git_refs::rules;
use git::refs::{LONGEST, RefName};

use super::text;

/// A name is valid exactly if libgit2 accepts it. The names that conflict with it are its parents
/// and its children. A prefix matches the names that begin with it.
pub fn ref_names(data: &[u8]) {
    let name = text(data);
    let parsed = RefName::parse(&name);
    let full = name.starts_with("refs/") && name.matches('/').count() >= 2;
    // libgit2 accepts names of at most 1023 bytes, and stops at a NUL.
    if full && name.len() < LONGEST && !name.contains('\0') {
        let theirs = git2::Reference::is_valid_name(&name);
        assert_eq!(parsed.is_ok(), theirs, "{name:?}: {parsed:?}");
    }
    if let Ok(parsed) = &parsed {
        assert_eq!(parsed.as_str(), name);
        assert!(name.len() <= LONGEST && full);
        for above in parsed.above() {
            assert!(name.starts_with(&format!("{above}/")));
        }
        let below = parsed.below();
        assert!(!(below.from.as_str()..below.until.as_str()).contains(&name.as_ref()));
        let child = format!("{name}/x");
        assert!((below.from.as_str()..below.until.as_str()).contains(&child.as_str()));
    }
    assert!(rules::new_name(&name).is_err() || parsed.is_ok());
    let names = rules::matching(&name);
    for range in [Some(&names.full), names.branches.as_ref()]
        .into_iter()
        .flatten()
    {
        for end in ["", "\u{10ffff}", "a", "/"] {
            let longer = format!("{}{end}", range.from);
            assert!(longer < range.until, "{name:?} {range:?}");
        }
        assert!(!range.until.starts_with(&range.from));
    }
}
