//! The fields of a log line, as `name=value`. A value is quoted only where it could be misread, and
//! no value can start another line or control a terminal.

use std::fmt::{self, Debug, Write};

use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;

pub struct PlainFields;

impl<'writer> FormatFields<'writer> for PlainFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut plain = PlainWriter {
            writer,
            started: false,
            outcome: Ok(()),
        };
        fields.record(&mut plain);
        plain.outcome
    }
}

struct PlainWriter<'writer> {
    writer: Writer<'writer>,
    started: bool,
    outcome: fmt::Result,
}

impl PlainWriter<'_> {
    fn add(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        if self.outcome.is_ok() {
            self.outcome = self.name(field).and_then(|()| value(&mut self.writer));
        }
    }

    fn name(&mut self, field: &Field) -> fmt::Result {
        if std::mem::replace(&mut self.started, true) {
            self.writer.write_char(' ')?;
        }
        match field.name() {
            "message" => Ok(()),
            name => {
                self.writer.write_str(name)?;
                self.writer.write_char('=')
            }
        }
    }
}

impl Visit for PlainWriter<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, |writer| match is_word(value) {
            true => writer.write_str(value),
            false => write!(writer, "{value:?}"),
        });
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, |writer| write!(writer, "{value}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, |writer| write!(writer, "{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.add(field, |writer| write!(Escaping(writer), "{value:?}")),
            _ => self.record_str(field, &format!("{value:?}")),
        }
    }
}

fn is_word(value: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\' | b'=');
    !value.is_empty() && value.bytes().all(plain)
}

/// Escapes characters that end a line or control a terminal.
struct Escaping<'a, 'writer>(&'a mut Writer<'writer>);

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(is_control) {
            let (plain, from) = rest.split_at(at);
            self.0.write_str(plain)?;
            let mut characters = from.chars();
            if let Some(control) = characters.next() {
                write!(self.0, "{}", control.escape_default())?;
            }
            rest = characters.as_str();
        }
        self.0.write_str(rest)
    }
}

/// Control characters, line separators, and characters that reverse the text direction.
fn is_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(event: impl FnOnce()) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = fmt()
            .without_time()
            .with_target(false)
            .with_ansi(false)
            .fmt_fields(PlainFields)
            .with_writer(move || writer.clone());
        tracing::subscriber::with_default(log.finish(), event);
        let bytes = lines.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_value_is_quoted_only_where_it_could_be_misread() {
        let line = logged(|| {
            tracing::info!(
                route = "/repos/{owner}",
                empty = "",
                two = "a b",
                pair = "a=b",
                status = 200,
                "answered"
            );
        });
        let fields = r#"route=/repos/{owner} empty="" two="a b" pair="a=b" status=200"#;
        assert_eq!(line, format!(" INFO answered {fields}\n"));
    }

    #[test]
    fn no_value_begins_another_line() {
        let forged = "x\n ERROR forged\u{2028}\u{1b}[31m";
        let line = logged(|| {
            tracing::info!(text = forged, shown = %forged, debugged = ?forged, "{forged}");
        });
        assert_eq!(line.matches('\n').count(), 1, "{line}");
        assert_eq!(line.matches(r"\n ERROR forged").count(), 4, "{line}");
        assert!(!line.contains(['\u{1b}', '\u{2028}']), "{line}");
    }

    #[test]
    fn no_value_passes_for_another_field() {
        let line = logged(|| tracing::info!(error = %"refused status=200", "failed"));
        assert_eq!(line, " INFO failed error=\"refused status=200\"\n");
    }
}
