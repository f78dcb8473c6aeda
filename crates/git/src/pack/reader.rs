//! Reads the packs and loose objects of a repository on disk, which may have some objects
//! more than once. Blocks.

use super::index::ReceivedPack;
use super::modules::GitFileCheck;
use super::parser::Parser;
use super::resolver::Resolver;
use super::{PackError, PackLimits};
use crate::Sha;
use crate::objects::Object;
use crate::store::Packer;

pub(crate) struct PackReader {
    parser: Parser,
    packer: Packer,
    limits: PackLimits,
}

impl PackReader {
    pub(crate) fn new(limits: PackLimits) -> Result<Self, PackError> {
        let mut parser = Parser::new(limits)?;
        parser.facts.tolerate_duplicates();
        Ok(Self {
            parser,
            packer: Packer::default(),
            limits,
        })
    }

    /// Takes the next bytes of a pack.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), PackError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = &rest[self.parser.push(rest)?..];
        }
        Ok(())
    }

    /// The pack has ended; another may follow.
    pub(crate) fn end_pack(&mut self) -> Result<(), PackError> {
        self.parser.finish()?;
        self.parser.begin_pack();
        Ok(())
    }

    /// Takes an object that is in no pack, and returns its name.
    pub(crate) fn push_object(&mut self, object: &Object) -> Result<Sha, PackError> {
        let packed = self.packer.pack(object)?;
        self.parser.add_object(&packed, &object.content)?;
        Ok(packed.sha)
    }

    pub(crate) fn finish(self) -> Result<ReceivedPack, PackError> {
        let mut resolver = Resolver::new(self.parser, self.limits)?;
        while !resolver.resolve()? {}
        let pack = resolver.finish()?;
        GitFileCheck::of(&pack).run(&pack, u64::MAX)?;
        Ok(pack)
    }
}
