//! The part of GraphQL that `gh auth status` and similar clients need to learn whose token they
//! have: `viewer { login }`. Every other field gets GitHub's error for an undefined field. It is
//! not part of the documents, which describe a REST API.

mod document;

use std::sync::Arc;

use poem::http::Method;
use poem::{Endpoint, IntoResponse, Request, Response, Result};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::contract::body;
use crate::contract::call::RequestContext;
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use document::{Field, OperationDefinition, Unreadable};

/// The path of the endpoint.
pub const PATH: &str = "/graphql";

/// The path that clients of an enterprise host use, next to `/api/v3`.
pub const ENTERPRISE_PATH: &str = "/api/graphql";

/// The most errors in a response.
const MOST_ERRORS: usize = 100;

/// The operations, with GraphQL beside them.
pub fn beside<E: Endpoint>(operations: E, app: Arc<App>) -> impl Endpoint<Output = Response> {
    WithGraphQl { operations, app }
}

struct WithGraphQl<E> {
    operations: E,
    app: Arc<App>,
}

impl<E: Endpoint> Endpoint for WithGraphQl<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        if request.uri().path() == PATH && request.method() == Method::POST {
            return Ok(self.query(request).await?);
        }
        let answer = self.operations.call(request).await;
        answer.map(IntoResponse::into_response)
    }
}

impl<E> WithGraphQl<E> {
    /// Answers a query of the authenticated caller.
    async fn query(&self, request: Request) -> Outcome<Response> {
        let (request, mut body) = request.split();
        let unidentified = || Problem::internal("a request reached GraphQL unidentified");
        let context = request.extensions().get::<RequestContext>();
        let caller = &context.ok_or_else(unidentified)?.caller;
        let login = self.app.access.login(caller)?;
        let body = body::object(&request, &mut body, None).await?;
        Ok(Reply::<200, _>::new(answer(&body, &login)?).into_response())
    }
}

/// Returns `data`, or `errors`: an invalid query is not executed.
fn answer(body: &Value, login: &str) -> Outcome<Value> {
    let Some(query) = body["query"].as_str() else {
        let message = "A query attribute must be specified and must be a string.";
        return Err(Problem::BadRequest(message.into()));
    };
    let operations = match document::operations(query) {
        Ok(operations) => operations,
        Err(Unreadable { message, at }) => {
            return Ok(json!({"errors": [{"message": message, "locations": [at]}]}));
        }
    };
    Ok(
        match selected(&operations, body["operationName"].as_str()) {
            Ok(operation) => execute(operation, login),
            Err(message) => json!({"errors": [{"message": message}]}),
        },
    )
}

/// The operation of this name, or the only one.
fn selected<'a>(
    operations: &'a [OperationDefinition<'a>],
    name: Option<&str>,
) -> Result<&'a OperationDefinition<'a>, String> {
    match (operations, name) {
        ([], _) => Err("A query must have an operation".to_owned()),
        ([only], None | Some("")) => Ok(only),
        (_, None | Some("")) => Err("An operation name is required".to_owned()),
        (_, Some(name)) => {
            let has_name = |operation: &&OperationDefinition<'_>| operation.name == Some(name);
            let operation = operations.iter().find(has_name);
            operation.ok_or_else(|| format!("No operation named {name:?}"))
        }
    }
}

fn execute(operation: &OperationDefinition<'_>, login: &str) -> Value {
    let place = match operation.name {
        Some(name) => format!("{} {name}", operation.kind),
        None => operation.kind.to_owned(),
    };
    let root = match operation.kind {
        "mutation" => "Mutation",
        "subscription" => "Subscription",
        _ => "Query",
    };
    let (mut data, mut errors) = (Map::new(), Vec::new());
    for field in &operation.fields {
        let value = match (root, field.name) {
            (_, "__typename") => json!(root),
            ("Query", "viewer") => viewer(field, &place, login, &mut errors),
            _ => {
                errors.push(undefined(&[&place, field.key()], root, field));
                continue;
            }
        };
        data.insert(field.key().to_owned(), value);
    }
    errors.truncate(MOST_ERRORS);
    match errors.is_empty() {
        true => json!({ "data": data }),
        false => json!({ "errors": errors }),
    }
}

