//! Reads and writes the documents as YAML. Shared by the build script, the
//! server and the tests.

use serde_json::Value;

const HEAD: &str = "# Derived from crates/contract and checked against it by every build.\n\
                    # Change the types, then run `just openapi`, and read the difference as a client would.\n";

/// The document as YAML. The order of keys is kept.
pub fn write(document: &Value) -> Result<String, String> {
    let body = serde_saphyr::to_string(document).map_err(|cause| cause.to_string())?;
    Ok(format!("{HEAD}{body}"))
}

/// The document in a YAML text.
pub fn read(text: &str) -> Result<Value, String> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map_err(|cause| cause.to_string())
}
