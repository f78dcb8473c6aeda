//! Mistakes of those who begin, and the cure that their explanation names. The responses are as
//! they were.

use serde_json::{Value, json};

use super::{GADGETS, entry, start};
use crate::harness::{Answer, Server, Service};

const HEAD: &str = "1111111111111111111111111111111111111111";

/// The explanation of an answer, and its advice, as one text.
async fn explained(service: &Service, answer: &Answer) -> String {
    let explanation = entry(service, answer).await["explanation"].clone();
    let steps = explanation["steps"].as_array().unwrap();
    let advice = steps
        .iter()
        .flat_map(|step| step["advice"].as_array().unwrap());
    let advice = advice.map(|advice| advice["sentence"].as_str().unwrap());
    let line = explanation["line"].as_str().unwrap();
    assert!(!line.contains('\n'), "{line}");
    [line]
        .into_iter()
        .chain(advice)
        .collect::<Vec<_>>()
        .join("\n")
}

async fn assert_explained(service: &Service, answer: &Answer, words: &[&str]) {
    let text = explained(service, answer).await;
    for word in words {
        assert!(text.contains(word), "no {word:?} in {text}");
    }
}

#[tokio::test]
async fn a_reference_that_is_not_found_is_told_by_its_right_name() {
    let service = start().await;
    let alice = service.as_("classic-administrator");
    for (name, words) in [
        ("refs/heads/main", "use `heads/main`"),
        ("main", "use `heads/main`"),
        ("heads/main/", "use `heads/main`"),
        ("nothing", "`heads/main` or `tags/v1`"),
        ("heads/mian", "did you mean `heads/main`?"),
    ] {
        let path = format!("{GADGETS}/git/ref/{name}");
        let answer = alice.get(&path).await.expect(404);
        assert_eq!(answer.message(), "Not Found");
        assert_explained(&service, &answer, &[words]).await;
    }
    let path = format!("{GADGETS}/git/refs/refs/heads/main");
    let answer = alice.delete(&path).await.expect(422);
    assert_eq!(answer.message(), "Reference does not exist");
    assert_explained(&service, &answer, &["use `heads/main`"]).await;
}

#[tokio::test]
async fn a_reference_that_is_not_accepted_names_what_is_in_its_way() {
    let service = start().await;
    let alice = service.as_("classic-administrator");
    let main = alice
        .get(&format!("{GADGETS}/git/ref/heads/main"))
        .await
        .expect(200)
        .json();
    let sha = main["object"]["sha"].as_str().unwrap();
    let create = async |name: &str, sha: &str| {
        let body = json!({"ref": name, "sha": sha});
        alice.post(&format!("{GADGETS}/git/refs"), body).await
    };
    let blocked = create("refs/heads/main/x", sha).await.expect(422);
    assert_eq!(blocked.message(), "Reference update failed");
    assert_explained(
        &service,
        &blocked,
        &["beside refs/heads/main:", "another name"],
    )
    .await;
    create("refs/heads/folder/x", sha).await.expect(201);
    let folder = create("refs/heads/folder", sha).await.expect(422);
    assert_explained(&service, &folder, &["beside refs/heads/folder/x:"]).await;
    let short = create("main", sha).await.expect(422);
    assert_explained(&service, &short, &["Send `refs/heads/main`."]).await;
    let absent = create("refs/heads/new", HEAD).await.expect(422);
    assert_explained(&service, &absent, &["no such object", "Push the commit"]).await;
}

#[tokio::test]
async fn a_path_of_another_kind_is_told_by_the_right_one() {
    let service = start().await;
    let alice = service.as_("classic-administrator");
    for (path, words) in [
        ("/users/acme/projectsV2/1/fields", "begins with /orgs/acme"),
        (
            "/orgs/alice/projectsV2/1/fields",
            "begins with /users/alice",
        ),
        ("/orgs/alice/issue-fields", "alice is a user"),
        ("/orgs/alice", "begins with /users/alice"),
        ("/repos/acme/gadgets/pulls/1/", "Leave out the slash"),
        (
            "/repos/acme/gadgets/pulls/one",
            "Send a number for `pull_number`.",
        ),
        ("/app", "forgewright token sign"),
    ] {
        let answer = alice.get(path).await;
        assert!([401, 404].contains(&answer.status.as_u16()), "{path}");
        assert_explained(&service, &answer, &[words]).await;
    }
}

