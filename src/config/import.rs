//! The options of `forgewright world import`.

use std::path::PathBuf;

use clap::Args;
use import::address::{ApiRoot, RepositoryName};
use import::token::ApiToken;
use import::{ImportLimits, parse_since};

/// Reads repositories from GitHub, or from a server with its API, and writes the folder of a
/// world. The same command again continues an import that was interrupted, and brings one that
/// ended up to date.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  GITHUB_TOKEN=… forgewright world import acme/gadgets --token-env GITHUB_TOKEN --out gadgets
  forgewright serve --world gadgets --data-dir gadgets-data")]
pub struct ImportConfig {
    /// The repositories
    #[arg(required = true, value_name = "OWNER/REPO")]
    pub repositories: Vec<RepositoryName>,

    /// The root of the API: of GitHub, https://HOST/api/v3 or a Forgewright
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    pub from: ApiRoot,

    /// The environment variable with the token; without it, the import reads what is public
    #[arg(long, value_name = "NAME")]
    token_env: Option<String>,

    /// The folder of the world; created if it is missing
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,

    /// Only issues and pull requests that were updated since this day or time, in UTC
    #[arg(long, value_name = "DATE", value_parser = parse_since)]
    since: Option<String>,

    /// At most this many pull requests of each repository, the newest
    #[arg(long, value_name = "N")]
    pulls: Option<usize>,

    /// A project of an owner, instead of all that the server lists
    #[arg(long = "project", value_name = "OWNER/NUMBER", value_parser = project)]
    pub projects: Vec<(String, i64)>,
}

impl ImportConfig {
    pub fn limits(&self) -> ImportLimits {
        ImportLimits {
            since: self.since.clone(),
            pulls: self.pulls,
        }
    }

    /// The token. It is in a variable, because every program of the machine can read the
    /// arguments of another.
    #[allow(
        clippy::disallowed_methods,
        reason = "the name of the variable is an argument"
    )]
    pub fn token(&self) -> Result<Option<ApiToken>, String> {
        let Some(name) = &self.token_env else {
            return Ok(None);
        };
        let value = std::env::var(name)
            .map_err(|_| format!("the environment variable {name} of --token-env is not set"))?;
        let token = ApiToken::new(&value);
        let token = token
            .map_err(|reason| format!("the value of the environment variable {name} {reason}"));
        token.map(Some)
    }
}

fn project(text: &str) -> Result<(String, i64), String> {
    let parts = text.split_once('/');
    let project = parts.and_then(|(owner, number)| Some((owner.to_owned(), number.parse().ok()?)));
    let valid = project.filter(|(owner, number)| !owner.is_empty() && *number > 0);
    valid.ok_or_else(|| "expected OWNER/NUMBER, such as acme/1".to_owned())
}
