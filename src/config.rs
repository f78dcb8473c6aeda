//! What an operator may choose, as flags and as environment variables. clap
//! reads both, so nothing else of the service looks at the environment.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::app::Settings;
use crate::cache::CacheSize;
use crate::database::Options;
use crate::limits::Budgets;
use crate::limits::content::ContentBudget;
use crate::notify::Trust;
use crate::notify::address::Networks;
use crate::telemetry::Endpoint;

/// Which database, for every command that needs one.
#[derive(Debug, Clone, Args)]
pub struct DatabaseConfig {
    /// The database: sqlite://FILE or postgres://USER@HOST/NAME [default: a SQLite file in the data folder]
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    database_url: Option<String>,

    /// The folder that holds the SQLite file; made if it is missing
    #[arg(
        long,
        env = "FORGEWRIGHT_DATA_DIR",
        value_name = "DIR",
        default_value = "data"
    )]
    data_dir: PathBuf,

    /// How many connections to open: for reading on SQLite, for everything on PostgreSQL, which has one more. Heavy work has up to a quarter of that number beside them
    #[arg(long, env = "FORGEWRIGHT_CONNECTIONS", value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    connections: u32,
}

impl DatabaseConfig {
    pub fn url(&self) -> String {
        self.database_url.clone().unwrap_or_else(|| {
            let file = self.data_dir.join("forgewright.db");
            format!("sqlite://{}", file.display())
        })
    }

    /// Where files go that the service makes.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Whether there is a database; a server is taken to be there.
    pub fn exists(&self) -> bool {
        let url = self.url();
        let file = url
            .strip_prefix("sqlite:")
            .map(|path| path.trim_start_matches("//"));
        file.is_none_or(|path| Path::new(path).exists())
    }

    pub fn options(&self) -> Options {
        Options {
            connections: self.connections,
            ..Options::default()
        }
    }
}

/// How `serve` serves.
#[derive(Debug, Clone, Args)]
pub struct ServeConfig {
    #[command(flatten)]
    pub database: DatabaseConfig,

    /// The address to listen on, such as localhost:8080; port 0 takes any free one
    #[arg(
        long,
        env = "FORGEWRIGHT_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = listen_address
    )]
    pub listen: SocketAddr,

    /// A world file to load before serving. With none, an empty database gets the demo world
    #[arg(long, env = "FORGEWRIGHT_WORLD", value_name = "FILE")]
    pub world: Option<PathBuf>,

    /// Scheme, host and port to name in links, for a server behind a proxy [default: the host that each caller used]
    #[arg(long, env = "FORGEWRIGHT_BASE_URL", value_name = "URL", value_parser = base_url)]
    base_url: Option<String>,

    /// Whether requests are counted against hourly budgets, and comments against their limits
    #[arg(
        long,
        env = "FORGEWRIGHT_RATE_LIMITS",
        value_name = "on|off",
        default_value = "on"
    )]
    rate_limits: Switch,

    /// Requests an hour for each address without a credential [default: 60; no limit for this machine]
    #[arg(long, env = "FORGEWRIGHT_RATE_LIMIT_ANONYMOUS", value_name = "N")]
    rate_limit_anonymous: Option<u64>,

    /// Requests an hour for each user
    #[arg(
        long,
        env = "FORGEWRIGHT_RATE_LIMIT_USER",
        value_name = "N",
        default_value_t = 5000
    )]
    rate_limit_user: u64,

    /// Requests an hour for each installation of an app
    #[arg(
        long,
        env = "FORGEWRIGHT_RATE_LIMIT_INSTALLATION",
        value_name = "N",
        default_value_t = 5000
    )]
    rate_limit_installation: u64,

    /// Wrong credentials an hour for each address; each also counts as a request without one
    #[arg(
        long,
        env = "FORGEWRIGHT_RATE_LIMIT_FAILED_LOGINS",
        value_name = "N",
        default_value_t = 1000
    )]
    rate_limit_failed_logins: u64,

    /// Comments that each account may write in a minute
    #[arg(
        long,
        env = "FORGEWRIGHT_CONTENT_LIMIT_MINUTE",
        value_name = "N",
        default_value_t = 80
    )]
    content_limit_minute: usize,

    /// Comments that each account may write in an hour
    #[arg(
        long,
        env = "FORGEWRIGHT_CONTENT_LIMIT_HOUR",
        value_name = "N",
        default_value_t = 500
    )]
    content_limit_hour: usize,

    /// Times that each account may write the same comment in the same place within a minute
    #[arg(
        long,
        env = "FORGEWRIGHT_CONTENT_LIMIT_REPETITIONS",
        value_name = "N",
        default_value_t = 3
    )]
    content_limit_repetitions: u64,

    /// How far webhooks may go: to the internet; to private networks and this machine too; to
    /// link-local addresses too, where clouds keep the credentials of their machines [default:
    /// private if this machine alone is listened to, else public]
    #[arg(
        long,
        env = "FORGEWRIGHT_WEBHOOKS_TO",
        value_name = "public|private|link-local"
    )]
    webhooks_to: Option<WebhooksTo>,

    /// A file of certificates in PEM, whose authorities webhooks trust beside those that browsers trust
    #[arg(
        long,
        env = "FORGEWRIGHT_WEBHOOK_CA_FILE",
        value_name = "FILE",
        value_parser = |path: &str| Trust::with_file(Path::new(path))
    )]
    webhook_ca_file: Option<Trust>,

    /// Whether the visibility of issue fields is shown and takes effect
    #[arg(
        long,
        env = "FORGEWRIGHT_ISSUE_FIELD_VISIBILITY",
        value_name = "on|off",
        default_value = "off"
    )]
    issue_field_visibility: Switch,

    /// Size of the cache in megabytes; 0 switches it off
    #[arg(
        long,
        env = "FORGEWRIGHT_MEMORY",
        value_name = "MB",
        default_value_t = 32
    )]
    memory: u16,

    /// Serve the well-known tokens and key of the demo world on an address that others can reach
    #[arg(long, env = "FORGEWRIGHT_ALLOW_DEMO_TOKENS")]
    pub allow_demo_tokens: bool,

    /// How many connections of clients are served at a time; more get 503 at once
    #[arg(long, env = "FORGEWRIGHT_MAX_CLIENTS", value_name = "N", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_clients: u32,

    /// How much of --max-clients one address (of IPv6, one /64) may hold; this machine may hold all of it
    #[arg(
        long,
        env = "FORGEWRIGHT_MAX_CLIENTS_PER_ADDRESS",
        value_name = "SHARE",
        default_value_t = 0.25,
        value_parser = share
    )]
    pub max_clients_per_address: f64,

    /// How long requests in flight may take to finish after SIGTERM or Ctrl-C, in seconds
    #[arg(
        long,
        env = "FORGEWRIGHT_SHUTDOWN_GRACE",
        value_name = "SECONDS",
        default_value_t = 10
    )]
    shutdown_grace: u64,
}

