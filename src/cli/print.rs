//! Standard output. A reader may close it early (`| head`); that is not an error and ends a
//! command quietly.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

use super::Failure;

/// Prints a line.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::cli::print::line(format_args!($($text)*))
    };
}
pub(super) use say;

pub(super) fn line(text: Arguments<'_>) -> Result<(), Failure> {
    all(format_args!("{text}\n"))
}

/// Prints a text that includes its own newlines.
pub(super) fn all(text: Arguments<'_>) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    let outcome = output.write_fmt(text).and_then(|()| output.flush());
    outcome.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::StdoutClosed,
        _ => Failure::Other(format!("cannot write to standard output: {error}")),
    })
}
