//! Tips for command lines that clap rejects without naming the cure.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The same error with a tip, if the mistake is a common one.
pub fn with_tip(mut error: clap::Error) -> clap::Error {
    if let Some(tip) = tip(&error) {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

fn tip(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(ContextValue::Strings(texts)) => texts.first().map(String::as_str),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => unknown(text(ContextKind::InvalidArg)?),
        ErrorKind::InvalidSubcommand => unknown(text(ContextKind::InvalidSubcommand)?),
        ErrorKind::ArgumentConflict => {
            let command = text(ContextKind::InvalidSubcommand)?;
            let flag = text(ContextKind::PriorArg)?;
            Some(format!(
                "flags follow their command: 'forgewright {command} ... {flag}'"
            ))
        }
        _ => None,
    }
}

/// The tip for a flag or a word that no command has.
fn unknown(word: &str) -> Option<String> {
    let is_file = [".yaml", ".yml", ".json"]
        .iter()
        .any(|end| word.ends_with(end));
    match word {
        "--port" | "-p" => Some("to choose a port, use '--listen 127.0.0.1:PORT'".to_owned()),
        "--host" | "--bind" | "--address" => {
            Some("to choose an address, use '--listen ADDRESS:PORT'".to_owned())
        }
        "--insecure" | "-k" => {
            Some("to trust the authority of a server, use '--ca-file FILE'".to_owned())
        }
        file if is_file && !file.starts_with('-') => Some(format!(
            "to serve a world file, use 'forgewright serve --world {file}'"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn a_common_mistake_gets_the_cure() {
        for (line, words) in [
            (&["serve", "--port", "9000"][..], "--listen 127.0.0.1:PORT"),
            (&["-p", "9000"], "--listen 127.0.0.1:PORT"),
            (&["serve", "--host", "::1"], "--listen ADDRESS:PORT"),
            (&["serve", "world.yaml"], "--world world.yaml"),
            (&["world.yaml"], "--world world.yaml"),
            (
                &["--data-dir", "x", "token", "list"],
                "forgewright token ... --data-dir",
            ),
            (
                &["--world", "x.yaml", "serve"],
                "forgewright serve ... --world",
            ),
        ] {
            let line = [&["forgewright"], line].concat();
            let error = with_tip(Cli::try_parse_from(&line).unwrap_err()).to_string();
            assert!(error.contains(words), "{line:?}: {error}");
        }
    }
}
