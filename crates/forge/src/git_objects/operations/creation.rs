//! Creates objects.

use std::collections::HashSet;

use super::GitObjects;
use super::MOST_SHOWN;
use super::{rules, rules::TreeEntryContent, rules::unprocessable};
use crate::access::RepositoryGrant;
use crate::commits::authorship::{Signature, check_message};
use crate::git_objects::view::GitObjectView;
use contract::call::Call;
use contract::git_objects::{
    CreateCommit, CreateTag, CreateTree, GitCommit, GitTag, GitTree, ShortBlob,
};
use contract::problem::{FieldProblem, Problem};
use contract::reply::{Outcome, Reply};
use git::build::{self, Built, Edit, edit_entries};
use git::graph::{NewCommit, add_commits};
use git::objects::{Commit, Object};
use git::refs::RefName;
use git::store::{PackedObject, heads, load_commit, store_objects, store_packed};
use git::target::RefTarget;
use git::tree::Tree;
use git::tree_listing::list;
use git::{LARGEST_TEXT, Sha};
use storage::entities::git_object::ObjectKind;
use storage::heavy;

/// The most parents of a commit; more than any real merge has.
const MOST_PARENTS: usize = 64;

impl GitObjects {
    pub(super) async fn make_blob(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        blob: PackedObject,
    ) -> Outcome<Reply<201, ShortBlob>> {
        let sha = blob.sha;
        let transaction = self.app.db.begin().await?;
        store_packed(&transaction, grant.repository.id, vec![blob]).await?;
        transaction.commit().await?;
        let view = GitObjectView::new(call, grant).short_blob(sha);
        let location = view.url.0.clone();
        Ok(Reply::new(view).location(location))
    }

    pub(super) async fn make_tree(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        body: CreateTree,
    ) -> Outcome<Reply<201, GitTree>> {
        if body.tree.is_empty() {
            return Err(unprocessable("Invalid tree info"));
        }
        let (id, reads) = (grant.repository.id, self.app.db.reads());
        let base = match &body.base_tree {
            Some(name) => Some(self.base_tree(grant, name).await?),
            None => None,
        };
        let (edits, mut objects) = self.edits(grant, body).await?;
        let built = heavy::with_permit(edit_entries(reads, id, base, &edits, &objects)).await;
        let Built { tree, objects: new } = built.map_err(rules::path_problem)?;
        objects.extend(new);
        self.store(grant, &objects, None).await?;
        let view = GitObjectView::new(call, grant);
        let limit = MOST_SHOWN.with_overhead(view.tree_entry_overhead());
        let listing = heavy::with_permit(list(reads, id, tree, false, limit)).await?;
        let response = view.tree(tree, listing);
        let location = response.url.0.clone();
        Ok(Reply::new(response).location(location))
    }

    /// The tree that entries are applied to; a commit stands for its tree.
    async fn base_tree(&self, grant: &RepositoryGrant, name: &str) -> Outcome<Sha> {
        let (id, reads) = (grant.repository.id, self.app.db.reads());
        let invalid = || unprocessable("base_tree is not a valid tree oid");
        if name.parse() == Ok(Sha::EMPTY_TREE) {
            return Ok(Sha::EMPTY_TREE);
        }
        let target = RefTarget::find(reads, id, name)
            .await?
            .ok_or_else(invalid)?;
        match target.kind {
            ObjectKind::Tree => Ok(target.sha),
            ObjectKind::Commit => Ok(load_commit(reads, id, target.sha).await?.tree),
            ObjectKind::Blob | ObjectKind::Tag => Err(invalid()),
        }
    }

    /// The entries as edits, and the files that are stored with them. Every named object must
    /// exist, except for submodules.
    async fn edits(
        &self,
        grant: &RepositoryGrant,
        body: CreateTree,
    ) -> Outcome<(Vec<Edit>, Vec<Object>)> {
        let (mut edits, mut objects, mut references) = (Vec::new(), Vec::new(), Vec::new());
        for entry in body.tree {
            let (path, content) = rules::entry(entry)?;
            let entry = match content {
                TreeEntryContent::Removed => None,
                TreeEntryContent::Named(mode, sha) => {
                    let sha: Sha = sha.parse().map_err(|_| no_object(&sha))?;
                    references.extend(mode.kind().map(|kind| (sha, kind)));
                    Some((mode, sha))
                }
                TreeEntryContent::Content(mode, content) => {
                    let blob = Object::blob(content);
                    let sha = blob.sha();
                    objects.push(blob);
                    Some((mode, sha))
                }
            };
            edits.push(Edit { path, entry });
        }
        self.check_references(grant, &references).await?;
        Ok((edits, objects))
    }

    async fn check_references(
        &self,
        grant: &RepositoryGrant,
        references: &[(Sha, ObjectKind)],
    ) -> Outcome<()> {
        let distinct: HashSet<Sha> = references.iter().map(|(sha, _)| *sha).collect();
        let distinct: Vec<Sha> = distinct.into_iter().collect();
        let headers = heads(self.app.db.reads(), grant.repository.id, &distinct).await?;
        for (sha, kind) in references {
            let exists = headers.get(sha).is_some_and(|head| head.kind == *kind);
            if !exists && (*sha, *kind) != (Sha::EMPTY_TREE, ObjectKind::Tree) {
                return Err(no_object(&sha.to_string()));
            }
        }
        Ok(())
    }

