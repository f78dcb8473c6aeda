//! Ids of another tenant, in paths and in bodies. The caller may do everything in both
//! organizations, so only the id itself is wrong. Neither organization may change.

use serde_json::{Value, json};

use super::operations::new_comment;
use super::{jwt, start};
use crate::harness::{Answer, Service};

const ACME: &str = "/repos/acme/gadgets";
const GLOBEX: &str = "/repos/globex/rockets";

/// The lists in which a change of either organization would show.
const EVERYTHING: [&str; 10] = [
    "/orgs/acme/issue-fields",
    "/orgs/globex/issue-fields",
    "/orgs/acme/projectsV2/1/fields",
    "/orgs/acme/projectsV2/2/fields",
    "/orgs/globex/projectsV2/1/fields",
    "/repos/acme/gadgets/pulls/comments",
    "/repos/acme/widgets/pulls/comments",
    "/repos/globex/rockets/pulls/comments",
    "/repos/acme/gadgets/git/matching-refs",
    "/repos/globex/rockets/git/matching-refs",
];

/// Two tenants, and their contents before the test.
struct Tenants {
    service: Service,
    before: Vec<String>,
    /// The ids of a comment in acme and of one in globex.
    ours: Value,
    theirs: Value,
}

impl Tenants {
    async fn begin() -> Self {
        let service = start().await;
        let ours = comment_in(&service, ACME).await;
        let theirs = comment_in(&service, GLOBEX).await;
        let before = everything(&service).await;
        Self {
            service,
            before,
            ours,
            theirs,
        }
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.service.as_("olivia-classic").post(path, body).await
    }

    async fn patch(&self, path: &str, body: Value) -> Answer {
        self.service.as_("olivia-classic").patch(path, body).await
    }

    async fn get(&self, path: &str) -> Answer {
        self.service.as_("olivia-classic").get(path).await
    }

    async fn delete(&self, path: &str) -> Answer {
        self.service.as_("olivia-classic").delete(path).await
    }

    async fn put(&self, path: &str) -> Answer {
        self.service.as_("olivia-classic").put(path).await
    }

    #[track_caller]
    fn assert_same(&self, after: &[String]) {
        assert_eq!(self.before, after);
    }
}

async fn comment_in(service: &Service, repository: &str) -> Value {
    let body = new_comment(service, repository).await;
    let path = format!("{repository}/pulls/1/comments");
    let comment = service
        .as_("olivia-classic")
        .post(&path, body)
        .await
        .expect(201);
    comment.json()["id"].clone()
}

async fn everything(service: &Service) -> Vec<String> {
    let mut texts = Vec::new();
    for path in EVERYTHING {
        texts.push(
            service
                .as_("olivia-classic")
                .get(path)
                .await
                .expect(200)
                .text,
        );
    }
    for installation in [7001, 7101] {
        let path = format!("/user/installations/{installation}/repositories");
        let client = service.as_("olivia-write-bot");
        texts.push(client.get(&path).await.expect(200).text);
    }
    texts
}

async fn assert_unchanged(tenants: &Tenants) {
    tenants.assert_same(&everything(&tenants.service).await);
}

#[tokio::test]
async fn get_org_project_field_404_when_the_field_belongs_to_another_project() {
    let tenants = Tenants::begin().await;
    for (project, field) in [
        ("/orgs/acme/projectsV2/1", 5101),
        ("/orgs/acme/projectsV2/1", 5002),
        ("/orgs/acme/projectsV2/1", 5003),
        ("/orgs/globex/projectsV2/1", 5001),
    ] {
        let path = format!("{project}/fields/{field}");
        tenants.get(&path).await.expect(404);
    }
}

#[tokio::test]
async fn get_user_project_field_404_when_the_field_belongs_to_another_project() {
    let service = start().await;
    let alice = service.as_("classic-administrator");
    alice
        .get("/users/alice/projectsV2/1/fields/5003")
        .await
        .expect(200);
    for field in [5001, 5004] {
        let path = format!("/users/alice/projectsV2/1/fields/{field}");
        alice.get(&path).await.expect(404);
    }
}

