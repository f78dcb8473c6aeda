//! The flags of `serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::DatabaseConfig;
use super::parsers::{base_url, listen_address, names_this_machine, share};
use super::starter::StarterConfig;
use super::tls::TlsConfig;
use crate::web;
use forge::app::Settings;
use forge::outbound::Trust;
use forge::outbound::address::Networks;
use forge::webhooks::MOST_RETRIES;
use storage::cache::CacheSize;
use storage::heavy::RequestMemory;
use storage::limits::Budgets;
use storage::limits::content::ContentBudget;

/// The address to listen on, unless another is given.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8080";

/// The options of `serve`.
#[derive(Debug, Clone, Args)]
pub struct ServeConfig {
    #[command(flatten)]
    pub database: DatabaseConfig,

    /// The address to listen on, such as localhost:8080; port 0 chooses a free one
    #[arg(
        long,
        env = "FORGEWRIGHT_LISTEN",
        value_name = "ADDRESS",
        default_value = DEFAULT_LISTEN,
        value_parser = listen_address
    )]
    pub listen: SocketAddr,

    #[command(flatten)]
    pub(super) tls: TlsConfig,

    #[command(flatten)]
    pub starter: StarterConfig,

    /// A world file to load before serving, or a folder with a `world.yaml`. Without it, an empty database gets the demo world
    #[arg(long, env = "FORGEWRIGHT_WORLD", value_name = "FILE")]
    pub world: Option<PathBuf>,

    /// Scheme, host and port for links, for a server behind a proxy [default: the host of each request]
    #[arg(long, env = "FORGEWRIGHT_BASE_URL", value_name = "URL", value_parser = base_url)]
    pub(super) base_url: Option<String>,

    /// The control API for testing a client: worlds, clock, faults, journal, deliveries
    /// [default: on for SQLite on loopback without a --base-url elsewhere, else off]
    #[arg(
        long,
        env = "FORGEWRIGHT_CONTROL",
        value_name = "on|off",
        num_args = 0..=1,
        default_missing_value = "on"
    )]
    control: Option<Switch>,

    /// The token that the control API requires [default: none on loopback, else the server
    /// generates and prints one]
    #[arg(
        long,
        env = "FORGEWRIGHT_CONTROL_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true,
        value_parser = clap::builder::NonEmptyStringValueParser::new()
    )]
    control_token: Option<String>,

    /// The most worlds that can be created through the control API at a time
    #[arg(
        long,
        env = "FORGEWRIGHT_MAX_WORLDS",
        value_name = "N",
        default_value_t = 1000
    )]
    pub max_worlds: usize,

    /// Rate limits for requests, and content limits for comments
    #[arg(
        long,
        env = "FORGEWRIGHT_RATE_LIMITS",
        value_name = "on|off",
        default_value = "on"
    )]
    rate_limits: Switch,

    /// Requests per hour for each address without a credential [default: 60; no limit on loopback]
    #[arg(long, env = "FORGEWRIGHT_RATE_LIMIT_ANONYMOUS", value_name = "N")]
    rate_limit_anonymous: Option<u64>,

    /// Requests per hour for each user
    #[arg(
        long,
        env = "FORGEWRIGHT_RATE_LIMIT_USER",
        value_name = "N",
        default_value_t = 5000
    )]
    rate_limit_user: u64,

    /// Requests per hour for each installation of an app
    #[arg(
        long,
        env = "FORGEWRIGHT_RATE_LIMIT_INSTALLATION",
        value_name = "N",
        default_value_t = 5000
    )]
    rate_limit_installation: u64,

    /// Comments, new issues and new pull requests per minute for each account
    #[arg(
        long,
        env = "FORGEWRIGHT_CONTENT_LIMIT_MINUTE",
        value_name = "N",
        default_value_t = 80
    )]
    content_limit_minute: usize,

    /// Comments, new issues and new pull requests per hour for each account
    #[arg(
        long,
        env = "FORGEWRIGHT_CONTENT_LIMIT_HOUR",
        value_name = "N",
        default_value_t = 500
    )]
    content_limit_hour: usize,

    /// The networks that webhooks may reach: the internet; also private networks and loopback;
    /// also link-local addresses, where clouds serve machine credentials [default: private if the
    /// server listens on loopback, else public]
    #[arg(
        long,
        env = "FORGEWRIGHT_WEBHOOKS_TO",
        value_name = "public|private|link-local"
    )]
    webhooks_to: Option<WebhooksTo>,

    /// A PEM file of certificate authorities that webhooks trust in addition to the public ones
    #[arg(
        long,
        env = "FORGEWRIGHT_WEBHOOK_CA_FILE",
        value_name = "FILE",
        value_parser = |path: &str| Trust::with_file(Path::new(path))
    )]
    webhook_ca_file: Option<Trust>,

    /// How often to retry a failed webhook, with increasing delays of about a day in total; GitHub
    /// never retries
    #[arg(
        long,
        env = "FORGEWRIGHT_WEBHOOK_RETRIES",
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(0..=i64::from(MOST_RETRIES)),
        default_value_t = 0
    )]
    webhook_retries: u8,

    /// Show and enforce the visibility of issue fields
    #[arg(
        long,
        env = "FORGEWRIGHT_ISSUE_FIELD_VISIBILITY",
        value_name = "on|off",
        default_value = "off"
    )]
    issue_field_visibility: Switch,

    /// Size of the cache in megabytes; 0 disables it
    #[arg(
        long,
        env = "FORGEWRIGHT_MEMORY",
        value_name = "MB",
        default_value_t = 32
    )]
    memory: u16,

    /// Megabytes for everything that requests hold: bodies, packs, pages, responses. Further
    /// requests wait, and then get 503
    #[arg(long, env = "FORGEWRIGHT_REQUEST_MEMORY", value_name = "MB", default_value_t = 192,
          value_parser = clap::value_parser!(u16).range(16..))]
    request_memory: u16,

    /// Accept the public demo tokens and key on an address that other machines can reach
    #[arg(long, env = "FORGEWRIGHT_ALLOW_DEMO_TOKENS")]
    pub allow_demo_tokens: bool,

    /// Concurrent client connections; further ones get 503 immediately
    #[arg(long, env = "FORGEWRIGHT_MAX_CLIENTS", value_name = "N", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_clients: u32,

    /// The share of --max-clients for one address (for IPv6 a /64); loopback is not limited
    #[arg(
        long,
        env = "FORGEWRIGHT_MAX_CLIENTS_PER_ADDRESS",
        value_name = "SHARE",
        default_value_t = 0.25,
        value_parser = share
    )]
    pub max_clients_per_address: f64,

    /// Seconds to finish requests in flight after SIGTERM or Ctrl-C
    #[arg(
        long,
        env = "FORGEWRIGHT_SHUTDOWN_GRACE",
        value_name = "SECONDS",
        default_value_t = 10
    )]
    shutdown_grace: u64,
}

