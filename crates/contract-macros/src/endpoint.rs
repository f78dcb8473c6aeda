//! Generates the poem-openapi endpoint of an operation. It takes the parameters of the
//! document and passes them to the trait method in the method's own types.

use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{
    Error, FnArg, GenericArgument, Meta, Pat, PatType, PathArguments, ReturnType, Token,
    TraitItemFn, Type,
};

use crate::{Operation, take};

impl Operation {
    /// The endpoint. Removes the attributes that only the endpoint needs from the method.
    pub fn endpoint(&self, method: &mut TraitItemFn, index: usize) -> syn::Result<Tokens> {
        let (parameters, values) = self.arguments(method, index)?;
        let attributes = method.attrs.iter();
        let docs = attributes.filter(|attribute| attribute.path().is_ident("doc"));
        let name = &method.sig.ident;
        let id = name.unraw().to_string();
        let (verb, statuses) = (self.verb, &self.statuses);
        let pages = self.documentation.iter();
        let documentation = quote!(#(, external_docs = #pages)*);
        let path = self.path.value().replace('{', ":").replace('}', "");
        let tag = format!("crate::Area::{}", self.tag);
        let success = success(&method.sig.output)?;
        Ok(quote! {
            #(#docs)*
            #[oai(path = #path, method = #verb, tag = #tag, operation_id = #id #documentation)]
            async fn #name(
                &self,
                #(#parameters),*
            ) -> ::core::result::Result<#success, crate::reply::Fails<#statuses>> {
                ::core::result::Result::Ok(self.0.#name(#(#values),*).await?)
            }
        })
    }

    /// The parameters of the endpoint, and the arguments with which it calls the method.
    fn arguments(
        &self,
        method: &mut TraitItemFn,
        index: usize,
    ) -> syn::Result<(Vec<Tokens>, Vec<Tokens>)> {
        let named: Vec<_> = method
            .sig
            .inputs
            .iter()
            .filter_map(typed)
            .map(name)
            .collect();
        let path = self.path.value();
        let in_path = path.split('{').skip(1);
        let in_path = in_path.filter_map(|part| Some(part.split_once('}')?.0));
        let (own, mut rest): (Vec<_>, Vec<_>) =
            in_path.partition(|parameter| named.iter().any(|name| name == parameter));
        let (mut parameters, mut values) = (Vec::new(), Vec::new());
        for argument in &mut method.sig.inputs {
            let FnArg::Typed(argument) = argument else {
                continue;
            };
            let query = take(&mut argument.attrs, "query").map(|query| query.meta);
            let (pat, ty, name) = (&argument.pat, &argument.ty, name(argument));
            let (taken, value) = match (query, name.as_str()) {
                (Some(Meta::List(list)), _) => group(&list, ty)?,
                (Some(_), _) => (vec![parameter("Query", pat, ty)], quote!(#pat.0)),
                (None, "call") => self.call(index)?,
                (None, "body") => (vec![quote!(#pat: #ty)], quote!(#pat)),
                (None, name) if own.contains(&name) => {
                    (vec![parameter("Path", pat, ty)], quote!(#pat.0))
                }
                _ => address(&std::mem::take(&mut rest), ty)?,
            };
            parameters.extend(taken);
            values.push(value);
        }
        match rest.first() {
            Some(rest) => {
                let message = format!("no argument takes {{{rest}}}");
                Err(Error::new_spanned(&self.path, message))
            }
            None => Ok((parameters, values)),
        }
    }

    /// The extractor of the request's context, and the `Call` built from it.
    fn call(&self, index: usize) -> syn::Result<(Vec<Tokens>, Tokens)> {
        let extractor = match self.credential.to_string().as_str() {
            "open" | "anyone" => quote!(OptionalToken),
            "token" => quote!(RequiredToken),
            "app" => quote!(AppToken),
            "control" => {
                let extractor = quote!(call: crate::control::ControlToken);
                return Ok((vec![extractor], quote!(call.0)));
            }
            _ => {
                let message = "expected open, token, app, anyone or control";
                return Err(Error::new_spanned(&self.credential, message));
            }
        };
        Ok((
            vec![quote!(call: crate::call::#extractor)],
            quote!(crate::call::Call::new(call.0, &OPERATIONS[#index])),
        ))
    }
}

fn parameter(kind: &str, name: &impl ToTokens, ty: &impl ToTokens) -> Tokens {
    let kind = format_ident!("{kind}");
    quote!(#name: ::poem_openapi::param::#kind<#ty>)
}

/// Several query parameters combined into one argument.
fn group(list: &syn::MetaList, ty: &Type) -> syn::Result<(Vec<Tokens>, Tokens)> {
    let fields = list.parse_args_with(Punctuated::<FnArg, Token![,]>::parse_terminated)?;
    let fields: Vec<_> = fields.iter().filter_map(typed).collect();
    let parameters = fields
        .iter()
        .map(|field| parameter("Query", &field.pat, &field.ty));
    let names = fields.iter().map(|field| &field.pat);
    let value = quote!(<#ty>::from((#(#names.0,)*)));
    Ok((parameters.collect(), value))
}

/// The path parameters that no argument names, combined into one address.
fn address(rest: &[&str], ty: &Type) -> syn::Result<(Vec<Tokens>, Tokens)> {
    let [first, second] = rest else {
        let message = "an address takes exactly two path parameters that no argument names";
        return Err(Error::new_spanned(ty, message));
    };
    let (first, second) = (format_ident!("{first}"), format_ident!("{second}"));
    let address = quote!(<#ty as crate::shared::address::Address>);
    let parameters = [
        parameter("Path", &first, &quote!(#address::First)),
        parameter("Path", &second, &quote!(#address::Second)),
    ];
    Ok((
        parameters.into(),
        quote!(#address::new(#first.0, #second.0)),
    ))
}

/// The `T` of `Outcome<T>`.
fn success(output: &ReturnType) -> syn::Result<&Type> {
    if let ReturnType::Type(_, outcome) = output
        && let Type::Path(outcome) = &**outcome
        && let Some(last) = outcome.path.segments.last()
        && let PathArguments::AngleBracketed(generics) = &last.arguments
        && let Some(GenericArgument::Type(success)) = generics.args.first()
    {
        return Ok(success);
    }
    Err(Error::new_spanned(output, "expected Outcome<…>"))
}

fn typed(argument: &FnArg) -> Option<&PatType> {
    match argument {
        FnArg::Typed(argument) => Some(argument),
        FnArg::Receiver(_) => None,
    }
}

/// The name of an argument as it appears in paths.
fn name(argument: &PatType) -> String {
    match &*argument.pat {
        Pat::Ident(pat) => pat.ident.unraw().to_string(),
        other => other.to_token_stream().to_string(),
    }
}
