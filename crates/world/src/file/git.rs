//! A repository's history in the file: a path to a real one, or commits, tags and
//! refs by hand.

use crate::findings::Findings;
use crate::record::{FromYaml, record};
use crate::scalar::DateTime;
use crate::yaml::{At, Yaml, YamlValue};

record! {
    Git is "a git section" {
        /// A repository on disk, relative to the file.
        optional path: At<String>,
        optional commits: At<Vec<Commit>>,
        list tags: Tag,
        entries refs: At<String>,
    }
}

record! {
    Commit is "a commit" {
        required id: At<String>,
        /// The commit above if absent; an empty list makes a root commit.
        optional parents: Vec<At<String>>,
        required message: At<String>,
        optional author: Author,
        optional date: DateTime,
        /// On top of the first parent's tree.
        entries files: String,
        list delete: At<String>,
    }
}

/// The author of a commit or a tag.
#[derive(Debug, Clone)]
pub enum Author {
    Login(At<String>),
    Person(Person),
}

record! {
    Person is "a person" {
        required name: At<String>,
        required email: At<String>,
    }
}

impl FromYaml for Author {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        match &yaml.value {
            YamlValue::Mapping(_) => Person::from_yaml(yaml, key, findings).map(Self::Person),
            _ => At::from_yaml(yaml, key, findings).map(Self::Login),
        }
    }
}

record! {
    /// An annotated tag object. The ref that shows it is one of `refs`.
    Tag is "a tag" {
        required name: At<String>,
        required target: At<String>,
        required message: At<String>,
        optional author: Author,
        optional date: DateTime,
    }
}
