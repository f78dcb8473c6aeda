//! Parses filters of items: words, and qualifiers such as `is:open`, `-label:bug,docs` or
//! `status:"In progress"`. `filter.rs` decides what they mean for a project.

use super::rules::{RESOURCE, invalid};
use contract::problem::FieldProblem;

/// The most characters of a filter.
const LONGEST: usize = 1024;

/// The most conditions of a filter.
const MOST_TERMS: usize = 32;

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Whether the condition is negated.
    pub negated: bool,
    /// The qualifier, in lower case; None for a word of the title.
    pub name: Option<String>,
    /// The alternatives, one of which must match.
    pub values: Vec<String>,
}

/// The conditions of a filter, all of which must hold.
pub fn parse(text: &str) -> Result<Vec<Term>, FieldProblem> {
    if text.chars().count() > LONGEST {
        let message = format!("Query is too long (maximum is {LONGEST} characters)");
        return Err(FieldProblem::invalid(RESOURCE, "q").because(message));
    }
    let mut rest = text.trim_start();
    let mut terms = Vec::new();
    while !rest.is_empty() {
        let (term, after) = term(rest)?;
        // Every title contains the empty text.
        if term.values != [""] {
            terms.push(term);
        }
        rest = after.trim_start();
    }
    if terms.len() > MOST_TERMS {
        let message = format!("Query has too many conditions (maximum is {MOST_TERMS})");
        return Err(invalid("q", message));
    }
    Ok(terms)
}

fn term(text: &str) -> Result<(Term, &str), FieldProblem> {
    let (negated, text) = match text.strip_prefix('-') {
        Some(rest) if !rest.is_empty() && !rest.starts_with(char::is_whitespace) => (true, rest),
        _ => (false, text),
    };
    let (first, rest) = piece(text, &[':'])?;
    let Some(mut rest) = rest.strip_prefix(':') else {
        let term = Term {
            negated,
            name: None,
            values: vec![first],
        };
        return Ok((term, rest));
    };
    let mut values = Vec::new();
    loop {
        let (value, after) = piece(rest, &[','])?;
        values.push(value);
        match after.strip_prefix(',') {
            Some(after) => rest = after,
            None => {
                rest = after;
                break;
            }
        }
    }
    if values.iter().any(String::is_empty) {
        return Err(invalid("q", format!("{first}: requires a value")));
    }
    let name = Some(first.to_lowercase());
    let term = Term {
        negated,
        name,
        values,
    };
    Ok((term, rest))
}

/// A quoted text, or the text before a space or one of the ends.
fn piece<'a>(text: &'a str, ends: &[char]) -> Result<(String, &'a str), FieldProblem> {
    if let Some(quoted) = text.strip_prefix('"') {
        let Some((inside, rest)) = quoted.split_once('"') else {
            return Err(invalid("q", "Query has an unclosed quote".to_owned()));
        };
        return Ok((inside.to_owned(), rest));
    }
    let end = text.find(|character: char| character.is_whitespace() || ends.contains(&character));
    let (piece, rest) = text.split_at(end.unwrap_or(text.len()));
    Ok((piece.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(negated: bool, name: Option<&str>, values: &[&str]) -> Term {
        Term {
            negated,
            name: name.map(str::to_owned),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        }
    }

    #[test]
    fn words_and_qualifiers_are_told_apart() {
        let terms = parse(r#" squeak -is:open label:bug,"needs oil" "the handle" "#).unwrap();
        let expected = [
            term(false, None, &["squeak"]),
            term(true, Some("is"), &["open"]),
            term(false, Some("label"), &["bug", "needs oil"]),
            term(false, None, &["the handle"]),
        ];
        assert_eq!(terms, expected);
    }

    #[test]
    fn names_may_be_quoted_and_a_dash_alone_is_a_word() {
        let terms = parse(r#""Due date":2026-04-01 - --x"#).unwrap();
        let expected = [
            term(false, Some("due date"), &["2026-04-01"]),
            term(false, None, &["-"]),
            term(true, None, &["-x"]),
        ];
        assert_eq!(terms, expected);
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let long = "x".repeat(LONGEST + 1);
        let many = "x ".repeat(MOST_TERMS + 1);
        for text in ["is:", "label:a,", r#""open"#, r#"label:"a"#, &long, &many] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse(r#" "" "#).unwrap(), []);
    }
}
