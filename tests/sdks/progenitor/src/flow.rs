//! Uses all five areas with the generated clients, to check that they match the server.

#![deny(warnings)]

use forgewright_sdk::{companion, service};
use reqwest::header::{AUTHORIZATION, HeaderMap};
use service::types::{
    AddSelectOption, AddSingleSelectField, CreateIssueFieldOption, IssueFieldColor, IssueFieldType,
    ProjectOptionColor, PullReviewCommentSort, ReviewComment, Side, SingleSelectType,
    SortDirection,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn http(token: &str) -> reqwest::Client {
    let mut headers = HeaderMap::new();
    let bearer = format!("Bearer {token}").parse().expect("a header");
    headers.insert(AUTHORIZATION, bearer);
    let builder = reqwest::Client::builder().default_headers(headers);
    builder.build().expect("a client")
}

fn url() -> String {
    std::env::var("FORGEWRIGHT_URL").expect("FORGEWRIGHT_URL")
}

fn client(token: &str) -> service::Client {
    service::Client::new_with_client(&url(), http(token))
}

fn alice() -> service::Client {
    client("ghp_demo_alice_admin")
}

fn lookups() -> companion::Client {
    companion::Client::new_with_client(&url(), http("ghp_demo_alice_admin"))
}

/// The message of an error response.
fn error_message<T: std::fmt::Debug>(
    result: Result<T, progenitor_client::Error<service::types::Failure>>,
) -> String {
    match result {
        Err(progenitor_client::Error::ErrorResponse(response)) => response.into_inner().message,
        other => panic!("{other:?}"),
    }
}

async fn project_fields() -> Outcome {
    let alice = alice();
    let option = AddSelectOption::builder()
        .name("Good")
        .color(ProjectOptionColor::Green);
    let field: AddSingleSelectField = AddSingleSelectField::builder()
        .name("Mood")
        .data_type(SingleSelectType::SingleSelect)
        .single_select_options(vec![option.try_into()?])
        .try_into()?;
    let add = alice.add_org_project_field().org("acme").project_number(1);
    let field = add.body(field).send().await?.into_inner();
    assert_eq!(field.options[0].name.raw, "Good");
    let get = alice.get_org_project_field().org("acme");
    let again = get.project_number(1).field_id(field.id).send().await?;
    assert_eq!(again.name, "Mood");
    let list = alice.list_org_project_fields().org("acme");
    let listed = list.project_number(1).per_page(100).send().await?;
    assert_eq!(listed.last().map(|field| field.id), Some(field.id));
    Ok(())
}

async fn issue_fields() -> Outcome {
    let alice = alice();
    let option = CreateIssueFieldOption::builder()
        .name("Low")
        .color(IssueFieldColor::Green)
        .priority(1);
    let option: CreateIssueFieldOption = option.try_into()?;
    let create = alice.create_issue_field().org("acme").body_map(|body| {
        body.name("Risk")
            .data_type(IssueFieldType::SingleSelect)
            .options(vec![option])
    });
    let field = create.send().await?.into_inner();
    let update = alice.update_issue_field().org("acme");
    let update = update.issue_field_id(field.id);
    let changed = update
        .body_map(|body| body.description("How bad it can get".to_owned()))
        .send()
        .await?;
    assert_eq!(changed.description.as_deref(), Some("How bad it can get"));
    let delete = alice.delete_issue_field().org("acme");
    delete.issue_field_id(field.id).send().await?;
    let left = alice.list_issue_fields().org("acme").send().await?;
    assert!(!left.is_empty() && left.iter().all(|one| one.id != field.id));
    Ok(())
}

async fn review_comments() -> Outcome {
    let alice = alice();
    let lookups = lookups();
    let pull = lookups.get_pull().owner("acme").repo("gadgets");
    let pull = pull.pull_number(1).send().await?.into_inner();
    assert!(pull.commits > 0 && pull.additions > 0);
    let create = alice.create_review_comment().owner("acme").repo("gadgets");
    let create = create.pull_number(1).body_map(|body| {
        body.body("Well **done**")
            .commit_id(pull.head.sha.clone())
            .path("README.md".to_owned())
            .line(2)
            .side(Side::Right)
    });
    let comment: ReviewComment = create.send().await?.into_inner();
    assert_eq!(comment.original_line, Some(2));
    let reply = alice
        .reply_to_review_comment()
        .owner("acme")
        .repo("gadgets");
    let reply = reply.pull_number(1).comment_id(comment.id);
    let reply = reply.body_map(|body| body.body("Thanks")).send().await?;
    assert_eq!(reply.in_reply_to_id, Some(comment.id));
    let update = alice.update_review_comment().owner("acme").repo("gadgets");
    let update = update.comment_id(comment.id);
    let changed = update
        .body_map(|body| body.body("Well *done*"))
        .send()
        .await?;
    assert_eq!(changed.body.as_deref(), Some("Well *done*"));
    let list = alice
        .list_pull_review_comments()
        .owner("acme")
        .repo("gadgets");
    let list = list.pull_number(1).sort(PullReviewCommentSort::Created);
    let newest = list
        .direction(SortDirection::Desc)
        .per_page(1)
        .send()
        .await?;
    assert_eq!(newest[0].id, reply.id);
    let delete = alice.delete_review_comment().owner("acme").repo("gadgets");
    delete.comment_id(comment.id).send().await?;
    let gone = alice.get_review_comment().owner("acme").repo("gadgets");
    assert_eq!(
        error_message(gone.comment_id(comment.id).send().await),
        "Not Found"
    );
    Ok(())
}

async fn git_refs() -> Outcome {
    let alice = alice();
    let sha = async |name: &str| -> Result<String, Box<dyn std::error::Error>> {
        let get = alice.get_ref().owner("acme").repo("gadgets").ref_(name);
        Ok(get.send().await?.into_inner().object.sha)
    };
    let main = sha("heads/main").await?;
    let topic = sha("heads/feature/a").await?;
    let create = alice.create_ref().owner("acme").repo("gadgets");
    let create = create.body_map(|body| body.ref_("refs/heads/sdk/try").sha(main));
    assert_eq!(create.send().await?.ref_, "refs/heads/sdk/try");
    let update = || {
        let update = alice.update_ref().owner("acme").repo("gadgets");
        update.ref_("heads/sdk/try")
    };
    let nowhere = update().body_map(|body| body.sha("0".repeat(40)));
    assert_eq!(error_message(nowhere.send().await), "Object does not exist");
    let moved = update().body_map(|body| body.sha(topic.clone()).force(true));
    assert_eq!(moved.send().await?.object.sha, topic);
    let matching = alice.list_matching_refs().owner("acme").repo("gadgets");
    let matching = matching.ref_("heads/sdk").send().await?;
    assert_eq!(matching.len(), 1);
    let delete = alice.delete_ref().owner("acme").repo("gadgets");
    delete.ref_("heads/sdk/try").send().await?;
    Ok(())
}

async fn installations() -> Outcome {
    let (alice, user) = (alice(), client("ghu_demo_alice_ci_bot"));
    let seen = user.list_user_installations().send().await?.into_inner();
    let installation = &seen.installations[0];
    assert_eq!(installation.app_slug, "ci-bot");
    let mine = user.list_user_installation_repositories();
    let mine = mine.installation_id(installation.id).send().await?;
    let lookups = lookups();
    let empty = lookups.get_repository().owner("acme").repo("empty");
    let empty = empty.send().await?.id;
    let add = alice.add_installation_repository();
    let add = add.installation_id(installation.id).repository_id(empty);
    add.send().await?;
    let app = client("ghs_demo_ci_bot_acme");
    let reached = app.list_installation_repositories().send().await?;
    assert_eq!(reached.total_count, mine.total_count + 1);
    let remove = alice.remove_installation_repository();
    let remove = remove.installation_id(installation.id).repository_id(empty);
    remove.send().await?;
    app.revoke_installation_token().send().await?;
    let refused = app.list_installation_repositories().send().await;
    assert_eq!(error_message(refused), "Bad credentials");
    Ok(())
}

async fn companion_operations() -> Outcome {
    let root = lookups().get_root().send().await?;
    assert!(root.current_user_url.ends_with("/user"));
    let versions = lookups().list_versions().send().await?;
    assert_eq!(versions.as_slice(), ["2022-11-28", "2026-03-10"]);
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    project_fields().await?;
    issue_fields().await?;
    review_comments().await?;
    git_refs().await?;
    installations().await?;
    companion_operations().await?;
    println!("ok: all five areas and the companion operations");
    Ok(())
}
