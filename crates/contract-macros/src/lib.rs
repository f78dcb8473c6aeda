//! `#[operations]` declares the operations of an area, in a trait in `crates/contract`:
//!
//! ```ignore
//! #[operations(GitRefs)]
//! pub trait Operations: Send + Sync {
//!     /// Get a reference
//!     ///
//!     /// Returns the one reference with exactly this name.
//!     #[get("/repos/{owner}/{repo}/git/ref/{ref}", docs = "git/refs#get-a-reference")]
//!     #[access(open, READ_REFS)]
//!     #[fails(403, 404, 409)]
//!     #[cached]
//!     async fn get_ref(&self, call: Call, at: RepoAddress, r#ref: String) -> Outcome<Reply<200, GitRef>>;
//! }
//! ```
//!
//! It generates:
//!
//! - The trait without these attributes, made `dyn`-compatible by `async_trait`. The area
//!   implements it. A method without a route is an ordinary method. A method with a body is
//!   an operation that delegates to another one.
//! - `struct Api(Arc<dyn Operations>)` with a poem-openapi endpoint for each operation. The
//!   operation id is the method's name; the tag is the trait's, or that of `#[tag(…)]`.
//! - `OPERATIONS`: the rows of the permission table. The `Call` of an operation refers to its
//!   row.
//!
//! `access` begins with the credential: `open` (optional for public resources), `token`,
//! `app` (a JSON web token), `anyone` (never checked) or `control` (the control API, whose
//! operations take a `ControlCall` and have no row and no page in GitHub's documentation).
//! The name of a shared rule can follow (`contract::operation::presets`), and then the fields of
//! `contract::operation::Rule` that differ from it. Without a name, they differ from
//! `Rule::OPEN` or `Rule::TOKEN`.
//!
//! `cached` lets the web layer reuse a response until the data behind it changes. `unlimited`
//! exempts an operation from the rate limit. `forms(Diff, Patch)` lists the media types that an
//! operation offers besides JSON (`contract::media::Form`).
//!
//! The rest is for the documents only:
//!
//! - `headers(Location)`: the headers of the success response that not every operation has
//!   (`contract::headers`).
//! - `comment_media`: the response is available in the media types of comments.
//! - `specified(200, 404)`: the statuses that the specification lists.
//! - `links(get_ref, update_ref, comment_id = "/id", r#ref = sha)`: the operations that a client
//!   can call next. Their path parameters are those of this operation with the same name,
//!   unless an argument names a value in the response or another path parameter.
//!   `note = "…"` describes a parameter without an expression for its value.
//!
//! Arguments: `call`; an argument named like a `{parameter}` of the path;
//! `#[query] name: Type`; `#[query(name: Type, …)] group: Group`, where `Group` implements
//! `From` the tuple; `body`. Any other argument is an `Address`, built from the path
//! parameters that no argument names. A parameter can have a doc comment and
//! `#[example("…")]`, in place of those in `contract::document::parameters`.

mod endpoint;
mod links;
mod schema;

use links::Links;
use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, DeriveInput, Error, Ident, ItemTrait, LitInt, LitStr, MetaNameValue, Token,
    TraitItem, TraitItemFn, parse_macro_input,
};

/// See the crate documentation.
#[proc_macro_attribute]
pub fn operations(tag: TokenStream, declared: TokenStream) -> TokenStream {
    let tag = parse_macro_input!(tag as Ident);
    let declared = parse_macro_input!(declared as ItemTrait);
    let expanded = expand(&tag, declared);
    expanded.unwrap_or_else(Error::into_compile_error).into()
}

/// Derives serde and poem-openapi for a type of the contract, from one set of attributes:
///
/// ```ignore
/// #[schema(example)]
/// pub struct Label {
///     #[schema(rename = "type", validator(max_length = 20))]
///     pub kind: Option<String>,
/// }
/// ```
///
/// The attributes are those of poem-openapi. A field of type `Option` is omitted when it is
/// `None`, unless it is `nullable`. Besides, an object can be `closed` (it refuses unknown keys),
/// and a field can be `unpromised` (GitHub does not always send it, so the published documents do
/// not require it) or `unlisted` (no client could name it).
///
/// A struct is also `Debug` and `Clone`, an enumeration also `Copy`, `PartialEq` and `Eq`.
#[proc_macro_attribute]
pub fn schema(arguments: TokenStream, declared: TokenStream) -> TokenStream {
    let declared = parse_macro_input!(declared as DeriveInput);
    let expanded = schema::expand(arguments.into(), declared);
    expanded.unwrap_or_else(Error::into_compile_error).into()
}

