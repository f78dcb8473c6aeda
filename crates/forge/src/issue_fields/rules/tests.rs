//! The rules of issue fields, on plain values.

use serde_json::{Value, json};

use super::*;
use contract::body::read;

fn drafted(body: Value) -> Result<NewIssueField, Vec<(String, String)>> {
    draft(read(body).unwrap()).map_err(summary)
}

/// The field and the code of each problem.
fn summary(problems: Vec<FieldProblem>) -> Vec<(String, String)> {
    problems
        .into_iter()
        .map(|problem| (problem.field, problem.code))
        .collect()
}

fn refusals(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(field, code)| ((*field).to_owned(), (*code).to_owned()))
        .collect()
}

fn option(id: i64, name: &str, priority: i64) -> issue_field_option::Model {
    issue_field_option::Model {
        id,
        field_id: 4001,
        name: name.to_owned(),
        name_key: name_key(name),
        color: IssueFieldOptionColor::Red,
        description: Some(format!("About {name}")),
        priority,
        created_at: 1,
        updated_at: 1,
    }
}

fn field(data_type: IssueFieldDataType) -> issue_field::Model {
    issue_field::Model {
        id: 4001,
        organization_id: 1004,
        name: "Priority".to_owned(),
        name_key: "priority".to_owned(),
        description: Some("How soon".to_owned()),
        data_type,
        visibility: FieldVisibility::All,
        created_at: 1,
        updated_at: 1,
    }
}

fn revised(body: Value) -> Result<IssueFieldUpdate, Vec<(String, String)>> {
    let options = [option(1, "High", 1), option(2, "Low", 2)];
    let field = field(IssueFieldDataType::SingleSelect);
    revise(&field, &options, read(body).unwrap()).map_err(summary)
}

#[test]
fn the_select_types_need_options_and_the_others_refuse_them() {
    for select in ["single_select", "multi_select"] {
        for options in [json!(null), json!([])] {
            assert_eq!(
                drafted(json!({"name": "P", "data_type": select, "options": options})),
                Err(refusals(&[("options", "missing_field")]))
            );
        }
    }
    for plain in ["text", "date", "number"] {
        let with = |options: Value| json!({"name": "P", "data_type": plain, "options": options});
        assert!(drafted(with(json!(null))).is_ok());
        let one = json!([{"name": "A", "color": "red", "priority": 1}]);
        for options in [one, json!([])] {
            assert_eq!(
                drafted(with(options)),
                Err(refusals(&[("options", "invalid")]))
            );
        }
    }
}

#[test]
fn names_of_nothing_but_space_are_blank() {
    assert_eq!(
        drafted(
            json!({"name": " \t", "data_type": "single_select", "options": [
            {"name": "\u{a0}", "color": "red", "priority": 1}]})
        ),
        Err(refusals(&[
            ("name", "missing_field"),
            ("options[0].name", "missing_field")
        ]))
    );
}

#[test]
fn two_options_cannot_share_a_name_in_any_case() {
    assert_eq!(
        drafted(
            json!({"name": "P", "data_type": "multi_select", "options": [
            {"name": "High", "color": "red", "priority": 1},
            {"name": " hIGH", "color": "gray", "priority": 1}]})
        ),
        Err(refusals(&[("options[1].name", "already_exists")]))
    );
}

#[test]
fn a_field_is_for_members_unless_it_says_otherwise() {
    let plain = drafted(json!({"name": "P", "data_type": "text"})).unwrap();
    assert_eq!(plain.visibility, FieldVisibility::OrganizationMembersOnly);
    let open = json!({"name": "P", "data_type": "text", "visibility": "all"});
    assert_eq!(drafted(open).unwrap().visibility, FieldVisibility::All);
}

#[test]
fn the_twenty_sixth_field_has_no_room() {
    assert!(check_room(24).is_ok());
    assert_eq!(check_room(25).unwrap_err().code, "custom");
}

#[test]
fn an_update_that_says_nothing_new_changes_nothing() {
    for body in [
        json!({}),
        json!({"name": "Priority", "description": "How soon", "visibility": "all"}),
        json!({"options": [
            {"id": 1, "name": "High", "color": "red", "priority": 1},
            {"id": 2, "name": "Low", "color": "red", "priority": 2, "description": "About Low"}]}),
    ] {
        assert!(revised(body.clone()).unwrap().is_empty(), "{body}");
    }
}

#[test]
fn absent_null_and_a_value_are_three_different_descriptions() {
    let description = |body| revised(body).unwrap().description;
    assert_eq!(description(json!({})), None);
    assert_eq!(description(json!({"description": null})), Some(None));
    assert_eq!(
        description(json!({"description": "x"})),
        Some(Some("x".to_owned()))
    );
}

#[test]
fn options_are_kept_by_id_alone_and_all_others_go() {
    let revision = revised(json!({"options": [
        {"name": "High", "color": "red", "priority": 1},
        {"id": 2, "name": "Lower", "color": "gray", "priority": 5, "description": null}]}))
    .unwrap();
    assert_eq!(revision.removed, [1]);
    let [(2, lower)] = &revision.changed[..] else {
        unreachable!("{revision:?}")
    };
    assert_eq!((lower.name.as_str(), lower.priority), ("Lower", 5));
    assert_eq!(lower.description, None);
    let [high] = &revision.added[..] else {
        unreachable!("{revision:?}")
    };
    assert_eq!((high.name.as_str(), &high.description), ("High", &None));
}

#[test]
fn an_option_keeps_its_description_when_the_update_is_silent_about_it() {
    let revision = revised(json!({"options": [
        {"id": 1, "name": "High", "color": "pink", "priority": 1}]}))
    .unwrap();
    assert_eq!(
        revision.changed[0].1.description.as_deref(),
        Some("About High")
    );
}

#[test]
fn an_empty_description_of_an_option_is_none() {
    let mut option = option(1, "High", 1);
    option.description = None;
    let body = json!({"options": [
        {"id": 1, "name": "High", "color": "red", "priority": 1, "description": ""}]});
    let field = field(IssueFieldDataType::SingleSelect);
    let revision = revise(&field, &[option], read(body).unwrap()).unwrap();
    assert!(revision.is_empty(), "{revision:?}");
}

#[test]
fn an_unknown_a_repeated_and_a_missing_option_are_told_apart() {
    assert_eq!(
        revised(json!({"options": [
            {"id": 3, "name": "A", "color": "red", "priority": 1},
            {"id": 1, "name": "B", "color": "red", "priority": 1},
            {"id": 1, "name": "C", "color": "red", "priority": 1}]})),
        Err(refusals(&[
            ("options[0].id", "invalid"),
            ("options[2].id", "invalid")
        ]))
    );
    assert_eq!(
        revised(json!({"options": []})),
        Err(refusals(&[("options", "missing_field")]))
    );
}

#[test]
fn a_text_field_cannot_be_given_options() {
    let options = json!({"options": [{"name": "A", "color": "red", "priority": 1}]});
    let refusal = revise(
        &field(IssueFieldDataType::Text),
        &[],
        read(options).unwrap(),
    );
    assert_eq!(
        refusal.map_err(summary),
        Err(refusals(&[("options", "invalid")]))
    );
}