/// The authenticated account.
fn viewer(field: &Field<'_>, place: &str, login: &str, errors: &mut Vec<Value>) -> Value {
    if field.fields.is_empty() {
        errors.push(json!({
            "path": [place, field.key()],
            "extensions": {"code": "selectionMismatch", "nodeName": "field 'viewer'", "typeName": "User"},
            "locations": [field.at],
            "message": "Field must have selections (field 'viewer' returns User but has no \
                        selections. Did you mean 'viewer { ... }'?)",
        }));
    }
    let mut user = Map::new();
    for part in &field.fields {
        let value = match part.name {
            "__typename" => "User",
            "login" => login,
            _ => {
                errors.push(undefined(&[place, field.key(), part.key()], "User", part));
                continue;
            }
        };
        user.insert(part.key().to_owned(), json!(value));
    }
    Value::Object(user)
}

fn undefined(path: &[&str], kind: &str, field: &Field<'_>) -> Value {
    let name = field.name;
    json!({
        "path": path,
        "extensions": {"code": "undefinedField", "typeName": kind, "fieldName": name},
        "locations": [field.at],
        "message": format!("Field '{name}' doesn't exist on type '{kind}'"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(query: &str) -> Value {
        answer(&json!({ "query": query }), "alice").unwrap()
    }

    #[test]
    fn the_viewer_has_a_login() {
        let alice = json!({"data": {"viewer": {"login": "alice"}}});
        assert_eq!(ask("query UserCurrent{viewer{login}}"), alice);
        assert_eq!(ask("{viewer{login}}"), alice);
        assert_eq!(
            ask("{me: viewer{name: login __typename} __typename}"),
            json!({"data": {"me": {"name": "alice", "__typename": "User"}, "__typename": "Query"}})
        );
    }

    #[test]
    fn what_is_not_there_is_named_in_githubs_words() {
        assert_eq!(
            ask("query A {\n  viewer {\n    login\n    bio: bioHtml\n  }\n}"),
            json!({"errors": [{
                "path": ["query A", "viewer", "bio"],
                "extensions": {"code": "undefinedField", "typeName": "User", "fieldName": "bioHtml"},
                "locations": [{"line": 4, "column": 5}],
                "message": "Field 'bioHtml' doesn't exist on type 'User'",
            }]})
        );
        let message = |query: &str| ask(query)["errors"][0]["message"].to_string();
        for (query, expected) in [
            (
                "{repository{id}}",
                "Field 'repository' doesn't exist on type 'Query'",
            ),
            (
                "mutation{viewer{login}}",
                "Field 'viewer' doesn't exist on type 'Mutation'",
            ),
            ("{viewer}", "Field must have selections"),
            ("{viewer{", "Parse error"),
            ("{viewer{...f}} fragment f on User{login}", "Fragments"),
            ("", "must have an operation"),
            ("{viewer{login}} {viewer{login}}", "name is required"),
        ] {
            assert!(
                message(query).contains(expected),
                "{query}: {}",
                message(query)
            );
        }
        let many = format!("{{{}}}", "a ".repeat(1000));
        assert_eq!(ask(&many)["errors"].as_array().unwrap().len(), MOST_ERRORS);
    }

    #[test]
    fn the_operation_is_chosen_by_its_name() {
        let query = "query A{a:viewer{login}} query B{b:viewer{login}}";
        let ask = |name| answer(&json!({"query": query, "operationName": name}), "alice").unwrap();
        assert_eq!(ask("B"), json!({"data": {"b": {"login": "alice"}}}));
        assert_eq!(
            ask("C"),
            json!({"errors": [{"message": "No operation named \"C\""}]})
        );
        let problem = answer(&json!({"query": 1}), "alice").unwrap_err();
        assert!(problem.message().contains("must be a string"));
    }
}
