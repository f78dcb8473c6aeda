//! Events of installations, which apps get without a subscription.

use serde_json::json;

use super::{names, start};

#[tokio::test]
async fn add_installation_repository_204_sends_one_event_to_the_app() {
    let service = start().await;
    let path = "/user/installations/7001/repositories/2002";
    for _ in 0..2 {
        service.as_("alice").put(path).await.expect(204);
    }
    let queued = service.queued().await;
    assert_eq!(names(&queued), [(6001, "installation_repositories.added")]);
    let payload = &queued[0].payload;
    assert_eq!(payload["installation"]["id"], 7001);
    assert_eq!(payload["repository_selection"], "selected");
    assert_eq!(
        payload["repositories_added"][0]["full_name"],
        "acme/widgets"
    );
    assert_eq!(payload["repositories_removed"], json!([]));
    assert_eq!(payload["sender"]["login"], "alice");
}

#[tokio::test]
async fn remove_installation_repository_204_sends_an_event_unless_refused() {
    let service = start().await;
    let [last, other] =
        [2001, 2002].map(|id| format!("/user/installations/7001/repositories/{id}"));
    service.as_("alice").delete(&last).await.expect(422);
    assert_eq!(names(&service.queued().await), []);
    service.as_("alice").put(&other).await.expect(204);
    service.as_("alice").delete(&last).await.expect(204);
    let queued = service.queued().await;
    assert_eq!(queued[1].name, "installation_repositories.removed");
    let removed = &queued[1].payload["repositories_removed"];
    assert_eq!(removed[0]["full_name"], "acme/gadgets");
}
