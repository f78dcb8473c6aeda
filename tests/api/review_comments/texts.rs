//! The forms in which a comment's text is shown.

use super::{COMMENTS, comment_path, commented, start};
use serde_json::json;

#[tokio::test]
async fn every_operation_that_shows_comments_knows_the_media_types() {
    let service = start().await;
    let comment = commented(&service, "alice", "Why **2**, @Bob?").await;
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
        let said = json!({"body": "Why **2**, @Bob?"});
        let shown = [
            reader.get(&path).await.expect(200).json(),
            reader.get(COMMENTS).await.expect(200).json()[0].clone(),
            reader
                .get("/repos/acme/gadgets/pulls/comments")
                .await
                .expect(200)
                .json()[0]
                .clone(),
            reader.patch(&path, said.clone()).await.expect(200).json(),
            reader.post(&reply, said).await.expect(201).json(),
        ];
        service.clock.advance(61);
        for comment in shown {
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
    let comment = commented(
        &service,
        "alice",
        "<img src=x onerror=alert(1)>[x](javascript:alert(1))",
    )
    .await;
    let reader = service
        .anonymous()
        .header("Accept", "application/vnd.github.full+json");
    let shown = reader
        .get(&comment_path(&comment["id"]))
        .await
        .expect(200)
        .json();
    let html = shown["body_html"].as_str().unwrap();
    assert!(
        !html.contains("onerror") && !html.contains("javascript"),
        "{html}"
    );
    assert_eq!(
        shown["body"], comment["body"],
        "what was written stays as it is"
    );
}
