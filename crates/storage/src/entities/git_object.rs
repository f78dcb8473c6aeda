//! Git objects, whole or as deltas, by repository and SHA-1.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "git_object")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub repository_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub sha: String,
    pub kind: ObjectKind,
    /// Bytes before compression.
    pub size: i64,
    /// The object's content without its header, compressed with zlib. If it has a base: the
    /// size of a delta in four bytes, and the delta, compressed with zlib.
    pub content: Vec<u8>,
    /// The object that the delta changes into this one.
    pub base_sha: Option<String>,
    /// The upload that stored it. It is invisible while that has a row in `git_upload`.
    pub upload_id: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The four kinds of Git object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl ObjectKind {
    /// The keyword of Git's object headers.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }
}
