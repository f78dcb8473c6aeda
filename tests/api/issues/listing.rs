//! Reading issues: lists with filters and sort orders, single issues, and media types.

use poem::http::Method;
use serde_json::json;

use super::{ISSUES, WIDGETS, get_issue, list_numbers, numbers, open_issue, send, start, titled};

#[tokio::test]
async fn list_issues_200_in_all_orders_and_with_all_filters() {
    let service = start().await;
    let body = json!({"title": "Two", "labels": ["bug", "oil"], "assignees": ["bob"]});
    service.clock.advance(1);
    open_issue(&service, "alice", body).await;
    service.clock.advance(1);
    let body = json!({"title": "Three", "labels": ["bug"], "assignees": ["carol"]});
    open_issue(&service, "carol", body).await;
    service.clock.advance(1);
    open_issue(&service, "carol", titled("Four")).await;
    service.clock.advance(1);
    let close = json!({"state": "closed"});
    send(
        &service,
        "carol",
        Method::PATCH,
        &format!("{ISSUES}/3"),
        close,
    )
    .await
    .expect(200);
    for (query, expected) in [
        ("", vec![4, 2, 1]),
        ("?state=closed", vec![3]),
        ("?state=all", vec![4, 3, 2, 1]),
        ("?state=all&direction=asc", vec![1, 2, 3, 4]),
        ("?state=all&sort=updated", vec![3, 4, 2, 1]),
        ("?state=all&sort=comments&direction=asc", vec![1, 2, 3, 4]),
        ("?state=all&labels=BUG", vec![3, 2]),
        ("?state=all&labels=bug,oil", vec![2]),
        ("?labels=none%20such", vec![]),
        ("?state=all&assignee=carol", vec![3]),
        ("?assignee=none", vec![4, 1]),
        ("?state=all&assignee=*", vec![3, 2]),
        ("?state=all&creator=Carol", vec![4, 3]),
        ("?creator=nobody", vec![]),
        ("?per_page=1&page=2", vec![2]),
        ("?page=9", vec![]),
    ] {
        assert_eq!(list_numbers(&service, query).await, expected, "{query}");
    }
    let since = get_issue(&service, 3).await["updated_at"].clone();
    let query = format!("?state=all&since={}", since.as_str().unwrap());
    assert_eq!(list_numbers(&service, &query).await, [3]);
    let answer = service
        .as_("alice")
        .get(&format!("{ISSUES}?per_page=1"))
        .await;
    let links = answer.expect(200).header("link").unwrap().to_owned();
    assert!(links.contains("page=3") && links.contains("rel=\"last\""));
}

#[tokio::test]
async fn list_issues_200_is_fresh_after_every_change() {
    let service = start().await;
    assert_eq!(list_numbers(&service, "").await, [1]);
    open_issue(&service, "alice", titled("Two")).await;
    assert_eq!(list_numbers(&service, "").await, [2, 1]);
    let labels = format!("{ISSUES}/1/labels");
    let bug = json!({"labels": ["bug"]});
    service.as_("alice").post(&labels, bug).await.expect(200);
    assert_eq!(list_numbers(&service, "?labels=bug").await, [1]);
    let path = "/repos/acme/gadgets/labels/bug";
    let name = json!({"new_name": "fault"});
    service.as_("alice").patch(path, name).await.expect(200);
    assert_eq!(list_numbers(&service, "?labels=bug").await, [0_i64; 0]);
    let issue = get_issue(&service, 1).await;
    assert_eq!(issue["labels"][0]["name"], "fault");
    let pull = "/repos/acme/gadgets/pulls/1";
    let pull = service.as_("alice").get(pull).await.expect(200).json();
    assert_eq!(pull["labels"][0]["name"], "fault");
}

#[tokio::test]
async fn list_issues_403_when_the_token_may_not_read_issues() {
    let service = start().await;
    for token in ["alice-metadata", "alice-pulls", "puller"] {
        service.as_(token).get(WIDGETS).await.expect(403);
    }
    let answer = service.as_("alice-reads").get(WIDGETS).await.expect(200);
    assert_eq!(numbers(&answer.json()), [1]);
}

#[tokio::test]
async fn list_issues_404_when_the_repository_is_hidden() {
    let service = start().await;
    service.as_("mallory").get(WIDGETS).await.expect(404);
    service.anonymous().get(WIDGETS).await.expect(404);
    service.anonymous().get(ISSUES).await.expect(200);
}

#[tokio::test]
async fn list_issues_422_when_since_is_not_a_timestamp() {
    let service = start().await;
    let path = format!("{ISSUES}?since=yesterday");
    service.as_("alice").get(&path).await.expect(422);
}

#[tokio::test]
async fn get_issue_200_of_a_pull_request_in_each_media_type() {
    let service = start().await;
    let issue = get_issue(&service, 1).await;
    assert_eq!(issue["title"], "Letters");
    assert_eq!(issue["pull_request"]["merged_at"], json!(null));
    let url = issue["pull_request"]["url"].as_str().unwrap();
    assert!(url.ends_with("/repos/acme/gadgets/pulls/1"));
    let html_url = issue["html_url"].as_str().unwrap();
    assert!(html_url.ends_with("/acme/gadgets/pull/1"));
    for (media, raw, text, html) in [
        ("raw", true, false, false),
        ("text", false, true, false),
        ("html", false, false, true),
        ("full", true, true, true),
    ] {
        let accept = format!("application/vnd.github.{media}+json");
        let answer = service
            .as_("alice")
            .header("accept", &accept)
            .get(&format!("{ISSUES}/1"))
            .await;
        let issue = answer.expect(200).json();
        assert_eq!(issue.get("body").is_some(), raw, "{media}");
        assert_eq!(issue.get("body_text").is_some(), text, "{media}");
        assert_eq!(issue.get("body_html").is_some(), html, "{media}");
        if html {
            let html = issue["body_html"].as_str().unwrap();
            assert!(html.contains("/bob\""), "{html}");
        }
    }
}

#[tokio::test]
async fn get_issue_404_when_it_is_absent_or_hidden() {
    let service = start().await;
    let alice = service.as_("alice");
    for number in ["2", "0", "-1", "99999999999"] {
        alice.get(&format!("{ISSUES}/{number}")).await.expect(404);
    }
    let path = format!("{WIDGETS}/1");
    service.as_("mallory").get(&path).await.expect(404);
}
