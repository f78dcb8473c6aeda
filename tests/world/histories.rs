//! Git data and pull requests, from the file itself and from repositories on disk.

use std::collections::BTreeMap;
use std::path::Path;

use contract::git_refs::EXAMPLE_SHA;
use git::pushes;
use sea_orm::{EntityTrait, QueryOrder};
use storage::entities::{git_ref, pull, repository, review_comment};
use world::load::{Loader, WorldSource};

use super::Setup;
use crate::support::database::with_database;
use crate::support::tables::dump;

async fn refs(setup: &Setup) -> BTreeMap<String, String> {
    let rows = git_ref::Entity::find().all(setup.db.reads()).await.unwrap();
    rows.into_iter().map(|row| (row.name, row.sha)).collect()
}

async fn only_repository(setup: &Setup) -> repository::Model {
    let row = repository::Entity::find().one(setup.db.reads()).await;
    row.unwrap().unwrap()
}

async fn only_pull(setup: &Setup) -> pull::Model {
    let row = pull::Entity::find().one(setup.db.reads()).await;
    row.unwrap().unwrap()
}

/// A world with three commits, and the branch `topic` at the commit `tip`.
fn world(tip: &str) -> String {
    format!(
        "users: [{{login: a}}]
repositories:
  - full_name: a/r
    git:
      commits:
        - {{id: one, message: One, files: {{f: \"1\\n\"}}}}
        - {{id: two, message: Two, files: {{f: \"2\\n\"}}}}
        - {{id: three, message: Three, files: {{d/f: \"3\\n\"}}}}
      refs: {{refs/heads/topic: {tip}, refs/heads/base: one}}
    pulls: [{{number: 1, title: T, author: a, base: base, head: topic}}]
"
    )
}

#[tokio::test]
async fn commits_have_the_same_sha_as_in_git() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup.try_load(&WorldSource::demo()).await.unwrap();
        let rows = git_ref::Entity::find().all(setup.db.reads()).await.unwrap();
        let sha = |name: &str| {
            let row = rows
                .iter()
                .find(|row| row.repository_id == 2002 && row.name == name);
            row.unwrap().sha.clone()
        };
        // Created by `git commit-tree` with the same files, people and dates.
        assert_eq!(
            sha("refs/tags/v0.9"),
            "8b659fb90b4e061bd36bfe3c47a8af91e0e02dcc"
        );
        assert_eq!(
            sha("refs/heads/docs/building"),
            "e150092ef98303c6a3b9cdf9270cb072740227db"
        );
        assert_eq!(
            sha("refs/heads/main"),
            "d9ca5d07751fd95f561f0b4ebc34cd6a8850b70b"
        );
        assert_eq!(sha("refs/heads/feature/a"), EXAMPLE_SHA);
        let first = pull::Entity::find_by_id(8001).one(setup.db.reads()).await;
        let first = first.unwrap().unwrap();
        assert_eq!(first.head_sha, EXAMPLE_SHA);
        assert_eq!(first.base_sha, sha("refs/heads/main"));
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_history_without_dates_is_the_same_at_every_load() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup.load(&world("two")).await;
        let before = dump(&setup.db).await;
        setup.clock.advance(86_400);
        let again = setup.load(&world("two")).await;
        assert_eq!((again.added, again.changed), (0, 0));
        assert_eq!(dump(&setup.db).await, before);
        let row = only_repository(&setup).await;
        assert_eq!(row.default_branch, "topic", "the first branch of the file");
        let pushed_at = pushes::last(setup.db.reads(), row.id).await.unwrap();
        assert_eq!(
            (pushed_at, row.open_issues_count),
            (Some(row.created_at), 1)
        );
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn moving_a_reference_updates_its_pull_request() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup.load(&world("two")).await;
        let old = only_pull(&setup).await;
        setup.clock.advance(60);
        let moved = setup.load(&world("three")).await;
        assert_eq!(
            (moved.added, moved.changed),
            (0, 2),
            "the reference and the pull request"
        );
        let new = only_pull(&setup).await;
        assert_ne!(new.head_sha, old.head_sha);
        assert_eq!(new.head_sha, refs(&setup).await["refs/heads/topic"]);
        assert_eq!(new.base_sha, old.base_sha);
        let merged = world("three").replace("title: T", "title: T, state: merged");
        setup.load(&merged).await;
        let merged = only_pull(&setup).await;
        assert_eq!(merged.merged_at, merged.closed_at);
        assert_eq!(only_repository(&setup).await.open_issues_count, 0);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_reference_below_a_stored_one_is_refused() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup.load(&world("two")).await;
        let below = world("two").replace("refs/heads/base: one", "refs/heads/base: one, refs/tags/t: one");
        setup.load(&below).await;
        let before = dump(&setup.db).await;
        let wrong = world("two").replace("refs/heads/base: one", "refs/heads/base: one, refs/tags/t/u: one");
        assert!(setup.load_error(&wrong).await.ends_with(
            "conflict with the reference `refs/tags/t`; expected a name that is neither a folder of another reference nor below one"
        ));
        assert_eq!(dump(&setup.db).await, before);
        setup.db.close().await.unwrap();
    })
    .await;
}

pub fn commit(repository: &git2::Repository, branch: &str, content: &str) -> String {
    let signature =
        git2::Signature::new("N", "n@example.com", &git2::Time::new(1_700_000_000, 60)).unwrap();
    let blob = repository.blob(content.as_bytes()).unwrap();
    let mut tree = repository.treebuilder(None).unwrap();
    tree.insert("f", blob, 0o100_644).unwrap();
    let tree = repository.find_tree(tree.write().unwrap()).unwrap();
    let name = format!("refs/heads/{branch}");
    let parent = repository
        .find_reference(&name)
        .ok()
        .map(|branch| branch.peel_to_commit().unwrap());
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    let (author, committer) = (&signature, &signature);
    let id = repository.commit(Some(&name), author, committer, content, &tree, &parents);
    id.unwrap().to_string()
}

pub fn on_disk(folder: &Path, pulls: &str) -> WorldSource {
    let file = folder.join("world.yaml");
    let text = format!(
        "users: [{{login: a}}]\nrepositories:\n  - {{full_name: a/r, git: {{path: ../r.git}}, pulls: [{pulls}]}}\n"
    );
    std::fs::write(&file, text).unwrap();
    WorldSource::file(&file)
}

#[tokio::test]
async fn a_repository_on_disk_is_imported_by_every_load() {
    with_database(async |url: &str| {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("worlds");
        std::fs::create_dir(&folder).unwrap();
        let disk = git2::Repository::init_bare(outer.path().join("r.git")).unwrap();
        disk.set_head("refs/heads/trunk").unwrap();
        let trunk = commit(&disk, "trunk", "1");
        let topic = commit(&disk, "topic", "2");
        let setup = Setup::new(url).await;
        let before = dump(&setup.db).await;
        let wrong = on_disk(
            &folder,
            "{number: 1, title: T, author: a, base: main, head: topic}",
        );
        let error = setup.try_load(&wrong).await.unwrap_err().to_string();
        assert!(
            error.ends_with(": no branch `main`; expected a branch of the repository"),
            "{error}"
        );
        assert_eq!(dump(&setup.db).await, before);
        let source = on_disk(
            &folder,
            "{number: 1, title: T, author: a, base: trunk, head: topic}",
        );
        setup.try_load(&source).await.unwrap();
        assert_eq!(only_repository(&setup).await.default_branch, "trunk");
        let row = only_pull(&setup).await;
        assert_eq!((row.base_sha, row.head_sha), (trunk, topic));
        let before = dump(&setup.db).await;
        setup.clock.advance(5);
        let again = setup.try_load(&source).await.unwrap();
        assert_eq!((again.added, again.changed), (0, 0));
        assert_eq!(dump(&setup.db).await, before);
        let next = commit(&disk, "topic", "3");
        let later = setup.try_load(&source).await.unwrap();
        assert_eq!((later.added, later.changed), (0, 2));
        assert_eq!(only_pull(&setup).await.head_sha, next);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_path_without_a_repository_is_reported_with_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("worlds");
    std::fs::create_dir(&inner).unwrap();
    let setup = Setup::new(&format!("sqlite://{}/test.db", folder.path().display())).await;
    let error = setup
        .try_load(&on_disk(&inner, ""))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("world.yaml:3:34: "), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[tokio::test]
async fn a_reply_to_a_reply_joins_its_thread_and_is_loaded_once() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let world = world("two").replace(
            "head: topic}]",
            "head: topic, comments: [
                {key: first, author: a, path: f, line: 1, body: Why?},
                {key: second, in_reply_to: first, author: a, body: Shorter.},
                {in_reply_to: second, author: a, body: Thanks.}]}]",
        );
        setup.load(&world).await;
        let again = setup.load(&world).await;
        assert_eq!((again.added, again.changed), (0, 0));
        let rows = review_comment::Entity::find()
            .order_by_asc(review_comment::Column::Id)
            .all(setup.db.reads())
            .await
            .unwrap();
        let [root, replies @ ..] = &rows[..] else {
            panic!("{rows:?}")
        };
        assert_eq!(replies.len(), 2);
        let in_thread = |row: &review_comment::Model| row.in_reply_to_id == Some(root.id);
        assert!(replies.iter().all(in_thread), "{rows:?}");
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_check_reports_the_errors_of_a_load_and_changes_nothing() {
    with_database(async |url: &str| {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("worlds");
        std::fs::create_dir(&folder).unwrap();
        let disk = git2::Repository::init_bare(outer.path().join("r.git")).unwrap();
        commit(&disk, "trunk", "1");
        commit(&disk, "topic", "2");
        let setup = Setup::new(url).await;
        let before = dump(&setup.db).await;
        let loader = Loader::new(&setup.db, &setup.clock, &setup.entropy);
        for (pull, expected) in [
            (
                "{number: 1, title: T, author: a, base: trunk, head: tropic}",
                "no branch `tropic`",
            ),
            (
                "{number: 1, title: T, author: a, base: trunk, head: topic, comments: [{author: a, body: B, path: f, line: 900}]}",
                "pull_request_review_thread.line: could not be resolved",
            ),
        ] {
            let source = on_disk(&folder, pull);
            let found = loader.check(&source).await.unwrap_err().to_string();
            assert!(found.contains(expected), "{found}");
            let error = setup.try_load(&source).await.unwrap_err().to_string();
            assert_eq!(found, error);
            assert_eq!(dump(&setup.db).await, before);
        }
        let right = "{number: 1, title: T, author: a, base: trunk, head: topic}";
        let found = loader.check(&on_disk(&folder, right)).await.unwrap();
        assert_eq!(dump(&setup.db).await, before);
        let loaded = setup.try_load(&on_disk(&folder, right)).await.unwrap();
        assert_eq!((found.added, found.changed), (loaded.added, loaded.changed));
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_second_file_adds_a_pull_request_to_an_existing_repository() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let only_pulls = "repositories: [{full_name: a/r, pulls: [{number: 2, title: T, author: a, base: base, head: topic}]}]";
        let error = setup.load_error(&format!("users: [{{login: a}}]\n{only_pulls}")).await;
        assert!(error.contains("expected a repository with commits"), "{error}");
        setup.load(&world("two")).await;
        let loaded = setup.load(only_pulls).await;
        assert_eq!((loaded.added, loaded.changed), (1, 0));
        let created: Vec<_> = loaded.created.iter().map(|created| (created.kind, &*created.name)).collect();
        assert_eq!(created, [("pull request", "#2")]);
        let missing = only_pulls.replace("head: topic", "head: tropic");
        let error = setup.load_error(&missing).await;
        assert!(error.contains("no branch `tropic`"), "{error}");
        setup.db.close().await.unwrap();
    })
    .await;
}
