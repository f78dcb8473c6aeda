//! Lists of references, written while they are read, because they may be too long for memory.

use std::io;

use super::Service;
use super::view::GitReply;
use crate::git_refs::pull_heads;
use git::Sha;
use git::transport::Version;
use git::transport::capabilities;
use git::transport::listing::{AdvertisedRef, HeadTarget, LsRefs};
use git::transport::outgoing::{ResponseSpool, SpooledResponse};
use git::transport::packet::{push_flush, push_text};
use git::transport::push::NOTHING;

/// The purpose of a list of references.
#[derive(Clone, Copy)]
pub enum ListFor<'a> {
    /// The first response to clients of versions 0 and 1.
    Advertisement(Service, Version),
    /// The response to `ls-refs`.
    Answer(&'a LsRefs),
}

/// Writes a list of references while it is read.
pub struct ListWriter<'a> {
    purpose: ListFor<'a>,
    /// The end of the first line of an advertisement.
    capabilities: Option<String>,
    out: ResponseSpool,
}

impl<'a> ListWriter<'a> {
    pub fn new(purpose: ListFor<'a>) -> Self {
        Self {
            purpose,
            capabilities: None,
            out: ResponseSpool::default(),
        }
    }

    /// Writes the part before the references.
    pub fn start(&mut self, head: &HeadTarget) {
        match self.purpose {
            ListFor::Advertisement(service, version) => {
                let out = &mut self.out.memory;
                push_text(out, &format!("# service={}", service.name()));
                push_flush(out);
                if version == Version::V1 {
                    push_text(out, "version 1");
                }
                let leads_to = head.sha.map(|_| head.default_branch.as_str());
                self.capabilities = Some(match service {
                    Service::UploadPack => capabilities::fetch(leads_to),
                    Service::ReceivePack => capabilities::push(),
                });
                if let Some(sha) = head.sha.filter(|_| service == Service::UploadPack) {
                    self.push_old(&advertised("HEAD", sha));
                }
            }
            ListFor::Answer(request) if request.wants_head() => {
                let out = &mut self.out.memory;
                let leads_to = request.symrefs.then_some(head.default_branch.as_str());
                if let Some(sha) = head.sha {
                    advertised("HEAD", sha).push_version_2(out, leads_to);
                } else if request.unborn {
                    let target =
                        leads_to.map_or(String::new(), |to| format!(" symref-target:{to}"));
                    push_text(out, &format!("unborn HEAD{target}"));
                }
            }
            ListFor::Answer(_) => {}
        }
    }

    /// Writes a reference.
    pub async fn push(&mut self, listed: &AdvertisedRef) -> io::Result<()> {
        match self.purpose {
            ListFor::Advertisement(Service::ReceivePack, _)
                if pull_heads::is_reserved(&listed.name) => {}
            ListFor::Advertisement(..) => self.push_old(listed),
            ListFor::Answer(_) => listed.push_version_2(&mut self.out.memory, None),
        }
        self.out.spill().await
    }

    fn push_old(&mut self, listed: &AdvertisedRef) {
        let capabilities = self.capabilities.take();
        listed.push_version_0(&mut self.out.memory, capabilities.as_deref());
    }

    /// Writes the part after the references.
    pub async fn finish(mut self) -> io::Result<GitReply> {
        if self.capabilities.is_some() {
            self.push_old(&advertised("capabilities^{}", NOTHING));
        }
        push_flush(&mut self.out.memory);
        Ok(match self.out.finish().await? {
            SpooledResponse::Short(bytes) => GitReply::Whole(bytes),
            SpooledResponse::Long(body) => GitReply::Streamed(body),
        })
    }
}

fn advertised(name: &str, sha: Sha) -> AdvertisedRef {
    AdvertisedRef {
        name: name.to_owned(),
        sha,
        peeled: None,
    }
}
