//! The journal: what it records of each request, how to find entries, and what it omits.

mod explanations;
mod mistakes;

use std::time::{Duration, Instant};

use forge::app::Settings;
use serde_json::{Value, json};

use crate::access::start_with;
use crate::harness::{Answer, Server, Service};

const JOURNAL: &str = "/_forgewright/worlds/main/journal";
const GADGETS: &str = "/repos/acme/gadgets";

/// A service with the control API.
async fn start() -> Service {
    with(Settings::default()).await
}

async fn with(settings: Settings) -> Service {
    let settings = Settings {
        control: true,
        ..settings
    };
    start_with(settings).await
}

/// The journal entry of an answer.
async fn entry(service: &Service, answer: &Answer) -> Value {
    let id = answer.header("x-forgewright-journal").unwrap();
    let path = format!("{JOURNAL}/{id}");
    service.anonymous().get(&path).await.expect(200).json()
}

async fn list(service: &Service, query: &str) -> Vec<Value> {
    let path = format!("{JOURNAL}?{query}");
    let found = service.anonymous().get(&path).await.expect(200).json();
    found.as_array().unwrap().clone()
}

async fn line(service: &Service, answer: &Answer) -> String {
    let entry = entry(service, answer).await;
    entry["explanation"]["line"].as_str().unwrap().to_owned()
}

fn text(entry: &Value, side: &str) -> String {
    let text = &entry[side]["body"]["text"];
    text.as_str()
        .unwrap_or_else(|| panic!("{entry:#}"))
        .to_owned()
}

#[tokio::test]
async fn get_journal_entry_200_shows_a_request_with_its_answer() {
    let service = start().await;
    let path = format!("{GADGETS}/git/refs?x=1");
    let body = json!({"ref": "refs/heads/new", "sha": "nothing"});
    let answer = service.anonymous().post(&path, body.clone()).await;
    let shown = entry(&service, &answer).await;
    assert_eq!(shown["method"], "POST");
    assert_eq!(shown["path"], path);
    assert_eq!(shown["operation"], "create_ref");
    assert_eq!(shown["status"], answer.status.as_u16());
    assert_eq!(shown["caller"]["kind"], "anonymous");
    assert_eq!(shown["at"], crate::harness::START);
    assert_eq!(text(&shown, "request"), body.to_string());
    assert_eq!(text(&shown, "answer"), answer.text);
    let request_id = answer.header("x-github-request-id").unwrap();
    assert_eq!(shown["request_id"], request_id);
    let path = format!("{JOURNAL}/{request_id}");
    let again = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(again, shown);
}

#[tokio::test]
async fn get_journal_entry_200_without_the_token() {
    let service = start().await;
    let token = "ghp_0123456789abcdefghijklmnopqrst";
    let answer = service.as_(token).get("/user").await.expect(401);
    let shown = entry(&service, &answer).await;
    assert!(!shown.to_string().contains(token), "{shown:#}");
    assert_eq!(shown["caller"]["token"], "ghp_…qrst");
    let line = line(&service, &answer).await;
    assert_eq!(line, "Token ghp_…qrst: there is no such token → 401");
}

#[tokio::test]
async fn get_journal_entry_200_when_the_answer_was_compressed() {
    let service = start().await;
    for path in [GADGETS, "/repos/acme/gadgets/git/matching-refs/heads"] {
        for encoding in ["identity", "gzip", "br"] {
            let client = service.anonymous().header("Accept-Encoding", encoding);
            let answer = client.get(path).await.expect(200);
            let shown = entry(&service, &answer).await;
            assert_eq!(text(&shown, "answer"), answer.text, "{path} {encoding}");
            assert_eq!(shown["answer"]["body"]["truncated"], false);
        }
    }
}

#[tokio::test]
async fn get_journal_entry_200_shows_whether_the_answer_was_cached() {
    let service = start().await;
    for outcome in ["miss", "hit"] {
        let answer = service.anonymous().get(GADGETS).await.expect(200);
        assert_eq!(entry(&service, &answer).await["cache"], outcome);
    }
}

#[tokio::test]
async fn get_journal_entry_200_with_the_beginning_of_a_long_body() {
    let service = start().await;
    for length in [20_000, 300_000] {
        let body = json!({"ref": "x".repeat(length)});
        let path = format!("{GADGETS}/git/refs");
        let answer = service.anonymous().post(&path, body.clone()).await;
        let shown = entry(&service, &answer).await;
        let kept = text(&shown, "request");
        assert!(kept.len() <= 16 * 1024, "{}", kept.len());
        assert!(body.to_string().starts_with(&kept));
        assert_eq!(shown["request"]["body"]["truncated"], true, "{length}");
    }
}

#[tokio::test]
async fn get_journal_entry_404_when_there_is_no_such_entry() {
    let service = start().await;
    for name in ["1", "nobody", "%00"] {
        let path = format!("{JOURNAL}/{name}");
        service.anonymous().get(&path).await.expect(404).message();
    }
    let elsewhere = "/_forgewright/worlds/nowhere/journal/1";
    service.anonymous().get(elsewhere).await.expect(404);
}