impl ServeConfig {
    pub fn settings(&self) -> Settings {
        let defaults = Budgets::default();
        let budgets = Budgets {
            anonymous: self.rate_limit_anonymous.unwrap_or(defaults.anonymous),
            loopback: self.rate_limit_anonymous,
            user: self.rate_limit_user,
            installation: self.rate_limit_installation,
            failed_logins: self.rate_limit_failed_logins,
        };
        let content = ContentBudget {
            minute: self.content_limit_minute,
            hour: self.content_limit_hour,
            repetitions: self.content_limit_repetitions,
        };
        Settings {
            base_url: self.base_url.clone(),
            budgets: self.rate_limits.is_on().then_some(budgets),
            content: self.rate_limits.is_on().then_some(content),
            webhooks_to: self.webhooks_to(),
            webhook_trust: self.webhook_ca_file.clone().unwrap_or_default(),
            issue_field_visibility: self.issue_field_visibility.is_on(),
            cache: CacheSize(usize::from(self.memory) << 20),
        }
    }

    /// Whether callers on other machines choose the host that links name, also those
    /// in the webhooks that they set off.
    pub fn trusts_any_host(&self) -> bool {
        self.base_url.is_none() && !self.listen.ip().is_loopback()
    }

    /// Who serves others may have loaded worlds of theirs, and is not to be led
    /// into the network behind the server by them.
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

/// What is told of the work, for every command.
#[derive(Debug, Clone, Args)]
pub struct LogConfig {
    /// The form of the log, which goes to standard error
    #[arg(
        long,
        global = true,
        env = "FORGEWRIGHT_LOG",
        value_name = "human|json",
        default_value = "human"
    )]
    pub log: LogForm,

    /// What to log: error, warn, info, debug or trace, or a filter such as `debug,sqlx=warn`
    #[arg(
        long,
        global = true,
        env = "RUST_LOG",
        value_name = "LEVEL",
        default_value = "info,sqlx=warn,sea_orm_migration=warn,poem=warn",
        value_parser = log_filter
    )]
    pub log_level: String,

    /// An OpenTelemetry collector that spans are sent to, by OTLP over HTTP, such as
    /// `http://localhost:4318`
    #[arg(
        long,
        global = true,
        env = "FORGEWRIGHT_OTLP_ENDPOINT",
        value_name = "URL",
        value_parser = Endpoint::parse
    )]
    pub otlp_endpoint: Option<Endpoint>,
}

