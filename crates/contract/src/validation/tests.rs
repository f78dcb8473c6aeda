//! The violations and their sentences.

use serde_json::json;

use super::*;

fn sentences(value: &Value, schema: &Value) -> Vec<String> {
    let components = json!({
        "Option": {"type": "object", "required": ["name", "color"], "properties": {
            "name": {"type": "string"}, "color": {"type": "string", "enum": ["red", "blue"]}}},
        "ByName": {"type": "object", "additionalProperties": false, "required": ["name"],
            "properties": {"name": {"type": "string"}}},
        "ById": {"type": "object", "additionalProperties": false, "required": ["id"],
            "properties": {"id": {"type": "integer"}}},
    });
    violations(value, schema, components.as_object().unwrap())
}

#[test]
fn one_missing_field_and_several_read_differently() {
    let schema = json!({"type": "object", "required": ["sha", "ref"]});
    assert_eq!(
        sentences(&json!({"ref": "x"}), &schema),
        [r#""sha" wasn't supplied."#]
    );
    assert_eq!(
        sentences(&json!({}), &schema),
        [r#""ref", "sha" weren't supplied."#]
    );
}

#[test]
fn a_wrong_type_is_named_with_its_place_and_value() {
    let schema = json!({"type": "object", "properties": {
        "body": {"type": "string"}, "note": {"type": "string", "nullable": true},
        "labels": {"type": "array", "items": {"type": "integer"}}}});
    assert_eq!(
        sentences(
            &json!({"body": null, "note": 42, "labels": {"a": 1}}),
            &schema
        ),
        [
            "For 'properties/body', nil is not a string.",
            "For 'properties/note', 42 is not a string or null.",
            r#"For 'properties/labels', {"a"=>1} is not an array."#,
        ]
    );
    assert_eq!(
        sentences(&json!({"note": null, "labels": [1, "2"]}), &schema),
        [r#"For 'properties/labels/items', "2" is not an integer."#]
    );
}

#[test]
fn lengths_ranges_choices_and_formats_are_enforced() {
    let schema = json!({"type": "object", "properties": {
        "sha": {"type": "string", "minLength": 40, "maxLength": 40},
        "n": {"type": "integer", "minimum": 1, "maximum": 6},
        "options": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/Option"}},
        "day": {"type": "string", "format": "date"}}});
    assert_eq!(
        sentences(
            &json!({"sha": "abc", "n": 9, "options": [{"name": "x", "color": "mauve"}], "day": "2026-02-30"}),
            &schema
        ),
        [
            "For 'properties/sha', At least 40 characters are required; only 3 were supplied.",
            "For 'properties/n', 9 must be less than or equal to 6.",
            r#"For 'properties/options/items/properties/color', mauve is not a member of ["red", "blue"]."#,
            "For 'properties/day', 2026-02-30 is not a valid date.",
        ]
    );
    assert_eq!(
        sentences(&json!({"options": []}), &schema),
        ["For 'properties/options', 1 item required; only 0 were supplied."]
    );
}

#[test]
fn exactly_one_form_must_fit() {
    let schema = json!({"oneOf": [
        {"$ref": "#/components/schemas/ByName"}, {"$ref": "#/components/schemas/ById"}]});
    assert!(sentences(&json!({"id": 1}), &schema).is_empty());
    assert_eq!(
        sentences(&json!({"id": 1, "name": "x"}), &schema),
        [
            r#"No subschema in "oneOf" matched."#,
            r#""id" is not permitted in this combination of keys."#,
            r#""name" is not permitted in this combination of keys."#,
        ]
    );
    assert_eq!(
        sentences(&json!({"id": 1, "size": 1}), &schema),
        [
            r#"No subschema in "oneOf" matched."#,
            r#""size" is not a permitted key."#,
        ]
    );
}

#[test]
fn a_number_with_a_fraction_or_an_exponent_is_no_integer_even_if_it_is_whole() {
    let schema = json!({"type": "integer"});
    for text in ["1.0", "1e3", "9223372036854775808"] {
        let value: Value = serde_json::from_str(text).unwrap();
        let said = sentences(&value, &schema);
        assert!(said[0].ends_with(" is not an integer."), "{text}: {said:?}");
    }
    assert!(sentences(&json!(-1), &schema).is_empty());
}

#[test]
fn a_nul_character_is_refused_in_any_string() {
    assert_eq!(
        sentences(&json!("a\u{0}b"), &json!({"type": "string"})),
        ["A NUL character is not allowed."]
    );
}