#[tokio::test]
async fn list_journal_200_filtered() {
    let service = start().await;
    service.anonymous().get(GADGETS).await.expect(200);
    service
        .anonymous()
        .get("/repos/acme/nothing")
        .await
        .expect(404);
    service.anonymous().get("/user").await.expect(401);
    service
        .anonymous()
        .post("/user", json!({}))
        .await
        .expect(404);
    for (query, expected) in [
        ("", vec![4, 3, 2, 1]),
        ("per_page=2", vec![4, 3]),
        ("method=get", vec![3, 2, 1]),
        ("path=/repos/acme", vec![2, 1]),
        ("path=/repos/*/gadgets", vec![1]),
        ("operation=get_repository", vec![2, 1]),
        ("operation=repos/get", vec![2, 1]),
        ("operation=git_push", vec![]),
        ("status=404", vec![4, 2]),
        ("status=4xx", vec![4, 3, 2]),
        ("caller=anonymous", vec![4, 3, 2, 1]),
        ("caller=nobody", vec![]),
        ("after=2", vec![4, 3]),
        ("after=2&status=401", vec![3]),
    ] {
        let found = list(&service, query).await;
        let ids: Vec<_> = found
            .iter()
            .map(|entry| entry["id"].as_u64().unwrap())
            .collect();
        assert_eq!(ids, expected, "{query}");
    }
}

#[tokio::test]
async fn list_journal_404_when_there_is_no_such_world() {
    let service = start().await;
    let path = "/_forgewright/worlds/nowhere/journal";
    service.anonymous().get(path).await.expect(404);
}

#[tokio::test]
async fn list_journal_422_when_a_filter_is_invalid() {
    let service = start().await;
    let long = format!("path=/{}", "*a".repeat(250));
    for query in ["status=many", "wait=61", "wait=-1", "after=first", &long] {
        let path = format!("{JOURNAL}?{query}");
        service.anonymous().get(&path).await.expect(422).message();
    }
    for (query, nearest) in [
        ("operation=create_reff", "did you mean `create_ref`?"),
        ("operation=git/create-reff", "did you mean `create_ref`?"),
        ("method=GETT", "did you mean `GET`?"),
    ] {
        let path = format!("{JOURNAL}?{query}");
        let refused = service.anonymous().get(&path).await.expect(422).json();
        let message = refused["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains(nearest), "{query}: {message}");
    }
}

#[tokio::test]
async fn list_journal_200_waits_for_a_matching_request() {
    let service = start().await;
    let wanted = format!("wait=30&path={GADGETS}/milestones&method=POST");
    let later = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        service.anonymous().get(GADGETS).await.expect(200);
        let path = format!("{GADGETS}/milestones");
        service
            .anonymous()
            .post(&path, json!({"name": "bug"}))
            .await
            .expect(404)
    };
    let (found, _) = tokio::join!(list(&service, &wanted), later);
    assert_eq!(found.len(), 1);
    assert_eq!(text(&found[0], "request"), r#"{"name":"bug"}"#);
}

#[tokio::test]
async fn list_journal_200_with_an_empty_list_after_the_wait() {
    let service = start().await;
    let started = Instant::now();
    assert!(list(&service, "wait=1").await.is_empty());
    let elapsed = started.elapsed();
    assert!(elapsed >= Duration::from_secs(1), "{elapsed:?}");
}

#[tokio::test]
async fn clear_journal_204_deletes_the_entries_and_continues_their_ids() {
    let service = start().await;
    service.anonymous().get(GADGETS).await.expect(200);
    service.anonymous().delete(JOURNAL).await.expect(204);
    assert!(list(&service, "").await.is_empty());
    let answer = service.anonymous().get(GADGETS).await;
    assert_eq!(answer.header("x-forgewright-journal"), Some("2"));
}

#[tokio::test]
async fn clear_journal_404_when_there_is_no_such_world() {
    let service = start().await;
    let path = "/_forgewright/worlds/nowhere/journal";
    service.anonymous().delete(path).await.expect(404);
}

#[tokio::test]
async fn a_request_can_opt_out_of_the_journal() {
    let service = start().await;
    let quiet = service.anonymous().header("x-forgewright-journal", "off");
    let answer = quiet.get(GADGETS).await.expect(200);
    assert_eq!(answer.header("x-forgewright-journal"), None);
    assert_eq!(list(&service, "").await, [json!(null); 0]);
    service.anonymous().get(GADGETS).await.expect(200);
    assert_eq!(list(&service, "").await.len(), 1);
}

#[tokio::test]
async fn without_the_control_api_there_is_no_journal() {
    let service = start_with(Settings::default()).await;
    let answer = service.anonymous().get(GADGETS).await.expect(200);
    assert_eq!(answer.header("x-forgewright-journal"), None);
    assert!(service.app.tools.is_none());
}

#[tokio::test]
async fn git_clients_are_in_the_journal_without_their_packs() {
    let service = start().await;
    // The documents do not describe the requests of Git clients.
    let server = Server::new(service.app.clone());
    let path = "/acme/gadgets.git/info/refs?service=git-upload-pack";
    let answer = server.anonymous().get(path).await.expect(200);
    let found = list(&service, "path=/acme/gadgets.git").await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["status"], answer.status.as_u16());
    assert_eq!(found[0]["answer"]["body"]["text"], Value::Null);
    assert_eq!(found[0]["answer"]["body"]["bytes"], answer.text.len());
}
