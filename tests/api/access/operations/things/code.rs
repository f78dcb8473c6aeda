//! Git data, files, and the reports of apps on commits.

use poem::http::Method;
use serde_json::{Value, json};

use super::Things;

impl Things<'_> {
    pub(super) async fn code(&self, word: &str) -> String {
        match word {
            "ref" => self.reference().await,
            "branch" => "main".to_owned(),
            "new_branch" => self.branch("side").await,
            "basehead" => "main...topic".to_owned(),
            "sha" => self.either().await,
            "commit_sha" => self.sha_of("heads/main").await,
            "tag_sha" => self.sha_of("tags/v1").await,
            "tree_sha" => self.commit().await["tree"]["sha"]
                .as_str()
                .unwrap()
                .to_owned(),
            "file_sha" => self.readme().await,
            "path" => self.path(),
            "dir" => self.directory().await.to_owned(),
            "blob" => self.file(self.known("path")).await,
            "check_run_id" => self.check_run().await["id"].to_string(),
            "check_suite_id" => self.check_run().await["check_suite"]["id"].to_string(),
            word => panic!("nothing is known as {word}"),
        }
    }

    async fn read(&self, rest: &str) -> Value {
        let path = format!("{}/{rest}", self.repository());
        self.administrator().get(&path).await.expect(200).json()
    }

    pub(super) async fn sha_of(&self, name: &str) -> String {
        let found = self.read(&format!("git/ref/{name}")).await;
        found["object"]["sha"].as_str().unwrap().to_owned()
    }

    /// One commit and the other in turn, so that there is something to move.
    async fn either(&self) -> String {
        let branch = match self.nth.is_multiple_of(2) {
            true => "heads/topic",
            false => "heads/main",
        };
        self.sha_of(branch).await
    }

    async fn commit(&self) -> Value {
        let sha = self.sha_of("heads/main").await;
        self.read(&format!("git/commits/{sha}")).await
    }

    async fn readme(&self) -> String {
        let found = self.read("contents/README.md").await;
        found["sha"].as_str().unwrap().to_owned()
    }

    /// What is read, moved or deleted; deleted are new ones only.
    async fn reference(&self) -> String {
        match self.operation {
            "list_matching_refs" => "heads".to_owned(),
            "get_ref" | "find_refs" => "heads/topic".to_owned(),
            "update_ref" | "update_ref_alias" => "heads/moving".to_owned(),
            "delete_ref" | "delete_ref_alias" => {
                format!("heads/{}", self.branch("side").await)
            }
            _ => "main".to_owned(),
        }
    }

    fn path(&self) -> String {
        match self.operation {
            "get_content" => "README.md".to_owned(),
            _ => format!("new/{}.md", self.unique()),
        }
    }

    /// A folder with a file to read; 422 if it is there already.
    async fn directory(&self) -> &'static str {
        let path = format!("{}/contents/docs/README.md", self.repository());
        let body = json!({"message": "Introduce", "content": "SGk="});
        let body = Some(body.to_string());
        self.administrator().send(Method::PUT, &path, body).await;
        "docs"
    }

    /// By write-bot, which alone may change it.
    async fn check_run(&self) -> Value {
        let path = format!("{}/check-runs", self.repository());
        let body = json!({"name": self.unique(), "head_sha": self.sha_of("heads/main").await});
        let app = self.service.as_("installation-write");
        self.make(app, &path, body).await
    }
}
