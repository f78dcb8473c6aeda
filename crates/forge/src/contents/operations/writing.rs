//! Changes one file: computes and checks the change, and writes it as a commit on a branch.

use super::{Contents, rules};
use crate::access::RepositoryGrant;
use crate::commits::authorship::{Signature, check_message};
use crate::contents::view::ContentEntry;
use crate::git_objects::view::GitObjectView;
use crate::git_refs;
use crate::git_refs::revision;
use crate::git_refs::rules::RefUpdateOutcome;
use crate::pushes;
use crate::pushes::RefChange;
use crate::pushes::workflows::check_workflows;
use crate::repositories::rows::lock_repository;
use contract::call::Call;
use contract::contents::{DeleteFile, FileCommit, PutFile};
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use contract::shared::git_person::GitPerson;
use git::build::{Built, Edit, edit_entries, is_read_by_git};
use git::diff::entry_at;
use git::graph::{NewCommit, add_commits};
use git::objects::{Commit, Object};
use git::refs::RefName;
use git::store::{PackedObject, Packer, load_commit, store_objects, store_packed};
use git::target::RefTarget;
use git::tree::{Mode, TreeEntry};
use git::{LARGEST_TEXT, Sha};
use storage::database::{Connection, Transaction};
use storage::entities::git_object::ObjectKind;
use storage::entities::git_ref;
use storage::heavy;

/// A requested change of one file.
pub(super) struct FileEdit {
    path: String,
    message: String,
    /// The new content; None deletes the file.
    content: Option<PackedObject>,
    /// The same, if Git itself reads the file.
    read_by_git: Option<Object>,
    /// The content to replace.
    sha: Option<String>,
    branch: Option<String>,
    committer: Option<GitPerson>,
    author: Option<GitPerson>,
}

impl FileEdit {
    /// Uses only the CPU; the content may be large.
    pub(super) fn put(path: &str, body: PutFile) -> Outcome<Self> {
        let blob = Object::blob(rules::content(body.content)?);
        Ok(Self {
            path: path.to_owned(),
            content: Some(Packer::default().pack(&blob)?),
            read_by_git: is_read_by_git(path).then_some(blob),
            message: body.message,
            sha: body.sha,
            branch: body.branch,
            committer: body.committer,
            author: body.author,
        })
    }

    pub(super) fn delete(path: &str, body: DeleteFile) -> Self {
        Self {
            path: path.to_owned(),
            content: None,
            read_by_git: None,
            message: body.message,
            sha: Some(body.sha),
            branch: body.branch,
            committer: body.committer,
            author: body.author,
        }
    }
}

/// The author and committer of a commit.
struct CommitSignatures {
    author: Signature,
    committer: Signature,
}

/// The result of a change on top of a commit.
struct Plan {
    /// The new directories.
    trees: Vec<Object>,
    commit: Commit,
    /// The file before the change.
    replaced: Option<TreeEntry>,
    /// The file after the change.
    file: Option<(Mode, Sha)>,
}

impl Contents {
    /// Applies a change, and returns whether it created a new file.
    pub(super) async fn write(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        change: &FileEdit,
    ) -> Outcome<(FileCommit, bool)> {
        check_message(&change.message, "Commit")?;
        let people = self.people(call, change).await?;
        let default = &grant.repository.default_branch;
        let branch = change.branch.as_ref().unwrap_or(default);
        let invalid = |_| Problem::from(FieldProblem::invalid("Commit", "branch"));
        let name = RefName::of_branch(branch).map_err(invalid)?;
        let reads = self.app.db.reads();
        let planned_on = self.branch(reads, grant, &name).await?;
        let plan = plan(reads, grant, planned_on.as_ref(), change, &people).await?;
        let transaction = self.app.db.begin().await?;
        lock_repository(&transaction, grant).await?;
        let row = self.branch(&transaction, grant, &name).await?;
        let plan = match row == planned_on {
            true => plan,
            false => plan_again(&transaction, grant, row.as_ref(), change, &people).await?,
        };
        let id = grant.repository.id;
        store_packed(&transaction, id, change.content.iter().cloned().collect()).await?;
        let object = self
            .apply(call, grant, transaction, (&name, row.as_ref()), &plan)
            .await?;
        let view = GitObjectView::new(call, grant);
        let response = file_commit(&view, change, &plan, &object, branch)?;
        Ok((response, plan.replaced.is_none()))
    }

    async fn people(&self, call: &Call, change: &FileEdit) -> Outcome<CommitSignatures> {
        let caller = Signature::of_caller(&self.app, call).await?;
        let committer = caller.or_named(change.committer.as_ref(), "committer")?;
        let author = committer.or_named(change.author.as_ref(), "author")?;
        Ok(CommitSignatures { author, committer })
    }

