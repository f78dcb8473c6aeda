//! Reads the packs and loose objects of a repository on disk, which may have some objects
//! more than once. Blocks.

use super::index::ReceivedPack;
use super::modules::ModulesCheck;
use super::parser::Parser;
use super::resolver::Resolver;
use super::{PackError, PackLimits};
use crate::git::Sha;
use crate::git::objects::Object;
use crate::git::store::Packer;

pub(in crate::git) struct PackReader {
    parser: Parser,
    packer: Packer,
    limits: PackLimits,
}

impl PackReader {
    pub(in crate::git) fn new(limits: PackLimits) -> Result<Self, PackError> {
        let mut parser = Parser::new(limits)?;
        parser.facts.tolerate_duplicates();
        Ok(Self {
            parser,
            packer: Packer::default(),
            limits,
        })
    }

    /// Takes the next bytes of a pack.
    pub(in crate::git) fn push(&mut self, bytes: &[u8]) -> Result<(), PackError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = &rest[self.parser.push(rest)?..];
        }
        Ok(())
    }

    /// The pack has ended; another may follow.
    pub(in crate::git) fn end_pack(&mut self) -> Result<(), PackError> {
        self.parser.finish()?;
        self.parser.begin_pack();
        Ok(())
    }

    /// Takes an object that is in no pack, and returns its name.
    pub(in crate::git) fn push_object(&mut self, object: &Object) -> Result<Sha, PackError> {
        let packed = self.packer.pack(object)?;
        self.parser.add_object(&packed, &object.content)?;
        Ok(packed.sha)
    }

    pub(in crate::git) fn finish(self) -> Result<ReceivedPack, PackError> {
        let mut resolver = Resolver::new(self.parser, self.limits)?;
        while !resolver.resolve()? {}
        let pack = resolver.finish()?;
        ModulesCheck::of(&pack).run(&pack, u64::MAX)?;
        Ok(pack)
    }
}
