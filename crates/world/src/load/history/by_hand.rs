//! A history that the file writes by hand, as real Git objects.
//! Note: a date that the file omits is derived from the creation time of the repository, so that
//! a second load builds the same objects.

use std::collections::HashMap;

use super::{LoadedHistory, failed, refs};
use crate::file::{Author, Commit, Git, Tag};
use crate::load::LoadError;
use crate::load::write::Load;
use crate::scalar::DateTime;
use crate::stored::{StoredRows, vanished};
use git::build::{self, TreeChanges};
use git::graph::{NewCommit, add_commits};
use git::ident::{Ident, address_without_id};
use git::objects::Object;
use git::store::{PackedObject, Packer, store_packed};
use git::{GitError, Sha};
use storage::entities::git_object::ObjectKind;
use storage::entities::repository;

pub async fn write(
    load: &mut Load<'_>,
    row: &repository::Model,
    owner: &str,
    git: &Git,
) -> Result<LoadedHistory, LoadError> {
    let commits = git.commits.iter().flat_map(|commits| &commits.value);
    let mut history = HistoryBuilder::of(row, owner);
    for commit in commits {
        let outcome = history.commit(load, commit).await;
        outcome.map_err(|cause| failed(load, commit.location, cause))?;
    }
    add_commits(load.db, row.id, &history.nodes)
        .await
        .map_err(|cause| failed(load, git.location, cause))?;
    for tag in &git.tags {
        let outcome = history.tag(load, tag).await;
        outcome.map_err(|cause| failed(load, tag.location, cause))?;
    }
    for (name, (sha, kind)) in &history.objects {
        if *kind == ObjectKind::Commit {
            load.commits.insert((row.id, (*name).to_owned()), *sha);
        }
    }
    let refs_outcome = refs::write(load, row.id, git, &history.objects).await?;
    Ok(LoadedHistory {
        new: history.new_objects > 0 || refs_outcome.new,
        default_branch: refs_outcome.first_branch,
    })
}

/// Builds a history, and looks up its objects by their names in the file.
struct HistoryBuilder<'a> {
    repository: &'a repository::Model,
    /// The author of commits and tags without one.
    owner: &'a str,
    objects: HashMap<&'a str, (Sha, ObjectKind)>,
    trees: HashMap<&'a str, Sha>,
    previous: Option<&'a str>,
    nodes: Vec<NewCommit>,
    packer: Packer,
    new_objects: u64,
    /// The date of the last object.
    clock: i64,
}

impl<'a> HistoryBuilder<'a> {
    fn of(repository: &'a repository::Model, owner: &'a str) -> Self {
        Self {
            repository,
            owner,
            objects: HashMap::new(),
            trees: HashMap::new(),
            previous: None,
            nodes: Vec::new(),
            packer: Packer::default(),
            new_objects: 0,
            clock: repository.created_at,
        }
    }

    async fn commit(&mut self, load: &Load<'_>, spec: &'a Commit) -> Result<(), GitError> {
        let id = spec.id.value.as_str();
        let parents: Vec<&str> = match &spec.parents {
            Some(parents) => parents.iter().map(|parent| &*parent.value).collect(),
            None => self.previous.into_iter().collect(),
        };
        let base = parents.first().and_then(|id| self.trees.get(id)).copied();
        let files = spec.files.iter();
        let changes = TreeChanges {
            set: files
                .map(|(path, text)| (path.value.clone(), text.clone().into_bytes()))
                .collect(),
            delete: spec.delete.iter().map(|path| path.value.clone()).collect(),
        };
        let built = build::edit_tree(load.db, self.repository.id, base, &changes).await?;
        let parents = parents
            .into_iter()
            .map(|id| self.find(id).map(|(sha, _)| sha))
            .collect::<Result<_, _>>()?;
        let identity = GitIdentity::of(&load.stored, spec.author.as_ref(), self.owner);
        let ident = self.ident(&identity, spec.date);
        let commit = build::commit(built.tree, parents, &ident, &ident, &spec.message.value);
        let mut objects = built.objects;
        objects.push(commit.write());
        let sha = self.store(load, objects).await?;
        self.nodes.push(NewCommit::new(sha, &commit));
        self.objects.insert(id, (sha, ObjectKind::Commit));
        self.trees.insert(id, built.tree);
        self.previous = Some(id);
        Ok(())
    }

    async fn tag(&mut self, load: &Load<'_>, spec: &'a Tag) -> Result<(), GitError> {
        let (target, kind) = self.find(&spec.target.value)?;
        let identity = GitIdentity::of(&load.stored, spec.author.as_ref(), self.owner);
        let ident = self.ident(&identity, spec.date);
        let name = spec.name.value.as_str();
        let tag = build::tag(name, target, kind, &ident, &spec.message.value);
        let sha = self.store(load, vec![tag.write()]).await?;
        self.objects.insert(name, (sha, ObjectKind::Tag));
        Ok(())
    }

    fn find(&self, name: &str) -> Result<(Sha, ObjectKind), GitError> {
        let object = self.objects.get(name).copied();
        object.ok_or_else(|| vanished("commit", name).into())
    }

    /// Stores objects, and returns the name of the last.
    async fn store(&mut self, load: &Load<'_>, objects: Vec<Object>) -> Result<Sha, GitError> {
        let packed = objects.iter().map(|object| self.packer.pack(object));
        let packed: Vec<PackedObject> = packed.collect::<Result<_, _>>()?;
        let last = packed.last().map_or(Sha::EMPTY_TREE, |object| object.sha);
        self.new_objects += store_packed(load.db, self.repository.id, packed).await?;
        Ok(last)
    }

    fn ident<'w>(&mut self, identity: &'w GitIdentity, date: Option<DateTime>) -> Ident<'w> {
        let next = self.clock.saturating_add(1);
        let (seconds, offset) = match date {
            Some(date) => (date.seconds(), date.0.offset().whole_minutes()),
            None => (next, 0),
        };
        self.clock = seconds;
        Ident {
            name: &identity.name,
            email: &identity.email,
            seconds,
            offset_minutes: i32::from(offset),
        }
    }
}

/// The name and email of a person in Git.
struct GitIdentity {
    name: String,
    email: String,
}

impl GitIdentity {
    fn of(stored: &StoredRows, author: Option<&Author>, owner: &str) -> Self {
        let login = match author {
            Some(Author::Person(person)) => {
                return Self {
                    name: person.name.value.clone(),
                    email: person.email.value.clone(),
                };
            }
            Some(Author::Login(login)) => &login.value,
            None => owner,
        };
        let account = stored.account(login);
        let name = account.and_then(|account| account.name.clone());
        Self {
            name: name.unwrap_or_else(|| login.to_owned()),
            email: address_without_id(login),
        }
    }
}
