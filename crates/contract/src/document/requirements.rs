//! Adds what an operation requires of its caller, from its row of the permission table.

use serde_json::{Value, json};

use super::super::operation::{Grant, Operation, Rule};

/// The key with the accepted permissions, in the format of the response header of that name.
const ACCEPTED: &str = "x-accepted-github-permissions";

/// Adds the required permission to the description of an operation, and as a key.
pub fn add(operation: &mut Value, declared: &Operation) {
    let Some(rule) = &declared.rule else {
        return;
    };
    let mut sentences = Vec::new();
    if has_permissions(rule) {
        sentences.push(permissions(rule));
        operation[ACCEPTED] = rule.accepted_permissions().into();
    }
    let offers_anonymous = operation["security"]
        .as_array()
        .is_some_and(|all| all.contains(&json!({})));
    if offers_anonymous && !rule.anonymous {
        sentences.push(WITHOUT_A_TOKEN.to_owned());
    }
    if sentences.is_empty() {
        return;
    }
    let description = operation["description"].as_str().unwrap_or_default();
    operation["description"] = format!("{description}\n\n{}", sentences.join(" ")).into();
}

/// Why `security` has an empty entry although the operation needs a token.
const WITHOUT_A_TOKEN: &str = "The specification lists the operation among those that public \
                               resources need no token for, but it always acts for a caller: \
                               without a token the response is 401.";

/// Whether any kind of token that has permissions is accepted.
fn has_permissions(rule: &Rule) -> bool {
    rule.kinds.fine_grained || rule.kinds.app_user || rule.kinds.installation
}

fn permissions(rule: &Rule) -> String {
    let grant = |(name, level): Grant| format!("`{name}: {}`", level.as_str());
    let Some(first) = rule.permission.map(grant) else {
        return "A token needs no permission.".to_owned();
    };
    let mut sentence = format!("A fine-grained or app token needs the permission {first}");
    if let Some(other) = rule.and_permission.map(grant) {
        sentence.push_str(&format!(" and {other}"));
    }
    if let Some(other) = rule.or_permission.map(grant) {
        sentence.push_str(&format!(" or {other}"));
    }
    if rule.anonymous {
        sentence.push_str(" unless the resource is public");
    }
    sentence.push('.');
    if let Some(other) = rule.may_need.map(grant) {
        sentence.push_str(&format!(" Some requests need {other} as well."));
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::super::super::operation::{Kinds, read, write};
    use super::super::{companion, operations, service};
    use super::*;

    #[test]
    fn a_row_reads_as_a_sentence() {
        let rule = Rule {
            permission: write("contents"),
            may_need: write("workflows"),
            ..Rule::TOKEN
        };
        assert_eq!(
            permissions(&rule),
            "A fine-grained or app token needs the permission `contents: write`. Some requests \
             need `workflows: write` as well."
        );
        let rule = Rule {
            permission: read("issues"),
            or_permission: read("pull_requests"),
            ..Rule::OPEN
        };
        assert_eq!(
            permissions(&rule),
            "A fine-grained or app token needs the permission `issues: read` or \
             `pull_requests: read` unless the resource is public."
        );
        assert_eq!(permissions(&Rule::TOKEN), "A token needs no permission.");
        let classic = Rule {
            kinds: Kinds::CLASSIC,
            ..Rule::TOKEN
        };
        assert!(!has_permissions(&classic));
    }

    #[test]
    fn every_operation_with_a_row_says_what_it_needs() {
        let mut described = 0;
        for operation in operations(service()).chain(operations(companion())) {
            let id = operation["operationId"].as_str().unwrap();
            let rule = super::super::operation(id).and_then(|known| known.rule.as_ref());
            let Some(rule) = rule.filter(|rule| has_permissions(rule)) else {
                assert!(operation[ACCEPTED].is_null(), "{id}");
                continue;
            };
            described += 1;
            assert_eq!(operation[ACCEPTED], rule.accepted_permissions(), "{id}");
            let description = operation["description"].as_str().unwrap();
            assert!(description.contains(&permissions(rule)), "{id}");
        }
        assert!(described > 100, "{described}");
    }
}
