//! World files: any text is either accepted or rejected with single-line findings at positions
//! that exist in the text.

use world::load::{LoadError, WorldSource, check_alone};

use super::text;

pub fn world_files(data: &[u8]) {
    let world = text(data);
    let source = WorldSource::inline("world.yaml", world.clone());
    let Err(error) = check_alone(&source) else {
        return;
    };
    let LoadError::Findings(findings) = error else {
        panic!("{error}");
    };
    let lines = findings.lines();
    assert!(!lines.is_empty());
    for line in lines {
        assert!(!line.contains(char::is_control), "{line:?}");
        let mut parts = line.splitn(4, ':');
        assert_eq!(parts.next(), Some("world.yaml"), "{line}");
        if line.ends_with(" more problems") {
            continue;
        }
        let number: usize = parts.next().unwrap().parse().unwrap();
        assert!(
            (1..=world.split(['\n', '\r']).count() + 1).contains(&number),
            "{line}"
        );
        assert!(
            parts.next().unwrap().parse::<usize>().unwrap() >= 1,
            "{line}"
        );
    }
}
