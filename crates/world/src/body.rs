//! Items that have the form of a request body: an issue field, a project field, a comment, a
//! report on a commit. They are kept as JSON, for the schema and the rules of requests, together
//! with the tree, so that each error gets the line of its field.
//! Note: the API ignores unknown keys; here they are errors. The known keys are read from the
//! published schema of the body.

use std::cmp::Reverse;

use poem_openapi::types::Type;
use sea_orm::DbErr;
use serde_json::{Map, Value};

use super::findings::{Finding, Findings, one_line, quoted};
use super::load::LoadError;
use super::record::{Keys, mismatch, unknown_key};
use super::yaml::{At, Location, Yaml, YamlValue};
use contract::body;
use contract::checks::CreateCheckRun;
use contract::issue_comments::WriteIssueComment;
use contract::issue_fields::CreateIssueField;
use contract::problem::{FieldProblem, Problem};
use contract::project_fields::{AddOrgProjectField, AddUserProjectField};
use contract::reply::Outcome;
use contract::schemas::{self, BodySchema};
use contract::statuses::CreateCommitStatus;
use forge::issue_comments::creation;
use forge::{checks, issue_fields, project_fields, statuses};

/// Adds the keys of a request body to those of the item.
pub fn add_keys<T: Type + 'static>(keys: &mut Vec<&'static str>) {
    for (name, _) in properties_of::<T>() {
        if !keys.contains(&name) {
            keys.push(name);
        }
    }
}

/// A key and its schema.
type Property = (&'static str, &'static Value);

fn properties_of<T: Type + 'static>() -> Vec<Property> {
    let BodySchema { root, components } = schemas::of_body::<T>();
    properties(root, components)
}

/// The keys that a schema names, each with its own schema. A key that several forms of
/// a body have is listed for each of them.
fn properties(schema: &'static Value, components: &'static Map<String, Value>) -> Vec<Property> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or_default();
        let target = components.get(name);
        return target
            .map(|target| properties(target, components))
            .unwrap_or_default();
    }
    let direct = schema["properties"].as_object().into_iter().flatten();
    let direct = direct.map(|(name, below)| (name.as_str(), below));
    let forms = ["oneOf", "allOf"]
        .into_iter()
        .filter_map(|key| schema[key].as_array())
        .flatten();
    let items = schema.get("items").into_iter();
    let below = forms.chain(items);
    direct
        .chain(below.flat_map(|schema| properties(schema, components)))
        .collect()
}

/// The part of an item that is a request body.
#[derive(Debug, Clone)]
pub struct RequestBody {
    pub json: Value,
    yaml: Yaml,
}

