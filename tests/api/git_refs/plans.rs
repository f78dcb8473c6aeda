//! The cost of finding a name among many: which index SQLite uses, and how many rows
//! PostgreSQL reads.

use std::sync::Arc;

use forge::git_refs::pull_heads;
use forge::git_refs::queued::QueuedRef;
use forge::git_refs::rows;
use forge::git_refs::rows::Insertion;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use storage::database::Transaction;
use storage::database::batches::BatchedChange;
use storage::entities::git_object;

use super::seed::{GADGETS, add_branches, gadgets, open_pull};
use crate::harness::Service;
use crate::harness::explaining::Explaining;

/// A transaction that has inserted 3,000 branches.
async fn among_many(service: &Service, sha: &str) -> Arc<Transaction> {
    let on = Arc::new(service.app.db.begin().await.unwrap());
    let names = (0..3000).map(|number| format!("refs/heads/many/{number}"));
    add_branches(&on, sha, names).await;
    if on.get_database_backend() == DbBackend::Postgres {
        // PostgreSQL would scan such a small table sequentially.
        let prepare = "ANALYZE git_ref; SET LOCAL enable_seqscan = off";
        on.execute_unprepared(prepare).await.unwrap();
    }
    on
}

#[tokio::test]
async fn name_conflicts_are_found_with_the_name_index() {
    let (service, history) = gadgets().await;
    let on = among_many(&service, &history.main).await;
    for (name, insertion) in [
        ("refs/heads/many/7", Insertion::Taken),
        ("refs/heads/many/7/more", Insertion::Blocked),
        ("refs/heads/many", Insertion::Blocked),
        ("refs/heads/free", Insertion::Done),
    ] {
        let above = name.match_indices('/');
        let above: Vec<_> = above.map(|(end, _)| name[..end].to_owned()).collect();
        let [from, until] = [format!("{name}/"), format!("{name}0")];
        let new = rows::NewRef {
            name: name.to_owned(),
            above,
            below_from: from,
            below_until: until,
            sha: history.main.clone(),
            kind: git_object::ObjectKind::Commit,
        };
        let clock = Arc::clone(&service.app.clock);
        let new = QueuedRef {
            new,
            clock,
            deliveries: None,
        };
        match on.get_database_backend() {
            DbBackend::Postgres => on_postgresql(&on, &new, insertion).await,
            _ => on_sqlite(&on, &new, insertion).await,
        }
    }
}

async fn on_sqlite(on: &Arc<Transaction>, queued: &QueuedRef, insertion: Insertion) {
    let (explaining, new) = (Explaining::new(on, "git_ref"), &queued.new);
    let rows = explaining.query_all_raw(queued.script(GADGETS)).await;
    let inserted = rows.map(|rows| QueuedRef::done(&rows[0]).unwrap());
    let expected = (insertion == Insertion::Done).then_some(Insertion::Done);
    assert_eq!(inserted.ok(), expected, "{}", new.name);
    let again = match insertion {
        Insertion::Done => Insertion::Taken,
        other => other,
    };
    let inserted = rows::insert_in(&explaining, GADGETS, new, 1).await;
    assert_eq!(inserted.unwrap(), again, "{}", new.name);
    for way in explaining.ways() {
        let by_name = way.contains("name=?") || way.contains("name>?");
        assert!(by_name || !way.contains("git_ref"), "{}: {way}", new.name);
    }
}

/// EXPLAIN does not look into a function, but the database counts the rows that it reads.
async fn on_postgresql(on: &Arc<Transaction>, queued: &QueuedRef, insertion: Insertion) {
    let before = rows_read(on).await;
    let mut change = serde_json::to_value(queued).unwrap();
    change["place"] = 0.into();
    let change = serde_json::json!([change]).to_string();
    let sql = "SELECT * FROM create_refs($1, CAST($2::TEXT AS JSON))";
    let values = [GADGETS.into(), change.into()];
    let statement = Statement::from_sql_and_values(DbBackend::Postgres, sql, values);
    let row = on.query_one_raw(statement).await.unwrap();
    let read = rows_read(on).await - before;
    assert_eq!(QueuedRef::done(&row.unwrap()).unwrap(), insertion);
    assert!(read < 10, "{}: {read}", queued.new.name);
}

/// The number of rows of `git_ref` that the transaction has read.
async fn rows_read(on: &Arc<Transaction>) -> i64 {
    let sql = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables
               WHERE relname = 'git_ref'";
    let statement = Statement::from_string(DbBackend::Postgres, sql);
    let row = on.query_one_raw(statement).await.unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}

#[tokio::test]
async fn a_short_list_among_many_names_is_found_with_the_name_index() {
    let (service, history) = gadgets().await;
    let on = among_many(&service, &history.main).await;
    let explaining = Explaining::new(&on, "git_ref");
    let [from, until] = ["refs/heads/many/1", "refs/heads/many/10"];
    let found = rows::list(&explaining, GADGETS, from, until, Some(30)).await;
    assert_eq!(found.unwrap().len(), 1);
    assert!(explaining.rows() < 10, "{}", explaining.rows());
    for way in explaining.ways() {
        assert!(way.contains("name>?") && !way.contains("TEMP"), "{way}");
    }
}

#[tokio::test]
async fn the_first_heads_of_pull_requests_are_found_with_the_index_of_their_names() {
    let (service, history) = gadgets().await;
    for number in 1..=40 {
        open_pull(&service, number, "side", &history.side).await;
    }
    let on = among_many(&service, &history.main).await;
    let explaining = Explaining::new(&on, "pull");
    let range = ("refs/pull/2", "refs/pull/3");
    let found = pull_heads::list(&explaining, GADGETS, range, 3).await;
    let names = found.unwrap().into_iter().map(|(name, ..)| name);
    let expected = [2, 20, 21].map(|number| format!("refs/pull/{number}/head"));
    assert_eq!(names.collect::<Vec<_>>(), expected);
    assert!(explaining.rows() <= 3, "{}", explaining.rows());
    let ways = explaining.ways();
    let ways = ways.iter().filter(|way| way.contains("SEARCH pull"));
    for way in ways {
        assert!(way.contains("pull_by_head_name"), "{way}");
    }
}
