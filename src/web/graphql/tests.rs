use apollo_compiler::schema::ExtendedType;
use serde_json::{Value, json};

use super::answer::{answer, schema};
use super::cost::{LEAVES, LISTS, MOST_BYTES, OTHER_LEAF};
use super::errors::MOST_ERRORS;

/// More than any list of errors has: a hundred, with a path and a message each.
const LONGEST_ERRORS: usize = 400_000;

fn send(body: Value) -> Value {
    serde_json::from_slice(&answer(body, "alice").unwrap().json).unwrap()
}

fn ask(query: &str) -> Value {
    send(json!({ "query": query }))
}

fn message(query: &str) -> String {
    ask(query)["errors"][0]["message"].to_string()
}

#[test]
fn the_viewer_has_a_login() {
    let alice = json!({"data": {"viewer": {"login": "alice"}}});
    for query in [
        "query UserCurrent{viewer{login}}",
        "{viewer{login}}",
        "{viewer{...f}} fragment f on User{login}",
        "query($yes: Boolean!) {viewer{... on User @include(if: $yes) {login}}}",
        "{viewer{login} viewer{login} ...on Query{viewer{login}}}",
    ] {
        let body = json!({"query": query, "variables": {"yes": true}});
        assert_eq!(send(body), alice, "{query}");
    }
    assert_eq!(
        ask("{me: viewer{name: login __typename} __typename}"),
        json!({"data": {"me": {"name": "alice", "__typename": "User"}, "__typename": "Query"}})
    );
}

#[test]
fn undefined_fields_are_named_in_githubs_words() {
    assert_eq!(
        ask("query A {\n  viewer {\n    login\n    bio: bioHtml\n  }\n}"),
        json!({"errors": [{
            "path": ["query A", "viewer", "bio"],
            "extensions": {"code": "undefinedField", "typeName": "User", "fieldName": "bioHtml"},
            "locations": [{"line": 4, "column": 5}],
            "message": "Field 'bioHtml' doesn't exist on type 'User'",
        }]})
    );
    for (query, expected) in [
        (
            "{repository{id}}",
            "Field 'repository' doesn't exist on type 'Query'",
        ),
        (
            "mutation{viewer{login}}",
            "Field 'viewer' doesn't exist on type 'Mutation'",
        ),
        (
            "{viewer{...f}} fragment f on User{id}",
            "Field 'id' doesn't exist on type 'User'",
        ),
        ("{viewer}", "Field must have selections"),
        ("{viewer{login{x}}}", "Selections can't be made on scalars"),
        ("{viewer{", "Parse error"),
        ("", "must have an operation"),
        ("fragment f on User{login}", "must have an operation"),
        (
            "query A{viewer{login}} query B{viewer{login}}",
            "name is required",
        ),
        ("{viewer{...f}}", "`f`"),
        ("query($n: String!){viewer{login}}", "`$n`"),
        ("{viewer{login @a}}", "`@a`"),
        ("type A{a:Int}", "must have an operation"),
    ] {
        let message = message(query);
        assert!(message.contains(expected), "{query}: {message}");
    }
}

#[test]
fn the_operation_is_chosen_by_its_name() {
    let query = "query A{a:viewer{login}} query B{b:viewer{login}}";
    let ask = |name| send(json!({"query": query, "operationName": name}));
    assert_eq!(ask("B"), json!({"data": {"b": {"login": "alice"}}}));
    assert_eq!(
        ask("C"),
        json!({"errors": [{"message": "No operation named \"C\""}]})
    );
    let problem = answer(json!({"query": 1}), "alice").unwrap_err();
    assert!(problem.message().contains("must be a string"));
    let problem = send(json!({"query": "{viewer{login}}", "variables": [1]}));
    assert_eq!(
        problem["errors"][0]["message"],
        "Variables must be an object"
    );
}

