//! The five kinds of token. Each kind has its own keys, so that a key of another
//! kind is an unknown key; what a token refers to is checked in `check/tokens.rs`.
//! The rule that surprises: `kind` is read first, and nothing else without it.

use crate::world::findings::Findings;
use crate::world::node::{At, Content, Node};
use crate::world::record::{FromNode, Keys, mismatch, record, words};
use crate::world::scalar::{Positive, Timestamp};

words! {
    Kind {
        #[default]
        Classic = "classic",
        FineGrained = "fine_grained",
        Oauth = "oauth",
        AppUser = "app_user",
        Installation = "installation",
    }
}

/// A credential, by its kind.
#[derive(Debug, Clone)]
pub enum Token {
    Classic(ClassicToken),
    FineGrained(FineGrainedToken),
    Oauth(OauthToken),
    AppUser(AppUserToken),
    Installation(InstallationToken),
}

record! {
    ClassicToken is "a classic token" {
        optional id: At<Positive>,
        required kind: Kind,
        required user: At<String>,
        list scopes: At<String>,
        /// What it is for, in lists of tokens.
        optional description: String,
        optional value: At<String>,
        optional expires_at: At<Timestamp>,
        optional created_at: Timestamp,
    }
}

record! {
    FineGrainedToken is "a fine_grained token" {
        optional id: At<Positive>,
        required kind: Kind,
        required user: At<String>,
        /// The account whose resources it reaches.
        required owner: At<String>,
        defaulted repositories: TokenRepositories,
        entries permissions: At<String>,
        /// What it is for, in lists of tokens.
        optional description: String,
        optional value: At<String>,
        optional expires_at: At<Timestamp>,
        optional created_at: Timestamp,
    }
}

record! {
    OauthToken is "an oauth token" {
        optional id: At<Positive>,
        required kind: Kind,
        required user: At<String>,
        list scopes: At<String>,
        /// The client that it was issued to.
        optional client_id: At<String>,
        /// What it is for, in lists of tokens.
        optional description: String,
        optional value: At<String>,
        optional expires_at: At<Timestamp>,
        optional created_at: Timestamp,
    }
}

record! {
    AppUserToken is "an app_user token" {
        optional id: At<Positive>,
        required kind: Kind,
        required user: At<String>,
        required app: At<String>,
        /// What it is for, in lists of tokens.
        optional description: String,
        optional value: At<String>,
        optional expires_at: At<Timestamp>,
        optional created_at: Timestamp,
    }
}

record! {
    InstallationToken is "an installation token" {
        optional id: At<Positive>,
        required kind: Kind,
        required app: At<String>,
        required account: At<String>,
        /// What it is for, in lists of tokens.
        optional description: String,
        optional value: At<String>,
        /// Seconds from the moment of loading.
        optional expires_in: At<Positive>,
        optional expires_at: At<Timestamp>,
        optional created_at: Timestamp,
    }
}

impl FromNode for Token {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        let every_key = [
            "id",
            "kind",
            "user",
            "owner",
            "app",
            "account",
            "scopes",
            "client_id",
            "repositories",
            "permissions",
            "description",
            "value",
            "expires_in",
            "expires_at",
            "created_at",
        ];
        // Read apart from the findings: the kind's own record reports its keys.
        let mut aside = Findings::default();
        let kind = Keys::open(node, key, "a token", &every_key, &mut aside)
            .and_then(|keys| keys.optional::<Kind>("kind", &mut aside));
        let Some(kind) = kind else {
            let keys = Keys::open(node, key, "a token", &every_key, findings)?;
            keys.required::<Kind>("kind", findings);
            return None;
        };
        match kind {
            Kind::Classic => FromNode::from_node(node, key, findings).map(Self::Classic),
            Kind::FineGrained => FromNode::from_node(node, key, findings).map(Self::FineGrained),
            Kind::Oauth => FromNode::from_node(node, key, findings).map(Self::Oauth),
            Kind::AppUser => FromNode::from_node(node, key, findings).map(Self::AppUser),
            Kind::Installation => FromNode::from_node(node, key, findings).map(Self::Installation),
        }
    }
}

impl Token {
    pub fn id(&self) -> Option<&At<Positive>> {
        match self {
            Self::Classic(token) => token.id.as_ref(),
            Self::FineGrained(token) => token.id.as_ref(),
            Self::Oauth(token) => token.id.as_ref(),
            Self::AppUser(token) => token.id.as_ref(),
            Self::Installation(token) => token.id.as_ref(),
        }
    }

    /// Whose token it is; an installation's is nobody's.
    pub fn user(&self) -> Option<&At<String>> {
        match self {
            Self::Classic(token) => Some(&token.user),
            Self::FineGrained(token) => Some(&token.user),
            Self::Oauth(token) => Some(&token.user),
            Self::AppUser(token) => Some(&token.user),
            Self::Installation(_) => None,
        }
    }

    pub fn value(&self) -> Option<&At<String>> {
        match self {
            Self::Classic(token) => token.value.as_ref(),
            Self::FineGrained(token) => token.value.as_ref(),
            Self::Oauth(token) => token.value.as_ref(),
            Self::AppUser(token) => token.value.as_ref(),
            Self::Installation(token) => token.value.as_ref(),
        }
    }

    pub fn description(&self) -> Option<&str> {
        match self {
            Self::Classic(token) => token.description.as_deref(),
            Self::FineGrained(token) => token.description.as_deref(),
            Self::Oauth(token) => token.description.as_deref(),
            Self::AppUser(token) => token.description.as_deref(),
            Self::Installation(token) => token.description.as_deref(),
        }
    }
}

/// Which repositories a fine-grained token reaches; the public ones when the file
/// does not say.
#[derive(Debug, Clone, Default)]
pub enum TokenRepositories {
    All,
    #[default]
    Public,
    Only(Vec<At<String>>),
}

impl FromNode for TokenRepositories {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        match &node.content {
            Content::List(_) => Vec::from_node(node, key, findings).map(Self::Only),
            Content::Text(word) if word == "all" => Some(Self::All),
            Content::Text(word) if word == "public" => Some(Self::Public),
            _ => {
                mismatch(node, key, "`all`, `public` or a list of names", findings);
                None
            }
        }
    }
}
