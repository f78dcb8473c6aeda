//! Checks a history of concurrent requests for linearizability (M. Herlihy and J. Wing,
//! "Linearizability", 1990), for two references of which one name is a directory of the
//! other.
//!
//! Looking for such an order can take forever. It does not here: the database says in
//! which order it changed the references, and each change is to a commit of its own.

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
    /// A new reference, by `git push`.
    Push(usize, usize),
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

/// A change that the database made: which reference, and what it names then.
pub type Change = (usize, Option<usize>);

/// Whether the first commit contains the second: those with even numbers are a line,
/// and each of the others stands beside it, upon the one before.
pub fn contains(new: usize, old: usize) -> bool {
    new == old || (old < new && old.is_multiple_of(2))
}

/// What a server that does one thing after the other would do.
fn serve(state: State, ask: Ask) -> (Told, State) {
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
        Ask::Push(which, _) if state[which].is_some() => refused(200, "reference already exists"),
        Ask::Push(which, _) if state[1 - which].is_some() => {
            refused(200, "directory file conflict")
        }
        Ask::Create(which, commit) | Ask::Push(which, commit) => {
            (Told::Commit(commit), with(which, Some(commit)))
        }
        Ask::Update {
            which,
            commit,
            force,
        } => match state[which] {
            None => refused(422, "Reference does not exist"),
            Some(old) if force || contains(commit, old) => {
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

/// Whether a sequential server that makes these changes in this order can give all
/// these answers, none of them before another that was given when it was asked.
pub fn is_linearizable(events: &[Event], changes: &[Change]) -> bool {
    let mut open = events.to_vec();
    open.sort_by_key(|event| event.returned);
    let mut state = [None; 2];
    let mut changes = changes.iter();
    loop {
        answer_idle(&mut open, state);
        let Some((which, commit)) = changes.next() else {
            return open.is_empty();
        };
        let mut after = state;
        after[*which] = *commit;
        // Only deletions are alike, and of those the one answered first may as well
        // come first.
        let horizon = horizon(&open);
        let change = open.iter().position(|event| {
            event.called < horizon && !is_idle(event) && fits(event, state) == Some(after)
        });
        let Some(change) = change else {
            return false;
        };
        open.remove(change);
        state = after;
    }
}

/// Takes out what fits now and changes nothing: wherever an order has it later, it has
/// as good a place here.
fn answer_idle(open: &mut Vec<Event>, state: State) {
    loop {
        let horizon = horizon(open);
        let before = open.len();
        open.retain(|event| {
            event.called > horizon || !is_idle(event) || fits(event, state).is_none()
        });
        if open.len() == before {
            return;
        }
    }
}

/// When the first of these was answered: what was asked later comes after it.
fn horizon(open: &[Event]) -> u64 {
    open.first().map_or(0, |event| event.returned)
}

fn is_idle(event: &Event) -> bool {
    matches!(event.ask, Ask::Get(_)) || matches!(event.told, Told::Refused(..))
}

/// The state after an event, if a sequential server answers it so.
fn fits(event: &Event, state: State) -> Option<State> {
    let (told, after) = serve(state, event.ask);
    (told == event.told).then_some(after)
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

    /// Changes of the first reference.
    fn verdict(events: &[Event], changes: &[Option<usize>]) -> bool {
        let changes: Vec<Change> = changes.iter().map(|commit| (0, *commit)).collect();
        is_linearizable(events, &changes)
    }

    #[test]
    fn overlapping_answers_come_in_the_order_of_the_changes() {
        let history = |last: usize| {
            [
                event(Ask::Create(0, 0), Told::Commit(0), 0, 1),
                event(forced(1), Told::Commit(1), 2, 5),
                event(forced(2), Told::Commit(2), 3, 4),
                event(Ask::Get(0), Told::Commit(last), 6, 7),
            ]
        };
        let [zero, one, two] = [0, 1, 2].map(Some);
        assert!(verdict(&history(1), &[zero, two, one]));
        assert!(verdict(&history(2), &[zero, one, two]));
        assert!(!verdict(&history(1), &[zero, one, two]));
        assert!(!verdict(&history(2), &[one, zero, two]));
    }

    #[test]
    fn changes_and_answers_without_each_other_are_noticed() {
        let create = event(Ask::Create(0, 0), Told::Commit(0), 0, 1);
        assert!(verdict(std::slice::from_ref(&create), &[Some(0)]));
        assert!(!verdict(&[create], &[]));
        assert!(!verdict(&[], &[Some(0)]));
    }

    #[test]
    fn a_lost_update_is_noticed() {
        let history = [
            event(Ask::Create(0, 0), Told::Commit(0), 0, 1),
            event(forced(1), Told::Commit(1), 2, 3),
            event(Ask::Get(0), Told::Commit(0), 4, 5),
        ];
        assert!(!verdict(&history, &[Some(0), Some(1)]));
        assert!(!verdict(&history, &[Some(0)]));
    }

    #[test]
    fn two_winners_of_one_name_are_noticed() {
        let winners = |other: usize| {
            [
                event(Ask::Create(0, 0), Told::Commit(0), 0, 3),
                event(Ask::Create(other, 1), Told::Commit(1), 1, 2),
            ]
        };
        assert!(!is_linearizable(&winners(0), &[(0, Some(1)), (0, Some(0))]));
        assert!(!is_linearizable(&winners(1), &[(0, Some(0)), (1, Some(1))]));
    }

    #[test]
    fn a_step_back_that_was_not_forced_is_noticed() {
        let back = Ask::Update {
            which: 0,
            commit: 0,
            force: false,
        };
        let history = [
            event(Ask::Create(0, 1), Told::Commit(1), 0, 1),
            event(back, Told::Commit(0), 2, 3),
        ];
        assert!(!verdict(&history, &[Some(1), Some(0)]));
    }

    #[test]
    fn a_read_that_goes_back_in_time_is_noticed() {
        let history = |first: usize, second: usize| {
            [
                event(Ask::Create(0, 0), Told::Commit(0), 0, 1),
                event(forced(1), Told::Commit(1), 2, 9),
                event(Ask::Get(0), Told::Commit(first), 3, 4),
                event(Ask::Get(0), Told::Commit(second), 5, 6),
            ]
        };
        assert!(verdict(&history(0, 1), &[Some(0), Some(1)]));
        assert!(!verdict(&history(1, 0), &[Some(0), Some(1)]));
    }

    #[test]
    fn a_refusal_without_a_reason_is_noticed() {
        let refused = Told::Refused(422, "Reference does not exist".to_owned());
        let history = [
            event(Ask::Create(0, 0), Told::Commit(0), 0, 1),
            event(Ask::Delete(0), refused, 2, 3),
        ];
        assert!(!verdict(&history, &[Some(0)]));
    }
}
