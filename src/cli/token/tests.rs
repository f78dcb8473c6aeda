//! Tests of the token arguments.

use super::*;

#[test]
fn a_permission_is_a_name_and_a_level() {
    assert_eq!(
        permission("contents=write"),
        Ok(("contents".to_owned(), Level::Write))
    );
    assert!(permission("contents").is_err());
    assert!(permission("contents=all").is_err());
}

#[test]
fn a_reach_is_all_public_or_some() {
    let reach = |names: &[&str]| reach(names.iter().map(|name| (*name).to_owned()).collect());
    assert_eq!(reach(&["all"]), Repositories::All);
    assert_eq!(reach(&[]), Repositories::Public);
    assert_eq!(
        reach(&["widgets"]),
        Repositories::Only(vec!["widgets".to_owned()])
    );
}
