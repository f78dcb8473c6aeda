//! The event `push`: what a branch or tag gained, and what its commits changed.
//!
//! The transaction of the push builds it, under the lock of the repository. So the work is
//! bounded: of a long history only the newest part is told, and of many or large commits
//! not every file.

use std::collections::{HashMap, HashSet};

use sea_orm::{EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde_json::{Value, json};

use super::Scene;
use crate::contract::reply::Outcome;
use crate::contract::values::Timestamp;
use crate::database::{Transaction, rows_with};
use crate::entities::{account, git_ref};
use crate::git::diff::{self, FileChange, Status};
use crate::git::ident::{NOREPLY, name_and_email, seconds_of};
use crate::git::objects::Commit;
use crate::git::refs::{NameRange, branch_of};
use crate::git::walk::{self, GainedCommit};
use crate::git::{GitError, Sha, store};
use crate::notify::event::RefUpdate;
use crate::refs::target::Target;

/// The most commits of an event, as on GitHub.
const MOST_COMMITS: usize = 2048;

/// The most commits that are walked to find them.
const MOST_WALKED: usize = 10_000;

/// Other branches that are looked at to tell which commits are new.
const MOST_BRANCHES: u64 = 32;

/// The most commits whose files are listed, the newest ones.
const MOST_COMPARED: usize = 250;

/// The most files that are listed for a commit, and for all together.
const MOST_FILES: usize = 3000;
const MOST_FILES_OF_ALL: usize = 20_000;

/// The most bytes of commit messages and the like. More than this is never sent, because the
/// payload would be too large.
const MOST_BYTES: usize = 25 * 1024 * 1024;

/// The name of no object.
const NOTHING: &str = "0000000000000000000000000000000000000000";

/// What the event tells; None if it would be too large.
pub(super) async fn event(
    transaction: &Transaction,
    scene: &Scene<'_>,
    update: &RefUpdate<'_>,
) -> Outcome<Option<Value>> {
    let pushed = Pushed::find(transaction, scene, update).await?;
    let Some(commits) = pushed.shown(transaction, scene).await? else {
        return Ok(None);
    };
    let name =
        |target: Option<Target>| target.map_or(NOTHING.to_owned(), |target| target.sha.to_string());
    let (before, after) = (name(update.before), name(update.after));
    let sender = &scene.sender;
    let mut fields = json!({
        "ref": update.name,
        "compare": compare(scene, update, &before, &after),
        "before": before,
        "after": after,
        "created": update.before.is_none(),
        "deleted": update.after.is_none(),
        "forced": pushed.forced,
        "base_ref": pushed.base_ref,
        "commits": commits.all,
        "head_commit": commits.head,
        "pusher": {
            "name": sender.login,
            "email": format!("{}@{NOREPLY}", sender.login.to_lowercase()),
        },
    });
    fields["repository"] = repository(scene)?;
    Ok(Some(fields))
}

/// Pushes show a repository with times in seconds, and with a few fields more.
fn repository(scene: &Scene<'_>) -> Outcome<Value> {
    let (row, owner) = (scene.origin.repository, scene.origin.owner);
    let mut repository = scene.repository()?;
    repository["created_at"] = json!(row.created_at);
    // This very change.
    repository["pushed_at"] = json!(scene.origin.now);
    repository["stargazers"] = json!(row.stargazers_count);
    repository["master_branch"] = json!(row.default_branch);
    repository["owner"]["name"] = json!(owner.login);
    repository["owner"]["email"] = json!(null);
    if owner.kind == account::Kind::Organization {
        repository["organization"] = json!(owner.login);
    }
    Ok(repository)
}

fn compare(scene: &Scene<'_>, update: &RefUpdate<'_>, before: &str, after: &str) -> String {
    let (owner, repository) = (scene.origin.owner, scene.origin.repository);
    let page = format!(
        "{}/{}/{}/compare",
        scene.origin.urls.web, owner.login, repository.name
    );
    match update.before {
        None => format!("{page}/{}", short(update.name)),
        Some(_) => format!("{page}/{}...{}", &before[..12], &after[..12]),
    }
}

/// `refs/heads/main` → `main`.
pub(super) fn short(name: &str) -> &str {
    let tag = name.strip_prefix("refs/tags/");
    branch_of(name).or(tag).unwrap_or(name)
}

/// The commits of a push.
struct Pushed {
    repository: i64,
    /// What the reference gained, oldest first.
    gained: Vec<GainedCommit>,
    /// Those that no other branch has.
    distinct: HashSet<Sha>,
    /// The commit behind the reference.
    head: Option<Sha>,
    forced: bool,
    /// For a new reference: a branch with the same commit.
    base_ref: Option<String>,
}

struct Shown {
    all: Vec<Value>,
    head: Value,
}

impl Pushed {
    async fn find(
        transaction: &Transaction,
        scene: &Scene<'_>,
        update: &RefUpdate<'_>,
    ) -> Outcome<Self> {
        let repository = scene.origin.repository.id;
        let mut pushed = Self {
            repository,
            gained: Vec::new(),
            distinct: HashSet::new(),
            head: None,
            forced: false,
            base_ref: None,
        };
        let Some(after) = update.after else {
            return Ok(pushed);
        };
        let Some(head) = after.commit(transaction, repository).await? else {
            return Ok(pushed);
        };
        pushed.head = Some(head);
        let mut others = others(transaction, scene, update.name).await?;
        match update.before {
            Some(before) => {
                pushed.forced = !before.is_behind(transaction, repository, after).await?;
                let old = before.commit(transaction, repository).await?;
                let old: Vec<Sha> = old.into_iter().collect();
                pushed.gained = gained(transaction, repository, &old, head).await?;
                others.extend(old);
            }
            None => pushed.base_ref = branch_at(transaction, scene, update.name, head).await?,
        }
        let distinct = gained(transaction, repository, &others, head).await?;
        if update.before.is_none() {
            pushed.gained.clone_from(&distinct);
        }
        pushed.distinct = distinct.into_iter().map(|commit| commit.sha).collect();
        Ok(pushed)
    }

    /// The commits as the event shows them; None if they are too large.
    async fn shown(&self, transaction: &Transaction, scene: &Scene<'_>) -> Outcome<Option<Shown>> {
        let all: Vec<Sha> = self.gained.iter().map(|commit| commit.sha).collect();
        let mut wanted = all.clone();
        wanted.extend(self.head.filter(|head| all.last() != Some(head)));
        let Some(texts) = texts(transaction, self.repository, &wanted).await? else {
            return Ok(None);
        };
        let people = usernames(transaction, &texts).await?;
        let files = self.files(transaction).await?;
        let none = Files::default();
        let show = |sha: &Sha| -> Outcome<Value> {
            let text = texts.get(sha).ok_or(GitError::Missing(*sha))?;
            let files = files.get(sha).unwrap_or(&none);
            Ok(self.commit(scene, *sha, text, files, &people))
        };
        let head = self.head.as_ref().map(show).transpose()?;
        Ok(Some(Shown {
            all: all.iter().map(show).collect::<Outcome<_>>()?,
            head: head.unwrap_or_default(),
        }))
    }

    fn commit(
        &self,
        scene: &Scene<'_>,
        sha: Sha,
        commit: &Commit,
        files: &Files,
        people: &HashMap<String, String>,
    ) -> Value {
        let message = commit.message.as_deref().unwrap_or_default();
        let message = String::from_utf8_lossy(message);
        let full_name = format!(
            "{}/{}",
            scene.origin.owner.login, scene.origin.repository.name
        );
        json!({
            "id": sha.to_string(),
            "tree_id": commit.tree.to_string(),
            "distinct": self.distinct.contains(&sha),
            "message": message.trim_end_matches('\n'),
            "timestamp": Timestamp(seconds_of(&commit.committer)),
            "url": scene.origin.urls.commit_page(&full_name, &sha.to_string()),
            "author": person(&commit.author, people),
            "committer": person(&commit.committer, people),
            "added": files.added,
            "removed": files.removed,
            "modified": files.modified,
        })
    }

    /// What the newest commits changed.
    async fn files(&self, transaction: &Transaction) -> Outcome<HashMap<Sha, Files>> {
        let mut found = HashMap::new();
        let mut left = MOST_FILES_OF_ALL;
        for commit in self.gained.iter().rev().take(MOST_COMPARED) {
            let old = commit.parents.first();
            let old = old.map_or(Sha::EMPTY_TREE, |parent| parent.tree);
            let most = left.min(MOST_FILES);
            let changed =
                diff::changed_paths(transaction, self.repository, old, commit.tree, most).await?;
            if let Some(changed) = changed {
                left -= changed.len().min(left);
                found.insert(commit.sha, Files::of(&changed));
            }
        }
        Ok(found)
    }
}

/// The paths that a commit changed.
#[derive(Default)]
struct Files {
    added: Vec<String>,
    removed: Vec<String>,
    modified: Vec<String>,
}

impl Files {
    fn of(changed: &[FileChange]) -> Self {
        let mut files = Self::default();
        for change in changed {
            let list = match change.status {
                Status::Added => &mut files.added,
                Status::Deleted => &mut files.removed,
                Status::Modified | Status::Renamed { .. } | Status::TypeChanged => {
                    &mut files.modified
                }
            };
            list.push(String::from_utf8_lossy(change.path()).into_owned());
        }
        files
    }
}

/// The commits that are new to `known`, oldest first.
async fn gained(
    transaction: &Transaction,
    repository: i64,
    known: &[Sha],
    head: Sha,
) -> Result<Vec<GainedCommit>, GitError> {
    let found = walk::new_commits(transaction, repository, known, head, MOST_WALKED).await?;
    let mut commits = found.commits;
    commits.truncate(MOST_COMMITS);
    commits.reverse();
    Ok(commits)
}

/// The commits of other branches, the default one first.
async fn others(
    transaction: &Transaction,
    scene: &Scene<'_>,
    name: &str,
) -> Result<Vec<Sha>, GitError> {
    let repository = scene.origin.repository;
    let default = format!("refs/heads/{}", repository.default_branch);
    let branches = NameRange::branches();
    let rows: Vec<String> = git_ref::Entity::find()
        .select_only()
        .column(git_ref::Column::Sha)
        .filter(git_ref::COLUMN.repository_id.eq(repository.id))
        .filter(git_ref::COLUMN.name.gte(branches.from))
        .filter(git_ref::COLUMN.name.lt(branches.until))
        .filter(git_ref::COLUMN.name.ne(name))
        .order_by_asc(git_ref::Column::Name)
        .limit(MOST_BRANCHES)
        .into_tuple()
        .all(transaction)
        .await?;
    let first: Option<String> = git_ref::Entity::find()
        .select_only()
        .column(git_ref::Column::Sha)
        .filter(git_ref::COLUMN.repository_id.eq(repository.id))
        .filter(git_ref::COLUMN.name.eq(default.clone()))
        .filter(git_ref::COLUMN.name.ne(name))
        .into_tuple()
        .one(transaction)
        .await?;
    let shas: HashSet<String> = first.into_iter().chain(rows).collect();
    let shas = shas.iter().map(|sha| Ok(Sha::stored(sha)?));
    shas.collect()
}

/// Another branch that stands at this commit.
async fn branch_at(
    transaction: &Transaction,
    scene: &Scene<'_>,
    name: &str,
    head: Sha,
) -> Result<Option<String>, GitError> {
    let branches = NameRange::branches();
    let found = git_ref::Entity::find()
        .select_only()
        .column(git_ref::Column::Name)
        .filter(git_ref::COLUMN.repository_id.eq(scene.origin.repository.id))
        .filter(git_ref::COLUMN.sha.eq(head.to_string()))
        .filter(git_ref::COLUMN.name.gte(branches.from))
        .filter(git_ref::COLUMN.name.lt(branches.until))
        .filter(git_ref::COLUMN.name.ne(name))
        .order_by_asc(git_ref::Column::Name)
        .into_tuple()
        .one(transaction)
        .await?;
    Ok(found)
}

/// The commits themselves; None if they are too large together.
async fn texts(
    transaction: &Transaction,
    repository: i64,
    shas: &[Sha],
) -> Result<Option<HashMap<Sha, Commit>>, GitError> {
    const TOGETHER: usize = 20;
    let mut found = HashMap::with_capacity(shas.len());
    let mut bytes = 0;
    for some in shas.chunks(TOGETHER) {
        for (sha, object) in store::load_many(transaction, repository, some).await? {
            bytes += object.content.len();
            found.insert(sha, Commit::parse(&object.content)?);
        }
        if bytes > MOST_BYTES {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// The logins of the people who wrote the commits, by their addresses.
async fn usernames(
    transaction: &Transaction,
    commits: &HashMap<Sha, Commit>,
) -> Outcome<HashMap<String, String>> {
    let lines = commits
        .values()
        .flat_map(|commit| [&commit.author, &commit.committer]);
    let logins: HashSet<String> = lines.filter_map(|line| login(line)).collect();
    let rows = rows_with(transaction, account::Column::LoginKey, logins).await?;
    let rows = rows.into_iter().map(|row| (row.login_key, row.login));
    Ok(rows.collect())
}

/// The login in an address that the service gives to those who have no other.
fn login(line: &[u8]) -> Option<String> {
    let email = std::str::from_utf8(name_and_email(line).1).ok()?;
    let (login, domain) = email.split_once('@')?;
    (domain == NOREPLY).then(|| login.to_lowercase())
}

fn person(line: &[u8], people: &HashMap<String, String>) -> Value {
    let (name, email) = name_and_email(line);
    let mut person = json!({
        "name": String::from_utf8_lossy(name),
        "email": String::from_utf8_lossy(email),
        "date": Timestamp(seconds_of(line)),
    });
    if let Some(username) = login(line).and_then(|login| people.get(&login)) {
        person["username"] = json!(username);
    }
    person
}
