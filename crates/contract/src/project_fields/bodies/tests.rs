//! The accepted bodies, and the sentences about refused ones.

use serde_json::{Value, json};

use super::super::super::body::read;
use super::super::super::problem::Problem;
use super::*;

/// The sentences about a refused body for an organization's project.
fn sentences(body: Value) -> Vec<String> {
    match read::<AddOrgProjectField>(body) {
        Err(Problem::Malformed(sentences)) => sentences,
        other => panic!("not refused for its form: {other:?}"),
    }
}

fn assert_refused(body: Value, expected: &str) {
    let said = sentences(body);
    assert_eq!(said[0], r#"No subschema in "oneOf" matched."#);
    assert!(
        said.iter().any(|sentence| sentence == expected),
        "{said:#?}"
    );
}

fn single_select(options: &Value) -> Value {
    json!({"name": "Size", "data_type": "single_select", "single_select_options": options})
}

fn iteration(configuration: &Value) -> Value {
    json!({"name": "Sprint", "data_type": "iteration", "iteration_configuration": configuration})
}

#[test]
fn an_issue_field_alone_is_enough_for_an_organization_and_refused_for_a_user() {
    let body = json!({"issue_field_id": 4001});
    assert!(matches!(
        read(body.clone()),
        Ok(AddOrgProjectField::FromIssueField(AddFieldFromIssueField {
            issue_field_id: 4001,
            name: None,
            data_type: None,
            single_select_options: None,
        }))
    ));
    assert!(matches!(
        read::<AddUserProjectField>(body),
        Err(Problem::Malformed(_))
    ));
}

#[test]
fn an_issue_field_may_come_with_its_name_and_data_type() {
    let body = json!({"issue_field_id": 4001, "name": "Size", "data_type": "single_select"});
    let Ok(AddOrgProjectField::FromIssueField(form)) = read(body) else {
        panic!("the three keys of the specification are refused");
    };
    assert_eq!(form.name.as_deref(), Some("Size"));
    assert_eq!(form.data_type, Some(AddedFieldType::SingleSelect));
}

#[test]
fn a_name_and_a_data_type_are_enough_for_a_plain_field() {
    for (word, expected) in [
        ("text", PlainFieldType::Text),
        ("number", PlainFieldType::Number),
        ("date", PlainFieldType::Date),
    ] {
        let body = json!({"name": "Notes", "data_type": word});
        let Ok(AddOrgProjectField::Plain(field)) = read(body.clone()) else {
            panic!("{word} is refused for an organization");
        };
        assert_eq!((field.name.as_str(), field.data_type), ("Notes", expected));
        assert!(
            matches!(read(body), Ok(AddUserProjectField::Plain(_))),
            "{word} is refused for a user"
        );
    }
}

#[test]
fn an_option_is_gray_and_without_description_by_default() {
    let body = single_select(&json!([
        {"name": "S"}, {"name": "L", "color": "RED", "description": "Weeks"}]));
    let Ok(AddOrgProjectField::SingleSelect(field)) = read(body) else {
        panic!("refused");
    };
    let [small, large] = &field.single_select_options[..] else {
        panic!("not two options");
    };
    assert_eq!(small.color, ProjectOptionColor::Gray);
    assert_eq!(small.description, "");
    assert_eq!(large.color, ProjectOptionColor::Red);
    assert_eq!(large.description, "Weeks");
}

#[test]
fn iterations_may_be_left_out_or_listed() {
    let bare = json!({"start_date": "2026-01-05", "duration": 14});
    let Ok(AddUserProjectField::Iteration(field)) = read(iteration(&bare)) else {
        panic!("refused without iterations");
    };
    assert_eq!(field.iteration_configuration.start_date, EXAMPLE_START);
    assert!(field.iteration_configuration.iterations.is_none());
    let listed = json!({"start_date": "2026-01-05", "duration": 14, "iterations": [
        {"title": "One", "start_date": "2026-01-05", "duration": 7}]});
    let Ok(AddOrgProjectField::Iteration(field)) = read(iteration(&listed)) else {
        panic!("refused with iterations");
    };
    let iterations = field.iteration_configuration.iterations.unwrap();
    assert_eq!(iterations[0].duration, 7);
}

#[test]
fn every_example_has_exactly_one_form() {
    for example in [
        serde_json::to_value(AddFieldFromIssueField::example()),
        serde_json::to_value(AddPlainField::example()),
        serde_json::to_value(AddSingleSelectField::example()),
        serde_json::to_value(AddIterationField::example()),
    ] {
        let refusal = read::<AddOrgProjectField>(example.unwrap()).err();
        assert!(refusal.is_none(), "{refusal:?}");
    }
}

#[test]
fn an_issue_field_may_come_with_every_key_of_the_specification() {
    let mut body = single_select(&json!([{"name": "S", "color": "RED", "description": "Days"}]));
    body["issue_field_id"] = 4001.into();
    let Ok(AddOrgProjectField::FromIssueField(form)) = read(body) else {
        panic!("the keys of the specification are refused");
    };
    assert_eq!(form.single_select_options.unwrap()[0].description, "Days");
}

/// The keys of other forms are known, and no message says otherwise.
#[test]
fn a_mixture_of_forms_is_refused_with_the_keys_that_do_not_belong_together() {
    let iteration = iteration(&json!({"start_date": "2026-01-05", "duration": 14}));
    let mut from_issue_field = iteration.clone();
    from_issue_field["issue_field_id"] = 4001.into();
    let text =
        json!({"name": "Notes", "data_type": "text", "single_select_options": [{"name": "S"}]});
    for (body, key) in [
        (from_issue_field.clone(), "issue_field_id"),
        (from_issue_field, "iteration_configuration"),
        (text, "single_select_options"),
    ] {
        let expected = format!("\"{key}\" is not permitted in this combination of keys.");
        assert_refused(body.clone(), &expected);
        let said = sentences(body);
        assert!(
            !said.iter().any(|one| one.contains("not a permitted key")),
            "{said:#?}"
        );
    }
}

#[test]
fn an_unknown_key_is_named_wherever_the_form_is_closed() {
    assert_refused(
        json!({"name": "Notes", "data_type": "text", "colour": "RED"}),
        r#""colour" is not a permitted key."#,
    );
    let listed = json!({"start_date": "2026-01-05", "duration": 14, "iterations": [
        {"title": "One", "start_date": "2026-01-05", "duration": 7, "goal": "?"}]});
    assert_refused(
        iteration(&listed),
        "For 'properties/iteration_configuration/properties/iterations/items', \
         \"goal\" is not a permitted key.",
    );
}

#[test]
fn a_single_select_field_needs_between_one_and_fifty_options() {
    assert_refused(
        json!({"name": "Size", "data_type": "single_select"}),
        r#""single_select_options" wasn't supplied."#,
    );
    assert_refused(
        single_select(&json!([])),
        "For 'properties/single_select_options', 1 item required; only 0 were supplied.",
    );
    assert_refused(
        single_select(&vec![json!({"name": "S"}); 51].into()),
        "For 'properties/single_select_options', \
         No more than 50 items are allowed; 51 were supplied.",
    );
}

#[test]
fn an_option_needs_a_name_and_a_colour_that_exists() {
    assert_refused(
        single_select(&json!([{"color": "RED"}])),
        "For 'properties/single_select_options/items', \"name\" wasn't supplied.",
    );
    assert_refused(
        single_select(&json!([{"name": "S", "color": "red"}])),
        "For 'properties/single_select_options/items/properties/color', red is not a member of \
         [\"BLUE\", \"GRAY\", \"GREEN\", \"ORANGE\", \"PINK\", \"PURPLE\", \"RED\", \"YELLOW\"].",
    );
}

#[test]
fn an_iteration_field_needs_a_complete_configuration() {
    assert_refused(
        json!({"name": "Sprint", "data_type": "iteration"}),
        r#""iteration_configuration" wasn't supplied."#,
    );
    assert_refused(
        iteration(&json!({})),
        "For 'properties/iteration_configuration', \
         \"duration\", \"start_date\" weren't supplied.",
    );
    assert_refused(
        iteration(&json!({"start_date": "2026-02-30", "duration": 14})),
        "For 'properties/iteration_configuration/properties/start_date', \
         2026-02-30 is not a valid date.",
    );
    assert_refused(
        iteration(&json!({"start_date": "2026-01-05", "duration": 0})),
        "For 'properties/iteration_configuration/properties/duration', \
         0 must be greater than or equal to 1.",
    );
}
