//! References, by their full names in byte order.

use sea_orm::entity::prelude::*;

use super::git_object::ObjectKind;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "git_ref")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub repository_id: i64,
    /// Begins with `refs/`; unique per repository.
    pub name: String,
    /// A stored object; a branch names a commit.
    pub sha: String,
    /// Of the object that `sha` names.
    pub kind: ObjectKind,
    pub updated_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
