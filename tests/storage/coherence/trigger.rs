//! Changes by a trigger that an operator adds at run time are also visible.

use poem::http::Method;
use serde_json::json;

use super::REPOSITORY;
use super::raw::Raw;
use super::servers::ServerPair;
use crate::support::database::with_database;

const COMMENT: &str = "/repos/acme/widgets/pulls/comments/5001";

const CREATE: [&str; 2] = [
    "CREATE TRIGGER note_edits AFTER UPDATE ON review_comment BEGIN
        UPDATE repository SET description = NEW.body WHERE id = NEW.repository_id;
     END",
    "CREATE FUNCTION note_edit() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
        UPDATE repository SET description = NEW.body WHERE id = NEW.repository_id;
        RETURN NULL;
     END $$;
     CREATE TRIGGER note_edits AFTER UPDATE ON review_comment
        FOR EACH ROW EXECUTE FUNCTION note_edit()",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trigger_added_at_run_time_causes_no_stale_response() {
    with_database(check).await;
}

/// The trigger copies the text of an edited comment into the description of its repository. Each
/// server edits the comment once, and then plain SQL does.
async fn check(url: &str) {
    let pair = ServerPair::without_readers(url).await;
    let mut raw = Raw::connect(url).await;
    raw.run(CREATE[usize::from(matches!(raw, Raw::Postgres(_)))])
        .await;
    for (editor, text) in [(0, "First"), (1, "Second"), (2, "Third")] {
        // Both servers cache the old description.
        pair.both(REPOSITORY, "alice").await;
        if let Some(server) = pair.servers.get(editor) {
            let body = json!({"body": text});
            let (status, _) = server.send(Method::PATCH, COMMENT, "alice", body).await;
            assert_eq!(status, 200);
        } else {
            let sql = format!("UPDATE review_comment SET body = '{text}' WHERE id = 5001");
            raw.run(&sql).await;
        }
        let seen = pair.both(REPOSITORY, "alice").await;
        let seen = seen.map(|(_, repository)| repository["description"].clone());
        assert_eq!(seen, [json!(text), json!(text)], "editor {editor}");
    }
    pair.close().await;
}
