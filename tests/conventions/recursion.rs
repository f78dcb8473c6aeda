//! Every function that calls itself, directly or through others of its file, with what bounds its
//! depth. Data that a client sends or stores must never decide how deep the stack gets.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{
    Expr, ExprCall, ExprMethodCall, ImplItemFn, ItemEnum, ItemFn, ItemImpl, ItemMod, ItemStruct,
    Path, Type,
};

use crate::architecture::sources;

/// Functions by file, and why the stack cannot overflow.
const BOUNDED: [(&str, &str, &str); 23] = [
    (
        "forge/project_items/filter.rs",
        "state",
        "calls a closure of the same name",
    ),
    (
        "forge/webhooks/prepared.rs",
        "object",
        "the length of the holes' paths",
    ),
    (
        "contract/document/drift.rs",
        "compare",
        "the nesting of our own documents",
    ),
    (
        "contract/document/drift.rs",
        "compare_arrays",
        "the nesting of our own documents",
    ),
    (
        "contract/document/drift.rs",
        "compare_objects",
        "the nesting of our own documents",
    ),
    (
        "contract/document/drift.rs",
        "compare_sides",
        "the nesting of our own documents",
    ),
    (
        "contract/schemas/tidy.rs",
        "collect_references",
        "the nesting of our own documents",
    ),
    (
        "contract/schemas/tidy.rs",
        "tidy_value",
        "the nesting of our own documents",
    ),
    (
        "contract/problem.rs",
        "status",
        "calls the method of the type",
    ),
    (
        "contract/validation.rs",
        "array",
        "the nesting of the schema",
    ),
    (
        "contract/validation.rs",
        "object",
        "the nesting of the schema",
    ),
    (
        "contract/validation.rs",
        "value",
        "the nesting of the schema",
    ),
    (
        "storage/database/source.rs",
        "reading",
        "calls the method of the type",
    ),
    ("git/merge/ancestors.rs", "ancestor", "MOST_MERGES"),
    ("git/reach.rs", "merged", "LEVELS"),
    ("git/reach.rs", "with", "LEVELS"),
    (
        "server/web/graphql/cost.rs",
        "of",
        "MOST_DEPTH, of the parser too",
    ),
    (
        "server/web/graphql/cost.rs",
        "of_fragment",
        "MOST_DEPTH, and a fragment is visited once",
    ),
    (
        "server/web/graphql/selections.rs",
        "check",
        "MOST_DEPTH of the parser",
    ),
    (
        "server/web/graphql/selections.rs",
        "check_field",
        "MOST_DEPTH of the parser",
    ),
    ("world/body.rs", "properties", "the nesting of the schema"),
    (
        "world/body.rs",
        "report_unknown",
        "the nesting of the schema",
    ),
    (
        "world/check/accounts.rs",
        "logins",
        "calls a closure of the same name",
    ),
];

/// A function: the type that it belongs to, if any, and its name.
type Function = (String, String);

/// The functions of a file, and those of the same file that each calls. A method of a variable
/// counts as that of the caller's own type, if that contains itself.
#[derive(Default)]
struct Calls {
    current: Vec<Function>,
    of_type: String,
    of_trait: bool,
    calls: BTreeMap<Function, BTreeSet<Function>>,
    methods: Vec<(Function, String, usize)>,
    /// The types that contain themselves, and the one that is being visited.
    nested: BTreeSet<String>,
    defined: String,
    /// The arguments of each method, without `self`.
    arguments: BTreeMap<Function, usize>,
}

impl Calls {
    fn within(&mut self, function: Function, visit: impl FnOnce(&mut Self)) {
        self.calls.entry(function.clone()).or_default();
        self.current.push(function);
        visit(self);
        self.current.pop();
    }

    fn call(&mut self, function: Function) {
        if let Some(caller) = self.current.last() {
            self.calls
                .entry(caller.clone())
                .or_default()
                .insert(function);
        }
    }

