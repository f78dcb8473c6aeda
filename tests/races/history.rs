//! Whether answers that were given at the same time could have been given one
//! after the other (M. Herlihy and J. Wing, "Linearizability", 1990), for two
//! references of which one name is a directory of the other.

use std::collections::HashSet;

/// The commits that the two references name; None while they are not there.
pub type State = [Option<usize>; 2];

/// What a client asks. The first number says which reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    Get(usize),
    Create(usize, usize),
    Update {
        which: usize,
        commit: usize,
        force: bool,
    },
    Delete(usize),
}

/// What it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    Commit(usize),
    Deleted,
    Refused(u16, String),
}

/// A question with its answer, and the turns at which they were given.
#[derive(Debug, Clone)]
pub struct Event {
    pub ask: Ask,
    pub told: Told,
    pub called: u64,
    pub returned: u64,
}

/// Which commit contains which: `contains[new][old]`.
pub type Contains = Vec<Vec<bool>>;

/// What a server that does one thing after the other would do.
pub fn serve(state: State, ask: Ask, contains: &Contains) -> (Told, State) {
    let refused = |status: u16, message: &str| (Told::Refused(status, message.to_owned()), state);
    let with = |which: usize, value: Option<usize>| {
        let mut next = state;
        next[which] = value;
        next
    };
    match ask {
        Ask::Get(which) => match state[which] {
            Some(commit) => (Told::Commit(commit), state),
            None => refused(404, "Not Found"),
        },
        Ask::Create(which, _) if state[which].is_some() => refused(422, "Reference already exists"),
        Ask::Create(which, _) if state[1 - which].is_some() => {
            refused(422, "Reference update failed")
        }
        Ask::Create(which, commit) => (Told::Commit(commit), with(which, Some(commit))),
        Ask::Update {
            which,
            commit,
            force,
        } => match state[which] {
            None => refused(422, "Reference does not exist"),
            Some(old) if force || contains[commit][old] => {
                (Told::Commit(commit), with(which, Some(commit)))
            }
            Some(_) => refused(422, "Update is not a fast forward"),
        },
        Ask::Delete(which) => match state[which] {
            None => refused(422, "Reference does not exist"),
            Some(_) => (Told::Deleted, with(which, None)),
        },
    }
}

/// Looks for an order in which a sequential server gives all these answers, and in
/// which nothing comes before what was over when it was asked.
pub fn is_linearizable(events: &[Event], contains: &Contains) -> bool {
    let mut events = events.to_vec();
    events.sort_by_key(|event| event.returned);
    let done = Done(vec![0; events.len().div_ceil(64)]);
    let mut search = Search {
        events,
        contains,
        seen: HashSet::new(),
    };
    search.run(done, [None; 2])
}

/// States that are tried before a search is given up. A good history is explained
/// in a few thousand.
const PATIENCE: usize = 2_000_000;

/// A set of events by their places.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Done(Vec<u64>);

impl Done {
    fn has(&self, index: usize) -> bool {
        self.0[index / 64] & (1 << (index % 64)) != 0
    }

    fn add(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }
}

struct Search<'a> {
    /// By the turn at which they were answered.
    events: Vec<Event>,
    contains: &'a Contains,
    /// What was tried and led nowhere.
    seen: HashSet<(Done, State)>,
}

