//! `forgewright world show`: lists what exists, with the ids that the API uses. Lists the
//! first rows of each kind, by id; a database may hold a million.

use clap::Args;

use super::print::say;
use super::token;
use super::{Failure, open_existing};
use crate::config::DatabaseConfig;
use contract::control::worlds::WorldContents;
use storage::clock::{Clock, SystemClock};
use world::contents::Lister;

#[derive(Debug, Args)]
pub struct Show {
    /// List at most N of each kind
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    limit: u64,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(show: &Show) -> Result<(), Failure> {
    let db = open_existing(&show.database).await?;
    let lister = Lister {
        db: db.reads(),
        skipped: 0,
        limit: show.limit + 1,
    };
    let contents = lister.all(SystemClock.now().0).await?;
    for (name, items) in sections(contents) {
        print(name, &items, show.limit)?;
    }
    db.close().await?;
    say!("\ntokens")?;
    token::list(&show.database, show.limit).await
}

/// The id of each item, if it has one, and its name.
type Items = Vec<(Option<i64>, String)>;

fn sections(all: WorldContents) -> [(&'static str, Items); 9] {
    let numbered = |home: &str, number: i64, title: &str| format!("{home}#{number}  {title}");
    let accounts = all.accounts.into_iter();
    let accounts = accounts.map(|item| (Some(item.id), format!("{}  {}", item.login, item.kind)));
    let members = all.members.into_iter();
    let members = members.map(|item| {
        let name = format!("{} in {}  {}", item.user, item.organization, item.role);
        (None, name)
    });
    let repositories = all.repositories.into_iter();
    let repositories = repositories.map(|item| {
        let name = format!("{}  {}", item.full_name, item.visibility);
        (Some(item.id), name)
    });
    let collaborators = all.collaborators.into_iter();
    let collaborators = collaborators.map(|item| {
        let name = format!("{} in {}  {}", item.user, item.repository, item.permission);
        (None, name)
    });
    let issues = all.issues.into_iter().map(|item| {
        let name = numbered(&item.repository, item.number, &item.title);
        (Some(item.id), name)
    });
    let pulls = all.pull_requests.into_iter().map(|item| {
        let name = numbered(&item.repository, item.number, &item.title);
        (Some(item.id), name)
    });
    let projects = all.projects.into_iter().map(|item| {
        let name = format!("{}, number {}  {}", item.owner, item.number, item.title);
        (Some(item.id), name)
    });
    let apps = all.apps.into_iter().map(|item| {
        let hook = item.webhook_url.map(|url| format!("  webhooks to {url}"));
        (Some(item.id), item.slug + &hook.unwrap_or_default())
    });
    let installations = all.installations.into_iter();
    let installations = installations.map(|item| {
        let (app, account) = (item.app, item.account);
        let name = format!(
            "{app} on {account}, {} repositories",
            item.repository_selection
        );
        (Some(item.id), name)
    });
    [
        ("accounts", accounts.collect()),
        ("members", members.collect()),
        ("repositories", repositories.collect()),
        ("collaborators", collaborators.collect()),
        ("issues", issues.collect()),
        ("pull requests", pulls.collect()),
        ("projects", projects.collect()),
        ("apps", apps.collect()),
        ("installations", installations.collect()),
    ]
}

fn print(name: &str, items: &Items, limit: u64) -> Result<(), Failure> {
    if items.is_empty() {
        return Ok(());
    }
    say!("{name}")?;
    let shown = usize::try_from(limit).unwrap_or(usize::MAX);
    for (id, name) in items.iter().take(shown) {
        let id = id.map(|id| id.to_string()).unwrap_or_default();
        say!("{id:>12}  {name}")?;
    }
    match items.len() > shown {
        true => say!("{:>12}  (more; see --limit)", "…"),
        false => Ok(()),
    }
}
