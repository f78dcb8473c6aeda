//! Git data for these tests, made by the Git layer's own builder.
//!
//! ```text
//! root ── main          refs/heads/main, the default branch
//!     └── side          refs/heads/side
//! main ── ahead         no reference
//!      └─ flow ── past  no reference; `flow` adds a workflow file
//! ```

use std::collections::BTreeMap;

use forgewright::database::Transaction;
use forgewright::entities::git_object::ObjectKind;
use forgewright::entities::{git_ref, pull, repository};
use forgewright::git::Sha;
use forgewright::git::build::{self, TreeChanges};
use forgewright::git::graph::{NewCommit, add_commits};
use forgewright::git::ident::Ident;
use forgewright::git::objects::Object;
use forgewright::git::store::{load_commit, store_objects};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel};

use crate::harness::{Service, WORLD};

/// acme/widgets, private, which carol and the app may write to.
pub const WIDGETS: i64 = 2001;
/// acme/gadgets, public.
pub const GADGETS: i64 = 2002;

const TESS: Ident<'_> = Ident {
    name: "Tess Ter",
    email: "tess@example.com",
    seconds: 1_700_000_000,
    offset_minutes: 60,
};

/// The names of what was made.
pub struct History {
    pub root: String,
    pub main: String,
    pub side: String,
    pub ahead: String,
    pub flow: String,
    pub past: String,
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
    let history = fill(&service, GADGETS).await;
    (service, history)
}

/// A service without Git data, with two more tokens.
pub async fn start() -> Service {
    let tokens = "
  - {kind: classic, user: alice, scopes: [repo], value: alice-repo-only}
  - {kind: oauth, user: alice, scopes: [repo], value: alice-oauth}
";
    let world = format!("{}{tokens}", WORLD.trim_end());
    Service::with(&world, forgewright::app::Settings::default()).await
}

/// Makes the history in a repository.
pub async fn fill(service: &Service, repository: i64) -> History {
    let transaction = service.app.db.begin().await.unwrap();
    let writer = Writer {
        transaction: &transaction,
        repository,
    };
    let root = writer.commit(&[], &[("README.md", "one\n")]).await;
    let main = writer.commit(&[root], &[("README.md", "two\n")]).await;
    let side = writer.commit(&[root], &[("side.txt", "side\n")]).await;
    let ahead = writer.commit(&[main], &[("README.md", "three\n")]).await;
    let flow = (".github/workflows/ci.yml", "on: push\n");
    let flow = writer.commit(&[main], &[flow]).await;
    let past = writer.commit(&[flow], &[("README.md", "four\n")]).await;
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
        .name("refs/heads/main", main, ObjectKind::Commit)
        .await;
    writer
        .name("refs/heads/side", side, ObjectKind::Commit)
        .await;
    writer
        .name("refs/tags/v1", tag.sha(), ObjectKind::Tag)
        .await;
    transaction.commit().await.unwrap();
    History {
        root: root.to_string(),
        main: main.to_string(),
        side: side.to_string(),
        ahead: ahead.to_string(),
        flow: flow.to_string(),
        past: past.to_string(),
        tree: tree.to_string(),
        blob: blob.sha().to_string(),
        other_blob: other_blob.sha().to_string(),
        tag: tag.sha().to_string(),
        tag_of_tag: tag_of_tag.sha().to_string(),
    }
}

/// Gives a name to an object, past the API.
pub async fn name(service: &Service, repository: i64, name: &str, sha: &str, kind: ObjectKind) {
    let transaction = service.app.db.begin().await.unwrap();
    let writer = Writer {
        transaction: &transaction,
        repository,
    };
    writer.name(name, sha.parse().unwrap(), kind).await;
    transaction.commit().await.unwrap();
}

/// Changes the row of a repository.
pub async fn change(
    service: &Service,
    repository: i64,
    change: impl FnOnce(&mut repository::ActiveModel),
) {
    let transaction = service.app.db.begin().await.unwrap();
    let row = repository::Entity::find_by_id(repository)
        .one(&transaction)
        .await
        .unwrap()
        .unwrap();
    let mut row = row.into_active_model();
    change(&mut row);
    row.update(&transaction).await.unwrap();
    transaction.commit().await.unwrap();
}

/// Makes the repository read-only.
pub async fn archive(service: &Service, repository: i64) {
    change(service, repository, |row| row.archived = Set(true)).await;
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
    let row = row.insert(&transaction).await.unwrap();
    transaction.commit().await.unwrap();
    row.id
}

struct Writer<'a> {
    transaction: &'a Transaction,
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

    async fn name(&self, name: &str, sha: Sha, kind: ObjectKind) {
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

/// Gives the repository many branches at once, past the rules.
pub async fn add_branches(on: &Transaction, sha: &str, names: impl Iterator<Item = String>) {
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
    for some in rows.chunks(500) {
        let rows = git_ref::Entity::insert_many(some.to_vec());
        rows.exec_without_returning(on).await.unwrap();
    }
}
