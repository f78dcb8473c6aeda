//! Access tokens of every kind. Only a hash of the token is kept.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "token")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// SHA-256 of the token, in lower-case hexadecimal; unique.
    pub hash: String,
    pub kind: TokenKind,
    /// Whose token it is; None for installation tokens only.
    pub user_id: Option<i64>,
    /// App user tokens only; an installation token finds its app through the installation.
    pub app_id: Option<i64>,
    /// OAuth tokens only: the client that it was issued to, if that is known.
    pub client_id: Option<String>,
    /// Installation tokens only.
    pub installation_id: Option<i64>,
    /// Fine-grained tokens only: the account whose resources it reaches.
    pub owner_id: Option<i64>,
    /// Fine-grained and installation tokens only.
    pub repository_selection: Option<TokenSelection>,
    /// A JSON array; filled for classic and OAuth tokens.
    pub scopes: String,
    /// A JSON object; filled for fine-grained and installation tokens.
    pub permissions: String,
    pub label: Option<String>,
    /// The last characters of the token, four at most, for lists.
    pub hint: String,
    pub demo: bool,
    pub created_at: i64,
    /// Always set for installation tokens.
    pub expires_at: Option<i64>,
    pub revoked_at: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The kinds of token that the service issues.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum TokenKind {
    #[default]
    Classic,
    FineGrained,
    Oauth,
    AppUser,
    Installation,
}

/// Which of the owner's or the installation's repositories a token reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum TokenSelection {
    All,
    /// Fine-grained tokens only.
    Public,
    /// Those with a row in `token_repository`.
    Selected,
}