    /// The branch; None if the repository is empty, and the first commit creates it.
    async fn branch(
        &self,
        connection: &Connection,
        grant: &RepositoryGrant,
        name: &RefName,
    ) -> Outcome<Option<git_ref::Model>> {
        let row = git_refs::rows::find(connection, grant.repository.id, name.as_str()).await?;
        if row.is_none() && revision::has_branch(connection, grant).await? {
            return Err(rules::no_branch(name.branch().unwrap_or_default()));
        }
        Ok(row)
    }

    /// Stores the objects of a plan and moves the branch, all or nothing.
    async fn apply(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        transaction: Transaction,
        (name, row): (&RefName, Option<&git_ref::Model>),
        plan: &Plan,
    ) -> Outcome<Object> {
        let id = grant.repository.id;
        let object = plan.commit.write();
        if object.content.len() > LARGEST_TEXT {
            return Err(Problem::Refused("message is too long".into()));
        }
        let target = RefTarget {
            sha: object.sha(),
            kind: ObjectKind::Commit,
        };
        store_objects(&transaction, id, &plan.trees).await?;
        store_objects(&transaction, id, std::slice::from_ref(&object)).await?;
        let node = NewCommit::new(target.sha, &plan.commit);
        add_commits(&transaction, id, &[node]).await?;
        let old = row.map(RefTarget::of).transpose()?;
        check_workflows(&transaction, grant, old, target).await?;
        let origin = self.app.origin(call, grant);
        let change = match row {
            Some(row) => RefChange::Move(row, target),
            None => RefChange::Create(name, target),
        };
        match pushes::apply(&transaction, &origin, change).await? {
            RefUpdateOutcome::Done => transaction.commit().await?,
            RefUpdateOutcome::Taken | RefUpdateOutcome::Blocked | RefUpdateOutcome::Overtaken => {
                return Err(Problem::Conflict(
                    "The branch was changed by somebody else.".into(),
                ));
            }
        }
        Ok(object)
    }
}

/// Computes a change again, while the repository is locked.
async fn plan_again(
    transaction: &Transaction,
    grant: &RepositoryGrant,
    row: Option<&git_ref::Model>,
    change: &FileEdit,
    people: &CommitSignatures,
) -> Outcome<Plan> {
    heavy::without_waiting(plan(transaction, grant, row, change, people)).await
}

/// Computes a change. Reads the directories along the path.
async fn plan(
    connection: &Connection,
    grant: &RepositoryGrant,
    row: Option<&git_ref::Model>,
    change: &FileEdit,
    people: &CommitSignatures,
) -> Outcome<Plan> {
    let id = grant.repository.id;
    let parent = row.map(revision::tip).transpose()?;
    let base = match parent {
        Some(parent) => Some(load_commit(connection, id, parent).await?.tree),
        None => None,
    };
    let replaced = replaced(connection, id, base, change).await?;
    let mode = replaced.as_ref().map_or(Mode::File, |entry| entry.mode);
    let file = change.content.as_ref().map(|blob| (mode, blob.sha));
    let edit = Edit {
        path: change.path.clone(),
        entry: file,
    };
    let new_blobs = change.read_by_git.as_slice();
    let built = edit_entries(connection, id, base, &[edit], new_blobs).await;
    let Built { tree, objects } = built.map_err(rules::path_problem)?;
    let commit = Commit {
        tree,
        parents: parent.into_iter().collect(),
        author: people.author.ident().line(),
        committer: people.committer.ident().line(),
        more: Vec::new(),
        message: Some(change.message.clone().into_bytes()),
    };
    Ok(Plan {
        trees: objects,
        commit,
        replaced,
        file,
    })
}

/// The file that a change replaces or removes, which it must name.
async fn replaced(
    connection: &Connection,
    repository_id: i64,
    base: Option<Sha>,
    change: &FileEdit,
) -> Outcome<Option<TreeEntry>> {
    let entry_before = match base {
        Some(base) => entry_at(connection, repository_id, base, &change.path).await?,
        None => None,
    };
    if entry_before.is_none() && change.content.is_none() {
        return Err(Problem::NotFound);
    }
    let sha = entry_before.as_ref().map(|entry| entry.sha);
    rules::may_replace(&change.path, sha, change.sha.as_deref())?;
    match &entry_before {
        Some(entry) if entry.mode.kind() != Some(ObjectKind::Blob) => {
            Err(Problem::Refused("path is not a file".into()))
        }
        _ => Ok(entry_before),
    }
}

fn file_commit(
    view: &GitObjectView,
    change: &FileEdit,
    plan: &Plan,
    object: &Object,
    branch: &str,
) -> Outcome<FileCommit> {
    let size = change.content.as_ref().map_or(0, |blob| blob.size);
    let content = plan.file.map(|(mode, sha)| {
        let item = ContentEntry {
            path: &change.path,
            mode,
            sha,
            size,
        };
        view.item(item, branch)
    });
    Ok(FileCommit {
        content: content.into(),
        commit: view.commit(object.sha(), object)?,
    })
}
