//! Injection: every parameter of every operation, with input for the database, a shell,
//! the file system and headers.

use forgewright::contract;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use poem::http::Method;
use serde_json::{Value, json};

use super::{alice, start};
use crate::harness::Answer;
use crate::support::tables::dump;

const HOSTILE: [&str; 12] = [
    "' OR '1'='1",
    "'; DROP TABLE account; --",
    "\") OR 1=1 --",
    "1; SELECT pg_sleep(10)",
    "' || (SELECT hash FROM token LIMIT 1) || '",
    "\\'; --",
    "$1",
    "%",
    "../../../../etc/passwd",
    "$(touch /tmp/forged)`id`",
    "a\r\nSet-Cookie: forged=1",
    "{{7*7}}${7*7}\u{202e}\u{feff}",
];

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Method, path template, and names of the query parameters of each operation.
fn operations() -> Vec<(Method, String, Vec<String>)> {
    let mut found = Vec::new();
    for document in [contract::service(), contract::companion()] {
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let Ok(method) = method.to_uppercase().parse::<Method>() else {
                    continue;
                };
                let parameters = operation["parameters"].as_array();
                let queries = parameters.into_iter().flatten();
                let queries = queries.filter(|parameter| parameter["in"] == "query");
                let names = queries.map(|parameter| parameter["name"].as_str().unwrap().to_owned());
                found.push((method, path.clone(), names.collect()));
            }
        }
    }
    found
}

/// The path with each parameter as hostile as it gets, or good for something.
fn filled(template: &str, hostile: &str, only: Option<usize>) -> String {
    let mut number = 0;
    let part = |part: &str| {
        if !part.starts_with('{') {
            return part.to_owned();
        }
        number += 1;
        let good = match part {
            "{org}" | "{owner}" => "acme",
            "{repo}" => "gadgets",
            "{username}" => "alice",
            "{ref}" => "heads/main",
            _ => "1",
        };
        match only {
            Some(only) if only != number => good.to_owned(),
            _ => encoded(hostile),
        }
    };
    template.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn check(answer: &Answer, what: &str) {
    assert!(answer.status.as_u16() < 500, "{what}: {}", answer.text);
    assert_eq!(answer.header("set-cookie"), None, "{what}");
    for (name, value) in &answer.headers {
        let bytes = value.as_bytes();
        assert!(
            !bytes.contains(&b'\n') && !bytes.contains(&b'\r'),
            "{what}: {name}"
        );
    }
}

#[tokio::test]
async fn no_parameter_of_any_operation_reaches_the_database_as_sql() {
    let service = start().await;
    let before = dump(&service.app.db).await;
    let alice = alice(&service);
    for (method, template, queries) in operations() {
        let changes = method != Method::GET;
        for hostile in HOSTILE {
            // What changes something is only given paths that name nothing.
            let parameters = template.matches('{').count();
            let only = (1..=parameters).map(Some).chain([None]);
            for only in only.filter(|only| !changes || only.is_none()) {
                if changes && parameters == 0 {
                    continue;
                }
                let path = filled(&template, hostile, only);
                let query: Vec<_> = queries
                    .iter()
                    .map(|name| format!("{name}={}", encoded(hostile)))
                    .collect();
                let address = format!("{path}?{}", query.join("&"));
                let body = changes.then(|| hostile_body(hostile).to_string());
                let answer = alice.send(method.clone(), &address, body).await;
                check(&answer, &format!("{method} {address}"));
            }
        }
    }
    assert_eq!(dump(&service.app.db).await, before);
}

fn hostile_body(hostile: &str) -> Value {
    json!({
        "name": hostile, "data_type": hostile, "description": hostile, "visibility": hostile,
        "body": hostile, "path": hostile, "commit_id": hostile, "side": hostile,
        "ref": hostile, "sha": hostile, "repositories": [hostile],
    })
}

#[tokio::test]
async fn text_is_kept_as_it_was_written_and_means_nothing() {
    let service = start().await;
    let alice = alice(&service);
    for hostile in HOSTILE {
        let body = json!({"name": hostile, "description": hostile, "data_type": "text"});
        let answer = alice.post("/orgs/acme/issue-fields", body).await;
        check(&answer, hostile);
        if answer.status.is_success() {
            assert_eq!(answer.json()["name"], hostile);
            assert_eq!(answer.json()["description"], hostile);
        }
    }
    alice.get("/orgs/acme/issue-fields").await.expect(200);
}

/// `%` and `_` find what begins with them: nothing.
#[tokio::test]
async fn a_prefix_is_no_pattern() {
    let service = start().await;
    for prefix in [
        "heads/%25",
        "heads/_ain",
        "heads/m%2A",
        "%25",
        "heads/[m]ain",
    ] {
        let path = format!("/repos/acme/gadgets/git/matching-refs/{prefix}");
        let answer = service.anonymous().get(&path).await.expect(200);
        assert_eq!(answer.json(), json!([]), "{prefix}");
    }
}

/// Names and queries come back in `Link` and `Location`; neither can end a header.
#[tokio::test]
async fn no_name_or_query_gets_out_of_its_header() {
    let service = start().await;
    let alice = alice(&service);
    let sha = alice
        .get("/repos/acme/gadgets/git/ref/heads/main")
        .await
        .expect(200)
        .json()["object"]["sha"]
        .clone();
    for name in ["refs/heads/a\r\nX: y", "refs/heads/a\nb", "refs/heads/a\tb"] {
        let body = json!({"ref": name, "sha": sha});
        alice
            .post("/repos/acme/gadgets/git/refs", body)
            .await
            .expect(422);
    }
    let odd = "refs/heads/ü\"'<>;,#%🚀";
    let body = json!({"ref": odd, "sha": sha});
    let made = alice.post("/repos/acme/gadgets/git/refs", body).await;
    let made = made.expect(201);
    check(&made, odd);
    assert_eq!(made.json()["ref"], odd);
    let address = made.json()["url"].as_str().unwrap().to_owned();
    let path = address.splitn(4, '/').nth(3).unwrap().to_owned();
    alice.get(&format!("/{path}")).await.expect(200);
    let query = "per_page=1&x=%0d%0aSet-Cookie:%20a=b&y=<>;,\"";
    let list = format!(
        "/orgs/acme/projectsV2/1/fields?{}",
        query.replace(['<', '>', '"'], "%3C")
    );
    let page = alice.get(&list).await.expect(200);
    check(&page, query);
    let link = page.header("link").unwrap();
    assert!(
        link.contains("%0d%0aSet-Cookie") && link.contains("rel=\"next\""),
        "{link}"
    );
}
