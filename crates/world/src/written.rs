//! The contents of a world file to write: the keys of `file.rs`, as plain values.
//! Note: nothing is checked here. The reader checks a file, whoever wrote it.

mod file;
mod records;
mod values;

pub use file::{WorldFile, WriteError, write};
pub use records::{
    Annotation, App, CheckOutput, CheckRun, Collaborator, Comment, Git, Installation, Issue,
    IssueComment, IssueField, IssueFieldOption, Iteration, IterationConfiguration, Label, Member,
    Organization, Project, ProjectField, ProjectFieldOption, ProjectItem, Pull, Repository, Status,
    Token, User, Webhook, World,
};
pub use values::{GivenFieldValue, GrantedRepositories, Time, Word};
