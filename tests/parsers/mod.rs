//! Replays the fuzzer's corpus, file by file. `targets/` has the assertions; `run` searches for
//! new inputs.

mod properties;
pub mod targets;

use std::path::{Path, PathBuf};
use std::time::Duration;

use cpu_time::ThreadTime;

/// The processor time for one input, enough for an unoptimized build.
const LIMIT: Duration = Duration::from_secs(5);

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parsers/corpus");
    let files = std::fs::read_dir(folder.join(target)).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_target_passes_on_its_corpus() {
    for (name, target) in targets::ALL {
        let files = corpus(name);
        assert!(!files.is_empty(), "{name} has no corpus");
        for file in files {
            // If a target panics, the output shows the file.
            println!("{}", file.display());
            let started = ThreadTime::now();
            target(&std::fs::read(&file).unwrap());
            assert!(started.elapsed() < LIMIT, "{}", file.display());
        }
    }
}

#[test]
fn every_target_can_be_fuzzed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parsers");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for (name, _) in targets::ALL {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        let file = folder.join(format!("fuzz_targets/{name}.rs"));
        let code = std::fs::read_to_string(file).unwrap();
        assert!(code.contains(&format!("run(\"{name}\", data)")), "{name}");
    }
}
