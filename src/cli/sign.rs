//! `forgewright token sign`: signs an app's JSON web token, for trying an app without a
//! client library. Needs only the private key, no database.

use std::path::PathBuf;

use clap::Args;
use forge::access::jwt;
use serde_json::json;

use super::Failure;
use super::print::say;
use storage::clock::{Clock, SystemClock};
use storage::files::{LARGEST_KEY, read_regular};

/// A token may expire at most ten minutes from now by the server's clock.
const LIFETIME: i64 = 570;

/// How far the server's clock may lag behind ours.
const DRIFT: i64 = 30;

#[derive(Debug, Args)]
pub struct Sign {
    /// The id of the app, or its client id
    #[arg(long, value_name = "ID")]
    app: String,

    /// The file with the app's private key, in PEM
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

pub fn run(sign: &Sign) -> Result<(), Failure> {
    let file = sign.key.display();
    let pem = read_regular(&sign.key, LARGEST_KEY)
        .map_err(|cause| Failure::Other(format!("cannot read the key {file}: {cause}")))?;
    let key = jwt::private_key(&pem)
        .ok_or_else(|| Failure::Other(format!("{file} is not a private RSA key in PEM format")))?;
    let now = SystemClock.now().0;
    let claims = json!({"iat": now - DRIFT, "exp": now + LIFETIME, "iss": sign.app});
    let token = jwt::sign(&claims, &key)
        .ok_or_else(|| Failure::Other(format!("the key {file} is too short to sign with")))?;
    say!("{token}")
}
