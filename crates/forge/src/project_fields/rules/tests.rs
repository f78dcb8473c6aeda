//! The rules of project fields, on plain values.

use serde_json::{Value, json};

use super::*;
use contract::body::read;

fn drafted(body: Value) -> Result<NewProjectField, Vec<(String, String)>> {
    draft(read(body).unwrap()).map_err(|problems| {
        let pairs = problems.into_iter();
        pairs.map(|problem| (problem.field, problem.code)).collect()
    })
}

fn refusals(pairs: &[(&str, &str)]) -> Result<NewProjectField, Vec<(String, String)>> {
    let pairs = pairs.iter();
    Err(pairs
        .map(|(field, code)| ((*field).to_owned(), (*code).to_owned()))
        .collect())
}

fn iteration_field(configuration: &Value) -> Value {
    json!({"name": "Sprint", "data_type": "iteration", "iteration_configuration": configuration})
}

/// Start day, and title, start and duration of each iteration.
fn iterations_of(configuration: &Value) -> (i64, Vec<(String, String, i64)>) {
    let draft = drafted(iteration_field(configuration)).unwrap();
    let NewProjectField::Own(OwnField {
        form:
            FieldSettings::Iteration {
                start_day,
                iterations,
                ..
            },
        ..
    }) = draft
    else {
        unreachable!("{draft:?}")
    };
    let iterations = iterations.into_iter().map(|iteration| {
        let start = iteration.start_date.to_string();
        (iteration.title, start, iteration.duration)
    });
    (start_day, iterations.collect())
}

fn row(title: &str, start: &str, duration: i64) -> (String, String, i64) {
    (title.to_owned(), start.to_owned(), duration)
}

#[test]
fn a_blank_name_is_refused_in_every_form() {
    for body in [
        json!({"name": " ", "data_type": "text"}),
        json!({"name": " ", "data_type": "single_select", "single_select_options": [{"name": "A"}]}),
        json!({"name": " ", "data_type": "iteration",
            "iteration_configuration": {"start_date": "2026-01-05", "duration": 7}}),
    ] {
        assert_eq!(drafted(body), refusals(&[("name", "missing_field")]));
    }
}

#[test]
fn the_name_of_a_built_in_field_is_refused_in_every_form() {
    for name in ["Title", "assignees", " Linked Pull Requests "] {
        for body in [
            json!({"name": name, "data_type": "text"}),
            json!({"name": name, "data_type": "single_select", "single_select_options": [{"name": "A"}]}),
        ] {
            assert_eq!(drafted(body), refusals(&[("name", "invalid")]), "{name}");
        }
    }
    assert!(drafted(json!({"name": "Subtitle", "data_type": "text"})).is_ok());
    assert!(drafted(json!({"name": "Status", "data_type": "text"})).is_ok());
}

#[test]
fn options_need_names_of_their_own() {
    assert_eq!(
        drafted(
            json!({"name": "Size", "data_type": "single_select", "single_select_options": [
            {"name": "Small"}, {"name": "sMALL "}, {"name": "\t"}]})
        ),
        refusals(&[
            ("single_select_options[1].name", "already_exists"),
            ("single_select_options[2].name", "missing_field"),
        ])
    );
}

#[test]
fn the_start_day_is_that_of_the_start_date() {
    for (date, day) in [("2026-01-05", 1), ("2026-01-10", 6), ("2026-01-11", 7)] {
        let configuration = json!({"start_date": date, "duration": 7, "iterations": []});
        assert_eq!(iterations_of(&configuration), (day, vec![]), "{date}");
    }
}

#[test]
fn three_iterations_are_made_when_the_body_is_silent_about_them() {
    assert_eq!(
        iterations_of(&json!({"start_date": "2026-02-20", "duration": 10})).1,
        [
            row("Iteration 1", "2026-02-20", 10),
            row("Iteration 2", "2026-03-02", 10),
            row("Iteration 3", "2026-03-12", 10),
        ]
    );
}

#[test]
fn iterations_are_sorted_and_may_touch_or_leave_gaps() {
    let listed = json!({"start_date": "2026-01-05", "duration": 7, "iterations": [
        {"title": "C", "start_date": "2026-02-01", "duration": 1},
        {"title": "A", "start_date": "2026-01-05", "duration": 7},
        {"title": "B", "start_date": "2026-01-12", "duration": 14}]});
    assert_eq!(
        iterations_of(&listed).1,
        [
            row("A", "2026-01-05", 7),
            row("B", "2026-01-12", 14),
            row("C", "2026-02-01", 1)
        ]
    );
}

#[test]
fn the_later_of_two_overlapping_iterations_is_to_blame() {
    let listed = json!({"start_date": "2026-01-05", "duration": 7, "iterations": [
        {"title": "B", "start_date": "2026-01-11", "duration": 7},
        {"title": " ", "start_date": "2026-01-05", "duration": 7}]});
    assert_eq!(
        drafted(iteration_field(&listed)),
        refusals(&[
            (
                "iteration_configuration.iterations[1].title",
                "missing_field"
            ),
            (
                "iteration_configuration.iterations[0].start_date",
                "invalid"
            ),
        ])
    );
}

#[test]
fn no_iteration_outlasts_the_calendar() {
    let bare = json!({"start_date": "2026-01-05", "duration": i64::MAX});
    assert_eq!(
        drafted(iteration_field(&bare)),
        refusals(&[("iteration_configuration.duration", "invalid")])
    );
    let listed = json!({"start_date": "2026-01-05", "duration": 7, "iterations": [
        {"title": "A", "start_date": "9999-12-30", "duration": 7}]});
    assert_eq!(
        drafted(iteration_field(&listed)),
        refusals(&[("iteration_configuration.iterations[0].duration", "invalid")])
    );
}

#[test]
fn the_fifty_first_field_has_no_room() {
    assert!(check_room(49).is_ok());
    assert_eq!(check_room(50).unwrap_err().code, "custom");
}

#[test]
fn some_issue_fields_cannot_stand_in_a_project() {
    let field = |data_type, visibility| issue_field::Model {
        id: 4001,
        organization_id: 1004,
        name: "Priority".to_owned(),
        name_key: "priority".to_owned(),
        description: None,
        data_type,
        visibility,
        created_at: 1,
        updated_at: 1,
    };
    let members = FieldVisibility::OrganizationMembersOnly;
    assert!(check_issue_field(&field(IssueFieldDataType::Text, members), false).is_ok());
    assert!(check_issue_field(&field(IssueFieldDataType::Text, members), true).is_err());
    assert!(
        check_issue_field(&field(IssueFieldDataType::Text, FieldVisibility::All), true).is_ok()
    );
    assert!(
        check_issue_field(
            &field(IssueFieldDataType::MultiSelect, FieldVisibility::All),
            false
        )
        .is_err()
    );
}
