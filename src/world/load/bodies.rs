//! The validators of request bodies, for the items of a file that mean one: first the
//! published schema, then the rules of the area.

use sea_orm::DbErr;
use serde_json::Value;

use super::LoadError;
use super::write::Writing;
use crate::areas::{issue_fields, project_fields};
use crate::contract::body::{self, Readable};
use crate::contract::issue_fields::CreateIssueField;
use crate::contract::problem::{FieldProblem, Problem};
use crate::contract::project_fields::{AddOrgProjectField, AddUserProjectField};
use crate::contract::reply::Outcome;
use crate::contract::review_comments::CreateReviewComment;
use crate::world::body::Body;
use crate::world::check::BodyRules;
use crate::world::findings::Findings;

pub const RULES: BodyRules = BodyRules {
    issue_field: |body| complaints(issue_field(body)),
    organization_project_field: |body| complaints(organization_project_field(body)),
    user_project_field: |body| complaints(user_project_field(body)),
    review_comment: |body| complaints(body::read::<CreateReviewComment>(body.clone())),
};

pub fn issue_field(body: &Value) -> Outcome<issue_fields::draft::NewIssueField> {
    let body = read::<CreateIssueField>(body)?;
    issue_fields::rules::draft(body).map_err(Problem::Invalid)
}

pub fn organization_project_field(body: &Value) -> Outcome<project_fields::draft::NewProjectField> {
    let body = read::<AddOrgProjectField>(body)?;
    project_fields::rules::draft(body).map_err(Problem::Invalid)
}

pub fn user_project_field(body: &Value) -> Outcome<project_fields::draft::NewProjectField> {
    let body = read::<AddUserProjectField>(body)?;
    let body = AddOrgProjectField::from(body);
    project_fields::rules::draft(body).map_err(Problem::Invalid)
}

fn read<T: Readable>(body: &Value) -> Outcome<T> {
    body::read(body.clone())
}

/// What an operation would refuse, said at its place in the file.
pub fn refused(writing: &Writing<'_>, body: &Body, problem: Problem) -> LoadError {
    let sentences = match problem {
        Problem::Internal(cause) | Problem::Unavailable(cause) => {
            return DbErr::Custom(cause.to_string()).into();
        }
        other => sentences(other),
    };
    let mut findings = Findings::of(&writing.source.name);
    for sentence in sentences {
        body.complain(&sentence, &mut findings);
    }
    findings.into()
}

fn complaints<T>(outcome: Outcome<T>) -> Vec<String> {
    outcome.map_or_else(sentences, |_| Vec::new())
}

fn sentences(problem: Problem) -> Vec<String> {
    match problem {
        Problem::Malformed(sentences) => sentences,
        Problem::Invalid(problems) => problems.into_iter().map(sentence).collect(),
        other => vec![other.to_string()],
    }
}

fn sentence(problem: FieldProblem) -> String {
    let why = problem.message.unwrap_or(problem.code);
    format!("{}: {why}", problem.field)
}
