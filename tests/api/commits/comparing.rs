//! Comparing two commits.

use serde_json::json;

use super::single::commit;
use super::{HIDDEN, REPO, get, values};
use crate::git_refs::seed::gadgets;

#[tokio::test]
async fn compare_commits_200_counts_commits_ahead_and_behind() {
    let (service, history) = gadgets().await;
    for (basehead, status, ahead, behind) in [
        (format!("main...{}", history.after_workflow), "ahead", 2, 0),
        (format!("{}...main", history.after_workflow), "behind", 0, 2),
        ("main...side".to_owned(), "diverged", 1, 1),
        ("main...main".to_owned(), "identical", 0, 0),
        ("acme:main...ACME:side".to_owned(), "diverged", 1, 1),
    ] {
        let found = get(&service, &format!("compare/{basehead}"))
            .await
            .expect(200);
        let found = found.json();
        assert_eq!(found["status"], status, "{basehead}");
        assert_eq!(found["ahead_by"], ahead, "{basehead}");
        assert_eq!(found["behind_by"], behind, "{basehead}");
        assert_eq!(found["total_commits"], ahead, "{basehead}");
    }
}

#[tokio::test]
async fn compare_commits_200_with_commits_and_files() {
    let (service, history) = gadgets().await;
    let path = format!("compare/side...{}", history.after_workflow);
    let found = get(&service, &path).await.expect(200).json();
    assert_eq!(found["merge_base_commit"]["sha"], history.root);
    assert_eq!(found["base_commit"]["sha"], history.side);
    let order = [
        history.main,
        history.workflow,
        history.after_workflow.clone(),
    ];
    assert_eq!(values(&found["commits"], "sha"), order);
    let since = values(&found["files"], "filename");
    assert_eq!(since, [".github/workflows/ci.yml", "README.md"]);
    let two = get(&service, &path.replace("...", "..")).await.expect(200);
    let between = values(&two.json()["files"], "filename");
    assert_eq!(between.last().map(String::as_str), Some("side.txt"));
    let second = get(&service, &format!("{path}?per_page=2&page=2")).await;
    let second = second.expect(200);
    assert_eq!(
        values(&second.json()["commits"], "sha"),
        [history.after_workflow]
    );
    assert_eq!(second.json().get("files"), None);
    assert!(second.header("link").unwrap().contains("rel=\"prev\""));
}

#[tokio::test]
async fn compare_commits_200_as_a_diff_and_as_patches() {
    let (service, history) = gadgets().await;
    let path = format!("{REPO}/compare/main...{}", history.after_workflow);
    let ask = |form: &str| {
        let accept = format!("application/vnd.github.{form}");
        let (client, path) = (service.anonymous().header("Accept", accept), path.clone());
        async move { client.get(&path).await.expect(200).text }
    };
    let diff = ask("diff").await;
    assert_eq!(diff.matches("diff --git ").count(), 2);
    assert!(diff.contains("+four\n"), "{diff}");
    let patch = ask("patch").await;
    assert!(
        patch.starts_with(&format!("From {} ", history.workflow)),
        "{patch}"
    );
    assert!(
        patch.contains("\nSubject: [PATCH 2/2] A commit\n"),
        "{patch}"
    );
    assert!(patch.contains(" create mode 100644 .github/workflows/ci.yml\n"));
}

#[tokio::test]
async fn compare_commits_404_and_409_when_there_is_nothing_to_compare() {
    let (service, history) = gadgets().await;
    for basehead in ["main", "main...nothing", "eve:main...side", "main..."] {
        get(&service, &format!("compare/{basehead}"))
            .await
            .expect(404);
    }
    let alice = service.as_("alice-classic");
    let body = json!({"message": "Alone", "tree": history.tree});
    let alone = alice.post(&format!("{REPO}/git/commits"), body).await;
    let alone = alone.expect(201).json()["sha"].as_str().unwrap().to_owned();
    let unrelated = get(&service, &format!("compare/main...{alone}")).await;
    let message = unrelated.expect(404).message();
    assert!(
        message.starts_with("No common ancestor between main"),
        "{message}"
    );
    let hidden = format!("{HIDDEN}/compare/main...side");
    service.anonymous().get(&hidden).await.expect(404);
    alice.get(&hidden).await.expect(409);
}

#[tokio::test]
async fn compare_commits_406_when_the_diff_is_too_large() {
    let (service, history) = gadgets().await;
    let long = json!([{"path": "long", "mode": "100644", "content": "x\n".repeat(20_001)}]);
    let long = commit(&service, &history.main, long).await;
    let diff = service
        .anonymous()
        .header("Accept", "application/vnd.github.diff");
    let path = format!("{REPO}/compare/main...{long}");
    diff.get(&path).await.expect(406);
}
