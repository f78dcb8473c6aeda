//! Content that the caller may not read is hidden.

use serde_json::{Value, json};

use super::{ITEMS, start};

#[tokio::test]
async fn get_org_project_item_200_without_content_that_the_caller_may_not_read() {
    let service = start().await;
    let path = format!("{ITEMS}/5504?fields=0,5001");
    for token in ["mallory", "alice-public", "alice-projects", "board"] {
        let item = service.as_(token).get(&path).await.expect(200);
        assert!(!item.text.contains("secret"), "{token}: {}", item.text);
        assert!(!item.text.contains("widgets"), "{token}: {}", item.text);
        let item = item.json();
        assert_eq!(item["content"], Value::Null, "{token}");
        assert_eq!(item["fields"], json!([]), "{token}");
        assert_eq!(item["content_type"], "Issue");
    }
    let item = service.anonymous().get(&path).await.expect(200);
    assert_eq!(item.json()["content"], Value::Null);
    for token in ["alice", "bob-classic"] {
        let item = service.as_(token).get(&path).await.expect(200).json();
        assert_eq!(item["content"]["title"], "A secret", "{token}");
        assert_eq!(item["fields"][1]["value"]["name"]["raw"], "Todo");
    }
}

#[tokio::test]
async fn add_org_project_item_422_when_the_issue_cannot_be_read() {
    let service = start().await;
    let hidden = json!({"type": "Issue", "owner": "acme", "repo": "widgets", "number": 1});
    let absent = json!({"type": "Issue", "owner": "acme", "repo": "nothing", "number": 1});
    let token = service.as_("alice-public");
    let hidden = token.post(ITEMS, hidden).await.expect(422);
    let absent = token.post(ITEMS, absent).await.expect(422);
    assert_eq!(hidden.json(), absent.json());
}

#[tokio::test]
async fn deleting_an_issue_deletes_its_item() {
    let service = start().await;
    let sql = "DELETE FROM issue WHERE repository_id = 2001";
    service.execute(sql).await;
    let path = format!("{ITEMS}/5504");
    service.as_("alice").get(&path).await.expect(404);
}
