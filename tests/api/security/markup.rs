//! HTML in responses is harmless, in every field that contains HTML.

use serde_json::{Value, json};

use super::{alice, start};
use crate::harness::{Answer, Service};
use crate::parsers::targets::html::assert_harmless;

const HOSTILE: [&str; 10] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "`<b onmouseover=alert(1)>`",
    "[x](javascript:alert(1)) <a href=\"jAvAsCrIpT:alert(1)\">y</a>",
    "<a href=\"data:text/html,<script>alert(1)</script>\">z</a>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<form action=//evil.test><input name=password><button>Go",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><base href=//evil.test>",
    "<p id=docs style=position:fixed onclick=alert(1)>&lt;script&gt;",
];

/// Checks every HTML field of a response, and returns how many there are.
fn check(answer: &Answer) -> usize {
    fn walk(value: &Value, found: &mut usize) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    if let (true, Some(html)) = (is_html(key), value.as_str()) {
                        assert_harmless(html);
                        *found += 1;
                    }
                    walk(value, found);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            _ => {}
        }
    }
    let mut found = 0;
    walk(&answer.json(), &mut found);
    found
}

/// `_links` has a key `html` too, which contains a URL.
fn is_html(key: &str) -> bool {
    key == "html" || key == "body_html"
}

async fn add_field(service: &Service, project: &str, body: Value) -> Answer {
    let path = format!("{project}/fields");
    alice(service).post(&path, body).await.expect(201)
}

#[tokio::test]
async fn no_project_field_returns_active_html() {
    let service = start().await;
    let project = "/orgs/acme/projectsV2/1";
    let mut found = 0;
    for (number, hostile) in HOSTILE.iter().enumerate() {
        let options = json!([{"name": hostile, "color": "RED", "description": hostile}]);
        let body = json!({"name": format!("{number}{hostile}"), "data_type": "single_select", "single_select_options": options});
        found += check(&add_field(&service, project, body).await);
        let iterations = json!([{"title": hostile, "start_date": "2026-03-02", "duration": 7}]);
        let configuration =
            json!({"start_date": "2026-03-02", "duration": 7, "iterations": iterations});
        let body = json!({"name": format!("i{number}"), "data_type": "iteration", "iteration_configuration": configuration});
        found += check(&add_field(&service, project, body).await);
    }
    assert_eq!(found, 3 * HOSTILE.len());
    let list = format!("{project}/fields?per_page=100");
    let answer = alice(&service).get(&list).await.expect(200);
    assert!(check(&answer) >= found);
}

#[tokio::test]
async fn no_comment_returns_active_html() {
    let service = start().await;
    let full = alice(&service).header("Accept", "application/vnd.github-commitcomment.full+json");
    let comments = "/repos/acme/gadgets/pulls/1/comments";
    let list = full.get(comments).await.expect(200);
    let root = list.json()[0]["id"].clone();
    for hostile in HOSTILE {
        let body = json!({"body": hostile, "in_reply_to": root});
        let created = full.post(comments, body).await.expect(201);
        assert_eq!(check(&created), 1);
        assert_eq!(
            created.json()["body"],
            hostile,
            "the source text is unchanged"
        );
        let path = format!(
            "/repos/acme/gadgets/pulls/comments/{}",
            created.json()["id"]
        );
        let body = json!({"body": format!("edited {hostile}")});
        assert_eq!(check(&full.patch(&path, body).await.expect(200)), 1);
    }
    let list = full.get(&format!("{comments}?per_page=100")).await;
    assert!(check(&list.expect(200)) > HOSTILE.len());
}

/// Links get the host, but text that looks like a link does not.
#[tokio::test]
async fn the_host_of_the_request_is_inserted_only_into_links() {
    let service = start().await;
    let html = alice(&service).header("Accept", "application/vnd.github-commitcomment.html+json");
    let comments = "/repos/acme/gadgets/pulls/1/comments";
    let root = html.get(comments).await.expect(200).json()[0]["id"].clone();
    let body = json!({"body": "`<a href=\"/docs\">` by @bob", "in_reply_to": root});
    let created = html.post(comments, body).await.expect(201).json();
    let rendered = created["body_html"].as_str().unwrap();
    assert!(rendered.contains("href=\"/docs\"&gt;"), "{rendered}");
    assert!(rendered.contains("href=\"http://"), "{rendered}");
}