    fn call_of_unknown(&mut self, method: String, arguments: usize) {
        if let Some(caller) = self.current.last() {
            self.methods.push((caller.clone(), method, arguments));
        }
    }

    /// The functions that reach themselves.
    fn recursive(mut self) -> BTreeSet<String> {
        for (caller, method, arguments) in std::mem::take(&mut self.methods) {
            let same = self.arguments.iter();
            let same = same.filter(|((of_type, name), count)| {
                let own = *of_type == caller.0 && self.nested.contains(of_type);
                own && *name == method && **count == arguments
            });
            let same: Vec<Function> = same.map(|(function, _)| function.clone()).collect();
            self.calls.entry(caller).or_default().extend(same);
        }
        let reaches_itself = |function: &&Function| {
            let mut seen = BTreeSet::new();
            let mut open: Vec<&Function> = self.calls[*function].iter().collect();
            while let Some(next) = open.pop() {
                if next == *function {
                    return true;
                }
                if let Some(calls) = self.calls.get(next)
                    && seen.insert(next)
                {
                    open.extend(calls);
                }
            }
            false
        };
        let found = self.calls.keys().filter(reaches_itself);
        found.map(|(_, name)| name.clone()).collect()
    }
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if let Type::Path(path) = &*item.self_ty
            && let Some(last) = path.path.segments.last()
        {
            self.of_type = last.ident.to_string();
        }
        self.of_trait = item.trait_.is_some();
        visit::visit_item_impl(self, item);
        self.of_type.clear();
        self.of_trait = false;
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.defined = item.ident.to_string();
        visit::visit_item_struct(self, item);
        self.defined.clear();
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.defined = item.ident.to_string();
        visit::visit_item_enum(self, item);
        self.defined.clear();
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if path
            .segments
            .iter()
            .any(|segment| segment.ident == self.defined)
        {
            self.nested.insert(self.defined.clone());
        }
        visit::visit_path(self, path);
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        let name = function.sig.ident.to_string();
        self.within((String::new(), name), |calls| {
            visit::visit_item_fn(calls, function);
        });
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        let name = function.sig.ident.to_string();
        let named = (self.of_type.clone(), name);
        if function.sig.receiver().is_some() {
            let arguments = function.sig.inputs.len() - 1;
            self.arguments.insert(named.clone(), arguments);
        }
        self.within(named, |calls| {
            visit::visit_impl_item_fn(calls, function);
        });
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let names = path
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string());
            match &names.collect::<Vec<_>>()[..] {
                [name] => self.call((String::new(), name.clone())),
                [of_type, name] if of_type == "Self" => {
                    self.call((self.of_type.clone(), name.clone()));
                }
                [of_type, name] => self.call((of_type.clone(), name.clone())),
                _ => {}
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let method = call.method.to_string();
        match &*call.receiver {
            Expr::Path(path) if path.path.is_ident("self") => {
                self.call((self.of_type.clone(), method));
            }
            Expr::Path(_) if !self.of_trait => self.call_of_unknown(method, call.args.len()),
            _ => {}
        }
        visit::visit_expr_method_call(self, call);
    }
}

#[test]
fn every_recursive_function_has_a_bound() {
    let mut found = BTreeSet::new();
    let tests = |file: &str| file.ends_with("tests.rs") || file.contains("/tests/");
    for (file, text) in sources().into_iter().filter(|(file, _)| !tests(file)) {
        let mut calls = Calls::default();
        calls.visit_file(&syn::parse_file(&text).unwrap());
        found.extend(
            calls
                .recursive()
                .into_iter()
                .map(|name| (file.clone(), name)),
        );
    }
    let known = BOUNDED.iter();
    let known: BTreeSet<_> = known
        .map(|(file, name, _)| (file.to_string(), name.to_string()))
        .collect();
    let unknown: Vec<_> = found.difference(&known).collect();
    assert!(unknown.is_empty(), "without a bound: {unknown:#?}");
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(gone.is_empty(), "no longer recursive: {gone:#?}");
}
