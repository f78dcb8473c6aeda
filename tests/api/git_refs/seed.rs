//! Git data for these tests, created with the Git layer's own builder.
//!
//! ```text
//! root ── main          refs/heads/main, the default branch
//!     └── side          refs/heads/side
//! main ── ahead         no reference
//!      └─ workflow ── after_workflow
//!                       no reference; `workflow` adds a workflow file
//! ```

use std::collections::BTreeMap;

use git::Sha;
use git::build::{self, TreeChanges};
use git::graph::{NewCommit, add_commits};
use git::ident::Ident;
use git::objects::Object;
use git::store::{load_commit, store_objects};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::entities::{git_ref, pull, repository};

use crate::harness::{Service, WORLD};

/// acme/widgets: private; carol and the app may write to it.
pub const WIDGETS: i64 = 2001;
/// acme/gadgets: public.
pub const GADGETS: i64 = 2002;

const TESS: Ident<'_> = Ident {
    name: "Tess Ter",
    email: "tess@example.com",
    seconds: 1_700_000_000,
    offset_minutes: 60,
};

/// The SHAs of the created objects.
pub struct History {
    pub root: String,
    pub main: String,
    pub side: String,
    pub ahead: String,
    pub workflow: String,
    pub after_workflow: String,
    pub tree: String,
    pub blob: String,
    pub other_blob: String,
    /// An annotated tag of `root`, `refs/tags/v1`.
    pub tag: String,
    /// An annotated tag of that tag, without a reference.
    pub tag_of_tag: String,
}

/// A service whose acme/gadgets has a history; acme/widgets has none.
pub async fn gadgets() -> (Service, History) {
    let service = start().await;
    let history = create_history(&service, GADGETS).await;
    (service, history)
}

/// A service without Git data, with two more tokens.
pub async fn start() -> Service {
    let tokens = "
  - {kind: classic, user: alice, scopes: [repo], value: alice-repo-only}
  - {kind: oauth, user: alice, scopes: [repo], value: alice-oauth}
";
    let world = format!("{}{tokens}", WORLD.trim_end());
    Service::with(&world, forge::app::Settings::default()).await
}

/// Creates the history in a repository.
pub async fn create_history(service: &Service, repository: i64) -> History {
    let transaction = service.app.db.begin().await.unwrap();
    let writer = Writer {
        transaction: &transaction,
        repository,
    };
    let root = writer.commit(&[], &[("README.md", "one\n")]).await;
    let main = writer.commit(&[root], &[("README.md", "two\n")]).await;
    let side = writer.commit(&[root], &[("side.txt", "side\n")]).await;
    let ahead = writer.commit(&[main], &[("README.md", "three\n")]).await;
    let workflow = (".github/workflows/ci.yml", "on: push\n");
    let workflow = writer.commit(&[main], &[workflow]).await;
    let after_workflow = [("README.md", "four\n")];
    let after_workflow = writer.commit(&[workflow], &after_workflow).await;
    let blob = Object::blob(b"loose\n".to_vec());
    let other_blob = Object::blob(b"looser\n".to_vec());
    let tag = build::tag("v1", root, ObjectKind::Commit, &TESS, "Release one").write();
    let tag_of_tag = build::tag("v1-again", tag.sha(), ObjectKind::Tag, &TESS, "Again").write();
    let objects = [&blob, &other_blob, &tag, &tag_of_tag].map(Clone::clone);
    store_objects(&transaction, repository, &objects)
        .await
        .unwrap();
    let tree = load_commit(&transaction, repository, root)
        .await
        .unwrap()
        .tree;
    writer
        .insert_ref("refs/heads/main", main, ObjectKind::Commit)
        .await;
    writer
        .insert_ref("refs/heads/side", side, ObjectKind::Commit)
        .await;
    writer
        .insert_ref("refs/tags/v1", tag.sha(), ObjectKind::Tag)
        .await;
    transaction.commit().await.unwrap();
    History {
        root: root.to_string(),
        main: main.to_string(),
        side: side.to_string(),
        ahead: ahead.to_string(),
        workflow: workflow.to_string(),
        after_workflow: after_workflow.to_string(),
        tree: tree.to_string(),
        blob: blob.sha().to_string(),
        other_blob: other_blob.sha().to_string(),
        tag: tag.sha().to_string(),
        tag_of_tag: tag_of_tag.sha().to_string(),
    }
}

