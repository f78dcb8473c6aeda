//! The three OpenAPI documents. poem-openapi derives them from the annotated types;
//! `schemas`, `complete` and `links` add what it cannot express and remove what is redundant. The server,
//! the build and the YAML files all use these functions.

mod complete;
/// Differences between two documents.
pub mod drift;
mod links;
mod loosen;
mod parameters;
mod requirements;
mod specified;
/// Documents as YAML.
pub mod yaml;

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::LazyLock;

use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem_openapi::registry::{MetaApi, Registry};
use poem_openapi::{OpenApi, OpenApiService};
use serde_json::{Map, Value, json};

use super::control as control_api;
use super::operation::Operation;
use super::version::ApiVersion;
use super::{
    apps, assignees, checks, commits, contents, git_objects, git_ref_aliases, git_refs,
    installations, issue_comments, issue_field_values, issue_fields, issues, labels, lookups,
    project_fields, project_items, pulls, reactions, review_comments, reviews, schemas, statuses,
};

type ServiceApi = (
    project_fields::Api,
    issue_fields::Api,
    review_comments::Api,
    git_refs::Api,
    installations::Api,
);
type CompanionApi = (CodeApi, PlanningApi, lookups::Api);
type CodeApi = (
    apps::Api,
    git_ref_aliases::Api,
    git_objects::Api,
    commits::Api,
    contents::Api,
    reviews::Api,
    pulls::Api,
    statuses::Api,
    checks::Api,
);
type PlanningApi = (
    issues::Api,
    issue_comments::Api,
    issue_field_values::Api,
    reactions::Api,
    labels::Api,
    assignees::Api,
    project_items::Api,
);
type ControlApi = (
    control_api::worlds::Api,
    control_api::snapshots::Api,
    control_api::clock::Api,
    control_api::faults::Api,
    control_api::deliveries::Api,
    control_api::journal::Api,
);

/// The 28 operations of the specification.
pub fn service() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        published::<ServiceApi>(
            concat!("Forgewright ", env!("CARGO_PKG_VERSION")),
            "Project fields, issue fields, pull request review comments, Git references and app \
             installations of a forge.\n\nSend a token as `Authorization: Bearer <token>`. Public \
             resources can be read without a token where the operation allows it. A request can \
             select the API version with the header `X-Service-Api-Version` (or its alias \
             `X-GitHub-Api-Version`) and the media type with `Accept`. The recommended media type \
             is `application/vnd.github+json`.\n\nThe key `x-source` of a response is \
             `specification` if the specification lists its status for the operation, and \
             `decisions` if it does not: then GitHub or this server sends it in addition. \
             `x-accepted-github-permissions` has the permissions that a fine-grained or app token \
             needs: alternatives between semicolons, each a list of those needed together.",
        )
    });
    &DOCUMENT
}

/// The operations that clients need in addition to those of the service.
pub fn companion() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        published::<CompanionApi>(
            concat!("Forgewright companion ", env!("CARGO_PKG_VERSION")),
            "The operations that clients need in addition to those of the service: commits, \
             contents, pull requests, issues, projects and accounts, apps and their tokens, and \
             the root, versions and rate limits of the API. The operations of the service itself \
             are in the other document.\n\nOperations on apps take a JSON web token signed by the \
             app, as `Authorization: Bearer <JWT>`; all others take the tokens of the service.",
        )
    });
    &DOCUMENT
}

/// The control API, for testing clients against this server.
pub fn control() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        derive_control(
            concat!("Forgewright control ", env!("CARGO_PKG_VERSION")),
            "For testing clients against this server: isolated worlds, resets, the clock, faults, \
             a journal that explains each refusal, and webhook deliveries. The control API is \
             available if the server was started with `--control on`, and by default on loopback \
             with SQLite. Its requests do not count against a rate limit.",
        )
    });
    &DOCUMENT
}

/// For tests: every schema by name, before `loosen` moves bounds into descriptions and makes
/// properties optional.
pub fn components() -> &'static Map<String, Value> {
    static SCHEMAS: LazyLock<Map<String, Value>> =
        LazyLock::new(|| schemas::derive(<(ServiceApi, CompanionApi, ControlApi)>::register));
    &SCHEMAS
}

/// The operation with this id.
pub fn operation(id: &str) -> Option<&'static Operation> {
    static BY_ID: LazyLock<HashMap<&str, &Operation>> = LazyLock::new(|| {
        every_operation()
            .map(|operation| (operation.id, operation))
            .collect()
    });
    BY_ID.get(id).copied()
}

/// Whether the operations at a path have no rate limit.
pub fn is_unlimited(path: &str) -> bool {
    static PATHS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let unlimited = every_operation().filter(|operation| operation.unlimited);
        unlimited.map(|operation| operation.path).collect()
    });
    PATHS.contains(&path)
}