impl ServeConfig {
    /// Whether to serve the control API. By default only a server that nobody else uses has it:
    /// one on loopback with a file of its own, and not behind a proxy.
    pub fn control(&self) -> bool {
        let alone = self.listen.ip().is_loopback()
            && self.database.is_sqlite()
            && self.base_url.as_deref().is_none_or(names_this_machine);
        self.control.map_or(alone, Switch::is_on)
    }

    /// The token that the control API requires. `new` generates one, for a server that other
    /// machines can reach and that has none.
    pub fn control_token(&self, new: impl FnOnce() -> String) -> Option<String> {
        match &self.control_token {
            Some(token) => Some(token.clone()),
            None if self.listen.ip().is_loopback() => None,
            None => Some(new()),
        }
    }

    pub fn settings(&self) -> Settings {
        let defaults = Budgets::default();
        let budgets = Budgets {
            anonymous: self.rate_limit_anonymous.unwrap_or(defaults.anonymous),
            loopback: self.rate_limit_anonymous,
            user: self.rate_limit_user,
            installation: self.rate_limit_installation,
            failed_logins: defaults.failed_logins,
        };
        let content = ContentBudget {
            minute: self.content_limit_minute,
            hour: self.content_limit_hour,
            ..ContentBudget::default()
        };
        Settings {
            base_url: self.base_url.clone(),
            mount: String::new(),
            control: self.control(),
            request_timeout: Some(web::REQUEST_TIMEOUT),
            budgets: self.rate_limits.is_on().then_some(budgets),
            content: self.rate_limits.is_on().then_some(content),
            webhooks_to: self.webhooks_to(),
            webhook_trust: self.webhook_ca_file.clone().unwrap_or_default(),
            webhook_retries: self.webhook_retries,
            issue_field_visibility: self.issue_field_visibility.is_on(),
            cache: CacheSize(usize::from(self.memory) << 20),
            memory: Arc::new(RequestMemory::new(usize::from(self.request_memory) << 20)),
        }
    }

    /// Whether remote callers choose the host in links, including links in the webhooks
    /// that they trigger.
    pub fn trusts_any_host(&self) -> bool {
        self.base_url.is_none() && !self.listen.ip().is_loopback()
    }

    /// A server that is reachable from other machines may have loaded worlds from others.
    /// Such a world must not make it send requests into its private network.
    fn webhooks_to(&self) -> Networks {
        match self.webhooks_to {
            Some(WebhooksTo::Public) => Networks::Public,
            Some(WebhooksTo::Private) => Networks::Private,
            Some(WebhooksTo::LinkLocal) => Networks::LinkLocal,
            None if self.listen.ip().is_loopback() => Networks::Private,
            None => Networks::Public,
        }
    }

    pub fn shutdown_grace(&self) -> Duration {
        Duration::from_secs(self.shutdown_grace)
    }
}

/// The networks that webhooks may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WebhooksTo {
    Public,
    Private,
    LinkLocal,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Switch {
    fn is_on(self) -> bool {
        self == Self::On
    }
}

#[cfg(test)]
mod tests;
