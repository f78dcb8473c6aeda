//! The log on standard error. Lines gather for some milliseconds and go out
//! together, so that requests do not wait for whoever reads the log, one system
//! call each; warnings and errors go out at once, with all that came before them.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::subscriber::set_global_default;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::config::{LogConfig, LogForm};
use crate::telemetry;

/// How long a line may wait for others.
const GATHER: Duration = Duration::from_millis(10);

/// When so many bytes wait, whoever adds to them writes them out.
const MANY: usize = 64 * 1024;

/// Begins to log, and to export spans. What still waits goes out when the guard is
/// dropped.
pub fn start(config: &LogConfig) -> Result<Flushed, String> {
    let lines = Lines::default();
    let writer = lines.clone();
    // If there can be no thread, lines go out when there are many, and at the end.
    let _ = std::thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || writer.write_for_ever());
    let filter = EnvFilter::builder().parse(&config.log_level);
    let filter = filter.map_err(|error| error.to_string())?;
    let log = fmt::layer()
        // At level debug, each span says how long it took.
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(lines.clone());
    let log = match config.log {
        LogForm::Human => log.with_target(false).boxed(),
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
    // Not `init`, which would take in what libraries say through `log` as well:
    // html5ever tells there, at level debug, what is in a comment.
    set_global_default(all).map_err(|error| error.to_string())?;
    Ok(Flushed { lines, spans })
}

/// Lets nothing be lost at the end.
pub struct Flushed {
    lines: Lines,
    spans: Option<SdkTracerProvider>,
}

impl Drop for Flushed {
    fn drop(&mut self) {
        // A collector that is gone is no reason to stay; the log says so.
        let _ = self.spans.as_ref().map(SdkTracerProvider::shutdown);
        write_out(&mut self.lines.waiting());
    }
}

/// The lines that wait, and the one who waits for them.
#[derive(Clone, Default)]
struct Lines(Arc<(Mutex<Vec<u8>>, Condvar)>);

impl Lines {
    fn waiting(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_for_ever(&self) {
        loop {
            let waiting = self.waiting();
            let there = self.0.1.wait_while(waiting, |lines| lines.is_empty());
            drop(there.unwrap_or_else(PoisonError::into_inner));
            std::thread::sleep(GATHER);
            write_out(&mut self.waiting());
        }
    }
}

/// One who does not read the log is no reason to stop.
fn write_out(lines: &mut Vec<u8>) {
    let _ = io::stderr().write_all(lines);
    lines.clear();
}

/// What one event is written with.
struct LogEvent {
    lines: Lines,
    urgent: bool,
}

impl Write for LogEvent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut lines = self.lines.waiting();
        let first = lines.is_empty();
        lines.extend_from_slice(bytes);
        if self.urgent || lines.len() >= MANY {
            write_out(&mut lines);
        } else if first {
            self.lines.0.1.notify_one();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = LogEvent;

    fn make_writer(&'a self) -> LogEvent {
        LogEvent {
            lines: self.clone(),
            urgent: true,
        }
    }

    fn make_writer_for(&'a self, meta: &Metadata<'_>) -> LogEvent {
        LogEvent {
            lines: self.clone(),
            urgent: *meta.level() <= Level::WARN,
        }
    }
}
