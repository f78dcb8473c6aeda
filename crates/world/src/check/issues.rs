//! Labels and issues, and the labels and assignees of pull requests.

use super::names;
use super::unique::{Unique, distinct_in_any_case};
use crate::file::{IssueComment, Repository};
use crate::findings::Findings;
use crate::scalar::Positive;
use forge::labels::rules::{check_color, check_description, check_name};
use storage::entities::issue::IssueState;

/// `numbers` are those of the pull requests.
pub fn check(repository: &Repository, numbers: &mut Unique<Positive>, findings: &mut Findings) {
    let labels = || repository.labels.iter();
    distinct_in_any_case("label", labels().map(|label| &label.name), findings);
    names::require(labels().map(|label| &label.name), "label", label, findings);
    let colors = labels().filter_map(|label| label.color.as_ref());
    names::require(colors, "color", color, findings);
    let texts = labels().filter_map(|label| label.description.as_ref());
    names::require(texts, "description", description, findings);
    for issue in &repository.issues {
        let number = &issue.number;
        let display = format!("#{}", number.value.0);
        numbers.claim(number.value, &display, number.location, findings);
        names::require([&issue.title], "title", names::title, findings);
        names::require(&issue.labels, "label", label, findings);
        distinct_in_any_case("assignee", &issue.assignees, findings);
        conversation(&issue.conversation, findings);
        if issue.state != Some(IssueState::Closed) {
            for (key, given) in [
                ("closed_at", issue.closed_at.is_some()),
                ("closed_by", issue.closed_by.is_some()),
            ] {
                if given {
                    let message = format!("`{key}` of an issue that is not closed");
                    let expected = format!("`state: closed`, or no `{key}`");
                    findings.report(issue.location, message, expected);
                }
            }
        }
    }
    for pull in &repository.pulls {
        names::require(&pull.labels, "label", label, findings);
        distinct_in_any_case("assignee", &pull.assignees, findings);
        conversation(&pull.conversation, findings);
    }
}

fn conversation(comments: &[IssueComment], findings: &mut Findings) {
    for comment in comments {
        let outcome = comment.request.issue_comment();
        comment.request.check(outcome, findings);
    }
}

fn label(name: &str) -> names::Complaint {
    let valid = check_name(name).is_ok_and(|trimmed| trimmed == name);
    (!valid).then_some("between 1 and 50 characters, without spaces around them")
}

fn color(color: &str) -> names::Complaint {
    let valid = check_color(color).is_ok();
    (!valid).then_some("six hexadecimal digits such as `d73a4a`")
}

fn description(text: &str) -> names::Complaint {
    let valid = check_description(text).is_ok();
    (!valid).then_some("at most 100 characters")
}
