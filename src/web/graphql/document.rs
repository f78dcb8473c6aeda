//! Parses the part of a GraphQL document that is answered: the fields of an operation, and their
//! subfields. Skips deeper levels, so that the nesting is bounded.

mod tokens;

use serde::Serialize;

use tokens::{Lexeme, LexemeKind, tokens};

/// The levels of fields that are parsed: `viewer`, and `login` in it.
const DEPTH: usize = 2;

/// A position in the document, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DocumentLocation {
    pub line: usize,
    pub column: usize,
}

/// Why a document cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    pub message: String,
    pub at: DocumentLocation,
}

/// A query, a mutation or a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationDefinition<'a> {
    /// `query`, `mutation` or `subscription`.
    pub kind: &'a str,
    pub name: Option<&'a str>,
    pub fields: Vec<Field<'a>>,
}

/// A selected field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field<'a> {
    pub name: &'a str,
    pub alias: Option<&'a str>,
    pub at: DocumentLocation,
    pub fields: Vec<Field<'a>>,
}

impl Field<'_> {
    /// The key of its value in the response.
    pub fn key(&self) -> &str {
        self.alias.unwrap_or(self.name)
    }
}

/// The operations of a document, in their order.
pub fn operations(text: &str) -> Result<Vec<OperationDefinition<'_>>, Unreadable> {
    let mut reader = DocumentParser {
        tokens: tokens(text)?,
        next: 0,
    };
    let mut operations = Vec::new();
    while let Some(token) = reader.peek() {
        match token.text {
            "{" => operations.push(OperationDefinition {
                kind: "query",
                name: None,
                fields: reader.fields(DEPTH)?,
            }),
            "query" | "mutation" | "subscription" => operations.push(reader.operation()?),
            "fragment" => {
                reader.skip_until("{")?;
                reader.skip_group()?;
            }
            _ => return Err(reader.unexpected()),
        }
    }
    Ok(operations)
}

struct DocumentParser<'a> {
    /// The last one is [`LexemeKind::End`].
    tokens: Vec<Lexeme<'a>>,
    next: usize,
}

impl<'a> DocumentParser<'a> {
    fn current(&self) -> Lexeme<'a> {
        self.tokens[self.next]
    }

    /// The next token, unless that is the end.
    fn peek(&self) -> Option<Lexeme<'a>> {
        Some(self.current()).filter(|token| token.kind != LexemeKind::End)
    }

    fn unexpected(&self) -> Unreadable {
        let Lexeme { text, at, .. } = self.current();
        let DocumentLocation { line, column } = at;
        Unreadable {
            message: format!("Parse error on {text:?} at [{line}, {column}]"),
            at,
        }
    }

    fn take(&mut self) -> Result<Lexeme<'a>, Unreadable> {
        let token = self.peek().ok_or_else(|| self.unexpected())?;
        self.next += 1;
        Ok(token)
    }

    /// Takes the next token if it is this one.
    fn take_if(&mut self, text: &str) -> bool {
        let matches = self.peek().is_some_and(|token| token.text == text);
        self.next += usize::from(matches);
        matches
    }

    fn name(&mut self) -> Result<Lexeme<'a>, Unreadable> {
        match self.current().kind {
            LexemeKind::Name => self.take(),
            _ => Err(self.unexpected()),
        }
    }

    fn operation(&mut self) -> Result<OperationDefinition<'a>, Unreadable> {
        let kind = self.take()?.text;
        let name = match self.current().kind {
            LexemeKind::Name => Some(self.take()?.text),
            _ => None,
        };
        self.skip_arguments_and_directives()?;
        Ok(OperationDefinition {
            kind,
            name,
            fields: self.fields(DEPTH)?,
        })
    }

    /// `{ a b: c(d: 1) { e } }`, of which `depth` levels are kept.
    fn fields(&mut self, depth: usize) -> Result<Vec<Field<'a>>, Unreadable> {
        if depth == 0 {
            self.skip_group()?;
            return Ok(Vec::new());
        }
        if !self.take_if("{") {
            return Err(self.unexpected());
        }
        let mut fields = vec![self.field(depth)?];
        while !self.take_if("}") {
            fields.push(self.field(depth)?);
        }
        Ok(fields)
    }

    fn field(&mut self, depth: usize) -> Result<Field<'a>, Unreadable> {
        if self.current().text == "..." {
            return Err(Unreadable {
                message: "Fragments are not supported by this server".to_owned(),
                at: self.current().at,
            });
        }
        let first = self.name()?;
        let (alias, name) = match self.take_if(":") {
            true => (Some(first.text), self.name()?.text),
            false => (None, first.text),
        };
        self.skip_arguments_and_directives()?;
        let fields = match self.current().text {
            "{" => self.fields(depth - 1)?,
            _ => Vec::new(),
        };
        Ok(Field {
            name,
            alias,
            at: first.at,
            fields,
        })
    }

    /// `(first: 1) @include(if: $wanted)`
    fn skip_arguments_and_directives(&mut self) -> Result<(), Unreadable> {
        loop {
            if self.current().text == "(" {
                self.skip_group()?;
            } else if self.take_if("@") {
                self.name()?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_until(&mut self, text: &str) -> Result<(), Unreadable> {
        while self.current().text != text {
            self.take()?;
        }
        Ok(())
    }

    /// Skips a bracketed group, including nested ones.
    fn skip_group(&mut self) -> Result<(), Unreadable> {
        let mut open = 0_usize;
        loop {
            match self.take()?.text {
                "{" | "(" | "[" => open += 1,
                "}" | ")" | "]" => open -= 1,
                _ => {}
            }
            if open == 0 {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
