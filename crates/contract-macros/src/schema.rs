//! `#[schema]`: derives serde and poem-openapi from one set of attributes.

use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens, format_ident, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Meta, Token, Type, parse_quote};

use crate::take;

/// What poem-openapi has no attribute for. The document finds it at the beginning of the
/// description (`contract::schemas::marks`).
const MARKS: [&str; 3] = ["closed", "unlisted", "unpromised"];

/// The attributes of a type, a field or a variant.
type Metas = Punctuated<Meta, Token![,]>;

pub fn expand(arguments: Tokens, mut item: DeriveInput) -> syn::Result<Tokens> {
    let arguments = Metas::parse_terminated.parse2(arguments)?;
    let derives: Attribute = match &mut item.data {
        Data::Struct(object) => {
            for field in fields(&mut object.fields)? {
                let (optional, own) = (optional(&field.ty), take_metas(&mut field.attrs)?);
                annotate(&mut field.attrs, own, optional);
            }
            parse_quote!(#[derive(Debug, Clone, ::poem_openapi::Object)])
        }
        Data::Enum(choice) => {
            for variant in &mut choice.variants {
                let own = take_metas(&mut variant.attrs)?;
                annotate(&mut variant.attrs, own, None);
            }
            parse_quote!(#[derive(Debug, Clone, Copy, PartialEq, Eq, ::poem_openapi::Enum)])
        }
        Data::Union(_) => return Err(Error::new_spanned(item, "expected a struct or an enum")),
    };
    item.attrs.push(derives);
    item.attrs
        .push(parse_quote!(#[derive(::serde::Serialize, ::serde::Deserialize)]));
    annotate(&mut item.attrs, arguments, None);
    Ok(item.into_token_stream())
}

fn fields(fields: &mut Fields) -> syn::Result<impl Iterator<Item = &mut syn::Field>> {
    match fields {
        Fields::Named(fields) => Ok(fields.named.iter_mut()),
        other => Err(Error::new_spanned(other, "expected named fields")),
    }
}

/// Removes and parses `#[schema(…)]`.
fn take_metas(attributes: &mut Vec<Attribute>) -> syn::Result<Metas> {
    let own = take(attributes, "schema");
    let parse = |own: Attribute| own.parse_args_with(Metas::parse_terminated);
    Ok(own.map(parse).transpose()?.unwrap_or_default())
}

/// A type whose values may be absent, and the function that tells whether one is.
#[derive(Clone, Copy)]
enum Optional {
    Option,
    MaybeUndefined,
}

fn optional(ty: &Type) -> Option<Optional> {
    let Type::Path(path) = ty else {
        return None;
    };
    match path.path.segments.last()?.ident.to_string().as_str() {
        "Option" => Some(Optional::Option),
        "MaybeUndefined" => Some(Optional::MaybeUndefined),
        _ => None,
    }
}

/// Adds the attributes of both crates for one set of attributes. An `Option` is absent when it
/// is `None`, unless it is `nullable`.
fn annotate(attributes: &mut Vec<Attribute>, own: Metas, optional: Option<Optional>) {
    let (mut described, mut serialized) = (Vec::new(), Vec::new());
    let nullable = own.iter().any(|meta| meta.path().is_ident("nullable"));
    for meta in own {
        let path = meta.path();
        if let Some(mark) = MARKS.iter().find(|mark| path.is_ident(mark)) {
            let mark = format!("‹{mark}›");
            attributes.insert(0, parse_quote!(#[doc = #mark]));
            continue;
        }
        let shared = ["rename", "rename_all", "flatten", "default"];
        if shared.iter().any(|name| path.is_ident(name)) {
            serialized.push(meta.to_token_stream());
        }
        described.push(meta.to_token_stream());
    }
    match optional {
        Some(Optional::Option) if nullable => serialized.push(quote!(default)),
        Some(Optional::Option) => {
            let skip = format_ident!("skip_serializing_if_is_none");
            described.push(quote!(#skip));
            serialized.push(quote!(default, skip_serializing_if = "Option::is_none"));
        }
        Some(Optional::MaybeUndefined) => {
            let absent = "::poem_openapi::types::MaybeUndefined::is_undefined";
            serialized.push(quote!(default, skip_serializing_if = #absent));
        }
        None => {}
    }
    if !described.is_empty() {
        attributes.push(parse_quote!(#[oai(#(#described),*)]));
    }
    if !serialized.is_empty() {
        attributes.push(parse_quote!(#[serde(#(#serialized),*)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(arguments: Tokens, item: DeriveInput) -> String {
        expand(arguments, item).unwrap().to_string()
    }

    #[test]
    fn both_crates_get_the_attributes() {
        let item = parse_quote! {
            pub struct Label {
                #[schema(rename = "type", unpromised)]
                pub kind: Option<String>,
                #[schema(nullable, validator(max_length = 5))]
                pub color: Option<String>,
            }
        };
        let expected: Tokens = quote! {
            #[derive(Debug, Clone, ::poem_openapi::Object)]
            #[derive(::serde::Serialize, ::serde::Deserialize)]
            #[oai(example)]
            pub struct Label {
                #[doc = "‹unpromised›"]
                #[oai(rename = "type", skip_serializing_if_is_none)]
                #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
                pub kind: Option<String>,
                #[oai(nullable, validator(max_length = 5))]
                #[serde(default)]
                pub color: Option<String>,
            }
        };
        assert_eq!(expanded(quote!(example), item), expected.to_string());
    }

    #[test]
    fn an_enumeration_is_renamed_for_both() {
        let item = parse_quote!(
            pub enum Side {
                Left,
                #[schema(rename = "R")]
                Right,
            }
        );
        let expected: Tokens = quote! {
            #[derive(Debug, Clone, Copy, PartialEq, Eq, ::poem_openapi::Enum)]
            #[derive(::serde::Serialize, ::serde::Deserialize)]
            #[oai(rename_all = "lowercase")]
            #[serde(rename_all = "lowercase")]
            pub enum Side { Left, #[oai(rename = "R")] #[serde(rename = "R")] Right, }
        };
        assert_eq!(
            expanded(quote!(rename_all = "lowercase"), item),
            expected.to_string()
        );
    }
}
