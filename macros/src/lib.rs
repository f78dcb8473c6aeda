//! `#[operations]` turns a trait of `src/contract` into all that one declaration of an
//! operation is needed for:
//!
//! ```ignore
//! #[operations(GitRefs)]
//! pub trait Operations: Send + Sync {
//!     /// Get a reference
//!     ///
//!     /// Returns the one reference with exactly this name.
//!     #[get("/repos/{owner}/{repo}/git/ref/{ref}", docs = "git/refs#get-a-reference")]
//!     #[access(open, permission = read("contents"), scopes = &["repo"])]
//!     #[fails(403, 404, 409)]
//!     #[cached]
//!     async fn get_ref(&self, call: Call, at: RepoAddress, r#ref: String) -> Outcome<Reply<200, GitRef>>;
//! }
//! ```
//!
//! - The trait itself, without these attributes, made `dyn`-compatible by `async_trait`. An
//!   area implements it. A method without a route is an ordinary one, and a method with a
//!   body is an operation that the contract answers by another one.
//! - `struct Api(Arc<dyn Operations>)` with a poem-openapi endpoint for each operation,
//!   whose operation id is the name of the method and whose tag is the trait's, or that of
//!   `#[tag(…)]`.
//! - `OPERATIONS`: the rows of the permission table. The `Call` of each operation has its
//!   own.
//!
//! `access` begins with the credential: `open` (none is needed for public things), `token`,
//! `app` (a JSON web token), `anyone` (nothing is looked up) or `control` (the control API,
//! whose operations have a `ControlCall`, no row and no page at GitHub). Fields of
//! `contract::operation::Rule` follow; those left out are as in `Rule::OPEN` or `Rule::TOKEN`.
//!
//! `cached` lets the web layer give an answer out again while nothing that it was read from
//! has changed. `forms(Diff, Patch)` names the forms in which an operation answers
//! besides the usual JSON (`contract::media::Form`).
//!
//! Arguments: `call`; one named like a `{parameter}` of the path; `#[query] name: Type`;
//! `#[query(name: Type, …)] group: Group`, where `Group` is made `From` the tuple; `body`.
//! Any other is an `Address`, made of the path's parameters that no argument names.

mod endpoint;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Error, Ident, ItemTrait, LitInt, LitStr, MetaNameValue, Token, TraitItem,
    TraitItemFn, parse_macro_input,
};

/// See the documentation of the crate.
#[proc_macro_attribute]
pub fn operations(tag: TokenStream, declared: TokenStream) -> TokenStream {
    let tag = parse_macro_input!(tag as Ident);
    let declared = parse_macro_input!(declared as ItemTrait);
    let expanded = expand(&tag, declared);
    expanded.unwrap_or_else(Error::into_compile_error).into()
}

