//! The media types of a comment's body.

use super::{COMMENTS, comment_path, create_comment, start};
use serde_json::json;

#[tokio::test]
async fn every_operation_that_returns_comments_supports_the_media_types() {
    let service = start().await;
    let comment = create_comment(&service, "alice", "Why **2**, @Bob?").await;
    let path = comment_path(&comment["id"]);
    let host = comment["url"]
        .as_str()
        .unwrap()
        .split("/repos/")
        .next()
        .unwrap()
        .to_owned();
    let html = format!(
        "<p dir=\"auto\">Why <strong>2</strong>, <a class=\"user-mention\" href=\"{host}/bob\" \
         rel=\"nofollow noopener noreferrer\">@Bob</a>?</p>"
    );
    for (form, keys) in [
        ("raw", vec!["body"]),
        ("text", vec!["body_text"]),
        ("html", vec!["body_html"]),
        ("full", vec!["body", "body_text", "body_html"]),
    ] {
        let accept = format!("application/vnd.github-commitcomment.{form}+json");
        let reader = service.as_("alice").header("Accept", accept);
        let reply = format!("{COMMENTS}/{}/replies", comment["id"]);
        let body = json!({"body": "Why **2**, @Bob?"});
        let comments = [
            reader.get(&path).await.expect(200).json(),
            reader.get(COMMENTS).await.expect(200).json()[0].clone(),
            reader
                .get("/repos/acme/gadgets/pulls/comments")
                .await
                .expect(200)
                .json()[0]
                .clone(),
            reader.patch(&path, body.clone()).await.expect(200).json(),
            reader.post(&reply, body).await.expect(201).json(),
        ];
        service.clock.advance(61);
        for comment in comments {
            for key in ["body", "body_text", "body_html"] {
                assert_eq!(
                    comment.get(key).is_some(),
                    keys.contains(&key),
                    "{form}: {key}"
                );
            }
            if form == "full" {
                assert_eq!(comment["body"], "Why **2**, @Bob?");
                assert_eq!(comment["body_text"], "Why 2, @Bob?");
                assert_eq!(comment["body_html"], html);
            }
        }
    }
}

#[tokio::test]
async fn html_is_sanitized_when_it_is_written() {
    let service = start().await;
    let comment = create_comment(
        &service,
        "alice",
        "<img src=x onerror=alert(1)>[x](javascript:alert(1))",
    )
    .await;
    let reader = service
        .anonymous()
        .header("Accept", "application/vnd.github.full+json");
    let rendered = reader
        .get(&comment_path(&comment["id"]))
        .await
        .expect(200)
        .json();
    let html = rendered["body_html"].as_str().unwrap();
    assert!(
        !html.contains("onerror") && !html.contains("javascript"),
        "{html}"
    );
    assert_eq!(
        rendered["body"], comment["body"],
        "the source text is unchanged"
    );
}
