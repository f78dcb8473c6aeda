//! Tokens that the operator creates, lists and revokes.

use std::collections::BTreeSet;

use contract::caller::{Level, Permissions};
use contract::values::Timestamp;
use forge::tokens;
use forge::tokens::{CreatedToken, NewToken, Repositories, Terms, TokenError, Which};
use sea_orm::EntityTrait;
use storage::entities::token;

use crate::harness::{START, Service};

fn scopes(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn read_permission(name: &str) -> Permissions {
    [(name.to_owned(), Level::Read)].into()
}

async fn issue(service: &Service, token: NewToken) -> Result<CreatedToken, TokenError> {
    tokens::issue(&service.app, token, Terms::default()).await
}

fn bob_reads_widgets() -> NewToken {
    NewToken::FineGrained {
        user: "bob".to_owned(),
        owner: "acme".to_owned(),
        repositories: Repositories::Only(vec!["Widgets".to_owned()]),
        permissions: read_permission("metadata"),
    }
}

fn ci_bot_on_acme(repositories: &[&str]) -> NewToken {
    NewToken::Installation {
        app: "ci-bot".to_owned(),
        account: "acme".to_owned(),
        repositories: repositories.iter().map(|name| (*name).to_owned()).collect(),
        permissions: None,
    }
}

#[tokio::test]
async fn every_token_of_the_operator_may_read_metadata() {
    let service = Service::start().await;
    let fine = NewToken::FineGrained {
        user: "bob".to_owned(),
        owner: "acme".to_owned(),
        repositories: Repositories::All,
        permissions: read_permission("contents"),
    };
    let installed = NewToken::Installation {
        app: "ci-bot".to_owned(),
        account: "acme".to_owned(),
        repositories: Vec::new(),
        permissions: Some(read_permission("contents")),
    };
    for new in [fine, installed] {
        let issued = issue(&service, new).await.unwrap();
        let caller = service.as_(&issued.value);
        caller.get("/repos/acme/widgets").await.expect(200);
    }
}

#[tokio::test]
async fn each_kind_of_token_is_accepted() {
    let service = Service::start().await;
    let bob = || "bob".to_owned();
    for (new, prefix, path) in [
        (
            NewToken::Classic {
                user: bob(),
                scopes: scopes(&["repo"]),
            },
            "ghp_",
            "/repos/acme/widgets",
        ),
        (
            NewToken::Oauth {
                user: bob(),
                scopes: scopes(&["repo"]),
            },
            "gho_",
            "/repos/acme/widgets",
        ),
        (bob_reads_widgets(), "github_pat_", "/repos/acme/widgets"),
        (
            NewToken::AppUser {
                user: bob(),
                app: "ci-bot".to_owned(),
            },
            "ghu_",
            "/user/installations",
        ),
        (
            ci_bot_on_acme(&["widgets"]),
            "ghs_",
            "/installation/repositories",
        ),
    ] {
        let issued = issue(&service, new).await.unwrap();
        assert!(issued.value.starts_with(prefix), "{}", issued.value);
        service.as_(&issued.value).get(path).await.expect(200);
    }
}

#[tokio::test]
async fn only_a_hash_of_the_value_is_stored() {
    let service = Service::start().await;
    let issued = issue(&service, bob_reads_widgets()).await.unwrap();
    let row = token::Entity::find_by_id(issued.id)
        .one(service.app.db.reads())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.hash, tokens::hash(&issued.value));
    assert!(!format!("{row:?}").contains(&issued.value));
    assert!(issued.value.ends_with(&row.hint));
}

#[tokio::test]
async fn a_token_is_valid_until_it_expires() {
    let service = Service::start().await;
    let now = Timestamp::parse(START).unwrap();
    let terms = Terms {
        label: Some("for a day".to_owned()),
        expires_at: Some(Timestamp(now.0 + 86_400)),
    };
    let new = NewToken::Classic {
        user: "bob".to_owned(),
        scopes: scopes(&[]),
    };
    let issued = tokens::issue(&service.app, new, terms).await.unwrap();
    let caller = service.as_(&issued.value);
    service.clock.advance(86_399);
    caller.get("/user").await.expect(200);
    service.clock.advance(1);
    caller.get("/user").await.expect(401);
}