impl RequestBody {
    /// Reads the keys of a body, except those that the item reads itself.
    pub fn read<T: Type + 'static>(
        keys: &Keys<'_>,
        fields: &[&str],
        findings: &mut Findings,
    ) -> Self {
        let mut entries = Vec::new();
        for (name, yaml) in keys.yaml.entries() {
            let key = name.value.as_str();
            if keys.allows(key) && !fields.contains(&key) {
                report_unknown_below::<T>(yaml, key, findings);
                entries.push((name.clone(), yaml.clone()));
            }
        }
        let yaml = At {
            location: keys.yaml.location,
            value: YamlValue::Mapping(entries),
        };
        Self {
            json: yaml.to_json(),
            yaml,
        }
    }

    pub fn location(&self) -> Location {
        self.yaml.location
    }

    /// A text of the body, with its location.
    pub fn text(&self, key: &str) -> Option<At<&str>> {
        let mut entries = self.yaml.entries().iter();
        entries.find_map(|(name, yaml)| match &yaml.value {
            YamlValue::Text(value) if name.value == key => Some(At {
                location: yaml.location,
                value: value.as_str(),
            }),
            _ => None,
        })
    }

    pub fn issue_field(&self) -> Outcome<issue_fields::draft::NewIssueField> {
        let body = body::read::<CreateIssueField>(self.json.clone())?;
        issue_fields::rules::draft(body).map_err(Problem::Invalid)
    }

    /// Spec, Project fields: only an organization's can come from an issue field.
    pub fn project_field(&self, of_user: bool) -> Outcome<project_fields::draft::NewProjectField> {
        let body = match of_user {
            true => {
                let body = body::read::<AddUserProjectField>(self.json.clone())?;
                AddOrgProjectField::from(body)
            }
            false => body::read::<AddOrgProjectField>(self.json.clone())?,
        };
        project_fields::rules::draft(body).map_err(Problem::Invalid)
    }

    /// The text of a comment on an issue.
    pub fn issue_comment(&self) -> Outcome<String> {
        let text = body::read::<WriteIssueComment>(self.json.clone())?.body;
        creation::check(&text)?;
        Ok(text)
    }

    pub fn status(&self) -> Outcome<statuses::rules::NewStatus> {
        let body = body::read::<CreateCommitStatus>(self.json.clone())?;
        statuses::rules::NewStatus::of(body)
    }

    /// A check run on a commit, which is a row of `git_commit`.
    pub fn check_run(
        &self,
        sha: &str,
        commit: i64,
        now: i64,
    ) -> Outcome<checks::draft::CheckRunDraft> {
        let mut json = self.json.clone();
        json["head_sha"] = sha.into();
        let body = body::read::<CreateCheckRun>(json)?;
        checks::draft::CheckRunDraft::new(body, commit, now)
    }

    /// Reports the errors that a request with this body would get.
    pub fn check<T>(&self, outcome: Outcome<T>, findings: &mut Findings) {
        let Err(problem) = outcome else {
            return;
        };
        let sentences = match problem {
            Problem::Malformed(sentences) => sentences,
            Problem::Invalid(problems) => problems.into_iter().map(sentence).collect(),
            other => vec![other.to_string()],
        };
        for sentence in sentences {
            findings.push(Finding::at(
                self.location_of(&sentence),
                one_line(&sentence),
            ));
        }
    }

    /// The load error for a problem that an operation reported.
    pub fn rejection(&self, file: &str, problem: Problem) -> LoadError {
        match problem {
            Problem::Internal(cause) | Problem::Unavailable(cause) => {
                DbErr::Custom(cause.to_string()).into()
            }
            problem => {
                let mut findings = Findings::of(file);
                self.check::<()>(Err(problem), &mut findings);
                findings.into()
            }
        }
    }

    /// The location of the deepest field that a sentence names, or of the item when it
    /// names none, as when a field is missing.
    fn location_of(&self, sentence: &str) -> Location {
        sentence
            .split(|c: char| !(c.is_ascii_alphanumeric() || "_.[]".contains(c)))
            .filter(|word| !word.is_empty())
            .map(|word| self.yaml.follow(word))
            .min_by_key(|(_, depth)| Reverse(*depth))
            .map_or(self.yaml.location, |(location, _)| location)
    }
}

fn sentence(problem: FieldProblem) -> String {
    let reason = problem.message.unwrap_or(problem.code);
    format!("{}: {reason}", problem.field)
}

/// Reports unknown keys in the value of a key of the body.
fn report_unknown_below<T: Type + 'static>(yaml: &Yaml, key: &str, findings: &mut Findings) {
    // Most values are scalars, and finding a schema takes longer than reading them.
    if matches!(yaml.value, YamlValue::List(_) | YamlValue::Mapping(_)) {
        let components = &schemas::of_body::<T>().components;
        let mut properties = properties_of::<T>().into_iter();
        if let Some((_, schema)) = properties.find(|(name, _)| *name == key) {
            report_unknown(yaml, key, (schema, components), findings);
        }
    }
}

fn report_unknown(
    yaml: &Yaml,
    key: &str,
    (schema, components): (&'static Value, &'static Map<String, Value>),
    findings: &mut Findings,
) {
    let properties = properties(schema, components);
    if properties.is_empty() {
        return;
    }
    if let YamlValue::List(items) = &yaml.value {
        for item in items {
            match &item.value {
                YamlValue::List(_) => mismatch(item, key, "a mapping", findings),
                _ => report_unknown(item, key, (schema, components), findings),
            }
        }
    }
    let mut names: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    names.dedup();
    for (name, yaml) in yaml.entries() {
        match properties.iter().find(|(known, _)| *known == name.value) {
            Some((key, below)) => report_unknown(yaml, key, (below, components), findings),
            None => unknown_key(name, &quoted(key), &names, findings),
        }
    }
}
