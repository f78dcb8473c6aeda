//! The requests of Git clients: references, objects, and pushes.

mod fetching;
mod pushing;

use tokio::io::AsyncRead;

use super::list::{ListFor, ListWriter};
use super::rows;
use super::rows::RefQuery;
use super::view::{GitReply, refusal};
use super::{GitTransport, Service, rules};
use crate::access::RepositoryGrant;
use contract::call::Call;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::address::RepoAddress;
use git::refs::NameRange;
use git::transport::fetch::{CommandRequest, OldFetch};
use git::transport::{BadRequest, Version, capabilities};
use storage::heavy::{self, Held};

/// A longer list of references needs a permit, and one of more ranges of names.
const FEW: usize = 1000;
const FEW_RANGES: usize = 20;

/// A longer request is parsed on another thread.
const SHORT: usize = 64 * 1024;

impl GitTransport {
    /// The first response to a client.
    pub async fn advertise(
        &self,
        call: &Call,
        at: &RepoAddress,
        service: Service,
        version: Version,
    ) -> Outcome<GitReply> {
        let grant = self.grant(call, at, service).await?;
        let fetches = service == Service::UploadPack;
        if fetches && version == Version::V2 {
            return Ok(GitReply::Whole(capabilities::version_2()));
        }
        let listing = RefQuery {
            ranges: &[NameRange::beginning_with("refs/")],
            peel: fetches,
            pulls: fetches,
        };
        let purpose = ListFor::Advertisement(service, version);
        self.list(&grant, &listing, purpose).await
    }

    /// Answers a client that fetches. Receives the body only if the caller may fetch.
    pub async fn upload_pack(
        &self,
        call: &Call,
        at: &RepoAddress,
        version: Version,
        body: impl Future<Output = Outcome<(Vec<u8>, Held)>>,
    ) -> Outcome<GitReply> {
        let grant = self.grant(call, at, Service::UploadPack).await?;
        let (body, _held) = body.await?;
        if version < Version::V2 {
            return match parsed(body, OldFetch::parse).await? {
                Ok(Some(request)) => self.fetch_old(&grant, &request).await,
                Ok(None) => Ok(GitReply::Whole(Vec::new())),
                Err(reason) => Ok(refusal(&reason)),
            };
        }
        match parsed(body, CommandRequest::parse).await? {
            Ok(Some(CommandRequest::Fetch(request))) => self.fetch(&grant, &request).await,
            Ok(Some(CommandRequest::LsRefs(request))) => {
                let listing = RefQuery {
                    ranges: &request.ranges(),
                    peel: request.peel,
                    pulls: true,
                };
                let purpose = ListFor::Answer(&request);
                self.list(&grant, &listing, purpose).await
            }
            Ok(None) => Ok(GitReply::Whole(Vec::new())),
            Err(reason) => Ok(refusal(&reason)),
        }
    }

    /// Answers a client that pushes.
    pub async fn receive_pack(
        &self,
        call: &Call,
        at: &RepoAddress,
        upload: impl AsyncRead + Unpin + Send,
    ) -> Outcome<Vec<u8>> {
        let grant = self.grant(call, at, Service::ReceivePack).await?;
        self.push(call, &grant, upload).await
    }

    /// The repository, if the caller may use this service.
    async fn grant(
        &self,
        call: &Call,
        at: &RepoAddress,
        service: Service,
    ) -> Outcome<RepositoryGrant> {
        let grant = self.app.access.repository(call, at).await;
        let grant = grant.map_err(|problem| rules::access_error(problem, service, call, at))?;
        if service == Service::ReceivePack {
            rules::may_be_pushed_to(&grant.repository)?;
        }
        Ok(grant)
    }

    /// A consistent list of references.
    async fn list(
        &self,
        grant: &RepositoryGrant,
        listing: &RefQuery<'_>,
        purpose: ListFor<'_>,
    ) -> Outcome<GitReply> {
        if listing.ranges.len() <= FEW_RANGES {
            let mut few = ListWriter::new(purpose);
            let snapshot = self.app.db.snapshot().await?;
            let most = Some(FEW);
            if rows::list(&snapshot, &grant.repository, listing, most, &mut few).await? {
                return few.finish().await.map_err(Problem::internal);
            }
        }
        let mut all = ListWriter::new(purpose);
        let listed = heavy::with_permit(async {
            let snapshot = self.app.db.snapshot().await?;
            rows::list(&snapshot, &grant.repository, listing, None, &mut all).await
        });
        match listed.await? {
            true => all.finish().await.map_err(Problem::internal),
            false => Err(Problem::internal("a list without a limit was too long")),
        }
    }
}

/// A malformed request is an HTTP error where the protocol has no message for it.
fn unreadable(reason: BadRequest) -> Problem {
    Problem::BadRequest(reason.0.into())
}

/// Parses a request, on another thread if it is long.
async fn parsed<T: Send + 'static>(
    body: Vec<u8>,
    parse: impl FnOnce(&[u8]) -> Result<T, BadRequest> + Send + 'static,
) -> Outcome<Result<T, BadRequest>> {
    match body.len() > SHORT {
        true => heavy::compute(move || parse(&body))
            .await
            .map_err(Problem::internal),
        false => Ok(parse(&body)),
    }
}
