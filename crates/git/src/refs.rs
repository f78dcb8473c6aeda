//! Reference names, by the rules of `git check-ref-format`.
//!
//! One rule is our own: a name has at most 1024 bytes, which Git leaves to the file system.

use std::fmt;

/// The longest name in bytes.
pub const LONGEST: usize = 1024;

const BRANCHES: &str = "refs/heads/";

/// The full name of a reference: `refs/`, a namespace, and at least one
/// component more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(String);

/// Why a text is not a valid reference name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRefName {
    #[error("must start with 'refs/' and contain at least two slashes")]
    NotFull,
    #[error("must not be longer than 1024 bytes")]
    TooLong,
    #[error("must not begin or end with a slash, nor contain two in a row")]
    EmptyComponent,
    #[error("must not have a component that begins with a dot")]
    LeadingDot,
    #[error("must not have a component that ends with '.lock'")]
    Lock,
    #[error("must not contain '..'")]
    TwoDots,
    #[error("must not end with a dot")]
    TrailingDot,
    #[error("must not contain '@{{'")]
    AtBrace,
    #[error("must not be the single character '@'")]
    At,
    #[error("must not contain a space, a control character or any of ~ ^ : ? * [ \\")]
    Character,
}

impl RefName {
    /// Parses a full name, as in the creation of a reference (Spec, Git references, rule
    /// 3).
    pub fn parse(text: &str) -> Result<Self, BadRefName> {
        if !text.starts_with("refs/") || text.matches('/').count() < 2 {
            return Err(BadRefName::NotFull);
        }
        if text.len() > LONGEST {
            return Err(BadRefName::TooLong);
        }
        check_format(text)?;
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The full name of a branch.
    pub fn of_branch(branch: &str) -> Result<Self, BadRefName> {
        Self::parse(&format!("{BRANCHES}{branch}"))
    }

    /// The name without `refs/heads/`, if it is a branch.
    pub fn branch(&self) -> Option<&str> {
        branch_of(&self.0)
    }

    /// The names that cannot exist beside this one, because they would have to be a
    /// directory and a reference at once: `refs/a` and `refs/a/b` for `refs/a/b/c`.
    pub fn above(&self) -> Vec<String> {
        let parents = self.0.match_indices('/').skip(1);
        parents.map(|(end, _)| self.0[..end].to_owned()).collect()
    }

    /// The names for which this one would have to be a directory.
    pub fn below(&self) -> NameRange {
        NameRange::beginning_with(&format!("{self}/"))
    }
}

/// The branch of a full name, if it is one of a branch.
pub fn branch_of(name: &str) -> Option<&str> {
    name.strip_prefix(BRANCHES)
}

/// Names from `from` up to, but not including, `until`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRange {
    pub from: String,
    pub until: String,
}

impl NameRange {
    /// Every name of a reference.
    pub fn all() -> Self {
        Self::beginning_with("refs/")
    }

    /// Every branch.
    pub fn branches() -> Self {
        Self::beginning_with(BRANCHES)
    }

    pub fn bounds(&self) -> (&str, &str) {
        (&self.from, &self.until)
    }

    pub fn contains(&self, name: &str) -> bool {
        self.from.as_str() <= name && name < self.until.as_str()
    }

    /// Byte order is the order of code points in UTF-8, so the first text after all that
    /// begin with `prefix` has its last character replaced by the next one.
    pub fn beginning_with(prefix: &str) -> Self {
        let mut until = prefix.to_owned();
        while let Some(last) = until.pop() {
            let next = (last..=char::MAX).nth(1);
            if let Some(next) = next {
                until.push(next);
                break;
            }
        }
        Self {
            from: prefix.to_owned(),
            until,
        }
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Accepts exactly what `git check-ref-format --allow-onelevel` accepts.
pub fn check_format(text: &str) -> Result<(), BadRefName> {
    if text == "@" {
        return Err(BadRefName::At);
    }
    for component in text.split('/') {
        if component.is_empty() {
            return Err(BadRefName::EmptyComponent);
        }
        if component.starts_with('.') {
            return Err(BadRefName::LeadingDot);
        }
        if component.ends_with(".lock") {
            return Err(BadRefName::Lock);
        }
    }
    if text.contains("..") {
        return Err(BadRefName::TwoDots);
    }
    if text.contains("@{") {
        return Err(BadRefName::AtBrace);
    }
    if text.ends_with('.') {
        return Err(BadRefName::TrailingDot);
    }
    let forbidden = |byte: u8| byte <= b' ' || byte == 0x7f || b"~^:?*[\\".contains(&byte);
    if text.bytes().any(forbidden) {
        return Err(BadRefName::Character);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_its_reason() {
        let cases = [
            ("heads/main", BadRefName::NotFull),
            ("refs/heads", BadRefName::NotFull),
            ("refs/heads/", BadRefName::EmptyComponent),
            ("refs//a", BadRefName::EmptyComponent),
            ("refs/heads/.a", BadRefName::LeadingDot),
            ("refs/heads/a.lock/b", BadRefName::Lock),
            ("refs/heads/a..b", BadRefName::TwoDots),
            ("refs/heads/a.", BadRefName::TrailingDot),
            ("refs/heads/a@{b", BadRefName::AtBrace),
            ("refs/heads/a b", BadRefName::Character),
            ("refs/heads/a\0", BadRefName::Character),
            ("refs/heads/a\\b", BadRefName::Character),
        ];
        for (text, reason) in cases {
            assert_eq!(RefName::parse(text), Err(reason), "{text}");
        }
        let long = format!("refs/heads/{}", "a".repeat(LONGEST));
        assert_eq!(RefName::parse(&long), Err(BadRefName::TooLong));
        assert_eq!(check_format("@"), Err(BadRefName::At));
    }

    #[test]
    fn odd_but_valid_names_pass() {
        for text in [
            "refs/heads/@",
            "refs/heads/ü/{}",
            "refs/x/a.lockb",
            "refs/heads/-",
        ] {
            assert_eq!(RefName::parse(text).unwrap().as_str(), text);
        }
        let branch = RefName::parse("refs/heads/a/b").unwrap();
        assert_eq!(branch.branch(), Some("a/b"));
        assert_eq!(RefName::parse("refs/tags/a").unwrap().branch(), None);
    }

    #[test]
    fn a_name_stands_in_the_way_of_those_above_and_below_it() {
        let name = RefName::parse("refs/heads/a/b").unwrap();
        assert_eq!(name.above(), ["refs/heads", "refs/heads/a"]);
        let below = name.below();
        for (other, clashes) in [
            ("refs/heads/a/b/c", true),
            ("refs/heads/a/b/\u{10FFFF}", true),
            ("refs/heads/a/b", false),
            ("refs/heads/a/b-c", false),
            ("refs/heads/a/b0", false),
        ] {
            let inside = *below.from <= *other && *other < *below.until;
            assert_eq!(inside, clashes, "{other}");
        }
    }
}
