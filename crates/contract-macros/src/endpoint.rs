//! Generates the poem-openapi endpoint of an operation. It takes the parameters of the
//! document and passes them to the trait method in the method's own types.

use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{
    Error, Expr, FnArg, GenericArgument, Lit, Meta, Pat, PatType, PathArguments, ReturnType, Token,
    TraitItemFn, Type,
};

use crate::{Operation, take};

impl Operation {
    /// The endpoint. Removes the attributes that only the endpoint needs from the method, and
    /// keeps the examples for the row.
    pub fn endpoint(&mut self, method: &mut TraitItemFn, index: usize) -> syn::Result<Tokens> {
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
        &mut self,
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
            let name = name(argument);
            let (taken, value) = match (query, name.as_str()) {
                (Some(Meta::List(list)), _) => self.group(&list, &argument.ty)?,
                (Some(_), _) => {
                    let (parameter, value) = self.parameter("Query", argument)?;
                    (vec![parameter], value)
                }
                (None, "call") => self.call(index)?,
                (None, "body") => (vec![quote!(#argument)], argument.pat.to_token_stream()),
                (None, name) if own.contains(&name) => {
                    let (parameter, value) = self.parameter("Path", argument)?;
                    (vec![parameter], value)
                }
                _ => address(&std::mem::take(&mut rest), &argument.ty)?,
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

    /// The parameter that an argument declares, and its value. Takes the description and the
    /// example of the argument.
    fn parameter(&mut self, kind: &str, argument: &mut PatType) -> syn::Result<(Tokens, Tokens)> {
        if let Some(example) = take(&mut argument.attrs, "example") {
            let (name, example) = (name(argument), example.parse_args::<Expr>()?);
            self.examples.push(quote!((#name, #example)));
        }
        let mut lines = Vec::new();
        while let Some(line) = take(&mut argument.attrs, "doc") {
            if let Expr::Lit(line) = &line.meta.require_name_value()?.value
                && let Lit::Str(line) = &line.lit
            {
                lines.push(line.value().trim().to_owned());
            }
        }
        let description = Some(lines.join(" ")).filter(|text| !text.is_empty());
        let docs = description.iter();
        let extractor = extractor(kind, &argument.pat, &argument.ty);
        let name = &argument.pat;
        Ok((quote!(#(#[doc = #docs])* #extractor), quote!(#name.0)))
    }

    /// Several query parameters combined into one argument.
    fn group(&mut self, list: &syn::MetaList, ty: &Type) -> syn::Result<(Vec<Tokens>, Tokens)> {
        let mut fields = list.parse_args_with(Punctuated::<FnArg, Token![,]>::parse_terminated)?;
        let (mut parameters, mut values) = (Vec::new(), Vec::new());
        for field in &mut fields {
            if let FnArg::Typed(field) = field {
                let (parameter, value) = self.parameter("Query", field)?;
                parameters.push(parameter);
                values.push(value);
            }
        }
        Ok((parameters, quote!(<#ty>::from((#(#values,)*)))))
    }
}

fn extractor(kind: &str, name: &impl ToTokens, ty: &impl ToTokens) -> Tokens {
    let kind = format_ident!("{kind}");
    quote!(#name: ::poem_openapi::param::#kind<#ty>)
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
        extractor("Path", &first, &quote!(#address::First)),
        extractor("Path", &second, &quote!(#address::Second)),
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
