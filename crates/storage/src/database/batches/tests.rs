//! Tests of how changes are queued and batched.

use super::*;

#[derive(Serialize)]
struct TestChange {
    name: &'static str,
    bytes: usize,
}

impl BatchedChange for TestChange {
    type Done = ();

    fn script(&self, _: i64) -> Statement {
        Statement::from_string(DbBackend::Sqlite, "")
    }

    fn sql() -> &'static str {
        ""
    }

    fn done(_: &QueryResult) -> Result<(), DbErr> {
        Ok(())
    }

    fn is_independent_of(&self, other: &Self) -> bool {
        self.name != other.name
    }

    fn size(&self) -> usize {
        self.bytes
    }
}

type ChangeReceiver = oneshot::Receiver<Result<Option<()>, DbErr>>;

fn queued(name: &'static str, bytes: usize) -> (QueuedChange<TestChange>, ChangeReceiver) {
    let (answer, answered) = oneshot::channel();
    let queued = QueuedChange {
        change: TestChange { name, bytes },
        stamp: GrantVersions::new(),
        answer,
    };
    (queued, answered)
}

fn batches(changes: &[(&'static str, usize)]) -> Vec<Vec<&'static str>> {
    let changes = changes.iter().map(|(name, bytes)| queued(name, *bytes));
    let (mut queue, _answers): (VecDeque<_>, Vec<_>) = changes.unzip();
    let mut batches = Vec::new();
    while !queue.is_empty() {
        let batch = next_batch(&mut queue);
        batches.push(batch.iter().map(|queued| queued.change.name).collect());
    }
    batches
}

#[test]
fn a_change_waits_for_one_that_it_depends_on() {
    let batches = batches(&[("a", 1), ("b", 1), ("a", 1), ("c", 1)]);
    assert_eq!(batches, [vec!["a", "b"], vec!["a", "c"]]);
}

#[test]
fn a_batch_is_limited_but_takes_one_change_of_any_size() {
    let large = batches(&[("a", 2 * MOST_BYTES), ("b", MOST_BYTES), ("c", 1)]);
    assert_eq!(large, [["a"], ["b"], ["c"]]);
    let names: Vec<&'static str> = (0..=MOST_CHANGES)
        .map(|number| &*number.to_string().leak())
        .collect();
    let many: Vec<_> = names.iter().map(|name| (*name, 1)).collect();
    let sizes: Vec<_> = batches(&many).iter().map(Vec::len).collect();
    assert_eq!(sizes, [MOST_CHANGES, 1]);
}

#[test]
fn changes_of_cancelled_requests_are_not_written() {
    let (gone, _) = queued("gone", 1);
    let (kept, _answer) = queued("kept", 1);
    let batch = next_batch(&mut VecDeque::from([gone, kept]));
    assert_eq!(batch.len(), 1);
    assert_eq!(batch[0].change.name, "kept");
}

#[test]
fn a_leader_that_does_not_finish_leaves_nobody_waiting() {
    let queues = Arc::new(Queues(Mutex::default()));
    let (first, mut answer) = queued("first", 1);
    assert!(queues.is_first(7, first));
    let (second, mut other) = queued("second", 1);
    assert!(!queues.is_first(7, second));
    queues.remove(7);
    assert!(
        answer
            .try_recv()
            .is_err_and(|error| error == oneshot::error::TryRecvError::Closed)
    );
    assert!(
        other
            .try_recv()
            .is_err_and(|error| error == oneshot::error::TryRecvError::Closed)
    );
    assert!(queues.is_first(7, queued("third", 1).0));
}