#[tokio::test]
async fn add_org_project_field_422_when_the_issue_field_belongs_to_another_organization() {
    let tenants = Tenants::begin().await;
    let fields = "/orgs/acme/projectsV2/1/fields";
    let body = json!({"issue_field_id": 4101});
    let answer = tenants.post(fields, body).await.expect(422);
    let unknown = json!({"issue_field_id": 999_999});
    let for_unknown = tenants.post(fields, unknown).await.expect(422);
    assert_eq!(
        answer.text, for_unknown.text,
        "the answer reveals that the field exists"
    );
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn update_issue_field_404_when_the_field_belongs_to_another_organization() {
    let tenants = Tenants::begin().await;
    let body = json!({"name": "Taken"});
    let path = "/orgs/acme/issue-fields/4101";
    tenants.patch(path, body).await.expect(404);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn update_issue_field_422_when_an_option_belongs_to_another_organization() {
    let tenants = Tenants::begin().await;
    let theirs = tenants.get("/orgs/globex/issue-fields").await.json();
    let option = |id: &Value| json!({"id": id, "name": "Taken", "color": "red", "priority": 1});
    let body = json!({"options": [option(&theirs[0]["options"][0]["id"])]});
    let path = "/orgs/acme/issue-fields/4001";
    tenants.patch(path, body).await.expect(422);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn delete_issue_field_404_when_the_field_belongs_to_another_organization() {
    let tenants = Tenants::begin().await;
    tenants
        .delete("/orgs/acme/issue-fields/4101")
        .await
        .expect(404);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn get_review_comment_404_when_the_comment_belongs_to_another_repository() {
    let tenants = Tenants::begin().await;
    let path = format!("{ACME}/pulls/comments/{}", tenants.theirs);
    tenants.get(&path).await.expect(404);
    let path = format!("/repos/acme/widgets/pulls/comments/{}", tenants.ours);
    tenants.get(&path).await.expect(404);
}

#[tokio::test]
async fn update_review_comment_404_when_the_comment_belongs_to_another_repository() {
    let tenants = Tenants::begin().await;
    let path = format!("{ACME}/pulls/comments/{}", tenants.theirs);
    let body = json!({"body": "Taken"});
    tenants.patch(&path, body).await.expect(404);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn delete_review_comment_404_when_the_comment_belongs_to_another_repository() {
    let tenants = Tenants::begin().await;
    let path = format!("{ACME}/pulls/comments/{}", tenants.theirs);
    tenants.delete(&path).await.expect(404);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn reply_to_review_comment_404_when_the_comment_belongs_to_another_repository() {
    let tenants = Tenants::begin().await;
    let path = format!("{ACME}/pulls/1/comments/{}/replies", tenants.theirs);
    let body = json!({"body": "Taken"});
    tenants.post(&path, body).await.expect(404);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn create_review_comment_422_when_it_replies_to_a_comment_of_another_repository() {
    let tenants = Tenants::begin().await;
    let path = format!("{ACME}/pulls/1/comments");
    let body = json!({"body": "Taken", "in_reply_to": tenants.theirs});
    tenants.post(&path, body).await.expect(422);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn create_review_comment_422_when_the_commit_belongs_to_another_repository() {
    let tenants = Tenants::begin().await;
    let mut body = new_comment(&tenants.service, ACME).await;
    body["commit_id"] = new_comment(&tenants.service, GLOBEX).await["commit_id"].clone();
    let path = format!("{ACME}/pulls/1/comments");
    tenants.post(&path, body).await.expect(422);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn create_ref_422_when_the_object_belongs_to_another_repository() {
    let tenants = Tenants::begin().await;
    let sha = new_comment(&tenants.service, GLOBEX).await["commit_id"].clone();
    let body = json!({"ref": "refs/heads/taken", "sha": sha});
    let path = format!("{ACME}/git/refs");
    tenants.post(&path, body).await.expect(422);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn update_ref_422_when_the_object_belongs_to_another_repository() {
    let tenants = Tenants::begin().await;
    let sha = new_comment(&tenants.service, GLOBEX).await["commit_id"].clone();
    let path = format!("{ACME}/git/refs/heads/moving");
    let body = json!({"sha": sha, "force": true});
    tenants.patch(&path, body).await.expect(422);
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn list_user_installation_repositories_404_when_the_installation_belongs_to_another_app() {
    let service = start().await;
    let olivia = service.as_("olivia-write-bot");
    for (installation, status) in [(7001, 200), (7101, 200), (7002, 404), (7006, 404)] {
        let path = format!("/user/installations/{installation}/repositories");
        olivia.get(&path).await.expect(status);
    }
    let alice = service.as_("app-user-administrator-write");
    let path = "/user/installations/7101/repositories";
    alice.get(path).await.expect(404);
}

#[tokio::test]
async fn add_installation_repository_404_when_the_repository_belongs_to_another_account() {
    let tenants = Tenants::begin().await;
    for (installation, repository) in [(7001, 2101), (7101, 2003), (7001, 2004)] {
        let path = format!("/user/installations/{installation}/repositories/{repository}");
        tenants.put(&path).await.expect(404);
    }
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn remove_installation_repository_404_when_the_repository_belongs_to_another_account() {
    let tenants = Tenants::begin().await;
    for (installation, repository) in [(7001, 2101), (7101, 2002)] {
        let path = format!("/user/installations/{installation}/repositories/{repository}");
        tenants.delete(&path).await.expect(404);
    }
    assert_unchanged(&tenants).await;
}

#[tokio::test]
async fn create_installation_token_404_when_the_installation_belongs_to_another_app() {
    let service = start().await;
    let app = service.as_(&jwt(540));
    for (installation, status) in [(7001, 201), (7002, 404), (7006, 404)] {
        let path = format!("/app/installations/{installation}/access_tokens");
        app.post(&path, json!({})).await.expect(status);
    }
}

#[tokio::test]
async fn create_installation_token_422_when_a_repository_belongs_to_another_account() {
    let service = start().await;
    let app = service.as_(&jwt(540));
    let path = "/app/installations/7001/access_tokens";
    for narrowed in [
        json!({"repository_ids": [2101]}),
        json!({"repository_ids": [2001, 2101]}),
        json!({"repositories": ["rockets"]}),
    ] {
        app.post(path, narrowed).await.expect(422);
    }
}

#[tokio::test]
async fn get_app_installation_404_when_it_belongs_to_another_app() {
    let service = start().await;
    let app = service.as_(&jwt(540));
    for (installation, status) in [(7001, 200), (7002, 404)] {
        let path = format!("/app/installations/{installation}");
        app.get(&path).await.expect(status);
    }
}
