//! Fetches and clones: negotiation, and then a pack of the objects that the client lacks.

use super::GitTransport;
use crate::access::RepositoryGrant;
use crate::git_transport::rows;
use crate::git_transport::view::{GitReply, refusal};
use contract::reply::Outcome;
use git::GitError;
use git::pack::ObjectNames;
use git::transport::BadRequest;
use git::transport::closures::WholeClone;
use git::transport::fetch::OldFetch;
use git::transport::negotiation::CommonObjects;
use git::transport::objects::{ObjectSelection, Starts, tags_of};
use git::transport::packet::{push_delimiter, push_flush, push_text};
use git::transport::request::FetchRequest;
use git::transport::revisions::Range;
use git::transport::sending;
use git::transport::shallow::{self, Boundary};
use git::transport::sideband::Bands;
use storage::heavy;

/// A result that may be an error message for the client.
type Checked<T> = Result<Result<T, BadRequest>, GitError>;

/// Unwraps a result, or returns the error message to the client.
macro_rules! granted {
    ($checked:expr) => {
        match $checked {
            Ok(granted) => granted,
            Err(reason) => return Ok(refusal(&reason)),
        }
    };
}

impl GitTransport {
    /// Answers `fetch` of version 2.
    pub(super) async fn fetch(
        &self,
        grant: &RepositoryGrant,
        request: &FetchRequest,
    ) -> Outcome<GitReply> {
        let (reads, id) = (self.app.db.reads(), grant.repository.id);
        if request.wants.is_empty() {
            return Ok(GitReply::Whole(Vec::new()));
        }
        let starts = granted!(Starts::of(reads, id, &request.wants).await?);
        let common = CommonObjects::find(reads, id, &request.haves).await?;
        let mut out = Vec::new();
        if !request.done && !request.haves.is_empty() {
            let ready =
                !request.wait_for_done && common.is_enough(reads, id, &starts.commits).await?;
            out.append(&mut common.version_2(ready));
            if !ready {
                push_flush(&mut out);
                return Ok(GitReply::Whole(out));
            }
            push_delimiter(&mut out);
        }
        let boundary = granted!(self.boundary(id, request, &starts).await?);
        if request.deepen.is_wanted() || !request.shallow.is_empty() {
            push_text(&mut out, "shallow-info");
            out.append(&mut boundary.lines());
            push_delimiter(&mut out);
        }
        push_text(&mut out, "packfile");
        self.send(id, request, starts, common, boundary, (out, Bands::Large))
            .await
    }

    /// Answers a fetch of versions 0 and 1.
    pub(super) async fn fetch_old(
        &self,
        grant: &RepositoryGrant,
        fetch: &OldFetch,
    ) -> Outcome<GitReply> {
        let (reads, id) = (self.app.db.reads(), grant.repository.id);
        let request = &fetch.request;
        let starts = granted!(Starts::of(reads, id, &request.wants).await?);
        let boundary = granted!(self.boundary(id, request, &starts).await?);
        let mut out = Vec::new();
        if request.deepen.is_wanted() {
            out.append(&mut boundary.lines());
            push_flush(&mut out);
        }
        if !fetch.negotiates {
            return Ok(GitReply::Whole(out));
        }
        let common = CommonObjects::find(reads, id, &request.haves).await?;
        let enough = !request.done && common.is_enough(reads, id, &starts.commits).await?;
        let (mut acknowledgments, pack) = common.version_0(request, fetch.style, enough);
        out.append(&mut acknowledgments);
        if !pack {
            return Ok(GitReply::Whole(out));
        }
        self.send(
            id,
            request,
            starts,
            common,
            boundary,
            (out, fetch.style.bands),
        )
        .await
    }

    /// The boundary of the client's history.
    async fn boundary(
        &self,
        id: i64,
        request: &FetchRequest,
        starts: &Starts,
    ) -> Checked<Boundary> {
        let deepen = &request.deepen;
        if !deepen.is_wanted() {
            return Ok(Ok(shallow::unchanged(&request.shallow)));
        }
        let reads = self.app.db.reads();
        let find = async {
            let not = match rows::resolve(reads, id, &deepen.not).await? {
                Ok(not) => not,
                Err(name) => {
                    let message = format!("upload-pack: ambiguous deepen-not: {name}");
                    return Ok(Err(BadRequest::new(message)));
                }
            };
            let not = match Starts::of(reads, id, &not).await? {
                Ok(not) => not.commits,
                Err(reason) => return Ok(Err(reason)),
            };
            shallow::find(reads, id, &starts.commits, &request.shallow, deepen, not).await
        };
        heavy::with_permit(find).await
    }

    /// Finds the objects that the client lacks, and sends them.
    async fn send(
        &self,
        id: i64,
        request: &FetchRequest,
        starts: Starts,
        common: CommonObjects,
        boundary: Boundary,
        (mut out, bands): (Vec<u8>, Bands),
    ) -> Outcome<GitReply> {
        let names = self.names(id, request, starts, common, boundary);
        let names = granted!(heavy::with_permit(names).await?);
        if !request.no_progress {
            let message = format!("Enumerating objects: {}, done.\n", names.len());
            out.append(&mut bands.progress(&message));
        }
        let db = self.app.db.clone();
        Ok(GitReply::Streamed(sending::body(db, id, names, out, bands)))
    }

    /// The names of the objects that the client lacks.
    async fn names(
        &self,
        id: i64,
        request: &FetchRequest,
        starts: Starts,
        common: CommonObjects,
        boundary: Boundary,
    ) -> Checked<ObjectNames> {
        let reads = self.app.db.reads();
        let mut wants = starts.commits.clone();
        wants.extend(boundary.parents);
        let range = Range {
            wants,
            haves: common.commits,
            cut: boundary.cut,
            client_cut: request.shallow.clone(),
            since: None,
        };
        let clone = WholeClone::of(&starts, &range, request.filter);
        let find = async {
            let outcome = ObjectSelection::find(reads, id, starts, range, request.filter).await;
            let selection = outcome.map_err(Err)?.map_err(Ok)?;
            let names = heavy::compute(move || selection.names()).await;
            names.map_err(|error| Err(error.into()))
        };
        let names = match self.closures.get_or_find(clone, find).await {
            Ok(names) => names,
            Err(Ok(reason)) => return Ok(Err(reason)),
            Err(Err(error)) => return Err(error),
        };
        if !request.include_tag {
            return Ok(Ok(names));
        }
        let tags = rows::tags(reads, id).await?;
        let tags = tags_of(reads, id, &names, &tags).await?;
        Ok(Ok(heavy::compute(move || names.with(&tags)).await?))
    }
}
