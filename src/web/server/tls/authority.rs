//! A certificate authority for development: created once, kept in a folder, and trusted by the
//! users of this server. At each start it signs a new certificate, which is kept in memory.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use pem::Pem;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PublicKeyData,
};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::sign::CertifiedKey;

use super::TlsError;
use super::certificates::read;
use storage::files::make_private_folder;

/// How long the authority is valid, and a certificate: some clients refuse a certificate
/// that is valid for more than 825 days.
const AUTHORITY_DAYS: i64 = 3650;
const CERTIFICATE_DAYS: i64 = 820;

pub struct IssuedCertificate {
    pub certified: CertifiedKey,
    /// The file with the certificate of the authority.
    pub authority: PathBuf,
}

pub fn issue(
    folder: &Path,
    names: Vec<String>,
    now: OffsetDateTime,
) -> Result<IssuedCertificate, TlsError> {
    let authority = folder.join("authority.pem");
    let key = authority_key(&folder.join("authority-key.pem"))?;
    let params = authority_params(&key, now);
    if !authority.exists() {
        let certificate = params.self_signed(&key).map_err(failed)?;
        let pem = Pem::new("CERTIFICATE", certificate.der().to_vec());
        save(&authority, &pem, 0o644)?;
    }
    let server_key = KeyPair::generate().map_err(failed)?;
    let issuer = Issuer::new(params, key);
    let certificate = certificate_params(names, now)?
        .signed_by(&server_key, &issuer)
        .map_err(failed)?;
    let chain = vec![certificate.der().clone()];
    let private = PrivateKeyDer::Pkcs8(server_key.serialize_der().into());
    let certified = CertifiedKey::from_der(chain, private, &ring::default_provider());
    Ok(IssuedCertificate {
        certified: certified.map_err(failed)?,
        authority,
    })
}

/// The subject names the key, so that the authorities of two folders are never confused.
fn authority_params(key: &KeyPair, now: OffsetDateTime) -> CertificateParams {
    let mut params = CertificateParams::default();
    let digest = hex::encode(Sha256::digest(key.der_bytes()));
    let name = format!("Forgewright development authority {}", &digest[..8]);
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.not_before = now - Duration::DAY;
    params.not_after = now + Duration::days(AUTHORITY_DAYS);
    params
}

fn certificate_params(
    names: Vec<String>,
    now: OffsetDateTime,
) -> Result<CertificateParams, TlsError> {
    let mut params = CertificateParams::new(names).map_err(failed)?;
    params
        .distinguished_name
        .push(DnType::CommonName, "Forgewright");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    params.not_before = now - Duration::DAY;
    params.not_after = now + Duration::days(CERTIFICATE_DAYS);
    Ok(params)
}

/// Reads the key of the authority, or creates one. If two servers create one at the same
/// time, both use the first.
fn authority_key(path: &Path) -> Result<KeyPair, TlsError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private_folder(folder).map_err(|cause| unwritable(folder, &cause))?;
    if !path.exists() {
        let key = KeyPair::generate().map_err(failed)?;
        save(path, &Pem::new("PRIVATE KEY", key.serialize_der()), 0o600)?;
    }
    let key = PrivatePkcs8KeyDer::from_pem_slice(&read(path)?).map_err(|cause| cause.to_string());
    let key = key.and_then(|key| KeyPair::try_from(&key).map_err(|cause| cause.to_string()));
    key.map_err(|cause| {
        let path = path.display();
        TlsError(format!(
            "cannot use the key of the development authority in {path}: {cause}; delete its folder \
             to create a new authority"
        ))
    })
}

/// Saves a file unless there is one.
fn save(path: &Path, pem: &Pem, mode: u32) -> Result<(), TlsError> {
    match write(path, &pem::encode(pem), mode) {
        Err(cause) if cause.kind() != ErrorKind::AlreadyExists => Err(unwritable(path, &cause)),
        _ => Ok(()),
    }
}

/// Writes a file atomically; fails if it exists.
fn write(path: &Path, text: &str, mode: u32) -> std::io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    let outcome = options.open(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::hard_link(&temporary, path)
    });
    let _ = fs::remove_file(&temporary);
    outcome
}

fn failed(cause: impl std::fmt::Display) -> TlsError {
    TlsError(format!("cannot create a development certificate: {cause}"))
}

fn unwritable(path: &Path, cause: &std::io::Error) -> TlsError {
    let path = path.display();
    TlsError(format!(
        "cannot write {path} for the development authority: {cause}; choose another --data-dir"
    ))
}