fn expand(tag: &Ident, mut declared: ItemTrait) -> syn::Result<Tokens> {
    let (mut rows, mut endpoints) = (Vec::new(), Vec::new());
    for item in &mut declared.items {
        if let TraitItem::Fn(method) = item
            && let Some(mut operation) = Operation::take(method, tag)?
        {
            endpoints.push(operation.endpoint(method, rows.len())?);
            rows.push(operation.row(method));
        }
    }
    let (port, count) = (&declared.ident, rows.len());
    Ok(quote! {
        #[::async_trait::async_trait]
        #declared

        /// The endpoints of the area.
        pub struct Api(pub ::std::sync::Arc<dyn #port>);

        /// The area's operations.
        pub static OPERATIONS: [crate::operation::Operation; #count] = {
            use crate::operation::*;
            [#(#rows),*]
        };

        // An endpoint has as many parameters as its operation.
        #[allow(clippy::too_many_arguments)]
        #[::poem_openapi::OpenApi]
        impl Api {
            #(#endpoints)*
        }
    })
}

/// The parsed attributes of a method.
struct Operation {
    verb: &'static str,
    path: LitStr,
    /// The page in GitHub's documentation; the control API has none.
    documentation: Option<String>,
    credential: Ident,
    /// The rule whose fields `rule` changes.
    preset: Option<Ident>,
    rule: Punctuated<MetaNameValue, Token![,]>,
    statuses: Punctuated<LitInt, Token![,]>,
    tag: Ident,
    cached: bool,
    unlimited: bool,
    comment_media: bool,
    forms: Punctuated<Ident, Token![,]>,
    headers: Punctuated<Ident, Token![,]>,
    specified: Punctuated<LitInt, Token![,]>,
    links: Vec<Links>,
    /// The names and examples of parameters.
    examples: Vec<Tokens>,
}

impl Operation {
    /// Removes and parses the attributes of a method; None if it has no route.
    fn take(method: &mut TraitItemFn, area: &Ident) -> syn::Result<Option<Self>> {
        let attributes = &mut method.attrs;
        let verbs = ["get", "post", "put", "patch", "delete"].into_iter();
        let mut route = verbs.filter_map(|verb| Some((verb, take(attributes, verb)?)));
        let Some((verb, route)) = route.next() else {
            return Ok(None);
        };
        let (path, page) = route.parse_args_with(|input: ParseStream<'_>| {
            let path: LitStr = input.parse()?;
            if input.is_empty() {
                return Ok((path, None));
            }
            input.parse::<Token![,]>()?;
            Ok((path, Some(input.parse::<MetaNameValue>()?.value)))
        })?;
        let page: Option<LitStr> = page.map(|page| syn::parse2(quote!(#page))).transpose()?;
        let access = take(attributes, "access");
        let missing = || Error::new_spanned(&method.sig.ident, "missing #[access(…)]");
        let (credential, preset, rule) =
            access
                .ok_or_else(missing)?
                .parse_args_with(|input: ParseStream<'_>| {
                    let credential: Ident = input.parse()?;
                    input.parse::<Option<Token![,]>>()?;
                    let preset = match input.peek2(Token![=]) {
                        true => None,
                        false => input.parse::<Option<Ident>>()?,
                    };
                    input.parse::<Option<Token![,]>>()?;
                    let rule = input.parse_terminated(MetaNameValue::parse, Token![,])?;
                    Ok((credential, preset, rule))
                })?;
        let tag = take(attributes, "tag").map(|tag| tag.parse_args::<Ident>());
        let mut links = Vec::new();
        while let Some(attribute) = take(attributes, "links") {
            links.push(attribute.parse_args()?);
        }
        Ok(Some(Self {
            verb,
            path,
            documentation: page
                .map(|page| format!("https://docs.github.com/rest/{}", page.value())),
            credential,
            preset,
            rule,
            statuses: take_list(attributes, "fails")?,
            tag: tag.transpose()?.unwrap_or_else(|| area.clone()),
            cached: take(attributes, "cached").is_some(),
            unlimited: take(attributes, "unlimited").is_some(),
            comment_media: take(attributes, "comment_media").is_some(),
            forms: take_list(attributes, "forms")?,
            headers: take_list(attributes, "headers")?,
            specified: take_list(attributes, "specified")?,
            links,
            examples: Vec::new(),
        }))
    }

    /// The row of the operation in `OPERATIONS`.
    fn row(&self, method: &TraitItemFn) -> Tokens {
        let id = method.sig.ident.unraw().to_string();
        let (verb, path) = (self.verb, &self.path);
        let documentation = self.documentation.as_deref().unwrap_or_default();
        let names = self.rule.iter().map(|field| &field.path);
        let values = self.rule.iter().map(|field| &field.value);
        let base = match (&self.preset, self.credential.to_string().as_str()) {
            (Some(preset), _) => Some(quote!(Rule::#preset)),
            (None, "open") => Some(quote!(Rule::OPEN)),
            (None, "token") => Some(quote!(Rule::TOKEN)),
            _ => None,
        };
        let rule = match base {
            Some(base) if self.rule.is_empty() => quote!(Some(#base)),
            Some(base) => quote!(Some(Rule { #(#names: #values,)* ..#base })),
            None => quote!(None),
        };
        let (cached, unlimited, comment_media) = (self.cached, self.unlimited, self.comment_media);
        let (tag, forms, headers) = (&self.tag, self.forms.iter(), self.headers.iter());
        let (specified, links, examples) = (self.specified.iter(), &self.links, &self.examples);
        quote! {
            Operation {
                id: #id,
                method: #verb,
                path: #path,
                documentation: #documentation,
                cached: #cached,
                unlimited: #unlimited,
                forms: &[#(crate::media::Form::#forms),*],
                documented: Documented {
                    area: Some(crate::Area::#tag),
                    headers: &[#(crate::headers::Header::#headers),*],
                    comment_media: #comment_media,
                    specified: &[#(#specified),*],
                    links: &[#(#links),*],
                    examples: &[#(#examples),*],
                },
                rule: #rule,
            }
        }
    }
}

/// Removes and returns the attribute with this name.
fn take(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let named = |attribute: &Attribute| attribute.path().is_ident(name);
    let position = attributes.iter().position(named)?;
    Some(attributes.remove(position))
}

/// Removes the attribute with this name and parses its list; empty if there is none.
fn take_list<T: Parse>(
    attributes: &mut Vec<Attribute>,
    name: &str,
) -> syn::Result<Punctuated<T, Token![,]>> {
    let attribute = take(attributes, name);
    let parse = |attribute: Attribute| attribute.parse_args_with(Punctuated::parse_terminated);
    Ok(attribute.map(parse).transpose()?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn error_of(method: &TraitItemFn) -> Option<String> {
        let declared = parse_quote!(pub trait Operations { #method });
        let expanded = expand(&parse_quote!(GitRefs), declared);
        expanded.err().map(|error| error.to_string())
    }

    #[test]
    fn an_incomplete_declaration_is_rejected() {
        let complete: TraitItemFn = parse_quote! {
            #[get("/repos/{owner}/{repo}/git/ref/{ref}", docs = "git/refs#get-a-reference")]
            #[access(open, permission = read("contents"))]
            async fn get_ref(&self, call: Call, at: RepoAddress, r#ref: String) -> Outcome<Ref>;
        };
        assert_eq!(error_of(&complete), None);
        let mut method = complete.clone();
        method.attrs.pop();
        let expected = "missing #[access(…)]";
        assert_eq!(error_of(&method).as_deref(), Some(expected));
        let mut method = complete.clone();
        method.sig.inputs.pop();
        let expected = "an address takes exactly two path parameters that no argument names";
        assert_eq!(error_of(&method).as_deref(), Some(expected));
        let mut method = complete;
        method.sig.inputs = parse_quote!(&self, call: Call, r#ref: String);
        let expected = "no argument takes {owner}";
        assert_eq!(error_of(&method).as_deref(), Some(expected));
    }
}
