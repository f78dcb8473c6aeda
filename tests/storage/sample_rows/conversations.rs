//! Pull requests and issues, with their reviews and comments.

use sea_orm::{DbErr, EntityTrait, Set};
use storage::database::{Connection, reserve_ids};
use storage::entities::*;

use super::{PARENT, SHA};

pub async fn pull_request(on: &Connection, repository: i64, user: i64) -> Result<(), DbErr> {
    let pull = pull::ActiveModel {
        repository_id: Set(repository),
        number: Set(1),
        title: Set("Use a digit".to_owned()),
        author_id: Set(user),
        base_ref: Set("main".to_owned()),
        base_sha: Set(PARENT.to_owned()),
        head_ref: Set("topic".to_owned()),
        head_sha: Set(SHA.to_owned()),
        state: Set(pull::PullState::Open),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let pull = pull::Entity::insert(pull).exec(on).await?.last_insert_id;
    let review = review::ActiveModel {
        pull_id: Set(pull),
        author_id: Set(Some(user)),
        state: Set(review::ReviewState::ChangesRequested),
        commit_sha: Set(SHA.to_owned()),
        submitted_at: Set(1),
        ..Default::default()
    };
    let review = review::Entity::insert(review)
        .exec(on)
        .await?
        .last_insert_id;
    let comment = comment(repository, pull, review);
    let comment = review_comment::Entity::insert(comment)
        .exec(on)
        .await?
        .last_insert_id;
    let notification = notification::ActiveModel {
        recipient_id: Set(user),
        pull_id: Set(pull),
        comment_id: Set(comment),
        reason: Set(notification::Reason::Author),
        created_at: Set(1),
        ..Default::default()
    };
    notification::Entity::insert(notification).exec(on).await?;
    pending_review(on, repository, pull, user).await
}

pub async fn issue(on: &Connection, repository: i64, user: i64) -> Result<(), DbErr> {
    let issue = issue::ActiveModel {
        repository_id: Set(repository),
        number: Set(2),
        title: Set("It squeaks".to_owned()),
        author_id: Set(user),
        state: Set(issue::IssueState::Open),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let issue = issue::Entity::insert(issue).exec(on).await?.last_insert_id;
    let label = label::ActiveModel {
        repository_id: Set(repository),
        name: Set("bug".to_owned()),
        name_key: Set("bug".to_owned()),
        color: Set("d73a4a".to_owned()),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let label = label::Entity::insert(label).exec(on).await?.last_insert_id;
    let labeled = issue_label::ActiveModel {
        issue_id: Set(issue),
        label_id: Set(label),
    };
    issue_label::Entity::insert(labeled).exec(on).await?;
    let assigned = issue_assignee::ActiveModel {
        issue_id: Set(issue),
        user_id: Set(user),
    };
    issue_assignee::Entity::insert(assigned).exec(on).await?;
    let option = issue_field_option::Entity::find().one(on).await?;
    let value = issue_field_value::ActiveModel {
        issue_id: Set(issue),
        field_id: Set(option.as_ref().map_or(0, |option| option.field_id)),
        option_id: Set(option.map(|option| option.id)),
        ..Default::default()
    };
    issue_field_value::Entity::insert(value).exec(on).await?;
    let comment = issue_comment::ActiveModel {
        repository_id: Set(repository),
        issue_id: Set(issue),
        author_id: Set(Some(user)),
        body: Set("When cold".to_owned()),
        body_html: Set("<p>When cold</p>".to_owned()),
        body_text: Set("When cold".to_owned()),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let comment = issue_comment::Entity::insert(comment).exec(on).await?;
    let reaction = reaction::ActiveModel {
        issue_comment_id: Set(Some(comment.last_insert_id)),
        user_id: Set(Some(user)),
        content: Set(reaction::Content::PlusOne),
        created_at: Set(1),
        ..Default::default()
    };
    reaction::Entity::insert(reaction).exec(on).await?;
    Ok(())
}

async fn pending_review(
    on: &Connection,
    repository: i64,
    pull: i64,
    user: i64,
) -> Result<(), DbErr> {
    let review = review::ActiveModel {
        pull_id: Set(pull),
        author_id: Set(Some(user)),
        state: Set(review::ReviewState::Pending),
        commit_sha: Set(SHA.to_owned()),
        submitted_at: Set(1),
        ..Default::default()
    };
    let review = review::Entity::insert(review)
        .exec(on)
        .await?
        .last_insert_id;
    let id = reserve_ids(on, "review_comment", 1).await?[0];
    let comment = pending_review_comment::ActiveModel {
        id: Set(id),
        repository_id: Set(repository),
        pull_id: Set(pull),
        review_id: Set(review),
        path: Set("README.md".to_owned()),
        diff_hunk: Set("@@ -1 +1 @@".to_owned()),
        commit_sha: Set(SHA.to_owned()),
        original_commit_sha: Set(SHA.to_owned()),
        side: Set(review_comment::Side::Right),
        original_line: Set(1),
        original_position: Set(1),
        body: Set("Later".to_owned()),
        body_html: Set("<p>Later</p>".to_owned()),
        body_text: Set("Later".to_owned()),
        created_at: Set(1),
        ..Default::default()
    };
    pending_review_comment::Entity::insert(comment)
        .exec_without_returning(on)
        .await?;
    Ok(())
}

fn comment(repository: i64, pull: i64, review: i64) -> review_comment::ActiveModel {
    review_comment::ActiveModel {
        repository_id: Set(repository),
        pull_id: Set(pull),
        review_id: Set(review),
        path: Set("README.md".to_owned()),
        diff_hunk: Set("@@ -1 +1 @@".to_owned()),
        subject_type: Set(review_comment::SubjectType::Line),
        commit_sha: Set(SHA.to_owned()),
        original_commit_sha: Set(SHA.to_owned()),
        original_base_sha: Set(Some(PARENT.to_owned())),
        side: Set(Some(review_comment::Side::Right)),
        original_line: Set(Some(2)),
        body: Set("Why?".to_owned()),
        body_html: Set("<p>Why?</p>".to_owned()),
        body_text: Set("Why?".to_owned()),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    }
}
