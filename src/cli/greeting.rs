//! The welcome message of `serve`: where the server is, who may call it, and how to learn why a
//! request was refused.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{demo, print};
use crate::config::{DEFAULT_LISTEN, ServeConfig};

/// The variables that name trusted authorities: of Go and OpenSSL, Git, curl, Node, and
/// Python's requests.
const TRUSTING: [&str; 5] = [
    "SSL_CERT_FILE",
    "GIT_SSL_CAINFO",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
];

/// What the message says.
pub struct Greeting<'a> {
    pub config: &'a ServeConfig,
    /// The root URL, without a trailing slash.
    pub base: &'a str,
    /// The certificate to trust, if the server has its own authority.
    pub authority: Option<&'a Path>,
    /// Whether the database has the demo world.
    pub demo: bool,
}

impl Greeting<'_> {
    /// Prints the message. A closed standard output must not prevent serving.
    pub fn print(&self) {
        let _ = print::line(format_args!("{}", self.text()));
    }

    fn text(&self) -> String {
        let (base, version) = (self.base, env!("CARGO_PKG_VERSION"));
        let mut text = format!("Forgewright {version}\n\n  API         {base}/\n");
        let _ = match self.config.control() {
            true => writeln!(text, "  Console     {base}/console/"),
            false => writeln!(text, "  Console     off; --control on serves it"),
        };
        let _ = writeln!(text, "  Swagger UI  {base}/docs/");
        if let Some(authority) = self.authority {
            text.push_str(&trust(authority));
        }
        match self.demo {
            true => text.push_str(&demo::introduction(base, self.config.database.data_dir())),
            false => text.push_str(&self.tokens()),
        }
        if self.config.control() {
            let server = self.server();
            let _ = writeln!(
                text,
                "\nWhy was a request refused? The console shows it, or:\n\n  \
                 forgewright explain{server}"
            );
        }
        text
    }

    /// How to get a token of a world whose tokens are not public.
    fn tokens(&self) -> String {
        let database = self.config.database.flags();
        format!(
            "\nTokens are shown once, when they are created. To see which there are, or to issue \
             one:\n\n  forgewright token list{database}\n  \
             forgewright token issue classic --user LOGIN --scope repo{database}\n"
        )
    }

    /// The flag that selects this server, unless the commands find it without.
    fn server(&self) -> String {
        match self.base == format!("http://{DEFAULT_LISTEN}") {
            true => String::new(),
            false => format!(" --server {}", self.base),
        }
    }
}

/// The line that makes the programs of a shell trust the development authority.
fn trust(authority: &Path) -> String {
    let path: PathBuf = std::path::absolute(authority).unwrap_or_else(|_| authority.to_owned());
    let path = path.display();
    let variables = TRUSTING.map(|name| format!("{name}='{path}'")).join(" ");
    format!("\nTo trust its certificate in this shell:\n\n  export {variables}\n")
}
