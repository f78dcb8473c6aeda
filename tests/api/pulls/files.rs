//! The files and commits of pull requests, and their diffs and patches.

use forge::app::Settings;
use serde_json::json;

use super::{PULLS, create_pull, start, tip};
use crate::harness::Service;

#[tokio::test]
async fn list_pull_files_200_since_the_merge_base() {
    let service = start().await;
    create_pull(&service, "alice", "topic").await;
    let path = format!("{PULLS}/1/files");
    let files = service.anonymous().get(&path).await.expect(200).json();
    let names = files
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["filename"]);
    assert_eq!(names.collect::<Vec<_>>(), ["README.md", "new.txt"]);
    let readme = &files[0];
    assert_eq!(readme["status"], "modified");
    let patch = "@@ -2,4 +2,4 @@ one\n two\n three\n four\n-five\n+FIVE";
    assert_eq!(readme["patch"], patch);
    let counts = ["additions", "deletions", "changes"].map(|key| readme[key].as_i64());
    assert_eq!(counts, [1, 1, 2].map(Some));
    let head = tip(&service, "topic").await;
    let url = readme["contents_url"].as_str().unwrap();
    assert!(
        url.ends_with(&format!("/contents/README.md?ref={head}")),
        "{url}"
    );
    let paged = format!("{path}?per_page=1&page=2");
    let answer = service.anonymous().get(&paged).await.expect(200);
    assert!(answer.header("link").unwrap().contains("rel=\"prev\""));
    assert_eq!(answer.json()[0]["filename"], "new.txt");
    let past = format!("{path}?page=9");
    let none = service.anonymous().get(&past).await.expect(200).json();
    assert_eq!(none, json!([]));
}

#[tokio::test]
async fn list_pull_files_200_unchanged_by_the_merge() {
    let service = start().await;
    let created = create_pull(&service, "alice", "topic").await;
    let path = format!("{PULLS}/1/files");
    let before = service.anonymous().get(&path).await.expect(200).json();
    super::merge(&service, "alice", &created["number"], json!({}))
        .await
        .expect(200);
    let after = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(before, after);
}

#[tokio::test]
async fn list_pull_files_404_when_absent_or_hidden() {
    let service = start().await;
    let absent = format!("{PULLS}/9/files");
    service.as_("alice").get(&absent).await.expect(404);
    let hidden = "/repos/acme/widgets/pulls/1/files";
    service.as_("mallory").get(hidden).await.expect(404);
}

#[tokio::test]
async fn list_pull_commits_200_oldest_first_before_and_after_the_merge() {
    let service = start().await;
    let created = create_pull(&service, "alice", "topic").await;
    let path = format!("{PULLS}/1/commits");
    let commits = service.anonymous().get(&path).await.expect(200).json();
    let count = created["commits"].as_u64().unwrap();
    let listed = commits.as_array().unwrap();
    assert_eq!(listed.len() as u64, count);
    let last = listed.last().unwrap();
    assert_eq!(last["sha"], tip(&service, "topic").await.as_str());
    let one = format!("{path}?per_page=1");
    let first = service.anonymous().get(&one).await.expect(200).json();
    assert_eq!(first, json!([commits[0]]));
    super::merge(&service, "alice", &created["number"], json!({}))
        .await
        .expect(200);
    let after = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(after, commits);
}

#[tokio::test]
async fn list_pull_commits_404_when_absent_or_hidden() {
    let service = start().await;
    let absent = format!("{PULLS}/9/commits");
    service.as_("alice").get(&absent).await.expect(404);
    let hidden = "/repos/acme/widgets/pulls/1/commits";
    service.as_("mallory").get(hidden).await.expect(404);
}

const DIFF: &str = "application/vnd.github.diff";
const PATCH: &str = "application/vnd.github.v3.patch";

#[tokio::test]
async fn get_pull_200_as_a_diff_or_a_patch() {
    let service = start().await;
    create_pull(&service, "alice", "topic").await;
    let path = format!("{PULLS}/1");
    let diff = service
        .anonymous()
        .header("Accept", DIFF)
        .get(&path)
        .await
        .expect(200);
    let content_type = diff.header("content-type").unwrap();
    assert!(content_type.starts_with(DIFF), "{content_type}");
    assert!(
        diff.text
            .starts_with("diff --git a/README.md b/README.md\n"),
        "{}",
        diff.text
    );
    assert!(
        diff.text.ends_with("@@ -0,0 +1 @@\n+new\n"),
        "{}",
        diff.text
    );
    let patch = service
        .anonymous()
        .header("Accept", PATCH)
        .get(&path)
        .await
        .expect(200);
    assert_eq!(
        patch.text.matches("\nSubject: [PATCH ").count(),
        2,
        "{}",
        patch.text
    );
    let first = patch.text.find("[PATCH 1/2] First").unwrap();
    assert!(first < patch.text.find("[PATCH 2/2] Second").unwrap());
}

#[tokio::test]
async fn get_pull_406_when_the_diff_is_too_large() {
    let files: Vec<_> = (0..301).map(|file| format!("f{file}: \"x\\n\"")).collect();
    let world = super::WORLD.replace("new.txt: \"new\\n\"", &files.join(", "));
    let service = Service::with(&world, Settings::default()).await;
    create_pull(&service, "alice", "topic").await;
    let path = format!("{PULLS}/1");
    for media_type in [DIFF, PATCH] {
        let caller = service.anonymous().header("Accept", media_type);
        let answer = caller.get(&path).await.expect(406);
        assert!(
            answer.message().starts_with("Sorry, the diff exceeded"),
            "{media_type}"
        );
    }
    let pull = service.anonymous().get(&path).await.expect(200).json();
    // Lines are counted in the first 300 files.
    assert_eq!(
        (&pull["changed_files"], &pull["additions"]),
        (&json!(302), &json!(300))
    );
    let files = format!("{path}/files?per_page=100&page=4");
    let listed = service.anonymous().get(&files).await.expect(200).json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
}
