//! One valid row in every table, written through the entities, so that a test
//! can read all of them and break each rule from a row that keeps it.

use forgewright::database::Database;
use forgewright::database::{Transaction, reserve_ids};
use forgewright::entities::*;
use sea_orm::{DbErr, EntityTrait, Set};

const SHA: &str = "0123456789abcdef0123456789abcdef01234567";
const PARENT: &str = "89abcdef0123456789abcdef0123456789abcdef";

pub async fn insert(db: &Database) -> Result<(), DbErr> {
    let on = db.begin().await?;
    let (user, organization) = accounts(&on).await?;
    let repository = repository(&on, organization, user).await?;
    fields(&on, organization).await?;
    git(&on, repository).await?;
    reports(&on, user).await?;
    conversation(&on, repository, user).await?;
    issue(&on, repository, user).await?;
    items(&on, user).await?;
    let app = apps(&on, organization, repository).await?;
    checks(&on, app).await?;
    on.commit().await
}

pub fn user(login: &str) -> account::ActiveModel {
    account::ActiveModel {
        login: Set(login.to_owned()),
        login_key: Set(login.to_lowercase()),
        kind: Set(account::Kind::User),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    }
}

async fn accounts(on: &Transaction) -> Result<(i64, i64), DbErr> {
    let user = account::Entity::insert(user("alice"))
        .exec(on)
        .await?
        .last_insert_id;
    let organization = account::ActiveModel {
        kind: Set(account::Kind::Organization),
        base_permission: Set(Some(collaborator::Permission::Read)),
        ..self::user("acme")
    };
    let organization = account::Entity::insert(organization)
        .exec(on)
        .await?
        .last_insert_id;
    let membership = membership::ActiveModel {
        organization_id: Set(organization),
        user_id: Set(user),
        role: Set(membership::Role::Admin),
    };
    membership::Entity::insert(membership).exec(on).await?;
    let setting = setting::ActiveModel {
        key: Set("sample".to_owned()),
        value: Set("secret".to_owned()),
    };
    setting::Entity::insert(setting).exec(on).await?;
    let budget = budget::ActiveModel {
        subject: Set("user 1".to_owned()),
        resets_at: Set(3601),
        used: Set(1),
        granted: Set(1),
    };
    budget::Entity::insert(budget).exec(on).await?;
    Ok((user, organization))
}