/// Inserts a reference without the checks of the API.
pub async fn insert_ref(
    service: &Service,
    repository: i64,
    name: &str,
    sha: &str,
    kind: ObjectKind,
) {
    let transaction = service.app.db.begin().await.unwrap();
    let writer = Writer {
        transaction: &transaction,
        repository,
    };
    writer.insert_ref(name, sha.parse().unwrap(), kind).await;
    transaction.commit().await.unwrap();
}

/// Changes the row of a repository.
pub async fn update_repository(
    service: &Service,
    repository: i64,
    change: impl FnOnce(&mut repository::ActiveModel),
) {
    let transaction = service.app.db.begin().await.unwrap();
    let row = repository::Entity::find_by_id(repository)
        .one(&*transaction)
        .await
        .unwrap()
        .unwrap();
    let mut row = row.into_active_model();
    change(&mut row);
    row.update(&*transaction).await.unwrap();
    transaction.commit().await.unwrap();
}

/// Archives the repository, which makes it read-only.
pub async fn archive(service: &Service, repository: i64) {
    update_repository(service, repository, |row| row.archived = Set(true)).await;
}

/// Opens a pull request in acme/gadgets.
pub async fn open_pull(service: &Service, number: i64, head: &str, head_sha: &str) -> i64 {
    let transaction = service.app.db.begin().await.unwrap();
    let row = pull::ActiveModel {
        repository_id: Set(GADGETS),
        number: Set(number),
        title: Set("A change".to_owned()),
        author_id: Set(1001),
        base_ref: Set("main".to_owned()),
        base_sha: Set(head_sha.to_owned()),
        head_ref: Set(head.to_owned()),
        head_sha: Set(head_sha.to_owned()),
        state: Set(pull::PullState::Open),
        created_at: Set(1),
        updated_at: Set(1),
        ..Default::default()
    };
    let row = row.insert(&*transaction).await.unwrap();
    transaction.commit().await.unwrap();
    row.id
}

struct Writer<'a> {
    transaction: &'a Connection,
    repository: i64,
}

impl Writer<'_> {
    async fn commit(&self, parents: &[Sha], files: &[(&str, &str)]) -> Sha {
        let (on, repository) = (self.transaction, self.repository);
        let base = match parents.first() {
            Some(first) => Some(load_commit(on, repository, *first).await.unwrap().tree),
            None => None,
        };
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        let changes = TreeChanges {
            set: files.collect::<BTreeMap<_, _>>(),
            delete: Vec::new(),
        };
        let built = build::edit_tree(on, repository, base, &changes)
            .await
            .unwrap();
        let commit = build::commit(
            built.tree,
            parents.to_vec(),
            &TESS,
            &TESS,
            "A commit\n\nWhy",
        );
        let object = commit.write();
        let sha = object.sha();
        let objects = [built.objects, vec![object]].concat();
        store_objects(on, repository, &objects).await.unwrap();
        add_commits(on, repository, &[NewCommit::new(sha, &commit)])
            .await
            .unwrap();
        sha
    }

    async fn insert_ref(&self, name: &str, sha: Sha, kind: ObjectKind) {
        let row = git_ref::ActiveModel {
            repository_id: Set(self.repository),
            name: Set(name.to_owned()),
            sha: Set(sha.to_string()),
            kind: Set(kind),
            updated_at: Set(1),
            ..Default::default()
        };
        row.insert(self.transaction).await.unwrap();
    }
}

/// Inserts many branches into acme/gadgets without the checks of the API.
pub async fn add_branches(on: &Connection, sha: &str, names: impl Iterator<Item = String>) {
    let rows: Vec<_> = names
        .map(|name| git_ref::ActiveModel {
            repository_id: Set(GADGETS),
            name: Set(name),
            sha: Set(sha.to_owned()),
            kind: Set(ObjectKind::Commit),
            updated_at: Set(0),
            ..Default::default()
        })
        .collect();
    for chunk in rows.chunks(500) {
        let rows = git_ref::Entity::insert_many(chunk.to_vec());
        rows.exec_without_returning(on).await.unwrap();
    }
}
