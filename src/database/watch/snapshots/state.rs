//! A snapshot, read: which transactions are over, and which have ended since another.

use std::collections::HashMap;

use crate::database::tables::TableSet;

/// More transactions than that between two looks are not looked at one by one.
const FAR: u64 = 10_000;

/// A state of the database. Equal states have equal contents.
#[derive(Debug, PartialEq, Eq)]
pub struct State {
    /// The first number that was not given yet, or whose transaction goes on like all
    /// after it.
    next: u64,
    /// The numbers below it whose transactions go on.
    running: Vec<u64>,
    /// When the server started.
    server: String,
}

impl State {
    /// From `xmin:xmax:xip,…`, and when the server started.
    pub fn read(text: &str) -> Option<Self> {
        let (snapshot, server) = text.split_once(' ')?;
        let mut parts = snapshot.split(':').skip(1);
        let next = parts.next()?.parse().ok()?;
        let running = parts.next()?.split(',').filter(|number| !number.is_empty());
        Some(Self {
            next,
            running: running
                .map(|number| number.parse().ok())
                .collect::<Option<_>>()?,
            server: server.to_owned(),
        })
    }

    pub fn has_ended(&self, number: u64) -> bool {
        number < self.next && !self.running.contains(&number)
    }

    /// The tables that may have changed since an earlier state, by what was announced.
    pub fn changed_since(
        &self,
        earlier: Option<&Self>,
        announced: &HashMap<u64, TableSet>,
    ) -> TableSet {
        let same_server = earlier.filter(|earlier| earlier.server == self.server);
        let Some(earlier) = same_server.filter(|earlier| self.next < earlier.next + FAR) else {
            return TableSet::ALL;
        };
        let running = earlier.running.iter().copied();
        running
            .chain(earlier.next..self.next)
            .filter(|number| self.has_ended(*number))
            .map(|number| announced.get(&number).copied().unwrap_or(TableSet::ALL))
            .fold(TableSet::NONE, TableSet::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(snapshot: &str) -> State {
        State::read(&format!("{snapshot} since today")).unwrap()
    }

    fn changed(earlier: &str, later: &str, announced: &[(u64, TableSet)]) -> TableSet {
        let announced = announced.iter().copied().collect();
        state(later).changed_since(Some(&state(earlier)), &announced)
    }

    #[test]
    fn a_transaction_is_over_below_the_bound_unless_it_is_listed() {
        let found = state("10:15:10,12");
        let over: Vec<_> = (8..17).filter(|number| found.has_ended(*number)).collect();
        assert_eq!(over, [8, 9, 11, 13, 14]);
        assert!(state("10:10:").has_ended(9));
        for broken in ["", "10:11:", "10:x: since", "10:12:a since", "10 since"] {
            assert_eq!(State::read(broken), None, "{broken}");
        }
    }

    #[test]
    fn what_was_announced_of_all_that_have_ended_has_changed() {
        let (one, other) = (TableSet::of(1), TableSet::of(2));
        let announced = [(10, one), (12, other), (14, TableSet::NONE)];
        assert_eq!(changed("10:11:10", "11:11:", &announced), one);
        assert_eq!(changed("12:12:", "13:13:", &announced), other);
        assert_eq!(changed("12:12:", "12:15:12,13", &announced), TableSet::NONE);
        let both = changed("10:13:10,12", "13:14:13", &announced);
        assert_eq!(both, one.and(other));
    }

    #[test]
    fn one_that_nobody_announced_may_have_changed_everything() {
        let announced = [(11, TableSet::of(1))];
        assert_eq!(changed("11:11:", "13:13:", &announced), TableSet::ALL);
        assert_eq!(changed("10:11:10", "12:12:", &announced), TableSet::ALL);
        assert_eq!(changed("11:11:", "99999:99999:", &announced), TableSet::ALL);
    }

    #[test]
    fn another_server_may_have_anything() {
        let later = State::read("11:11: since tomorrow").unwrap();
        let all = later.changed_since(Some(&state("11:11:")), &HashMap::new());
        assert_eq!(all, TableSet::ALL);
        assert_eq!(later.changed_since(None, &HashMap::new()), TableSet::ALL);
    }
}