/// An address, or a host name and a port. Of the addresses of a name, the first of IPv4
/// is taken: that is what `localhost` means to most clients.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().map_err(|error| {
        format!("{error}; expected an address and a port, such as 127.0.0.1:8080 or localhost:8080")
    })?;
    let found: Vec<_> = found.collect();
    let chosen = found.iter().find(|address| address.is_ipv4());
    let chosen = chosen.or(found.first());
    chosen
        .copied()
        .ok_or_else(|| "it has no address".to_owned())
}

/// A level or a filter. A single word that is no level would be taken for the name of a
/// module, and log nothing.
fn log_filter(text: &str) -> Result<String, String> {
    let is_word = text
        .chars()
        .all(|character| character.is_ascii_alphanumeric());
    if is_word && text.parse::<LevelFilter>().is_err() {
        return Err(
            "expected off, error, warn, info, debug or trace, or a filter such as debug,sqlx=warn"
                .to_owned(),
        );
    }
    let filter = EnvFilter::builder().parse(text);
    filter
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}

/// The forms of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogForm {
    Human,
    Json,
}

/// How far webhooks may go.
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

/// A part of a whole.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|share: &f64| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "it must be more than 0 and at most 1, such as 0.25".to_owned())
}

/// A scheme and a host, and nothing after them.
fn base_url(text: &str) -> Result<String, String> {
    let uri: poem::http::Uri = text.parse().map_err(|_| "it is not a URL".to_owned())?;
    let web = matches!(uri.scheme_str(), Some("http" | "https"));
    let bare = uri.path() == "/" && uri.query().is_none();
    if !web || !bare || uri.authority().is_none() {
        return Err("it must be a scheme and a host, such as https://forge.example".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn a_base_url_is_a_scheme_and_a_host() {
        assert_eq!(
            base_url("https://forge.example/").as_deref(),
            Ok("https://forge.example")
        );
        assert_eq!(
            base_url("http://10.0.0.1:81").as_deref(),
            Ok("http://10.0.0.1:81")
        );
        for text in [
            "forge.example",
            "ftp://x",
            "https://x/path",
            "https://x?y",
            "",
        ] {
            assert!(base_url(text).is_err(), "{text}");
        }
    }

    fn serve(arguments: &[&str]) -> ServeConfig {
        let command = ServeConfig::augment_args(clap::Command::new("serve"));
        let matches = command.get_matches_from([&["serve"], arguments].concat());
        ServeConfig::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn a_server_that_others_reach_is_told_to_name_its_address() {
        assert!(!serve(&[]).trusts_any_host());
        assert!(serve(&["--listen", "0.0.0.0:1"]).trusts_any_host());
        let named = [
            "--listen",
            "0.0.0.0:1",
            "--base-url",
            "https://forge.example",
        ];
        assert!(!serve(&named).trusts_any_host());
    }

    #[test]
    fn comments_have_limits_unless_rate_limits_are_off() {
        let content = |arguments: &[&str]| serve(arguments).settings().content;
        assert_eq!(content(&[]), Some(ContentBudget::default()));
        let strict = ContentBudget {
            repetitions: 1,
            ..ContentBudget::default()
        };
        assert_eq!(content(&["--content-limit-repetitions", "1"]), Some(strict));
        assert_eq!(content(&["--rate-limits", "off"]), None);
    }

    #[test]
    fn webhooks_stay_out_of_the_network_of_a_server_that_others_reach() {
        let networks = |arguments: &[&str]| serve(arguments).settings().webhooks_to;
        assert_eq!(networks(&[]), Networks::Private);
        assert_eq!(networks(&["--listen", "[::1]:1"]), Networks::Private);
        assert_eq!(networks(&["--listen", "0.0.0.0:1"]), Networks::Public);
        let insisting = ["--listen", "10.0.0.1:1", "--webhooks-to", "link-local"];
        assert_eq!(networks(&insisting), Networks::LinkLocal);
    }

    #[test]
    fn a_host_name_is_listened_on_and_nonsense_is_refused() {
        let localhost = listen_address("localhost:8080").unwrap();
        assert!(localhost.ip().is_loopback());
        assert_eq!(localhost.port(), 8080);
        for wrong in [
            "",
            "8080",
            "localhost",
            "127.0.0.1",
            "127.0.0.1:x",
            "::1:1:",
        ] {
            assert!(listen_address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_word_that_is_no_level_is_refused() {
        for right in ["debug", "OFF", "info,sqlx=warn", "forgewright::web=debug"] {
            assert_eq!(log_filter(right).as_deref(), Ok(right));
        }
        for wrong in ["verbose", "debugg", "sqlx=loud"] {
            assert!(log_filter(wrong).is_err(), "{wrong}");
        }
    }
}