/// What graphql-js and its tools send.
const INTROSPECTION: &str = "
query IntrospectionQuery {
  __schema {
    description
    queryType { name kind } mutationType { name kind } subscriptionType { name kind }
    types { ...FullType }
    directives { name description locations isRepeatable args { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description specifiedByURL
  fields(includeDeprecated: true) {
    name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef }
    isDeprecated deprecationReason
  }
  inputFields(includeDeprecated: true) { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue {
  name description type { ...TypeRef } defaultValue isDeprecated deprecationReason
}
fragment TypeRef on __Type {
  kind name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
    kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }
  } } } } }
}";

#[test]
fn tools_can_read_the_schema() {
    let schema = ask(INTROSPECTION);
    assert_eq!(schema["errors"], Value::Null, "{schema}");
    let types = schema["data"]["__schema"]["types"].as_array().unwrap();
    let user = types.iter().find(|one| one["name"] == "User").unwrap();
    assert_eq!(user["fields"][0]["name"], "login");
}

#[test]
fn the_bounds_of_lists_and_leaves_hold_for_the_schema() {
    fn check(key: &str, value: &Value) {
        let of = |table: &[(&str, usize)]| {
            let row = table.iter().find(|(name, _)| *name == key);
            row.map(|(_, most)| *most)
        };
        match value {
            Value::Array(items) if items.iter().all(Value::is_string) => {
                let most = of(&LEAVES).unwrap_or(OTHER_LEAF);
                assert!(value.to_string().len() <= most, "{key}: {value}");
            }
            Value::Array(items) => {
                assert!(items.len() <= of(&LISTS).unwrap(), "{key}: {}", items.len());
                items.iter().for_each(|item| check("", item));
            }
            Value::Object(fields) => fields.iter().for_each(|(key, value)| check(key, value)),
            leaf => {
                let most = of(&LEAVES).unwrap_or(OTHER_LEAF);
                assert!(leaf.to_string().len() <= most, "{key}: {leaf}");
            }
        }
    }
    check("", &ask(INTROSPECTION)["data"]);
    // Every list of the schema is known.
    for kind in schema().unwrap().types.values() {
        if let ExtendedType::Object(kind) = kind {
            let lists = kind.fields.values().filter(|field| field.ty.is_list());
            for list in lists.filter(|list| list.name != "locations") {
                let known = LISTS.iter().any(|(name, _)| *name == list.name.as_str());
                assert!(known, "{}", list.name);
            }
        }
    }
}

/// A query that costs too much is refused before it is validated.
fn assert_too_costly(query: &str, reason: &str) {
    let answer = ask(query);
    let error = &answer["errors"][0];
    assert_eq!(error["type"], "RESOURCE_LIMITS_EXCEEDED", "{answer}");
    assert!(
        error["message"].as_str().unwrap().contains(reason),
        "{answer}"
    );
}

