//! Logging to standard error. A separate thread writes the log, so that requests never wait
//! for its reader.

mod fields;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::thread;
use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Level;
use tracing::subscriber::set_global_default;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::config::{LogConfig, LogForm};
use crate::telemetry;
use fields::PlainFields;

/// Log lines that are buffered for a slow reader. Further lines are dropped.
const WAITING: usize = 16_384;

/// How long lines gather while the log is busy.
const PAUSE: Duration = Duration::from_millis(5);

/// Pauses after each flush. Otherwise the thread would fall asleep and be woken for each line,
/// which on a busy server costs more than the line itself. A line after a quiet time is written
/// immediately.
struct Batched<W>(W);

impl<W: Write> Write for Batched<W> {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.0.write(lines)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        thread::sleep(PAUSE);
        Ok(())
    }
}

/// Starts logging and exporting spans. Dropping the guard flushes both.
pub fn start(config: &LogConfig) -> Result<Flushed, String> {
    let (writer, lines) = NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING)
        .thread_name("log")
        .finish(Batched(BufWriter::new(io::stderr())));
    let filter = EnvFilter::builder().parse(&config.log_level);
    let filter = filter.map_err(|error| error.to_string())?;
    let log = fmt::layer()
        // At level debug, each span logs its duration.
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(writer);
    let log = match config.log {
        LogForm::Human => log.with_target(false).fmt_fields(PlainFields).boxed(),
        LogForm::Json => log.json().flatten_event(true).boxed(),
    };
    let endpoint = config.otlp_endpoint.as_ref();
    let spans = endpoint.map(telemetry::exporter).transpose()?;
    let exported = spans.as_ref().map(|spans| {
        tracing_opentelemetry::layer()
            .with_tracer(spans.tracer("forgewright"))
            .with_filter(Targets::new().with_target("forgewright", Level::DEBUG))
    });
    let all = tracing_subscriber::registry()
        .with(log.with_filter(filter))
        .with(exported);
    // Not `init`, which would also capture the `log` crate: html5ever logs the contents of
    // comments there at level debug.
    set_global_default(all).map_err(|error| error.to_string())?;
    Ok(Flushed {
        spans,
        _lines: lines,
    })
}

/// Flushes logs and spans when dropped.
pub struct Flushed {
    spans: Option<SdkTracerProvider>,
    _lines: WorkerGuard,
}

impl Drop for Flushed {
    fn drop(&mut self) {
        // An unreachable collector must not prevent the exit; the log reports it.
        let _ = self.spans.as_ref().map(SdkTracerProvider::shutdown);
    }
}
