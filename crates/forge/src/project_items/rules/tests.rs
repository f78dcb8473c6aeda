use super::*;

#[test]
fn fields_are_chosen_by_a_list_or_one_by_one() {
    let chosen = |fields: Option<&str>, query: &str| selection(fields, query).unwrap();
    assert_eq!(chosen(None, "q=x&per_page=1"), [TITLE]);
    assert_eq!(chosen(Some("2, 1,2"), "fields=2,1,2"), [2, 1]);
    assert_eq!(chosen(None, "fields[]=3&fields%5B%5D=0"), [3, 0]);
    for invalid in ["x", "1,two", "99999999999999999999"] {
        assert!(selection(Some(invalid), "").is_err(), "{invalid}");
    }
    let many: Vec<String> = (1..=51).map(|id| id.to_string()).collect();
    assert!(selection(Some(&many.join(",")), "").is_err());
    assert_eq!(chosen(Some(&many[1..].join(",")), "").len(), 50);
}

#[test]
fn a_body_names_an_issue_in_one_way() {
    let body = |id, owner: Option<&str>, number| AddProjectItem {
        kind: AddedItemType::Issue,
        id,
        owner: owner.map(str::to_owned),
        repo: owner.map(|_| "gadgets".to_owned()),
        number,
    };
    assert!(content_reference(body(Some(1), None, None)).is_ok());
    assert!(content_reference(body(None, Some("acme"), Some(3))).is_ok());
    for invalid in [
        body(None, None, None),
        body(Some(1), None, Some(3)),
        body(None, Some("acme"), None),
        body(Some(1), Some("acme"), Some(3)),
    ] {
        assert!(content_reference(invalid).is_err());
    }
}
