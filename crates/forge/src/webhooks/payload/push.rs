//! The event `push`: the new commits of a branch or tag, and the files that they changed.
//!
//! The transaction of the push builds it while it holds the lock of the repository. So the work
//! is bounded: the payload has only the newest commits (`gained.rs`), and not every file of many
//! or large commits (`files.rs`).

mod files;
mod gained;

use std::collections::HashMap;

use serde_json::{Value, json};

use super::EventContext;
use super::LARGEST_PAYLOAD;
use super::push::files::Files;
use super::push::gained::Pushed;
use crate::accounts::people::People;
use crate::events::{Origin, RefUpdate};
use contract::json::text_bytes;
use contract::reply::Outcome;
use contract::values::Timestamp;
use git::ident::{address, name_and_email, seconds_of};
use git::objects::{Commit, Object};
use git::refs::branch_of;
use git::target::RefTarget;
use git::{GitError, Sha, store};
use storage::database::{Connection, Database, Transaction};
use storage::entities::account;
use storage::heavy::{self, Held, MemoryExhausted};

/// The hash that stands for no object.
const ZERO_SHA: &str = "0000000000000000000000000000000000000000";

/// The fields of the event and the memory that they take; None if they would be too large to send.
pub(super) async fn event(
    transaction: &Transaction,
    context: &EventContext<'_>,
    update: &RefUpdate<'_>,
) -> Outcome<Option<(Value, Held)>> {
    let pushed = Pushed::find(transaction, context, update).await?;
    let Some(loaded) = pushed.load(transaction).await? else {
        return Ok(None);
    };
    let people = People::within(transaction, loaded.lines()).await?;
    let commits = pushed.commits(transaction, context, loaded, &people);
    let commits = commits.await?;
    Ok(Some((
        fields(context, update, &pushed, &commits)?,
        commits.held,
    )))
}

/// The fields for a new reference that is not written yet, its commit, and the memory that they
/// take. None if only its transaction can build them.
pub async fn event_before(
    db: &Database,
    context: &EventContext<'_>,
    update: &RefUpdate<'_>,
) -> Outcome<Option<(Value, Option<Sha>, Held)>> {
    let pushed = Pushed::by_new_ref(db, context, update).await?;
    let Some(loaded) = pushed.load(db.reads()).await? else {
        return Ok(None);
    };
    let people = People::of(db, loaded.lines()).await?;
    // It would not depend on an account that does not exist yet.
    if people.unknown {
        return Ok(None);
    }
    let commits = pushed.commits(db.reads(), context, loaded, &people);
    let commits = commits.await?;
    let fields = fields(context, update, &pushed, &commits)?;
    Ok(Some((fields, pushed.head, commits.held)))
}

fn fields(
    context: &EventContext<'_>,
    update: &RefUpdate<'_>,
    pushed: &Pushed,
    commits: &PushCommits,
) -> Outcome<Value> {
    let name = |target: Option<RefTarget>| {
        target.map_or(ZERO_SHA.to_owned(), |target| target.sha.to_string())
    };
    let (before, after) = (name(update.before), name(update.after));
    let sender = &context.sender;
    let mut fields = json!({
        "ref": update.name,
        "compare": compare(context.origin, update, &before, &after),
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
            "email": address(sender.id, &sender.login),
        },
    });
    fields["repository"] = repository(context)?;
    Ok(fields)
}

/// The repository of a push, with times in seconds and a few more fields.
fn repository(context: &EventContext<'_>) -> Outcome<Value> {
    let (row, owner) = (context.origin.repository, context.origin.owner);
    let mut repository = context.repository()?;
    repository["created_at"] = json!(row.created_at);
    // The time of this push.
    repository["pushed_at"] = json!(context.origin.now);
    repository["stargazers"] = json!(row.stargazers_count);
    repository["master_branch"] = json!(row.default_branch);
    repository["owner"]["name"] = json!(owner.login);
    repository["owner"]["email"] = json!(null);
    if owner.kind == account::AccountKind::Organization {
        repository["organization"] = json!(owner.login);
    }
    Ok(repository)
}

/// The page that compares a reference with what it was.
pub fn compare(origin: &Origin<'_>, update: &RefUpdate<'_>, before: &str, after: &str) -> String {
    let page = format!("{}/{}/compare", origin.urls.web, origin.full_name());
    match update.before {
        None => format!("{page}/{}", short(update.name)),
        Some(_) => format!("{page}/{}...{}", &before[..12], &after[..12]),
    }
}

/// `refs/heads/main` → `main`.
pub fn short(name: &str) -> &str {
    let tag = name.strip_prefix("refs/tags/");
    branch_of(name).or(tag).unwrap_or(name)
}

