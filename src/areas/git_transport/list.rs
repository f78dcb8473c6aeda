//! Lists of references, written while they are read: too long to be held.

use std::io;

use super::view::GitReply;
use super::{Service, rules};
use crate::git::Sha;
use crate::git::transport::Version;
use crate::git::transport::capabilities;
use crate::git::transport::listing::{AdvertisedRef, HeadTarget, LsRefs};
use crate::git::transport::outgoing::{ResponseSpool, SpooledResponse};
use crate::git::transport::packet::{push_flush, push_text};
use crate::git::transport::push::NOTHING;

/// What a list of references is for.
#[derive(Clone, Copy)]
pub enum ListFor<'a> {
    /// What clients of versions 0 and 1 are told first.
    Advertisement(Service, Version),
    /// The answer to `ls-refs`.
    Answer(&'a LsRefs),
}

/// Writes a list of references while it is read.
pub struct ListWriter<'a> {
    purpose: ListFor<'a>,
    /// What the first line of an advertisement ends with.
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

    /// Writes what comes before the references.
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
                    self.push_old(&named("HEAD", sha));
                }
            }
            ListFor::Answer(asked) if asked.wants_head() => {
                let out = &mut self.out.memory;
                let leads_to = asked.symrefs.then_some(head.default_branch.as_str());
                if let Some(sha) = head.sha {
                    named("HEAD", sha).push_version_2(out, leads_to);
                } else if asked.unborn {
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
            ListFor::Advertisement(Service::ReceivePack, _) if rules::is_hidden(&listed.name) => {}
            ListFor::Advertisement(..) => self.push_old(listed),
            ListFor::Answer(_) => listed.push_version_2(&mut self.out.memory, None),
        }
        self.out.spill().await
    }

    fn push_old(&mut self, listed: &AdvertisedRef) {
        let capabilities = self.capabilities.take();
        listed.push_version_0(&mut self.out.memory, capabilities.as_deref());
    }

    /// Writes what comes after the references.
    pub async fn finish(mut self) -> io::Result<GitReply> {
        if self.capabilities.is_some() {
            self.push_old(&named("capabilities^{}", NOTHING));
        }
        push_flush(&mut self.out.memory);
        Ok(match self.out.finish().await? {
            SpooledResponse::Short(bytes) => GitReply::Whole(bytes),
            SpooledResponse::Long(body) => GitReply::Streamed(body),
        })
    }
}

fn named(name: &str, sha: Sha) -> AdvertisedRef {
    AdvertisedRef {
        name: name.to_owned(),
        sha,
        peeled: None,
    }
}
