//! The problems of a world file, and how each is shown: on one line.
//! `record.rs` and `check.rs` find them.
//! Note: a finding without a location is dropped, because it is about the placeholder for a
//! value whose own problem is already reported.

use std::fmt;

use super::yaml::Location;
use forge::nearest::nearest;

/// More than a person reads. It bounds the memory that a hostile file can claim.
const MAX_FINDINGS: usize = 1_000;
/// Comparing words costs time; only so many findings get a suggestion.
const MAX_SUGGESTIONS: usize = 300;
const MAX_SHOWN: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    location: Location,
    message: String,
    expected: Option<String>,
    found: Option<String>,
    nearest: Option<String>,
}

impl Finding {
    pub fn at(location: Location, message: impl Into<String>) -> Self {
        Self {
            location,
            message: message.into(),
            expected: None,
            found: None,
            nearest: None,
        }
    }

    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    pub fn nearest(mut self, nearest: Option<String>) -> Self {
        self.nearest = nearest;
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}:{}: {}",
            self.location.line, self.location.column, self.message
        )?;
        match (&self.expected, &self.found) {
            (Some(expected), Some(found)) => {
                write!(formatter, "; expected {expected}, found {found}")?;
            }
            (Some(expected), None) => write!(formatter, "; expected {expected}")?,
            (None, Some(found)) => write!(formatter, "; found {found}")?,
            (None, None) => {}
        }
        match &self.nearest {
            Some(nearest) => write!(formatter, "; did you mean {}?", quoted(nearest)),
            None => Ok(()),
        }
    }
}

/// Every problem of one file, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    file: String,
    findings: Vec<Finding>,
    left_out: usize,
    suggested: usize,
}

impl Findings {
    pub fn of(file: &str) -> Self {
        Self {
            file: one_line(file),
            ..Self::default()
        }
    }

    pub fn one(file: &str, finding: Finding) -> Self {
        let mut findings = Self::of(file);
        findings.push(finding);
        findings
    }

    pub fn push(&mut self, finding: Finding) {
        if finding.location == Location::NOWHERE {
            return;
        }
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds those of another part of the same file.
    pub fn append(&mut self, other: Self) {
        self.left_out += other.left_out;
        other
            .findings
            .into_iter()
            .for_each(|finding| self.push(finding));
    }

    /// Adds a finding with an expectation.
    pub fn report(
        &mut self,
        location: Location,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.push(Finding::at(location, message).expected(expected));
    }

    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    pub fn count(&self) -> usize {
        self.findings.len() + self.left_out
    }

    /// The most similar candidate.
    pub fn nearest<'a>(
        &mut self,
        word: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        if self.suggested >= MAX_SUGGESTIONS {
            return None;
        }
        self.suggested += 1;
        nearest(word, candidates).map(str::to_owned)
    }

    /// Puts the findings in the order of the file. Two passes may report the same
    /// problem when an alias repeats an item; duplicates are removed.
    pub fn sorted(mut self) -> Self {
        self.findings.sort();
        self.findings.dedup();
        self
    }

    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .findings
            .iter()
            .map(|finding| format!("{}:{finding}", self.file))
            .collect();
        if self.left_out > 0 {
            lines.push(format!("{}: {} more problems", self.file, self.left_out));
        }
        lines
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.lines().join("\n"))
    }
}

impl std::error::Error for Findings {}

/// A value of the file, in backticks, short, and never breaking the line.
pub fn quoted(value: &str) -> String {
    let prefix: String = value.chars().take(MAX_SHOWN).collect();
    let ellipsis = if prefix.len() < value.len() {
        "…"
    } else {
        ""
    };
    format!("`{}{ellipsis}`", one_line(&prefix))
}

pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// `` `a`, `b` or `c` ``
pub fn one_of(words: &[&str]) -> String {
    let quoted_words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted_words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}