/// The commits of a push with their texts.
struct LoadedCommits {
    texts: HashMap<Sha, Commit>,
    /// The bytes of the texts in the payload.
    written: usize,
    held: Held,
}

impl LoadedCommits {
    /// The lines of authors and committers.
    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let commits = self.texts.values();
        commits.flat_map(|commit| [&*commit.author, &*commit.committer])
    }
}

/// The commits of a push as the payload shows them.
struct PushCommits {
    all: Vec<Value>,
    head: Value,
    held: Held,
}

impl Pushed {
    /// Loads the commits; None if they are too large to send.
    async fn load(&self, connection: &Connection) -> Outcome<Option<LoadedCommits>> {
        let mut shas: Vec<Sha> = self.gained.iter().map(|commit| commit.sha).collect();
        shas.extend(self.head.filter(|head| shas.last() != Some(head)));
        let sizes = store::sizes(connection, self.repository, &shas).await?;
        let size: i64 = sizes.iter().map(|(_, size)| size).sum();
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > LARGEST_PAYLOAD {
            return Ok(None);
        }
        let held = heavy::hold(size).await?;
        let texts = texts(connection, self.repository, &sizes).await?;
        let written: usize = texts.values().map(written).sum();
        let loaded = LoadedCommits {
            texts,
            written,
            held,
        };
        Ok((written <= LARGEST_PAYLOAD).then_some(loaded))
    }

    /// The commits in the shape of the event.
    async fn commits(
        &self,
        connection: &Connection,
        context: &EventContext<'_>,
        loaded: LoadedCommits,
        people: &People,
    ) -> Outcome<PushCommits> {
        let LoadedCommits {
            texts,
            written,
            mut held,
        } = loaded;
        let left = LARGEST_PAYLOAD.saturating_sub(written);
        let (files, paths) = files::of(connection, self, &texts, left).await?;
        // As a value, and as it is sent.
        if !held.try_grow(2 * (written + paths)) {
            return Err(MemoryExhausted.into());
        }
        let no_files = Files::default();
        let show = |sha: &Sha| -> Outcome<Value> {
            let text = texts.get(sha).ok_or(GitError::Missing(*sha))?;
            let files = files.get(sha).unwrap_or(&no_files);
            Ok(self.commit(context, *sha, text, files, people))
        };
        let head = self.head.as_ref().map(show).transpose()?;
        let gained = self.gained.iter().map(|commit| show(&commit.sha));
        Ok(PushCommits {
            all: gained.collect::<Outcome<_>>()?,
            head: head.unwrap_or_default(),
            held,
        })
    }

    fn commit(
        &self,
        context: &EventContext<'_>,
        sha: Sha,
        commit: &Commit,
        files: &Files,
        people: &People,
    ) -> Value {
        let message = commit.message.as_deref().unwrap_or_default();
        let message = String::from_utf8_lossy(message);
        let full_name = format!(
            "{}/{}",
            context.origin.owner.login, context.origin.repository.name
        );
        json!({
            "id": sha.to_string(),
            "tree_id": commit.tree.to_string(),
            "distinct": self.distinct.contains(&sha),
            "message": message.trim_end_matches('\n'),
            "timestamp": Timestamp(seconds_of(&commit.committer)),
            "url": context.origin.urls.commit_page(&full_name, &sha.to_string()),
            "author": person(&commit.author, people),
            "committer": person(&commit.committer, people),
            "added": files.added,
            "removed": files.removed,
            "modified": files.modified,
        })
    }
}

async fn texts(
    connection: &Connection,
    repository: i64,
    sizes: &[(Sha, i64)],
) -> Result<HashMap<Sha, Commit>, GitError> {
    let mut commits = HashMap::with_capacity(sizes.len());
    let keep = |sha, object: Object| {
        commits.insert(sha, Commit::parse(&object.content)?);
        Ok(())
    };
    store::read_sized(connection, repository, sizes, keep).await?;
    Ok(commits)
}

/// The bytes of the texts of a commit in the payload.
fn written(commit: &Commit) -> usize {
    let message = commit.message.as_deref().unwrap_or_default();
    let texts = [message, &commit.author, &commit.committer];
    let written = texts.map(|text| text_bytes(&String::from_utf8_lossy(text)));
    written.iter().sum()
}

fn person(line: &[u8], people: &People) -> Value {
    let (name, email) = name_and_email(line);
    let mut person = json!({
        "name": String::from_utf8_lossy(name),
        "email": String::from_utf8_lossy(email),
        "date": Timestamp(seconds_of(line)),
    });
    if let Some(account) = people.account(line) {
        person["username"] = json!(account.login);
    }
    person
}
