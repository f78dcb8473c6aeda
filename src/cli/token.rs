//! `forgewright token issue|list|revoke|sign`: manages tokens for the operator of the
//! server. A token's value is shown once, when it is issued.

mod listing;

use std::sync::Arc;

use clap::{Args, Subcommand};

use super::print::say;
use super::sign::Sign;
use super::{Failure, open_existing};
use crate::config::DatabaseConfig;
use contract::caller::{Level, Permissions};
use contract::values::Timestamp;
use forge::app::{App, Settings};
use forge::router;
use forge::tokens;
use forge::tokens::{NewToken, Repositories, Terms, Which};
pub use listing::list;
use storage::clock::{Clock, SystemClock};
use storage::entropy::SystemEntropy;

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Issue a token, and show its value once
    #[command(subcommand)]
    Issue(IssueTokenCommand),
    /// List the tokens, without their values
    List(DatabaseConfig),
    /// Revoke a token permanently
    Revoke(Revoke),
    /// Sign an app's JSON web token, valid for ten minutes
    Sign(Sign),
}

#[derive(Debug, Subcommand)]
pub enum IssueTokenCommand {
    /// A classic personal access token
    Classic(Scoped),
    /// An OAuth app's token
    Oauth(Scoped),
    /// A fine-grained personal access token
    FineGrained(FineGrained),
    /// A user's token for an app
    AppUser(AppUser),
    /// An installation token, valid for an hour
    Installation(InstallationArgs),
}

#[derive(Debug, Args)]
pub struct TokenOptions {
    /// A description of the token
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,

    /// Lifetime in seconds [default: no expiry; for an installation token an hour]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(1..=3_155_760_000))]
    expires_in: Option<i64>,

    #[command(flatten)]
    database: DatabaseConfig,
}

#[derive(Debug, Args)]
pub struct Scoped {
    /// The login of the token's user
    #[arg(long, value_name = "LOGIN")]
    user: String,

    /// A scope, such as repo or admin:org; may be repeated
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,

    #[command(flatten)]
    common: TokenOptions,
}

#[derive(Debug, Args)]
pub struct FineGrained {
    /// The login of the token's user
    #[arg(long, value_name = "LOGIN")]
    user: String,

    /// The account whose repositories it can access
    #[arg(long, value_name = "LOGIN")]
    owner: String,

    /// all, public, or the name of a repository of the owner; may be repeated [default: public]
    #[arg(long = "repository", value_name = "NAME")]
    repositories: Vec<String>,

    /// A permission, such as contents=write; may be repeated
    #[arg(long = "permission", value_name = "NAME=LEVEL", value_parser = permission)]
    permissions: Vec<(String, Level)>,

    #[command(flatten)]
    common: TokenOptions,
}

#[derive(Debug, Args)]
pub struct AppUser {
    /// The login of the token's user
    #[arg(long, value_name = "LOGIN")]
    user: String,

    /// The app that uses the token
    #[arg(long, value_name = "SLUG")]
    app: String,

    #[command(flatten)]
    common: TokenOptions,
}

#[derive(Debug, Args)]
pub struct InstallationArgs {
    /// The app that is installed
    #[arg(long, value_name = "SLUG")]
    app: String,

    /// The account that the app is installed on
    #[arg(long, value_name = "LOGIN")]
    account: String,

    /// Limit access to this repository; may be repeated [default: all of the installation's]
    #[arg(long = "repository", value_name = "NAME")]
    repositories: Vec<String>,

    /// Limit to this permission, such as contents=read; may be repeated [default: all of the installation's]
    #[arg(long = "permission", value_name = "NAME=LEVEL", value_parser = permission)]
    permissions: Vec<(String, Level)>,

    #[command(flatten)]
    common: TokenOptions,
}

#[derive(Debug, Args)]
pub struct Revoke {
    /// The id of the token, as `token list` shows it
    id: i64,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(command: TokenCommand) -> Result<(), Failure> {
    match command {
        TokenCommand::Issue(issue) => {
            let (token, common) = issue.split();
            issue_token(token, common).await
        }
        TokenCommand::List(database) => list(&database, u64::MAX).await,
        TokenCommand::Revoke(revoke) => {
            let app = app(&revoke.database).await?;
            let fresh = tokens::revoke(&app, Which::Id(revoke.id))
                .await
                .map_err(Failure::of)?;
            app.db.close().await?;
            say!(
                "{}",
                if fresh {
                    "Revoked."
                } else {
                    "Already revoked."
                }
            )
        }
        TokenCommand::Sign(sign) => super::sign::run(&sign),
    }
}

impl IssueTokenCommand {
    /// The token to issue, and the options that every kind has.
    fn split(self) -> (NewToken, TokenOptions) {
        match self {
            Self::Classic(Scoped {
                user,
                scopes,
                common,
            }) => {
                let scopes = scopes.into_iter().collect();
                (NewToken::Classic { user, scopes }, common)
            }
            Self::Oauth(Scoped {
                user,
                scopes,
                common,
            }) => {
                let scopes = scopes.into_iter().collect();
                (NewToken::Oauth { user, scopes }, common)
            }
            Self::FineGrained(args) => {
                let token = NewToken::FineGrained {
                    user: args.user,
                    owner: args.owner,
                    repositories: reach(args.repositories),
                    permissions: args.permissions.into_iter().collect(),
                };
                (token, args.common)
            }
            Self::AppUser(AppUser { user, app, common }) => {
                (NewToken::AppUser { user, app }, common)
            }
            Self::Installation(args) => {
                let permissions: Permissions = args.permissions.into_iter().collect();
                let token = NewToken::Installation {
                    app: args.app,
                    account: args.account,
                    repositories: args.repositories,
                    permissions: (!permissions.is_empty()).then_some(permissions),
                };
                (token, args.common)
            }
        }
    }
}

fn reach(repositories: Vec<String>) -> Repositories {
    match repositories.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["all"] => Repositories::All,
        [] | ["public"] => Repositories::Public,
        _ => Repositories::Only(repositories),
    }
}

fn permission(text: &str) -> Result<(String, Level), String> {
    let (name, level) = text
        .split_once('=')
        .ok_or("expected NAME=LEVEL, such as contents=write")?;
    let level = match level {
        "read" => Level::Read,
        "write" => Level::Write,
        "admin" => Level::Admin,
        _ => return Err("expected the level read, write or admin".to_owned()),
    };
    Ok((name.to_owned(), level))
}

async fn app(database: &DatabaseConfig) -> Result<Arc<App>, Failure> {
    let db = open_existing(database).await?;
    Ok(router::app(
        db,
        Arc::new(SystemClock),
        Arc::new(SystemEntropy),
        Settings::default(),
    ))
}

async fn issue_token(token: NewToken, common: TokenOptions) -> Result<(), Failure> {
    let app = app(&common.database).await?;
    let now = SystemClock.now().0;
    let terms = Terms {
        label: common.label,
        expires_at: common.expires_in.map(|seconds| Timestamp(now + seconds)),
    };
    let issued = tokens::issue(&app, token, terms)
        .await
        .map_err(Failure::of)?;
    app.db.close().await?;
    say!("{}", issued.value)?;
    match issued.expires_at {
        Some(expiry) => eprintln!(
            "Token {}, valid until {expiry}. Its value is not shown again.",
            issued.id
        ),
        None => eprintln!("Token {}. Its value is not shown again.", issued.id),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
