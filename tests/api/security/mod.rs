//! The claims of `README.md`, which `docs/security.md` summarizes. Permissions and the ids of other
//! tenants are tested in `tests/api/access/`, parsers on random input in `tests/parsers/`.

mod browsers;
mod expense;
mod injection;
mod late_bodies;
mod markup;
mod permits;
mod secrets;

use crate::harness::{Client, START, Service};
use contract::values::Timestamp;
use forge::access::jwt;
use forge::app::Settings;
use serde_json::json;

const DEMO: &str = include_str!("../../../crates/world/src/demo.yaml");
const PRIVATE_KEY: &str = include_str!("../../../crates/world/src/demo.pem");

const ALICE: &str = "ghp_demo_alice_admin";

/// The demo world, which has something of everything.
async fn start() -> Service {
    Service::with(DEMO, Settings::default()).await
}

/// A JSON web token of `ci-bot`.
fn jwt() -> String {
    let now = Timestamp::parse(START).unwrap().0;
    let claims = json!({"iat": now - 60, "exp": now + 540, "iss": "Iv23demo"});
    let key = jwt::private_key(PRIVATE_KEY.as_bytes()).unwrap();
    jwt::sign(&claims, &key).unwrap()
}

fn alice(service: &Service) -> Client<'_> {
    service.as_(ALICE)
}

/// A claim whose test was renamed or removed is a claim without a test.
#[test]
fn every_test_that_the_documentation_names_exists() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("tests/api/security/README.md")).unwrap();
    let mut code = String::new();
    collect(&root.join("tests"), &mut code);
    collect(&root.join("crates"), &mut code);
    collect(&root.join("src"), &mut code);
    let mut named = 0;
    for code_span in page.split('`').skip(1).step_by(2) {
        if code_span.contains('/') && code_span.ends_with(".rs") {
            assert!(root.join(code_span).exists(), "{code_span}");
        } else if code_span.matches('_').count() >= 4 {
            assert!(code.contains(&format!("fn {code_span}(")), "{code_span}");
            named += 1;
        }
    }
    assert!(named > 15, "the page names {named} tests");
}

fn collect(folder: &std::path::Path, code: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, code);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            code.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}