    pub(super) async fn make_commit(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        body: CreateCommit,
    ) -> Outcome<Reply<201, GitCommit>> {
        check_message(&body.message, "Commit")?;
        let tree = self.tree(grant, &body.tree).await?;
        let parents = self.parents(grant, &body.parents).await?;
        let caller = Signature::of_caller(&self.app, call).await?;
        let committer = caller.or_named(body.committer.as_ref(), "committer")?;
        let author = committer.or_named(body.author.as_ref(), "author")?;
        let commit = Commit {
            tree,
            parents,
            author: author.ident().line(),
            committer: committer.ident().line(),
            more: match &body.signature {
                Some(signature) => rules::signature_header(signature)?,
                None => Vec::new(),
            },
            message: Some(body.message.into_bytes()),
        };
        let object = commit.write();
        check_size(&object)?;
        let sha = object.sha();
        let node = NewCommit::new(sha, &commit);
        let response = GitObjectView::new(call, grant).commit(sha, &object)?;
        let mut objects = vec![object];
        if tree == Sha::EMPTY_TREE {
            objects.push(Tree::default().write());
        }
        self.store(grant, &objects, Some(node)).await?;
        let location = response.url.0.clone();
        Ok(Reply::new(response).location(location))
    }

    async fn tree(&self, grant: &RepositoryGrant, sha: &str) -> Outcome<Sha> {
        if sha.parse() == Ok(Sha::EMPTY_TREE) {
            return Ok(Sha::EMPTY_TREE);
        }
        let target = RefTarget::find(self.app.db.reads(), grant.repository.id, sha).await?;
        match target {
            Some(RefTarget {
                sha,
                kind: ObjectKind::Tree,
            }) => Ok(sha),
            _ => Err(unprocessable("Tree SHA does not exist")),
        }
    }

    async fn parents(&self, grant: &RepositoryGrant, shas: &[String]) -> Outcome<Vec<Sha>> {
        let missing = || unprocessable("Parent SHA does not exist or is not a commit object");
        if shas.len() > MOST_PARENTS {
            return Err(FieldProblem::invalid("Commit", "parents").into());
        }
        let parsed = shas.iter().map(|sha| sha.parse());
        let parents: Vec<Sha> = parsed.collect::<Result<_, _>>().map_err(|_| missing())?;
        let headers = heads(self.app.db.reads(), grant.repository.id, &parents).await?;
        let is_commit = |sha: &Sha| {
            headers
                .get(sha)
                .is_some_and(|head| head.kind == ObjectKind::Commit)
        };
        match parents.iter().all(is_commit) {
            true => Ok(parents),
            false => Err(missing()),
        }
    }

    pub(super) async fn make_tag(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        body: CreateTag,
    ) -> Outcome<Reply<201, GitTag>> {
        check_message(&body.message, "Tag")?;
        if RefName::parse(&format!("refs/tags/{}", body.tag)).is_err() {
            return Err(FieldProblem::invalid("Tag", "tag").into());
        }
        let kind = rules::tagged(body.kind);
        let target =
            RefTarget::find(self.app.db.reads(), grant.repository.id, &body.object).await?;
        let Some(target) = target.filter(|target| target.kind == kind) else {
            return Err(unprocessable(
                "Object does not exist or is not of the given type",
            ));
        };
        let caller = Signature::of_caller(&self.app, call).await?;
        let tagger = caller.or_named(body.tagger.as_ref(), "tagger")?;
        let tag = build::tag(&body.tag, target.sha, kind, &tagger.ident(), &body.message);
        let object = tag.write();
        check_size(&object)?;
        let sha = object.sha();
        self.store(grant, std::slice::from_ref(&object), None)
            .await?;
        let response = GitObjectView::new(call, grant).tag(sha, &object)?;
        let location = response.url.0.clone();
        Ok(Reply::new(response).location(location))
    }

    /// Stores objects, and adds a commit among them to the graph.
    async fn store(
        &self,
        grant: &RepositoryGrant,
        objects: &[Object],
        commit: Option<NewCommit>,
    ) -> Outcome<()> {
        let id = grant.repository.id;
        let transaction = self.app.db.begin().await?;
        store_objects(&transaction, id, objects).await?;
        if let Some(commit) = commit {
            add_commits(&transaction, id, &[commit]).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

fn no_object(sha: &str) -> Problem {
    Problem::Refused(format!("tree.sha {sha} is not a valid object of the repository").into())
}

/// Commits and tags are read whole, so they have a limit of their own.
fn check_size(object: &Object) -> Outcome<()> {
    match object.content.len() > LARGEST_TEXT {
        true => Err(unprocessable("message is too long")),
        false => Ok(()),
    }
}
