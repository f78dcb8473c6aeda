//! Filters of the list of items.

use super::{ITEMS, errors, invalid, list_ids, list_ids_as, start};

#[tokio::test]
async fn list_org_project_items_200_with_the_items_that_match_a_filter() {
    let service = start().await;
    for (q, expected) in [
        ("", vec![5501, 5502, 5503, 5504]),
        ("is:issue", vec![5501, 5504]),
        ("is:pr", vec![5503]),
        ("is:draft", vec![5502]),
        ("is:pr,draft", vec![5502, 5503]),
        ("-is:issue", vec![5502, 5503]),
        ("is:open", vec![5501, 5502, 5503, 5504]),
        ("is:closed", vec![]),
        ("is:merged", vec![]),
        ("-is:merged", vec![5501, 5502, 5503, 5504]),
        ("state:OPEN", vec![5501, 5502, 5503, 5504]),
        ("-state:closed", vec![5501, 5502, 5503, 5504]),
        ("is:archived", vec![5505]),
        ("is:archived state:closed", vec![5505]),
        ("is:archived is:open", vec![]),
        ("-is:archived is:pr", vec![5503]),
        ("label:bug", vec![5501]),
        ("label:BUG,hush", vec![5501, 5504]),
        ("label:\"needs oil\"", vec![5501]),
        ("-label:bug", vec![5502, 5503, 5504]),
        ("no:label", vec![5502, 5503]),
        ("-no:label", vec![5501, 5504]),
        ("assignee:Alice", vec![5501]),
        ("assignee:alice,bob", vec![5501, 5503]),
        ("-assignee:alice", vec![5502, 5503, 5504]),
        ("no:assignee", vec![5502, 5504]),
        ("repo:acme/Gadgets", vec![5501, 5503]),
        ("-repo:acme/gadgets", vec![5502, 5504]),
        ("repo:acme/nothing", vec![]),
        ("SQUEAK", vec![5501]),
        ("-squeak", vec![5502, 5503, 5504]),
        ("\"a digit\"", vec![5503]),
        ("the handle", vec![5501]),
        ("\"\"", vec![5501, 5502, 5503, 5504]),
        ("100%", vec![]),
        ("_", vec![]),
        ("status:todo", vec![5504]),
        ("status:\"in progress\",Todo", vec![5501, 5504]),
        ("-status:Todo", vec![5501, 5502, 5503]),
        ("status:bogus", vec![]),
        ("no:status", vec![5502, 5503]),
        ("points:3", vec![5501]),
        ("points:>2", vec![5501]),
        ("points:>=3", vec![5501]),
        ("points:<3", vec![]),
        ("points:1..5", vec![5501]),
        ("-points:3", vec![5502, 5503, 5504]),
        ("due:2026-03-20", vec![5501]),
        ("due:<2026-03-20", vec![]),
        ("cycle:\"iteration 1\"", vec![5501]),
        ("details:\"ASK first\"", vec![5502]),
        ("priority:high", vec![5501]),
        ("no:priority", vec![5502, 5503, 5504]),
        ("label:bug points:3 squeaks", vec![5501]),
        ("label:bug is:pr", vec![]),
    ] {
        let query: String = url::form_urlencoded::byte_serialize(q.as_bytes()).collect();
        let query = format!("?q={query}");
        assert_eq!(list_ids(&service, &query).await, expected, "{q}");
    }
}

#[tokio::test]
async fn list_org_project_items_422_when_a_filter_is_invalid() {
    let service = start().await;
    let too_long = "x".repeat(1025);
    let too_many = "x%20".repeat(33);
    for q in [
        "bogus:1",
        "is:bogus",
        "state:merged",
        "no:bogus",
        "is:archived,open",
        "points:many",
        "points:1..",
        "due:tomorrow",
        "label:",
        "%22open",
        &too_long,
        &too_many,
    ] {
        let answer = service.as_("alice").get(&format!("{ITEMS}?q={q}")).await;
        let answer = answer.expect(422);
        assert_eq!(errors(&answer), invalid("q"), "{q}");
    }
    let answer = service
        .as_("alice")
        .get(&format!("{ITEMS}?q=bogus:1"))
        .await;
    assert!(answer.text.contains("bogus"), "{}", answer.text);
}

#[tokio::test]
async fn list_org_project_items_200_without_hidden_items_for_any_filter() {
    let service = start().await;
    for q in [
        "label:hush",
        "secret",
        "-label:bug",
        "status:todo",
        "repo:acme/widgets",
    ] {
        let listed = list_ids_as(&service, "mallory", &format!("?q={q}")).await;
        assert!(!listed.contains(&5504), "{q}");
    }
}