impl Search<'_> {
    fn run(&mut self, mut done: Done, state: State) -> bool {
        loop {
            let next = self.next(&done);
            let Some(urgent) = next.first().copied() else {
                return true;
            };
            let idle = next
                .iter()
                .copied()
                .find(|index| self.is_idle(*index) && self.fits(*index, state).is_some());
            if let Some(index) = idle {
                // It fits and never changes anything, so it may as well come now:
                // wherever an order has it later, it has as good a place here.
                done.add(index);
                continue;
            }
            if !self.seen.insert((done.clone(), state)) {
                return false;
            }
            assert!(self.seen.len() < PATIENCE, "undecided: {:#?}", self.events);
            return self.branch(&done, state, urgent, &next);
        }
    }

    /// Tries what changes something: first what lets the most urgent event come.
    fn branch(&mut self, done: &Done, state: State, urgent: usize, next: &[usize]) -> bool {
        let mut tried: Vec<(Ask, Told)> = Vec::new();
        let mut choices: Vec<(bool, usize, State)> = Vec::new();
        for index in next.iter().copied() {
            let Some(after) = self.fits(index, state) else {
                continue;
            };
            // Of events that are alike the one answered first may as well come first.
            let kind = (self.events[index].ask, self.events[index].told.clone());
            if !tried.contains(&kind) {
                tried.push(kind);
                let helps = index == urgent || self.fits(urgent, after).is_some();
                choices.push((!helps, index, after));
            }
        }
        choices.sort_unstable();
        choices.into_iter().any(|(_, index, after)| {
            let mut done = done.clone();
            done.add(index);
            self.run(done, after)
        })
    }

    /// What can come next, the most urgent first: everything that was asked before
    /// any of the rest was answered.
    fn next(&self, done: &Done) -> Vec<usize> {
        let mut open = (0..self.events.len()).filter(|index| !done.has(*index));
        let Some(urgent) = open.next() else {
            return Vec::new();
        };
        let horizon = self.events[urgent].returned;
        let others = open.filter(|index| self.events[*index].called < horizon);
        std::iter::once(urgent).chain(others).collect()
    }

    /// Whether an event changes nothing in any state. A move that finds the
    /// reference where it is to go does not count: elsewhere it would not.
    fn is_idle(&self, index: usize) -> bool {
        let event = &self.events[index];
        matches!(event.ask, Ask::Get(_)) || matches!(event.told, Told::Refused(..))
    }

    /// The state after an event, if a sequential server answers it so.
    fn fits(&self, index: usize, state: State) -> Option<State> {
        let event = &self.events[index];
        let (told, after) = serve(state, event.ask, self.contains);
        (told == event.told).then_some(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(ask: Ask, told: Told, called: u64, returned: u64) -> Event {
        Event {
            ask,
            told,
            called,
            returned,
        }
    }

    fn forced(commit: usize) -> Ask {
        Ask::Update {
            which: 0,
            commit,
            force: true,
        }
    }

    fn verdict(events: &[Event]) -> bool {
        let contains = vec![vec![true, false], vec![true, true]];
        is_linearizable(events, &contains)
    }

    #[test]
    fn overlapping_answers_may_come_in_either_order() {
        let history = |last: usize| {
            [
                event(Ask::Create(0, 0), Told::Commit(0), 0, 1),
                event(forced(0), Told::Commit(0), 2, 5),
                event(forced(1), Told::Commit(1), 3, 4),
                event(Ask::Get(0), Told::Commit(last), 6, 7),
            ]
        };
        assert!(verdict(&history(0)));
        assert!(verdict(&history(1)));
    }

    #[test]
    fn a_lost_update_is_noticed() {
        assert!(!verdict(&[
            event(Ask::Create(0, 0), Told::Commit(0), 0, 1),
            event(forced(1), Told::Commit(1), 2, 3),
            event(Ask::Get(0), Told::Commit(0), 4, 5),
        ]));
    }

    #[test]
    fn two_winners_of_one_name_are_noticed() {
        assert!(!verdict(&[
            event(Ask::Create(0, 0), Told::Commit(0), 0, 3),
            event(Ask::Create(0, 1), Told::Commit(1), 1, 2),
        ]));
        assert!(!verdict(&[
            event(Ask::Create(0, 0), Told::Commit(0), 0, 3),
            event(Ask::Create(1, 1), Told::Commit(1), 1, 2),
        ]));
    }

    #[test]
    fn a_step_back_that_was_not_forced_is_noticed() {
        let back = Ask::Update {
            which: 0,
            commit: 0,
            force: false,
        };
        assert!(!verdict(&[
            event(Ask::Create(0, 1), Told::Commit(1), 0, 1),
            event(back, Told::Commit(0), 2, 3),
        ]));
    }

    #[test]
    fn a_read_that_goes_back_in_time_is_noticed() {
        assert!(!verdict(&[
            event(Ask::Create(0, 0), Told::Commit(0), 0, 1),
            event(forced(1), Told::Commit(1), 2, 9),
            event(Ask::Get(0), Told::Commit(1), 3, 4),
            event(Ask::Get(0), Told::Commit(0), 5, 6),
        ]));
    }

    #[test]
    fn a_refusal_without_a_reason_is_noticed() {
        let refused = Told::Refused(422, "Reference does not exist".to_owned());
        assert!(!verdict(&[
            event(Ask::Create(0, 0), Told::Commit(0), 0, 1),
            event(Ask::Delete(0), refused, 2, 3),
        ]));
    }
}
