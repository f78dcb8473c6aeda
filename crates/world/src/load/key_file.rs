//! `generate_key`: a new private key in a file beside the world, and its public half.
//! Note: an existing file is never overwritten. It is used as the key, so that a new database
//! keeps the keys of the old one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::pkcs8::{EncodePublicKey, LineEnding};
use rsa::rand_core::{CryptoRng, Error, RngCore, impls};
use rsa::{RsaPrivateKey, RsaPublicKey};

use super::LoadError;
use super::source::WorldSource;
use super::write::Load;
use crate::findings::{Finding, Findings, quoted};
use crate::yaml::At;
use forge::access::jwt;
use storage::entropy::Entropy;
use storage::files::{LARGEST_KEY, read_regular};

const BITS: usize = 2048;

/// The key files that a load has written. Dropping this removes them, unless the load
/// has committed (`keep`).
#[derive(Debug, Default)]
pub struct NewKeys(Vec<PathBuf>);

impl NewKeys {
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for NewKeys {
    fn drop(&mut self) {
        for path in &self.0 {
            if let Err(cause) = fs::remove_file(path) {
                tracing::warn!(path = %path.display(), %cause, "cannot remove the key file of a failed load");
            }
        }
    }
}

/// The public half of the key in the file that the world names, in PEM. The file is
/// written if it is missing; a dry run writes no file and stores no key.
pub fn public_half(load: &mut Load<'_>, file_name: &At<String>) -> Result<String, LoadError> {
    let source = load.source;
    let rejection = |finding| LoadError::from(Findings::one(&source.name, finding));
    let path = inside(source.folder.as_deref(), file_name).map_err(rejection)?;
    let key = match read_regular(&path, LARGEST_KEY) {
        Ok(pem) => stored_key(&pem, file_name).map_err(rejection)?,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound && load.dry_run => {
            return Ok(String::new());
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            let key = new_key(load.entropy, file_name).map_err(rejection)?;
            create(&path, &key, file_name).map_err(rejection)?;
            load.keys.0.push(path);
            key
        }
        Err(cause) => return Err(rejection(unusable(file_name, &cause.to_string()))),
    };
    RsaPublicKey::from(&key)
        .to_public_key_pem(LineEnding::LF)
        .map_err(|cause| rejection(unusable(file_name, &cause.to_string())))
}

/// Checks that the file is a key, or can be written.
pub fn check(source: &WorldSource, file_name: &At<String>) -> Result<(), Finding> {
    let path = inside(source.folder.as_deref(), file_name)?;
    match read_regular(&path, LARGEST_KEY) {
        Ok(pem) => stored_key(&pem, file_name).map(|_| ()),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(cause) => Err(unusable(file_name, &cause.to_string())),
    }
}

/// The path of the file. It must be in the folder of the world or below it, also after
/// links are resolved.
fn inside(folder: Option<&Path>, file_name: &At<String>) -> Result<PathBuf, Finding> {
    let outside = || {
        Finding::at(
            file_name.location,
            format!(
                "{} is outside the folder of the file",
                quoted(&file_name.value)
            ),
        )
        .expected("a path below that folder, without `..`")
    };
    let Some(folder) = folder else {
        return Err(Finding::at(
            file_name.location,
            "`generate_key` in a world that is not a file on disk",
        )
        .expected("`public_key`"));
    };
    let relative = Path::new(&file_name.value);
    let plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !relative.components().all(plain) {
        return Err(outside());
    }
    let name = relative.file_name().ok_or_else(outside)?;
    let location = |path: &Path| {
        let canonical = path.canonicalize();
        canonical.map_err(|cause| unusable(file_name, &cause.to_string()))
    };
    let folder = location(folder)?;
    let parent = location(&folder.join(relative.parent().unwrap_or(Path::new(""))))?;
    let path = parent.join(name);
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_symlink());
    match parent.starts_with(&folder) && !is_link {
        true => Ok(path),
        false => Err(outside()),
    }
}

fn stored_key(pem: &[u8], file_name: &At<String>) -> Result<RsaPrivateKey, Finding> {
    jwt::private_key(pem).ok_or_else(|| {
        let message = format!("{} already exists", quoted(&file_name.value));
        Finding::at(file_name.location, message).expected("a private RSA key in PEM, or no file")
    })
}

fn new_key(entropy: &dyn Entropy, file_name: &At<String>) -> Result<RsaPrivateKey, Finding> {
    RsaPrivateKey::new(&mut EntropyRng(entropy), BITS)
        .map_err(|cause| unusable(file_name, &cause.to_string()))
}

fn create(path: &Path, key: &RsaPrivateKey, file_name: &At<String>) -> Result<(), Finding> {
    let pem = key
        .to_pkcs1_pem(LineEnding::LF)
        .map_err(|cause| unusable(file_name, &cause.to_string()))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .and_then(|mut file| {
            file.write_all(pem.as_bytes())?;
            file.sync_all()
        })
        .map_err(|cause| unusable(file_name, &cause.to_string()))
}

fn unusable(file_name: &At<String>, cause: &str) -> Finding {
    let message = format!(
        "cannot use the key file {}: {cause}",
        quoted(&file_name.value)
    );
    Finding::at(file_name.location, message)
}

/// The injected entropy as a random number generator for the RSA crate.
struct EntropyRng<'a>(&'a dyn Entropy);

impl RngCore for EntropyRng<'_> {
    fn next_u32(&mut self) -> u32 {
        impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl CryptoRng for EntropyRng<'_> {}