fn expand(tag: &Ident, mut declared: ItemTrait) -> syn::Result<Tokens> {
    let (mut rows, mut endpoints) = (Vec::new(), Vec::new());
    for item in &mut declared.items {
        if let TraitItem::Fn(method) = item
            && let Some(operation) = Operation::take(method, tag)?
        {
            endpoints.push(operation.endpoint(method, rows.len())?);
            if operation.documentation.is_some() {
                rows.push(operation.row(method));
            }
        }
    }
    let (port, count) = (&declared.ident, rows.len());
    Ok(quote! {
        #[::async_trait::async_trait]
        #declared

        /// The endpoints of the area.
        pub struct Api(pub ::std::sync::Arc<dyn #port>);

        /// What each operation declares of itself.
        pub static OPERATIONS: [crate::contract::operation::Operation; #count] = {
            use crate::contract::operation::*;
            [#(#rows),*]
        };

        // An endpoint's parameters are the operation's, however many it has.
        #[allow(clippy::too_many_arguments)]
        #[::poem_openapi::OpenApi]
        impl Api {
            #(#endpoints)*
        }
    })
}

/// What the attributes of a method say.
struct Operation {
    verb: &'static str,
    path: LitStr,
    /// The page at GitHub; the control API has none.
    documentation: Option<String>,
    credential: Ident,
    rule: Punctuated<MetaNameValue, Token![,]>,
    statuses: Punctuated<LitInt, Token![,]>,
    tag: Ident,
    cached: bool,
    forms: Punctuated<Ident, Token![,]>,
}

impl Operation {
    /// Takes the attributes off a method; None if it has no route.
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
        let missing = || Error::new_spanned(&method.sig.ident, "say who may: #[access(…)]");
        let (credential, rule) =
            access
                .ok_or_else(missing)?
                .parse_args_with(|input: ParseStream<'_>| {
                    let credential: Ident = input.parse()?;
                    input.parse::<Option<Token![,]>>()?;
                    let rule = input.parse_terminated(MetaNameValue::parse, Token![,])?;
                    Ok((credential, rule))
                })?;
        let statuses = take(attributes, "fails")
            .map(|fails| fails.parse_args_with(Punctuated::<LitInt, Token![,]>::parse_terminated));
        let forms = take(attributes, "forms")
            .map(|forms| forms.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated));
        let tag = take(attributes, "tag").map(|tag| tag.parse_args::<Ident>());
        Ok(Some(Self {
            verb,
            path,
            documentation: page
                .map(|page| format!("https://docs.github.com/rest/{}", page.value())),
            credential,
            rule,
            statuses: statuses.transpose()?.unwrap_or_default(),
            tag: tag.transpose()?.unwrap_or_else(|| area.clone()),
            cached: take(attributes, "cached").is_some(),
            forms: forms.transpose()?.unwrap_or_default(),
        }))
    }

    /// Its value in `OPERATIONS`.
    fn row(&self, method: &TraitItemFn) -> Tokens {
        let id = method.sig.ident.unraw().to_string();
        let (verb, path) = (self.verb, &self.path);
        let documentation = self.documentation.as_deref().unwrap_or_default();
        let names = self.rule.iter().map(|field| &field.path);
        let values = self.rule.iter().map(|field| &field.value);
        let rule = match self.credential.to_string().as_str() {
            "open" => quote!(Some(Rule { #(#names: #values,)* ..Rule::OPEN })),
            "token" => quote!(Some(Rule { #(#names: #values,)* ..Rule::TOKEN })),
            _ => quote!(None),
        };
        let (cached, forms) = (self.cached, self.forms.iter());
        quote! {
            Operation {
                id: #id,
                method: #verb,
                path: #path,
                documentation: #documentation,
                cached: #cached,
                forms: &[#(crate::contract::media::Form::#forms),*],
                rule: #rule,
            }
        }
    }
}

/// Removes the attribute of that name, and returns it.
fn take(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let named = |attribute: &Attribute| attribute.path().is_ident(name);
    let position = attributes.iter().position(named)?;
    Some(attributes.remove(position))
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn refusal(method: &TraitItemFn) -> Option<String> {
        let declared = parse_quote!(pub trait Operations { #method });
        let expanded = expand(&parse_quote!(GitRefs), declared);
        expanded.err().map(|error| error.to_string())
    }

    #[test]
    fn a_declaration_that_lacks_something_is_refused() {
        let whole: TraitItemFn = parse_quote! {
            #[get("/repos/{owner}/{repo}/git/ref/{ref}", docs = "git/refs#get-a-reference")]
            #[access(open, permission = read("contents"))]
            async fn get_ref(&self, call: Call, at: RepoAddress, r#ref: String) -> Outcome<Ref>;
        };
        assert_eq!(refusal(&whole), None);
        let mut method = whole.clone();
        method.attrs.pop();
        let expected = "say who may: #[access(…)]";
        assert_eq!(refusal(&method).as_deref(), Some(expected));
        let mut method = whole.clone();
        method.sig.inputs.pop();
        let expected = "an address takes two parameters of the path that no argument names";
        assert_eq!(refusal(&method).as_deref(), Some(expected));
        let mut method = whole;
        method.sig.inputs = parse_quote!(&self, call: Call, r#ref: String);
        let expected = "no argument takes {owner}";
        assert_eq!(refusal(&method).as_deref(), Some(expected));
    }
}
