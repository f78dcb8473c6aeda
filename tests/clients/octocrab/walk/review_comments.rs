//! Review comments on pull request 1 of acme/gadgets. octocrab has a method for every operation
//! except creating one.

use octocrab::models::CommentId;
use octocrab::models::pulls::Comment;
use octocrab::params::{Direction, pulls::comments::Sort};
use serde_json::json;

use crate::git_refs::tip;
use crate::{alice, by_token, refused};

const COMMENTS: &str = "/repos/acme/gadgets/pulls/1/comments";

async fn write(body: &str, line: u64) -> octocrab::Result<Comment> {
    let head = tip("feature/a").await;
    let comment = json!({"body": body, "commit_id": head, "path": "README.md", "line": line, "side": "RIGHT"});
    alice().post(COMMENTS, Some(&comment)).await
}

#[tokio::test]
async fn a_comment_is_created_read_replied_to_changed_and_deleted() {
    let crab = alice();
    let pulls = crab.pulls("acme", "gadgets");
    let comment = write("Why **2**?", 2).await.unwrap();
    assert_eq!(comment.position, Some(3));
    assert_eq!(comment.user.as_ref().unwrap().login, "alice");
    assert!(
        comment.diff_hunk.ends_with("+2 handles on every gadget."),
        "{}",
        comment.diff_hunk
    );
    assert_eq!(pulls.comment(comment.id).get().await.unwrap(), comment);

    let bob = by_token("bob-classic");
    let reply = bob
        .pulls("acme", "gadgets")
        .reply_to_comment(1, comment.id, "Shorter.")
        .await
        .unwrap();
    assert_eq!(reply.in_reply_to_id, Some(comment.id));
    assert_eq!(reply.user.as_ref().unwrap().login, "bob");

    let changed = pulls.comment(comment.id).update("Why?").await.unwrap();
    assert_eq!(changed.body, "Why?");
    pulls.comment(reply.id).delete().await.unwrap();
    assert_eq!(
        refused(pulls.comment(reply.id).get().await, 404).message,
        "Not Found"
    );
    // octocrab's delete ignores the response; the other methods check it.
    refused(pulls.comment(CommentId(999_999)).update("x").await, 404);
}

#[tokio::test]
async fn both_lists_are_paged() {
    for number in 0..5 {
        write(&format!("number {number}"), 5).await.unwrap();
    }
    let crab = alice();
    let first = crab
        .pulls("acme", "gadgets")
        .list_comments(Some(1))
        .per_page(2)
        .send()
        .await
        .unwrap();
    assert_eq!(first.items.len(), 2);
    let bodies: Vec<_> = crab
        .all_pages(first)
        .await
        .unwrap()
        .into_iter()
        .map(|comment| comment.body)
        .collect();
    let numbered: Vec<_> = bodies
        .iter()
        .filter(|body| body.starts_with("number "))
        .collect();
    assert_eq!(
        numbered,
        ["number 0", "number 1", "number 2", "number 3", "number 4"]
    );

    let newest = crab
        .pulls("acme", "gadgets")
        .list_comments(None)
        .sort(Sort::Created)
        .direction(Direction::Descending)
        .per_page(3)
        .send()
        .await
        .unwrap();
    assert!(newest.next.is_some());
    let all = crab.all_pages(newest).await.unwrap();
    assert!(all.len() >= 5);
    assert!(all.is_sorted_by(|one, next| one.created_at >= next.created_at));
}

#[tokio::test]
async fn a_comment_outside_the_diff_is_rejected_with_the_field() {
    let error = refused(write("Nowhere", 99).await, 422);
    assert_eq!(error.message, "Validation Failed");
    assert_eq!(
        error.errors.unwrap()[0]["field"],
        "pull_request_review_thread.line"
    );
}