#[tokio::test]
async fn the_number_of_an_issue_is_told_from_that_of_a_pull_request() {
    let service = start().await;
    let alice = service.as_("classic-administrator");
    let path = format!("{GADGETS}/issues");
    let issue = alice
        .post(&path, json!({"title": "An issue"}))
        .await
        .expect(201)
        .json();
    let number = &issue["number"];
    for rest in ["", "/comments", "/reviews"] {
        let path = format!("{GADGETS}/pulls/{number}{rest}");
        let answer = alice.get(&path).await.expect(404);
        let use_issue = format!("Use /issues/{number}");
        assert_explained(&service, &answer, &["is an issue", &use_issue]).await;
    }
}

#[tokio::test]
async fn every_violation_of_a_body_is_explained() {
    let service = start().await;
    let alice = service.as_("classic-administrator");
    let fields = "/orgs/acme/issue-fields";
    let body = json!({"name": "Severity", "data_type": "single_select"});
    let answer = alice.post(fields, body).await.expect(422);
    assert_explained(
        &service,
        &answer,
        &["Validation Failed; options: ", "Change `options`"],
    )
    .await;
    let answer = alice.post(fields, json!({"name": 1})).await.expect(422);
    let text = explained(&service, &answer).await;
    for line in answer.message().lines().filter(|line| !line.is_empty()) {
        assert!(
            text.contains(line.trim_end_matches('.')),
            "{line} in {text}"
        );
    }
}

#[tokio::test]
async fn values_that_name_fields_as_keys_get_the_shape_that_is_meant() {
    let service = start().await;
    let alice = service.as_("classic-administrator");
    let path = format!("{GADGETS}/issues");
    let issue = alice
        .post(&path, json!({"title": "An issue"}))
        .await
        .expect(201)
        .json();
    let path = format!("{GADGETS}/issues/{}/issue-field-values", issue["number"]);
    let shape = r#"{"issue_field_values": [{"field_id": ID, "value": VALUE}]}"#;
    for (status, body) in [
        (200, json!({"Priority": "High"})),
        (422, json!({"issue_field_values": {"Priority": "High"}})),
        (422, json!({"issue_field_values": [{"Priority": "High"}]})),
    ] {
        let answer = alice.post(&path, body).await.expect(status);
        assert_explained(&service, &answer, &[shape, "GET /orgs/acme/issue-fields"]).await;
    }
}

#[tokio::test]
async fn a_header_without_a_scheme_is_told_from_an_unknown_token() {
    let service = start().await;
    for (header, words) in [
        ("ghp_0123456789abcdef", "has no scheme"),
        ("Digest ghp_0123456789abcdef", "another scheme"),
    ] {
        let client = service.anonymous().header("authorization", header);
        let answer = client.get("/user").await.expect(401);
        assert_eq!(answer.message(), "Bad credentials");
        let text = explained(&service, &answer).await;
        assert!(text.contains(words), "{text}");
        assert!(text.contains("Authorization: Bearer"), "{text}");
        assert!(!text.contains("abcdef"), "{text}");
    }
}

#[tokio::test]
async fn a_refusal_of_graphql_is_no_success() {
    let service = start().await;
    // The documents do not describe GraphQL.
    let server = Server::new(service.app.clone());
    let alice = server.as_("classic-administrator");
    let query = json!({"query": "{ repository(owner: \"acme\", name: \"gadgets\") { id } }"});
    let answer = alice.post("/graphql", query).await.expect(200);
    let shown = entry(&service, &answer).await;
    let steps: Vec<&Value> = shown["explanation"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert_eq!(steps.last().unwrap()["outcome"], "refused", "{shown:#}");
    assert_explained(&service, &answer, &["Field 'repository'", "REST API"]).await;
    let query = json!({"query": "{ viewer { login } }"});
    let answer = alice.post("/graphql", query).await.expect(200);
    assert!(explained(&service, &answer).await.contains("allowed"));
}

#[tokio::test]
async fn no_explanation_outgrows_the_journal() {
    let service = start().await;
    let long = "a".repeat(7_000);
    let alice = service.as_("classic-administrator");
    for _ in 0..300 {
        alice
            .get(&format!("{GADGETS}/git/ref/{long}/{long}"))
            .await
            .expect(404);
    }
    let journal = service.app.tools.as_ref().unwrap().journal.clone();
    let kept = journal.find(&forge::journal::ExchangeFilter::default(), 1000);
    let texts = kept.iter().map(|entry| {
        let explanation = entry.explanation.as_ref().unwrap();
        let steps = explanation.steps.iter().map(|step| step.sentence.len());
        entry.uri.path().len() + explanation.line.len() + steps.sum::<usize>()
    });
    assert!(texts.sum::<usize>() <= forge::journal::MOST_BYTES);
}
