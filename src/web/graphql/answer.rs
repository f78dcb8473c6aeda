//! Parses a query, limits its cost, validates and executes it. CPU-bound.

use std::sync::LazyLock;

use apollo_compiler::executable::Operation;
use apollo_compiler::parser::Parser;
use apollo_compiler::request::coerce_variable_values;
use apollo_compiler::resolvers::{Execution, FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::serde_json_bytes::Value as Json;
use apollo_compiler::response::{ExecutionResponse, JsonMap};
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Node, Schema, introspection};
use serde_json::Value;

use super::errors::{Errors, shortened};
use super::{cost, selections};
use contract::problem::Problem;
use contract::reply::Outcome;

/// The most tokens of a query, including spaces and commas. The query that tools use for
/// introspection has about 450.
const MOST_TOKENS: usize = 10_000;

const NO_OPERATION: &str = "A query must have an operation";

/// `None` if the schema is not valid, which a test rules out.
static SCHEMA: LazyLock<Option<Valid<Schema>>> = LazyLock::new(|| {
    let text = include_str!("schema.graphql");
    Schema::parse_and_validate(text, "schema.graphql").ok()
});

pub fn schema() -> Outcome<&'static Valid<Schema>> {
    let invalid = || Problem::internal("the GraphQL schema is not valid");
    SCHEMA.as_ref().ok_or_else(invalid)
}

/// A response, and its first error.
#[derive(Debug)]
pub struct GraphQlAnswer {
    pub json: Vec<u8>,
    pub error: Option<String>,
}

/// Returns `data`, or `errors`: an invalid query is not executed.
pub fn answer(mut request: Value, login: &str) -> Outcome<GraphQlAnswer> {
    let Value::String(query) = request["query"].take() else {
        let message = "A query attribute must be specified and must be a string.";
        return Err(Problem::BadRequest(message.into()));
    };
    let variables = request["variables"].take();
    let name = request["operationName"].as_str();
    let (json, error) = match execute(schema()?, query, name, variables, login) {
        Ok(response) => {
            let error = response.errors.first();
            let error = error.map(|error| shortened(&error.message).into_owned());
            (serde_json::to_vec(&response), error)
        }
        Err(errors) => (serde_json::to_vec(&errors), errors.first()),
    };
    let json = json.map_err(Problem::internal)?;
    Ok(GraphQlAnswer { json, error })
}

fn execute(
    schema: &Valid<Schema>,
    query: String,
    name: Option<&str>,
    variables: Value,
    login: &str,
) -> Result<ExecutionResponse, Errors> {
    let document = validated(schema, query)?;
    let operation = selected(&document, name.filter(|name| !name.is_empty()))?;
    let refused = |error| Errors::refused(&error, &document.sources);
    introspection::check_max_depth(&document, operation).map_err(refused)?;
    let variables = match Json::from(variables) {
        Json::Null => JsonMap::default(),
        Json::Object(variables) => variables,
        _ => return Err(Errors::one("Variables must be an object")),
    };
    let variables = coerce_variable_values(schema, operation, &variables).map_err(refused)?;
    Execution::new(schema, &document)
        .operation(operation)
        .coerced_variable_values(&variables)
        .enable_schema_introspection(true)
        .execute_sync(&QueryRoot { login })
        .map_err(refused)
}

fn validated(schema: &Valid<Schema>, query: String) -> Result<Valid<ExecutableDocument>, Errors> {
    if query.trim().is_empty() {
        return Err(Errors::one(NO_OPERATION));
    }
    let mut parser = Parser::new()
        .token_limit(MOST_TOKENS)
        .recursion_limit(cost::MOST_DEPTH);
    let parsed = parser.parse_ast(query, "query");
    if parser.tokens_reached() > MOST_TOKENS {
        let reason = format!("it has more than {MOST_TOKENS} tokens");
        return Err(Errors::limit(&reason));
    }
    if parser.recursion_reached() > cost::MOST_DEPTH {
        return Err(Errors::limit(&cost::too_deep()));
    }
    let document = parsed.map_err(|invalid| Errors::syntax(&invalid.errors))?;
    cost::check(&document)?;
    selections::check(&document, schema)?;
    let mut definitions = document.definitions.iter();
    if definitions.all(|definition| definition.as_operation_definition().is_none()) {
        return Err(Errors::one(NO_OPERATION));
    }
    document
        .to_executable_validate(schema)
        .map_err(|invalid| Errors::invalid(&invalid.errors))
}

/// The operation of this name, or the only one.
fn selected<'a>(
    document: &'a ExecutableDocument,
    name: Option<&str>,
) -> Result<&'a Node<Operation>, Errors> {
    let operation = document.operations.get(name);
    operation.map_err(|_| match name {
        Some(name) => Errors::one(&format!("No operation named {:?}", shortened(name))),
        None => Errors::one("An operation name is required"),
    })
}

/// The root of `schema.graphql`.
struct QueryRoot<'a> {
    login: &'a str,
}

impl ObjectValue for QueryRoot<'_> {
    fn type_name(&self) -> &str {
        "Query"
    }

    fn resolve_field<'a>(
        &'a self,
        info: &'a ResolveInfo<'a>,
    ) -> Result<ResolvedValue<'a>, FieldError> {
        match info.field_name() {
            "viewer" => Ok(ResolvedValue::object(ViewerObject { login: self.login })),
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

struct ViewerObject<'a> {
    login: &'a str,
}

impl ObjectValue for ViewerObject<'_> {
    fn type_name(&self) -> &str {
        "User"
    }

    fn resolve_field<'a>(
        &'a self,
        info: &'a ResolveInfo<'a>,
    ) -> Result<ResolvedValue<'a>, FieldError> {
        match info.field_name() {
            "login" => Ok(ResolvedValue::leaf(self.login)),
            _ => Err(self.unknown_field_error(info)),
        }
    }
}
