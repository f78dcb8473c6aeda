//! Pull requests: listing, creating, updating and merging them, and how they follow their
//! branches.

mod changing;
mod creating;
mod files;
mod following;
mod listing;
mod long_lists;
mod merging;
mod showing;
mod updating;

use forge::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};
pub use showing::open_pull;

const WORLD: &str = include_str!("pulls/world.yaml");
const PULLS: &str = "/repos/acme/gadgets/pulls";
const REFS: &str = "/repos/acme/gadgets/git/refs";

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

/// Opens a pull request to main, and returns it.
async fn create_pull(service: &Service, token: &str, head: &str) -> Value {
    let body = json!({"title": format!("From {head}"), "head": head, "base": "main"});
    service
        .as_(token)
        .post(PULLS, body)
        .await
        .expect(201)
        .json()
}

async fn get_pull(service: &Service, number: &Value) -> Value {
    let path = format!("{PULLS}/{number}");
    service.as_("alice").get(&path).await.expect(200).json()
}

async fn put(service: &Service, token: &str, path: &str, body: Value) -> Answer {
    let body = Some(body.to_string());
    service.as_(token).send(Method::PUT, path, body).await
}

async fn merge(service: &Service, token: &str, number: &Value, body: Value) -> Answer {
    put(service, token, &format!("{PULLS}/{number}/merge"), body).await
}

/// The commit that a branch points at.
async fn tip(service: &Service, branch: &str) -> String {
    let path = format!("/repos/acme/gadgets/git/ref/heads/{branch}");
    let answer = service.as_("alice").get(&path).await.expect(200);
    answer.json()["object"]["sha"].as_str().unwrap().to_owned()
}

async fn commit(service: &Service, sha: &str) -> Value {
    let path = format!("/repos/acme/gadgets/git/commits/{sha}");
    service.as_("alice").get(&path).await.expect(200).json()
}

/// The code, the field and the message of each error of a 422.
fn errors(answer: &Answer) -> Vec<(String, String, Option<String>)> {
    assert_eq!(answer.message(), "Validation Failed", "{}", answer.text);
    let body = answer.json();
    let errors = body["errors"].as_array().unwrap().iter();
    errors
        .map(|error| {
            assert_eq!(error["resource"], "PullRequest");
            let text = |key: &str| error[key].as_str().unwrap().to_owned();
            let message = error["message"].as_str().map(str::to_owned);
            (text("code"), text("field"), message)
        })
        .collect()
}

fn custom(field: &str, message: &str) -> Vec<(String, String, Option<String>)> {
    vec![("custom".into(), field.into(), Some(message.into()))]
}

fn invalid(field: &str, message: &str) -> Vec<(String, String, Option<String>)> {
    vec![("invalid".into(), field.into(), Some(message.into()))]
}

/// The message, the parents, and the names of author and committer.
fn commit_summary(commit: &Value) -> (String, Vec<String>, [String; 2]) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let parents = commit["parents"].as_array().unwrap().iter();
    (
        text(&commit["message"]),
        parents.map(|parent| text(&parent["sha"])).collect(),
        ["author", "committer"].map(|role| text(&commit[role]["name"])),
    )
}

/// The SHA of a file in the root of a commit.
async fn file_sha(service: &Service, commit: &str, path: &str) -> Option<String> {
    let tree_path = format!("/repos/acme/gadgets/git/trees/{commit}");
    let tree = service
        .as_("alice")
        .get(&tree_path)
        .await
        .expect(200)
        .json();
    let entries = tree["tree"].as_array().unwrap().iter();
    let mut found = entries.filter(|entry| entry["path"] == path);
    found
        .next()
        .map(|entry| entry["sha"].as_str().unwrap().to_owned())
}

fn blob_sha(text: &str) -> String {
    let object = git::objects::Object::blob(text.as_bytes().to_vec());
    object.sha().to_string()
}

/// README.md after `topic` is merged into main.
const MERGED_README: &str = "ONE\ntwo\nthree\nfour\nFIVE\n";