async fn repository(on: &Transaction, owner: i64, user: i64) -> Result<i64, DbErr> {
    let row = repository::ActiveModel {
        owner_id: Set(owner),
        name: Set("Widgets".to_owned()),
        name_key: Set("widgets".to_owned()),
        visibility: Set(repository::Visibility::Private),
        default_branch: Set("main".to_owned()),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let repository = repository::Entity::insert(row)
        .exec(on)
        .await?
        .last_insert_id;
    let push = repository_push::ActiveModel {
        repository_id: Set(repository),
        pushed_at: Set(1),
    };
    repository_push::Entity::insert(push).exec(on).await?;
    let row = collaborator::ActiveModel {
        repository_id: Set(repository),
        user_id: Set(user),
        permission: Set(collaborator::Permission::Maintain),
    };
    collaborator::Entity::insert(row).exec(on).await?;
    Ok(repository)
}

async fn fields(on: &Transaction, organization: i64) -> Result<(), DbErr> {
    let issue_field = issue_field(on, organization).await?;
    let project = project::ActiveModel {
        owner_id: Set(organization),
        number: Set(1),
        title: Set("Roadmap".to_owned()),
        visibility: Set(repository::Visibility::Public),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let project = project::Entity::insert(project)
        .exec(on)
        .await?
        .last_insert_id;
    let bare = project_field::ActiveModel {
        project_id: Set(project),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let backed = project_field::ActiveModel {
        issue_field_id: Set(Some(issue_field)),
        ..bare.clone()
    };
    project_field::Entity::insert(backed).exec(on).await?;
    let sprint = project_field::ActiveModel {
        name: Set(Some("Sprint".to_owned())),
        name_key: Set(Some("sprint".to_owned())),
        data_type: Set(Some(project_field::DataType::Iteration)),
        iteration_duration: Set(Some(14)),
        iteration_start_day: Set(Some(1)),
        ..bare
    };
    let field = project_field::Entity::insert(sprint)
        .exec(on)
        .await?
        .last_insert_id;
    choices(on, field).await
}

async fn issue_field(on: &Transaction, organization: i64) -> Result<i64, DbErr> {
    let row = issue_field::ActiveModel {
        organization_id: Set(organization),
        name: Set("Priority".to_owned()),
        name_key: Set("priority".to_owned()),
        data_type: Set(issue_field::DataType::SingleSelect),
        visibility: Set(issue_field::Visibility::OrganizationMembersOnly),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let field = issue_field::Entity::insert(row)
        .exec(on)
        .await?
        .last_insert_id;
    let row = issue_field_option::ActiveModel {
        field_id: Set(field),
        name: Set("High".to_owned()),
        name_key: Set("high".to_owned()),
        color: Set(issue_field_option::Color::Red),
        priority: Set(1),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    issue_field_option::Entity::insert(row).exec(on).await?;
    Ok(field)
}

async fn choices(on: &Transaction, field: i64) -> Result<(), DbErr> {
    let option = project_field_option::ActiveModel {
        field_id: Set(field),
        option_key: Set("f75ad846".to_owned()),
        name: Set("Todo".to_owned()),
        name_key: Set("todo".to_owned()),
        color: Set(project_field_option::Color::Gray),
        position: Set(0),
        ..Default::default()
    };
    project_field_option::Entity::insert(option)
        .exec(on)
        .await?;
    let iteration = project_field_iteration::ActiveModel {
        field_id: Set(field),
        iteration_key: Set("0a1b2c3d".to_owned()),
        title: Set("Sprint 1".to_owned()),
        start_date: Set("2026-01-05".to_owned()),
        duration: Set(14),
        position: Set(0),
        ..Default::default()
    };
    project_field_iteration::Entity::insert(iteration)
        .exec(on)
        .await?;
    Ok(())
}

async fn git(on: &Transaction, repository: i64) -> Result<(), DbErr> {
    let mut commits = Vec::new();
    for (generation, sha) in [PARENT, SHA].into_iter().enumerate() {
        let object = git_object::ActiveModel {
            repository_id: Set(repository),
            sha: Set(sha.to_owned()),
            kind: Set(git_object::Kind::Commit),
            size: Set(3),
            content: Set(vec![0, 159, 255]),
            base_sha: Set(None),
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
        kind: Set(git_object::Kind::Commit),
        updated_at: Set(1),
        ..Default::default()
    };
    git_ref::Entity::insert(branch).exec(on).await?;
    Ok(())
}

async fn reports(on: &Transaction, user: i64) -> Result<(), DbErr> {
    let commit = git_commit::Entity::find().one(on).await?.unwrap();
    let status = commit_status::ActiveModel {
        commit_id: Set(commit.id),
        context: Set("CI/Build".to_owned()),
        context_key: Set("ci/build".to_owned()),
        state: Set(commit_status::State::Success),
        creator_id: Set(Some(user)),
        latest: Set(true),
        created_at: Set(1),
        ..Default::default()
    };
    commit_status::Entity::insert(status).exec(on).await?;
    Ok(())
}

async fn checks(on: &Transaction, app: i64) -> Result<(), DbErr> {
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
        status: Set(check_run::Status::Completed),
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
        level: Set(check_annotation::Level::Notice),
        message: Set("Long".to_owned()),
        ..Default::default()
    };
    check_annotation::Entity::insert(annotation)
        .exec(on)
        .await?;
    Ok(())
}

async fn conversation(on: &Transaction, repository: i64, user: i64) -> Result<(), DbErr> {
    let pull = pull::ActiveModel {
        repository_id: Set(repository),
        number: Set(1),
        title: Set("Use a digit".to_owned()),
        author_id: Set(user),
        base_ref: Set("main".to_owned()),
        base_sha: Set(PARENT.to_owned()),
        head_ref: Set("topic".to_owned()),
        head_sha: Set(SHA.to_owned()),
        state: Set(pull::State::Open),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let pull = pull::Entity::insert(pull).exec(on).await?.last_insert_id;
    let review = review::ActiveModel {
        pull_id: Set(pull),
        author_id: Set(Some(user)),
        state: Set(review::State::ChangesRequested),
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
    // Triggers made an issue of the pull request.
    let issue = issue::Entity::find().one(on).await?;
    let comment = issue_comment::ActiveModel {
        repository_id: Set(repository),
        issue_id: Set(issue.map_or(0, |issue| issue.id)),
        author_id: Set(Some(user)),
        body: Set("Nice".to_owned()),
        body_html: Set("<p>Nice</p>".to_owned()),
        body_text: Set("Nice".to_owned()),
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
    pending_review(on, repository, pull, user).await
}

async fn issue(on: &Transaction, repository: i64, user: i64) -> Result<(), DbErr> {
    let issue = issue::ActiveModel {
        repository_id: Set(repository),
        number: Set(2),
        title: Set("It squeaks".to_owned()),
        author_id: Set(user),
        state: Set(issue::State::Open),
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
    issue_comment::Entity::insert(comment).exec(on).await?;
    Ok(())
}

async fn pending_review(
    on: &Transaction,
    repository: i64,
    pull: i64,
    user: i64,
) -> Result<(), DbErr> {
    let review = review::ActiveModel {
        pull_id: Set(pull),
        author_id: Set(Some(user)),
        state: Set(review::State::Pending),
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

async fn apps(on: &Transaction, organization: i64, repository: i64) -> Result<i64, DbErr> {
    let bot = account::ActiveModel {
        kind: Set(account::Kind::Bot),
        ..user("ci-bot[bot]")
    };
    let bot = account::Entity::insert(bot).exec(on).await?.last_insert_id;
    let app = app::ActiveModel {
        slug: Set("ci-bot".to_owned()),
        name: Set("CI".to_owned()),
        owner_id: Set(organization),
        client_id: Set("Iv23demo".to_owned()),
        public_key: Set("-----BEGIN PUBLIC KEY-----".to_owned()),
        bot_id: Set(bot),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let app = app::Entity::insert(app).exec(on).await?.last_insert_id;
    let installation = installation::ActiveModel {
        app_id: Set(app),
        account_id: Set(organization),
        repository_selection: Set(installation::Selection::Selected),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let installation = installation::Entity::insert(installation)
        .exec(on)
        .await?
        .last_insert_id;
    let link = installation_repository::ActiveModel {
        installation_id: Set(installation),
        repository_id: Set(repository),
    };
    installation_repository::Entity::insert(link)
        .exec(on)
        .await?;
    token(on, installation, repository).await?;
    delivery(on, app, installation).await?;
    Ok(app)
}

async fn token(on: &Transaction, installation: i64, repository: i64) -> Result<(), DbErr> {
    let token = token::ActiveModel {
        hash: Set("ab".repeat(32)),
        kind: Set(token::Kind::Installation),
        installation_id: Set(Some(installation)),
        repository_selection: Set(Some(token::Selection::Selected)),
        hint: Set("wxyz".to_owned()),
        created_at: Set(1),
        expires_at: Set(Some(3601)),
        ..Default::default()
    };
    let token = token::Entity::insert(token).exec(on).await?.last_insert_id;
    let link = token_repository::ActiveModel {
        token_id: Set(token),
        repository_id: Set(repository),
    };
    token_repository::Entity::insert(link).exec(on).await?;
    Ok(())
}

async fn delivery(on: &Transaction, app: i64, installation: i64) -> Result<(), DbErr> {
    let delivery = webhook_delivery::ActiveModel {
        guid: Set("0b989ba4-242f-11e5-81e1-c7b6966d2516".to_owned()),
        app_id: Set(app),
        installation_id: Set(Some(installation)),
        event: Set("pull_request_review_comment".to_owned()),
        action: Set(Some("created".to_owned())),
        payload: Set("{}".to_owned()),
        created_at: Set(1),
        next_attempt_at: Set(1),
        ..Default::default()
    };
    webhook_delivery::Entity::insert(delivery).exec(on).await?;
    Ok(())
}

/// A draft with an iteration, in the project that `fields` made.
async fn items(on: &Transaction, user: i64) -> Result<(), DbErr> {
    let span = project_field_iteration::Entity::find().one(on).await?;
    let span = span.ok_or_else(|| DbErr::RecordNotFound("an iteration".to_owned()))?;
    let project = project::Entity::find().one(on).await?;
    let project = project.ok_or_else(|| DbErr::RecordNotFound("a project".to_owned()))?;
    let item = project_item::ActiveModel {
        project_id: Set(project.id),
        draft_title: Set(Some("Measure the grip".to_owned())),
        draft_body: Set(Some("With gloves".to_owned())),
        creator_id: Set(Some(user)),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let item = project_item::Entity::insert(item)
        .exec(on)
        .await?
        .last_insert_id;
    let value = project_item_value::ActiveModel {
        item_id: Set(item),
        field_id: Set(span.field_id),
        iteration_id: Set(Some(span.id)),
        ..Default::default()
    };
    project_item_value::Entity::insert(value).exec(on).await?;
    Ok(())
}
