//! Splits a GraphQL document into tokens.

use super::{DocumentLocation, Unreadable};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LexemeKind {
    Name,
    /// A punctuator of one character, or `...`.
    Punctuator,
    /// A number or a string, which only arguments have.
    Value,
    /// The end of the document.
    End,
}

#[derive(Debug, Clone, Copy)]
pub struct Lexeme<'a> {
    pub kind: LexemeKind,
    pub text: &'a str,
    pub at: DocumentLocation,
}

/// Splits a document into tokens; skips commas and comments.
pub fn tokens(text: &str) -> Result<Vec<Lexeme<'_>>, Unreadable> {
    let mut lexemes = Vec::new();
    let (mut rest, mut at) = (text, DocumentLocation { line: 1, column: 1 });
    loop {
        let ignored = ignored(rest);
        rest = forward(rest, ignored, &mut at);
        if rest.is_empty() {
            lexemes.push(Lexeme {
                kind: LexemeKind::End,
                text: "",
                at,
            });
            return Ok(lexemes);
        }
        let (kind, length) = first_token(rest).ok_or_else(|| {
            let DocumentLocation { line, column } = at;
            let character = rest.chars().next().unwrap_or_default();
            Unreadable {
                message: format!("Parse error on \"{character}\" at [{line}, {column}]"),
                at,
            }
        })?;
        lexemes.push(Lexeme {
            kind,
            text: &rest[..length],
            at,
        });
        rest = forward(rest, length, &mut at);
    }
}

/// The rest of a text after some bytes; updates the position.
fn forward<'a>(text: &'a str, bytes: usize, at: &mut DocumentLocation) -> &'a str {
    let (passed, rest) = text.split_at(bytes);
    for character in passed.chars() {
        match character {
            '\n' => {
                at.line += 1;
                at.column = 1;
            }
            _ => at.column += 1,
        }
    }
    rest
}

/// The number of leading bytes of whitespace, commas and comments.
fn ignored(text: &str) -> usize {
    let mut comment = false;
    let end = text.find(|character: char| {
        comment = match character {
            '#' => true,
            '\n' | '\r' => false,
            _ => comment,
        };
        let space = matches!(character, ' ' | '\t' | '\n' | '\r' | ',' | '\u{feff}');
        !comment && !space
    });
    end.unwrap_or(text.len())
}

/// The kind of the token that a text begins with, and its length in bytes.
fn first_token(text: &str) -> Option<(LexemeKind, usize)> {
    let span = |text: &str, belongs: fn(char) -> bool| {
        text.find(|character| !belongs(character))
            .unwrap_or(text.len())
    };
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    match text.chars().next()? {
        '"' => Some((LexemeKind::Value, string(text)?)),
        '.' => text
            .starts_with("...")
            .then_some((LexemeKind::Punctuator, 3)),
        '!' | '$' | '&' | '(' | ')' | ':' | '=' | '@' | '[' | ']' | '{' | '|' | '}' => {
            Some((LexemeKind::Punctuator, 1))
        }
        '-' | '0'..='9' => {
            let number =
                |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character);
            Some((LexemeKind::Value, span(text, number)))
        }
        first if is_name(first) => Some((LexemeKind::Name, span(text, is_name))),
        _ => None,
    }
}

/// The length of the string that a text begins with, quotation marks included.
fn string(text: &str) -> Option<usize> {
    if let Some(block) = text.strip_prefix("\"\"\"") {
        let mut from = 0;
        loop {
            let end = from + block[from..].find("\"\"\"")?;
            if !block[..end].ends_with('\\') {
                return Some(end + 6);
            }
            from = end + 3;
        }
    }
    let mut escaped = false;
    let end = text[1..].find(|character: char| {
        let ends = character == '\n' || (character == '"' && !escaped);
        escaped = character == '\\' && !escaped;
        ends
    })?;
    text[1 + end..].starts_with('"').then_some(end + 2)
}
