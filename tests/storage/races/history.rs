//! Checks a history of concurrent requests for linearizability (M. Herlihy and J. Wing,
//! "Linearizability", 1990). The history is about two references; the name of one is a directory
//! of the other.
//!
//! The general problem takes exponential time. Here it does not: the database records the order
//! of the changes, and each change uses a different commit.

/// The commits of the two references; None if a reference does not exist.
pub type State = [Option<usize>; 2];

/// A client's request. The first number is the index of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    Get(usize),
    Create(usize, usize),
    Update {
        which: usize,
        commit: usize,
        force: bool,
    },
    Delete(usize),
    /// Creates a reference with `git push`.
    Push(usize, usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    Commit(usize),
    Deleted,
    Refused(u16, String),
}

/// A request with its response, and the logical times of both.
#[derive(Debug, Clone)]
pub struct Event {
    pub request: Request,
    pub response: Response,
    pub called: u64,
    pub returned: u64,
}

/// A change in the database: the index of the reference, and its new commit.
pub type Change = (usize, Option<usize>);

/// Whether the first commit contains the second. The commits with even numbers are a linear
/// history; each odd commit is a child of the commit before it.
pub fn contains(new: usize, old: usize) -> bool {
    new == old || (old < new && old.is_multiple_of(2))
}

/// The response and the new state of a sequential server.
fn serve(state: State, request: Request) -> (Response, State) {
    let refused = |status: u16, message: &str| {
        let refused = Response::Refused(status, message.to_owned());
        (refused, state)
    };
    let with = |which: usize, value: Option<usize>| {
        let mut next = state;
        next[which] = value;
        next
    };
    match request {
        Request::Get(which) => match state[which] {
            Some(commit) => (Response::Commit(commit), state),
            None => refused(404, "Not Found"),
        },
        Request::Create(which, _) if state[which].is_some() => {
            refused(422, "Reference already exists")
        }
        Request::Create(which, _) if state[1 - which].is_some() => {
            refused(422, "Reference update failed")
        }
        Request::Push(which, _) if state[which].is_some() => {
            refused(200, "reference already exists")
        }
        Request::Push(which, _) if state[1 - which].is_some() => {
            refused(200, "directory file conflict")
        }
        Request::Create(which, commit) | Request::Push(which, commit) => {
            (Response::Commit(commit), with(which, Some(commit)))
        }
        Request::Update {
            which,
            commit,
            force,
        } => match state[which] {
            None => refused(422, "Reference does not exist"),
            Some(old) if force || contains(commit, old) => {
                (Response::Commit(commit), with(which, Some(commit)))
            }
            Some(_) => refused(422, "Update is not a fast forward"),
        },
        Request::Delete(which) => match state[which] {
            None => refused(422, "Reference does not exist"),
            Some(_) => (Response::Deleted, with(which, None)),
        },
    }
}

