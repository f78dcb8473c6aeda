//! Generates a client from each document in the folder SDKS_DOCUMENTS.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle, TagStyle};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=SDKS_DOCUMENTS");
    let documents = env::var("SDKS_DOCUMENTS")?;
    for name in ["service", "companion"] {
        let path = Path::new(&documents).join(format!("{name}.yaml"));
        println!("cargo::rerun-if-changed={}", path.display());
        let document: openapiv3::OpenAPI = serde_yaml::from_reader(fs::File::open(path)?)?;
        let mut settings = GenerationSettings::new();
        settings
            .with_interface(InterfaceStyle::Builder)
            .with_tag(TagStyle::Merged);
        let code = Generator::new(&settings).generate_tokens(&document)?;
        let target = Path::new(&env::var("OUT_DIR")?).join(format!("{name}.rs"));
        fs::write(target, code.to_string())?;
    }
    Ok(())
}
