//! Introduces the demo world: its tokens and the key of its app. Both are public, so a
//! database that contains either is only served on loopback, whoever loaded it.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Result, Write as _};
use std::path::{Path, PathBuf};

use sea_orm::{DbErr, EntityTrait, PaginatorTrait, QueryFilter};

use storage::database::Database;
use storage::entities::{app, token};
use storage::files::make_private_folder;
use world::load::{DEMO_KEY, DEMO_PUBLIC_KEY, demo_app, demo_tokens};

/// Whether the database accepts the public demo credentials.
pub async fn is_in(db: &Database) -> std::result::Result<bool, DbErr> {
    let tokens = token::Entity::find().filter(token::COLUMN.demo.eq(true));
    if tokens.count(db.reads()).await? > 0 {
        return Ok(true);
    }
    let apps = app::Entity::find().filter(app::COLUMN.public_key.eq(DEMO_PUBLIC_KEY));
    Ok(apps.count(db.reads()).await? > 0)
}

/// The tokens, the key, and a first command to try.
pub fn introduction(base: &str, folder: &Path) -> String {
    let mut text = "\nDemo tokens (public: for local use only):\n\n".to_owned();
    for token in demo_tokens() {
        let (value, holder) = (&token.value, &token.holder);
        let _ = writeln!(text, "  {value:<24} {holder:<16} {}", token.description);
    }
    if let (Some(app), Ok(path)) = (demo_app(), key_file(folder)) {
        let (slug, id, path) = (app.slug, app.id, path.display());
        let _ = writeln!(
            text,
            "\nThe private key of the app {slug} (id {id}) is in {path}. To sign as the app:\n\n  \
             forgewright token sign --app {id} --key {path}"
        );
    }
    let _ = writeln!(
        text,
        "\nTry it:\n\n  curl -H 'Authorization: Bearer ghp_demo_alice_admin' {base}/orgs/acme/issue-fields"
    );
    text
}

/// Writes the private key into the data folder, unless the file exists.
pub fn key_file(folder: &Path) -> Result<PathBuf> {
    make_private_folder(folder)?;
    let path = folder.join("demo-app.pem");
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Clients and editors warn about a key file that others can read.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(&path) {
        Ok(mut file) => file.write_all(DEMO_KEY.as_bytes())?,
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {}
        Err(cause) => {
            tracing::warn!(path = %path.display(), %cause, "cannot write the demo key");
            return Err(cause);
        }
    }
    Ok(path)
}
