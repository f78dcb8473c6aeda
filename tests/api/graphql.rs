//! GraphQL, as far as `gh auth status` needs it: the login of the token's user.

use forge::app::Settings;
use poem::http::Method;
use serde_json::json;

use crate::harness::Service;

/// An app whose installation is suspended.
const SUSPENDED: &str = "
users: [{login: alice}]
organizations: [{login: acme, members: [{login: alice, role: admin}]}]
apps: [{slug: helper, name: Helper, owner: acme}]
installations: [{app: helper, account: acme, suspended_by: alice}]
tokens: [{kind: installation, app: helper, account: acme, expires_in: 3600, value: suspended}]
";

/// What `gh auth status` sends.
const QUERY: &str = "query UserCurrent{viewer{login}}";

#[tokio::test]
async fn graphql_returns_the_viewer_at_every_path() {
    let service = Service::start().await.undocumented();
    for path in ["/graphql", "/api/graphql", "/api/v3/graphql"] {
        for (token, login) in [
            ("alice-classic", "alice"),
            ("alice-scopeless", "alice"),
            ("bob-oauth", "bob"),
            ("alice-fine", "alice"),
            ("alice-app-user", "alice"),
            ("ci-bot-installation", "ci-bot[bot]"),
        ] {
            let caller = service.as_(token);
            let answer = caller
                .post(path, json!({ "query": QUERY }))
                .await
                .expect(200);
            assert_eq!(answer.json(), json!({"data": {"viewer": {"login": login}}}));
            assert!(answer.header("x-github-request-id").is_some());
        }
    }
}

#[tokio::test]
async fn graphql_rejects_unsupported_fields_with_githubs_error() {
    let service = Service::start().await.undocumented();
    let body = json!({"query": "query A($n: Int) {\n  repository(name: \"a\") { id }\n}", "variables": {"n": 1}});
    let answer = service.as_("alice-classic").post("/graphql", body).await;
    assert_eq!(
        answer.expect(200).json(),
        json!({"errors": [{
            "path": ["query A", "repository"],
            "extensions": {"code": "undefinedField", "typeName": "Query", "fieldName": "repository"},
            "locations": [{"line": 2, "column": 3}],
            "message": "Field 'repository' doesn't exist on type 'Query'",
        }]})
    );
}

#[tokio::test]
async fn graphql_requires_a_credential_and_a_query() {
    let service = Service::start().await;
    let query = json!({ "query": QUERY });
    let anonymous = service.anonymous().post("/graphql", query.clone()).await;
    assert_eq!(anonymous.expect(401).message(), "Requires authentication");
    let suspended = Service::with(SUSPENDED, Settings::default()).await;
    let suspended = suspended.as_("suspended");
    let refused = suspended.post("/graphql", query.clone()).await.expect(403);
    assert_eq!(refused.message(), "This installation has been suspended");
    let unknown = service
        .as_("nobody")
        .post("/api/graphql", query.clone())
        .await;
    assert_eq!(unknown.expect(401).message(), "Bad credentials");

    let alice = service.as_("alice-classic");
    let without = alice.post("/graphql", json!({"query": null})).await;
    let message = "A query attribute must be specified and must be a string.";
    assert_eq!(without.expect(400).message(), message);
    let broken = alice.send(Method::POST, "/graphql", Some("{".to_owned()));
    assert_eq!(broken.await.expect(400).message(), "Problems parsing JSON");
    alice.get("/graphql").await.expect(404);
    alice.post("/graphql/", query.clone()).await.expect(404);
    alice.post("/api/graphql/x", query).await.expect(404);
    for bytes in [128 << 10, 1 << 20, 2 << 20] {
        let long = json!({"query": " ".repeat(bytes)});
        alice.post("/graphql", long).await.expect(413);
    }
}

#[tokio::test]
async fn graphql_bounds_its_errors() {
    let service = Service::start().await.undocumented();
    let alice = service.as_("alice-scopeless");
    let (name, wrong) = ("n".repeat(100_000), "a ".repeat(1_500));
    let query = format!("query {name} {{{wrong}}}");
    let answer = alice.post("/graphql", json!({ "query": query })).await;
    let answer = answer.expect(200);
    assert!(answer.text.len() < 100_000, "{}", answer.text.len());
    assert_eq!(answer.json()["errors"].as_array().unwrap().len(), 100);
    let nested = format!("{}a{}", "{a".repeat(40_000), "}".repeat(40_000));
    let answer = alice.post("/graphql", json!({ "query": nested })).await;
    let error = &answer.expect(200).json()["errors"][0];
    assert_eq!(error["type"], "RESOURCE_LIMITS_EXCEEDED");
}

#[tokio::test]
async fn graphql_has_a_schema() {
    let service = Service::start().await.undocumented();
    let query = "{__type(name: \"User\") {fields {name type {kind ofType {name}}}}}";
    let answer = service
        .as_("alice-scopeless")
        .post("/api/graphql", json!({ "query": query }))
        .await;
    let login =
        json!({"name": "login", "type": {"kind": "NON_NULL", "ofType": {"name": "String"}}});
    assert_eq!(
        answer.expect(200).json(),
        json!({"data": {"__type": {"fields": [login]}}})
    );
}
