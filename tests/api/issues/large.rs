//! Lists of issues with the longest descriptions.

use contract::json::{LARGEST, OMITTED};
use forge::app::Settings;

use crate::harness::Service;

/// Descriptions of control characters, which take six bytes each in JSON.
fn world() -> String {
    let issue = |number: u32, body: &str| {
        format!("      - {{number: {number}, title: T, author: alice, body: {body}}}\n")
    };
    let first = issue(1, &format!("&long \"{}\"", "\\x01".repeat(65_536)));
    let others: String = (2..=100).map(|number| issue(number, "*long")).collect();
    let head = "users: [{id: 1001, login: alice}]\n\
                repositories:\n  - full_name: alice/notes\n    visibility: public\n    issues:\n";
    [head, &first, &others].concat()
}

#[tokio::test]
async fn list_issues_200_omits_the_descriptions_that_are_too_much_for_a_page() {
    let service = Service::with(&world(), Settings::default()).await;
    let path = "/repos/alice/notes/issues";
    let page = service
        .anonymous()
        .get(&format!("{path}?per_page=100"))
        .await;
    let page = page.expect(200);
    assert!(page.text.len() < LARGEST + (1 << 20), "{}", page.text.len());
    let issues = page.json();
    let issues = issues.as_array().unwrap();
    assert_eq!(issues.len(), 100);
    let whole = issues.iter().filter(|issue| issue["body"] != OMITTED);
    assert!(
        whole
            .clone()
            .all(|issue| issue["body"].as_str().unwrap().len() == 65_536)
    );
    assert!((80..=LARGEST / (6 * 65_536)).contains(&whole.count()));
    let last = service.anonymous().get(&format!("{path}/1")).await;
    assert_eq!(
        last.expect(200).json()["body"].as_str().unwrap().len(),
        65_536
    );
}
