//! Counts of the reactions to a comment.

use std::collections::BTreeMap;

use sea_orm::ActiveEnum;

use contract::review_comments::ReactionRollup;
use storage::entities::reaction::Content;

/// By the name of the reaction, without zeros.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<String, i64>);

impl Counts {
    /// Parses the column of a comment.
    pub fn read(text: Option<&str>) -> Self {
        let read = text.and_then(|text| serde_json::from_str(text).ok());
        Self(read.unwrap_or_default())
    }

    /// The column of a comment; None if there are no reactions.
    pub fn written(&self) -> Option<String> {
        match self.0.is_empty() {
            true => None,
            false => serde_json::to_string(&self.0).ok(),
        }
    }

    pub fn add(&mut self, content: Content) {
        *self.0.entry(content.to_value()).or_default() += 1;
    }

    pub fn subtract(&mut self, content: Content) {
        let name = content.to_value();
        let remaining = self.of(content) - 1;
        match remaining > 0 {
            true => self.0.insert(name, remaining),
            false => self.0.remove(&name),
        };
    }

    pub fn of(&self, content: Content) -> i64 {
        self.0.get(&content.to_value()).copied().unwrap_or(0)
    }

    pub fn total(&self) -> i64 {
        self.0.values().sum()
    }
}

/// The view of the column of a comment. The reactions are at `url`.
pub fn rollup(column: Option<&str>, url: String) -> ReactionRollup {
    if column.is_none() {
        return ReactionRollup::none(url);
    }
    let counts = Counts::read(column);
    ReactionRollup {
        url: url.into(),
        total_count: counts.total(),
        plus_one: counts.of(Content::PlusOne),
        minus_one: counts.of(Content::MinusOne),
        laugh: counts.of(Content::Laugh),
        hooray: counts.of(Content::Hooray),
        confused: counts.of(Content::Confused),
        heart: counts.of(Content::Heart),
        rocket: counts.of(Content::Rocket),
        eyes: counts.of(Content::Eyes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_held_without_zeros() {
        let mut counts = Counts::read(None);
        counts.add(Content::PlusOne);
        counts.add(Content::PlusOne);
        counts.add(Content::Heart);
        let text = counts.written();
        assert_eq!(text.as_deref(), Some(r#"{"+1":2,"heart":1}"#));
        let mut counts = Counts::read(text.as_deref());
        assert_eq!(counts.total(), 3);
        counts.subtract(Content::Heart);
        counts.subtract(Content::PlusOne);
        assert_eq!(counts.written().as_deref(), Some(r#"{"+1":1}"#));
        counts.subtract(Content::PlusOne);
        counts.subtract(Content::PlusOne);
        assert_eq!(counts.written(), None);
    }
}
