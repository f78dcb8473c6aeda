//! Commits, commit statuses and check runs.

use sea_orm::{DbErr, EntityTrait, Set};
use storage::database::Connection;
use storage::entities::*;

use super::{PARENT, SHA};

pub async fn git(on: &Connection, repository: i64) -> Result<(), DbErr> {
    let mut commits = Vec::new();
    for (generation, sha) in [PARENT, SHA].into_iter().enumerate() {
        let object = git_object::ActiveModel {
            repository_id: Set(repository),
            sha: Set(sha.to_owned()),
            kind: Set(git_object::ObjectKind::Commit),
            size: Set(3),
            content: Set(vec![0, 159, 255]),
            base_sha: Set(None),
            upload_id: Set(None),
        };
        git_object::Entity::insert(object).exec(on).await?;
        let commit = git_commit::ActiveModel {
            repository_id: Set(repository),
            sha: Set(sha.to_owned()),
            tree_sha: Set(SHA.to_owned()),
            generation: Set(i64::try_from(generation).unwrap() + 1),
            committed_at: Set(1),
            chain: Set(0),
            position: Set(i64::try_from(generation).unwrap()),
            ..Default::default()
        };
        commits.push(
            git_commit::Entity::insert(commit)
                .exec(on)
                .await?
                .last_insert_id,
        );
    }
    let edge = git_commit_parent::ActiveModel {
        commit_id: Set(commits[1]),
        ordinal: Set(0),
        parent_id: Set(commits[0]),
    };
    git_commit_parent::Entity::insert(edge).exec(on).await?;
    let page = git_reach::ActiveModel {
        commit_id: Set(commits[1]),
        content: Set(vec![0, 1, 0, 1]),
    };
    git_reach::Entity::insert(page).exec(on).await?;
    let branch = git_ref::ActiveModel {
        repository_id: Set(repository),
        name: Set("refs/heads/main".to_owned()),
        sha: Set(SHA.to_owned()),
        kind: Set(git_object::ObjectKind::Commit),
        updated_at: Set(1),
        ..Default::default()
    };
    git_ref::Entity::insert(branch).exec(on).await?;
    let upload = git_upload::ActiveModel {
        repository_id: Set(repository),
        process: Set("0123abcd".to_owned()),
        renewed_at: Set(1),
        abandoned: Set(false),
        ..Default::default()
    };
    git_upload::Entity::insert(upload).exec(on).await?;
    Ok(())
}

pub async fn statuses(on: &Connection, user: i64) -> Result<(), DbErr> {
    let commit = git_commit::Entity::find().one(on).await?.unwrap();
    let status = commit_status::ActiveModel {
        commit_id: Set(commit.id),
        context: Set("CI/Build".to_owned()),
        context_key: Set("ci/build".to_owned()),
        state: Set(commit_status::CommitStatusState::Success),
        creator_id: Set(Some(user)),
        latest: Set(true),
        created_at: Set(1),
        ..Default::default()
    };
    commit_status::Entity::insert(status).exec(on).await?;
    Ok(())
}

pub async fn checks(on: &Connection, app: i64) -> Result<(), DbErr> {
    let commit = git_commit::Entity::find().one(on).await?.unwrap();
    let suite = check_suite::ActiveModel {
        commit_id: Set(commit.id),
        app_id: Set(app),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let suite = check_suite::Entity::insert(suite).exec(on).await?;
    let run = check_run::ActiveModel {
        commit_id: Set(commit.id),
        suite_id: Set(suite.last_insert_id),
        name: Set("lint".to_owned()),
        status: Set(check_run::CheckRunStatus::Completed),
        conclusion: Set(Some(check_run::Conclusion::Success)),
        started_at: Set(1),
        completed_at: Set(Some(2)),
        annotations: Set(1),
        ..Default::default()
    };
    let run = check_run::Entity::insert(run).exec(on).await?;
    let annotation = check_annotation::ActiveModel {
        run_id: Set(run.last_insert_id),
        path: Set("README.md".to_owned()),
        start_line: Set(1),
        end_line: Set(2),
        level: Set(check_annotation::CheckAnnotationLevel::Notice),
        message: Set("Long".to_owned()),
        ..Default::default()
    };
    check_annotation::Entity::insert(annotation)
        .exec(on)
        .await?;
    Ok(())
}