#[test]
fn costly_queries_are_refused() {
    let nested = |levels: usize| format!("{}a{}", "{a".repeat(levels), "}".repeat(levels));
    let many = "viewer{login}".repeat(1500);
    let spread = "...a ".repeat(1500);
    let doubling: String = (0..25)
        .map(|at| format!("fragment f{at} on Query{{...f{0} ...f{0}}}", at + 1))
        .collect();
    let chain: String = (0..100)
        .map(|at| format!("fragment f{at} on Query{{...f{}}}", at + 1))
        .collect();
    let operations: String = (0..200)
        .map(|at| format!("query q{at}{{...f}}"))
        .chain([
            "fragment f on Query{".to_owned(),
            "a ".repeat(200),
            "}".to_owned(),
        ])
        .collect();
    for (query, reason) in [
        (nested(40), "more than 32 levels"),
        (nested(100_000), "it has more than"),
        (
            format!("query{}", "{a(b:[".repeat(5_000)),
            "it has more than",
        ),
        ("[".repeat(100_000), "tokens"),
        (format!("{{{}}}", "a ".repeat(20_000)), "tokens"),
        (
            format!("{{viewer{{login {}}}}}", "@a".repeat(20_000)),
            "tokens",
        ),
        (format!("{{{many}}}"), "more than 2000 fields"),
        (
            format!("{{{}}}", "a ".repeat(3_000)),
            "more than 2000 fields",
        ),
        (
            format!("{{{spread}}} fragment a on Query{{viewer{{login}}}}"),
            "more than 2000 fields",
        ),
        (
            format!("{{...f0}} {doubling} fragment f25 on Query{{__typename}}"),
            "more than 2000 fields",
        ),
        (
            format!("{{...f0}} {chain} fragment f100 on Query{{__typename}}"),
            "more than 32 levels",
        ),
        (operations, "more than 2000 fields"),
        (
            format!(
                "{{__schema{{types{{{}:kind fields{{type{{{}:kind}}}}}}}}}}",
                "a".repeat(50_000),
                "b".repeat(50_000)
            ),
            "more than 4194304 bytes",
        ),
    ] {
        assert_too_costly(&query, reason);
    }
    for (query, expected) in [
        (
            "{...a} fragment a on Query{...b} fragment b on Query{...a}",
            "infinite loop",
        ),
        ("{...a} fragment a on Query{...a}", "infinite loop"),
        (
            "{__schema{types{fields{type{fields{type{fields{name}}}}}}}}",
            "introspection depth",
        ),
    ] {
        assert!(
            message(query).contains(expected),
            "{query}: {}",
            message(query)
        );
    }
}

#[test]
fn an_answer_is_bounded_whatever_the_query_repeats() {
    let name = "n".repeat(100_000);
    let wrong = "a ".repeat(1_000);
    let arguments = "x:1 ".repeat(1_500);
    let variables = "$a:Int ".repeat(1_000);
    for query in [
        format!("query {name} {{{wrong}}}"),
        format!("query {name} {{viewer{{{wrong}}}}}"),
        format!("{{{name}:viewer{{{wrong}}}}}"),
        format!("{{{}}}", format!("{}:a ", "n".repeat(100)).repeat(1_000)),
        format!("{{viewer{{login {}}}}}", "@a".repeat(3_000)),
        format!("{{viewer{{login @{name}}}}}"),
        format!("query A({variables}){{viewer{{login}}}}"),
        format!("{{viewer({arguments}){{login}}}}"),
        format!("{{{}}}", "...{viewer{login}}".repeat(500)),
        format!("{{__type(name:\"{name}\"){{{}}}}}", "name ".repeat(1_000)),
        format!("\"{}", "a".repeat(120_000)),
        format!("#{}", "a".repeat(120_000)),
        format!("{{viewer{{login}}}} #{}", "a".repeat(120_000)),
        "\u{0}".repeat(9_000),
        "}".repeat(9_000),
        format!("query {name}{{viewer{{login}}}}") + &"query a{viewer{login}}".repeat(300),
    ] {
        let answer = answer(json!({ "query": query }), "alice").unwrap().json;
        assert!(answer.len() < LONGEST_ERRORS, "{}", answer.len());
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        let errors = answer["errors"].as_array().map_or(0, Vec::len);
        assert!(errors <= MOST_ERRORS, "{errors}");
    }
    let aliases: String = (0..900)
        .map(|at| format!("a{at}:viewer{{login}} "))
        .collect();
    let all = ask(&format!("{{{aliases}}}"));
    assert_eq!(all["data"].as_object().unwrap().len(), 900);
    // The largest response is close to its bound, and below it.
    let most = format!(
        "{{__schema{{types{{{}fields{{description}}}}}}}}",
        (0..300)
            .map(|at| format!("a{at}:description "))
            .collect::<String>()
    );
    let answer = answer(json!({ "query": most }), "alice").unwrap().json;
    assert!(
        answer.len() > 300_000 && answer.len() <= MOST_BYTES,
        "{}",
        answer.len()
    );
}
