//! Injection: every parameter of every operation, with input for the database, a shell,
//! the file system and headers.

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

/// Fills in a path template: with hostile input in every parameter, or only in the one with
/// this number.
fn fill_path(template: &str, hostile: &str, only: Option<usize>) -> String {
    let mut number = 0;
    let part = |part: &str| {
        if !part.starts_with('{') {
            return part.to_owned();
        }
        number += 1;
        let valid = match part {
            "{org}" | "{owner}" => "acme",
            "{repo}" => "gadgets",
            "{username}" => "alice",
            "{ref}" => "heads/main",
            _ => "1",
        };
        match only {
            Some(only) if only != number => valid.to_owned(),
            _ => encoded(hostile),
        }
    };
    template.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn check(answer: &Answer, request: &str) {
    assert!(answer.status.as_u16() < 500, "{request}: {}", answer.text);
    assert_eq!(answer.header("set-cookie"), None, "{request}");
    for (name, value) in &answer.headers {
        let bytes = value.as_bytes();
        assert!(
            !bytes.contains(&b'\n') && !bytes.contains(&b'\r'),
            "{request}: {name}"
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
            // Requests that change something get only paths that match nothing.
            let parameters = template.matches('{').count();
            let only = (1..=parameters).map(Some).chain([None]);
            for only in only.filter(|only| !changes || only.is_none()) {
                if changes && parameters == 0 {
                    continue;
                }
                let path = fill_path(&template, hostile, only);
                let query: Vec<_> = queries
                    .iter()
                    .map(|name| format!("{name}={}", encoded(hostile)))
                    .collect();
                let url = format!("{path}?{}", query.join("&"));
                let body = changes.then(|| hostile_body(hostile).to_string());
                let answer = alice.send(method.clone(), &url, body).await;
                check(&answer, &format!("{method} {url}"));
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
async fn hostile_text_is_stored_verbatim() {
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

/// `%` and `_` are literal characters, and no reference begins with them.
#[tokio::test]
async fn a_prefix_is_not_a_pattern() {
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

/// `Link` and `Location` repeat names and queries; neither can end a header.
#[tokio::test]
async fn no_name_or_query_can_inject_a_header() {
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
    let created = alice.post("/repos/acme/gadgets/git/refs", body).await;
    let created = created.expect(201);
    check(&created, odd);
    assert_eq!(created.json()["ref"], odd);
    let url = created.json()["url"].as_str().unwrap().to_owned();
    let path = url.splitn(4, '/').nth(3).unwrap().to_owned();
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