/// The declaration of an operation in any of the documents.
fn declared(described: &Value) -> Option<&'static Operation> {
    let id = described["operationId"].as_str()?;
    let control: [&'static [Operation]; 6] = [
        &control_api::worlds::OPERATIONS,
        &control_api::snapshots::OPERATIONS,
        &control_api::clock::OPERATIONS,
        &control_api::faults::OPERATIONS,
        &control_api::deliveries::OPERATIONS,
        &control_api::journal::OPERATIONS,
    ];
    let mut control = control.into_iter().flatten();
    operation(id).or_else(|| control.find(|operation| operation.id == id))
}

/// The operation that the router selects for a method and a path. If several match, the
/// one with the earlier fixed segment wins.
pub fn operation_at(method: &str, path: &str) -> Option<&'static Operation> {
    every_operation()
        .filter(|operation| operation.method.eq_ignore_ascii_case(method))
        .filter_map(|operation| Some((fixed(operation.path, path)?, operation)))
        .max_by(|one, other| one.0.cmp(&other.0))
        .map(|(_, operation)| operation)
}

/// Which segments of a template are fixed; None if the path does not match it.
fn fixed(template: &str, path: &str) -> Option<Vec<bool>> {
    let mut segments = path.split('/');
    let fixed = template.split('/').map(|expected| {
        let segment = segments.next()?;
        match expected.starts_with('{') {
            true => (!segment.is_empty()).then_some(false),
            false => (expected == segment).then_some(true),
        }
    });
    let fixed = fixed.collect::<Option<Vec<_>>>()?;
    segments.next().is_none().then_some(fixed)
}

/// Every operation of the forge's API.
pub fn every_operation() -> impl Iterator<Item = &'static Operation> {
    let areas: [&'static [Operation]; 22] = [
        &project_fields::OPERATIONS,
        &issue_fields::OPERATIONS,
        &review_comments::OPERATIONS,
        &git_refs::OPERATIONS,
        &installations::OPERATIONS,
        &apps::OPERATIONS,
        &git_ref_aliases::OPERATIONS,
        &git_objects::OPERATIONS,
        &commits::OPERATIONS,
        &contents::OPERATIONS,
        &reviews::OPERATIONS,
        &pulls::OPERATIONS,
        &issues::OPERATIONS,
        &issue_comments::OPERATIONS,
        &issue_field_values::OPERATIONS,
        &reactions::OPERATIONS,
        &labels::OPERATIONS,
        &assignees::OPERATIONS,
        &statuses::OPERATIONS,
        &checks::OPERATIONS,
        &project_items::OPERATIONS,
        &lookups::OPERATIONS,
    ];
    areas.into_iter().flatten()
}

/// Changes every operation of a document by its declaration.
fn for_each_operation(document: &mut Value, mut change: impl FnMut(&mut Value, &Operation)) {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    let items = paths.filter_map(|(_, item)| item.as_object_mut());
    for (_, operation) in items.flatten() {
        if let Some(declared) = declared(operation) {
            change(operation, declared);
        }
    }
}

/// Every operation of a document.
fn operations(document: &Value) -> impl Iterator<Item = &Value> {
    let paths = document["paths"]
        .as_object()
        .into_iter()
        .flat_map(Map::values);
    paths.filter_map(Value::as_object).flat_map(Map::values)
}

/// An API that is described but has no routes.
struct Described<T>(PhantomData<T>);

impl<T: OpenApi> OpenApi for Described<T> {
    fn meta() -> Vec<MetaApi> {
        T::meta()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn add_routes(self, _: &mut HashMap<String, HashMap<Method, BoxEndpoint<'static>>>) {}
}

/// A document of the forge's API.
fn published<T: OpenApi>(title: &str, description: &str) -> Value {
    let mut document = derive::<T>(title, description);
    document["servers"] = json!([
        {"url": "/", "description": "This server"},
        {"url": "/api/v3", "description": "This server, with the path prefix of an enterprise host"},
    ]);
    complete::complete(&mut document);
    schemas::tidy::remove_unused(&mut document);
    schemas::marks::settle(&mut document, true);
    loosen::bounds_to_words(&mut document);
    document
}

fn derive_control(title: &str, description: &str) -> Value {
    let mut document = derive::<ControlApi>(title, description);
    complete::complete_control(&mut document);
    schemas::tidy::remove_unused(&mut document);
    schemas::marks::settle(&mut document, false);
    document
}

fn derive<T: OpenApi>(title: &str, description: &str) -> Value {
    let newest = ApiVersion::V2026_03_10.as_str();
    let text = OpenApiService::new(Described::<T>(PhantomData), title, newest).spec();
    let mut document: Value = serde_json::from_str(&text).unwrap_or_default();
    schemas::tidy::tidy(&mut document);
    document["openapi"] = "3.0.3".into();
    document["info"] = json!({
        "title": title,
        "description": description,
        "version": newest,
        "contact": {"name": "The Forgewright maintainers"},
        "license": {"name": "MIT OR Apache-2.0", "url": "https://spdx.org/licenses/MIT.html"},
    });
    document["servers"] = json!([{"url": "/", "description": "This server"}]);
    document
}