/// Whether a sequential server that makes these changes in this order can give all these
/// responses, in an order in which no request comes before one that had returned when it was
/// sent.
pub fn is_linearizable(events: &[Event], changes: &[Change]) -> bool {
    let mut open = events.to_vec();
    open.sort_by_key(|event| event.returned);
    let mut state = [None; 2];
    let mut changes = changes.iter();
    loop {
        remove_idle(&mut open, state);
        let Some((which, commit)) = changes.next() else {
            return open.is_empty();
        };
        let mut after = state;
        after[*which] = *commit;
        // Only deletions can be equal. Of those, the one that returned first can come first.
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

/// Removes the requests that fit now and change nothing: if they fit later, they fit as well here.
fn remove_idle(open: &mut Vec<Event>, state: State) {
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

/// The time at which the first of these returned: requests sent later come after it.
fn horizon(open: &[Event]) -> u64 {
    open.first().map_or(0, |event| event.returned)
}

fn is_idle(event: &Event) -> bool {
    matches!(event.request, Request::Get(_)) || matches!(event.response, Response::Refused(..))
}

/// The state after an event, if a sequential server gives the same response.
fn fits(event: &Event, state: State) -> Option<State> {
    let (response, after) = serve(state, event.request);
    (response == event.response).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(request: Request, response: Response, called: u64, returned: u64) -> Event {
        Event {
            request,
            response,
            called,
            returned,
        }
    }

    fn forced(commit: usize) -> Request {
        Request::Update {
            which: 0,
            commit,
            force: true,
        }
    }

    /// Checks a history with changes of the first reference only.
    fn verdict(events: &[Event], changes: &[Option<usize>]) -> bool {
        let changes: Vec<Change> = changes.iter().map(|commit| (0, *commit)).collect();
        is_linearizable(events, &changes)
    }

    #[test]
    fn overlapping_requests_follow_the_order_of_the_changes() {
        let history = |last: usize| {
            [
                event(Request::Create(0, 0), Response::Commit(0), 0, 1),
                event(forced(1), Response::Commit(1), 2, 5),
                event(forced(2), Response::Commit(2), 3, 4),
                event(Request::Get(0), Response::Commit(last), 6, 7),
            ]
        };
        let [zero, one, two] = [0, 1, 2].map(Some);
        assert!(verdict(&history(1), &[zero, two, one]));
        assert!(verdict(&history(2), &[zero, one, two]));
        assert!(!verdict(&history(1), &[zero, one, two]));
        assert!(!verdict(&history(2), &[one, zero, two]));
    }

    #[test]
    fn a_change_without_a_response_and_vice_versa_are_detected() {
        let create = event(Request::Create(0, 0), Response::Commit(0), 0, 1);
        assert!(verdict(std::slice::from_ref(&create), &[Some(0)]));
        assert!(!verdict(&[create], &[]));
        assert!(!verdict(&[], &[Some(0)]));
    }

    #[test]
    fn a_lost_update_is_detected() {
        let history = [
            event(Request::Create(0, 0), Response::Commit(0), 0, 1),
            event(forced(1), Response::Commit(1), 2, 3),
            event(Request::Get(0), Response::Commit(0), 4, 5),
        ];
        assert!(!verdict(&history, &[Some(0), Some(1)]));
        assert!(!verdict(&history, &[Some(0)]));
    }

    #[test]
    fn two_successful_creations_of_one_name_are_detected() {
        let winners = |other: usize| {
            [
                event(Request::Create(0, 0), Response::Commit(0), 0, 3),
                event(Request::Create(other, 1), Response::Commit(1), 1, 2),
            ]
        };
        assert!(!is_linearizable(&winners(0), &[(0, Some(1)), (0, Some(0))]));
        assert!(!is_linearizable(&winners(1), &[(0, Some(0)), (1, Some(1))]));
    }

    #[test]
    fn an_unforced_update_that_is_no_fast_forward_is_detected() {
        let back = Request::Update {
            which: 0,
            commit: 0,
            force: false,
        };
        let history = [
            event(Request::Create(0, 1), Response::Commit(1), 0, 1),
            event(back, Response::Commit(0), 2, 3),
        ];
        assert!(!verdict(&history, &[Some(1), Some(0)]));
    }

    #[test]
    fn a_stale_read_is_detected() {
        let history = |first: usize, second: usize| {
            [
                event(Request::Create(0, 0), Response::Commit(0), 0, 1),
                event(forced(1), Response::Commit(1), 2, 9),
                event(Request::Get(0), Response::Commit(first), 3, 4),
                event(Request::Get(0), Response::Commit(second), 5, 6),
            ]
        };
        assert!(verdict(&history(0, 1), &[Some(0), Some(1)]));
        assert!(!verdict(&history(1, 0), &[Some(0), Some(1)]));
    }

    #[test]
    fn a_wrong_error_is_detected() {
        let refused = Response::Refused(422, "Reference does not exist".to_owned());
        let history = [
            event(Request::Create(0, 0), Response::Commit(0), 0, 1),
            event(Request::Delete(0), refused, 2, 3),
        ];
        assert!(!verdict(&history, &[Some(0)]));
    }
}
