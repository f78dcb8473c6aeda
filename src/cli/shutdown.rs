//! Waits until the server must stop: on a signal, or with the program that started it.

use tokio::sync::oneshot;

use crate::config::StarterConfig;

/// Completes when the server is asked to stop. Signals are heeded from this call on, even before
/// the future is awaited.
pub fn signal(starter: &StarterConfig) -> impl Future<Output = ()> + use<> {
    let starter_ends = stdin_closes(starter.exit_with_stdin);
    let terminated = termination_signal();
    async move {
        tokio::select! {
            () = terminated => {}
            () = starter_ends => {}
        }
        tracing::info!("shutting down: finishing requests in flight");
    }
}

/// Returns when standard input closes, if `matters`. On a thread of its own: a read of
/// standard input cannot be cancelled, and the runtime would wait for it.
async fn stdin_closes(matters: bool) {
    let (closed, closes) = oneshot::channel::<()>();
    if !matters {
        return std::future::pending().await;
    }
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        drop(closed);
    });
    let _ = closes.await;
}

#[cfg(unix)]
fn termination_signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    async move {
        match signals {
            [Ok(mut interrupt), Ok(mut terminate)] => {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
            }
            _ => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
async fn termination_signal() {
    let _ = tokio::signal::ctrl_c().await;
}
