//! `#[links(…)]`: the operations that a client can call after this one.

use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, ExprLit, Ident, Lit, LitStr, Token};

/// One attribute.
pub struct Links {
    to: Vec<String>,
    /// Path parameters, and the expressions for their values.
    with: Vec<(String, String)>,
    note: Option<LitStr>,
}

impl Parse for Links {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut links = Self {
            to: Vec::new(),
            with: Vec::new(),
            note: None,
        };
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?.unraw().to_string();
            if input.parse::<Option<Token![=]>>()?.is_none() {
                links.to.push(name);
            } else if name == "note" {
                links.note = Some(input.parse()?);
            } else {
                links.with.push((name, value(&input.parse()?)?));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(links)
    }
}

/// The expression for a value in the response (`"/id"`) or for a path parameter (`sha`).
fn value(given: &Expr) -> syn::Result<String> {
    match given {
        Expr::Lit(ExprLit {
            lit: Lit::Str(pointer),
            ..
        }) => Ok(format!("$response.body#{}", pointer.value())),
        Expr::Path(path) => {
            let parameter = path.path.require_ident()?.unraw();
            Ok(format!("$request.path.{parameter}"))
        }
        other => {
            let message = "expected a JSON pointer or the name of a path parameter";
            Err(Error::new_spanned(other, message))
        }
    }
}

impl ToTokens for Links {
    fn to_tokens(&self, tokens: &mut Tokens) {
        let to = &self.to;
        let with = self
            .with
            .iter()
            .map(|(name, value)| quote!((#name, #value)));
        let note = match &self.note {
            Some(note) => quote!(Some(#note)),
            None => quote!(None),
        };
        tokens.extend(quote! {
            Links { to: &[#(#to),*], with: &[#(#with),*], note: #note }
        });
    }
}