#[tokio::test]
async fn a_list_shows_the_holders_of_tokens_and_never_their_values() {
    let service = Service::start().await;
    let issued = issue(&service, ci_bot_on_acme(&[])).await.unwrap();
    let all = tokens::list(&service.app, 0, 100).await.unwrap();
    let last = all.last().unwrap();
    assert_eq!(last.id, issued.id);
    assert_eq!(last.holder, "ci-bot on acme");
    assert!(last.active);
    assert_eq!(all[0].holder, "alice");
    assert!(all[0].scopes.contains("repo"));
    assert!(!format!("{all:?}").contains(&issued.value));
    let rest = tokens::list(&service.app, all[0].id, 1).await.unwrap();
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].id, all[1].id);
}

#[tokio::test]
async fn a_revoked_token_is_rejected_at_its_next_use() {
    let service = Service::start().await;
    let first = issue(&service, bob_reads_widgets()).await.unwrap();
    let second = issue(&service, bob_reads_widgets()).await.unwrap();
    assert!(
        tokens::revoke(&service.app, Which::Id(first.id))
            .await
            .unwrap()
    );
    assert!(
        !tokens::revoke(&service.app, Which::Id(first.id))
            .await
            .unwrap()
    );
    service.as_(&first.value).get("/user").await.expect(401);
    service.as_(&second.value).get("/user").await.expect(200);
    let value = Which::Value(&second.value);
    assert!(tokens::revoke(&service.app, value).await.unwrap());
    service.as_(&second.value).get("/user").await.expect(401);
    let listed = tokens::list(&service.app, first.id - 1, 1).await.unwrap();
    assert!(!listed[0].active);
    let unknown = tokens::revoke(&service.app, Which::Value("nonsense")).await;
    assert!(matches!(unknown, Err(TokenError::NoToken)));
}

#[tokio::test]
async fn an_error_names_what_does_not_exist() {
    let service = Service::start().await;
    let classic = |user: &str, scope: &str| NewToken::Classic {
        user: user.to_owned(),
        scopes: scopes(&[scope]),
    };
    let installed = |app: &str, account: &str| NewToken::Installation {
        app: app.to_owned(),
        account: account.to_owned(),
        repositories: Vec::new(),
        permissions: None,
    };
    for (new, message) in [
        (classic("nobody", "repo"), "there is no user `nobody`"),
        (
            classic("acme", "repo"),
            "there is no user `acme`; it is an organization",
        ),
        (
            classic("bobb", "repo"),
            "there is no user `bobb`; did you mean `bob`?",
        ),
        (
            classic("bob", "rebo"),
            "there is no scope `rebo`; did you mean `repo`?",
        ),
        (
            installed("no-bot", "acme"),
            "there is no app `no-bot`; did you mean `ci-bot`?",
        ),
        (
            installed("ci-bot", "nobody"),
            "there is no account `nobody`",
        ),
        (
            installed("ci-bot", "alice"),
            "the app `ci-bot` is not installed on `alice`",
        ),
        (
            ci_bot_on_acme(&["gadgets"]),
            "the account or installation of the token has no repository `gadgets`",
        ),
    ] {
        let error = issue(&service, new).await.unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[tokio::test]
async fn an_error_names_a_permission_that_cannot_be_granted() {
    let service = Service::start().await;
    let fine = NewToken::FineGrained {
        user: "bob".to_owned(),
        owner: "acme".to_owned(),
        repositories: Repositories::All,
        permissions: read_permission("content"),
    };
    let installed = NewToken::Installation {
        app: "ci-bot".to_owned(),
        account: "acme".to_owned(),
        repositories: Vec::new(),
        permissions: Some([("metadata".to_owned(), Level::Write)].into()),
    };
    let unknown = "there is no permission `content` for this kind of token; did you mean \
                   `contents`?";
    let excessive = "the installation does not have the permission `metadata`";
    for (new, message) in [(fine, unknown), (installed, excessive)] {
        let error = issue(&service, new).await.unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
