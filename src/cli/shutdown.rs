//! Waits until the server must stop: on a signal, or with the program that started it.

use tokio::sync::oneshot;

use crate::config::StarterConfig;

/// Returns when the server is asked to stop.
pub async fn signal(starter: &StarterConfig) {
    let starter_ends = stdin_closes(starter.exit_with_stdin);
    tokio::select! {
        () = termination_signal() => {}
        () = starter_ends => {}
    }
    tracing::info!("shutting down: finishing requests in flight");
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

async fn termination_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => {
                tokio::select! {
                    _ = interrupt => {}
                    _ = terminate.recv() => {}
                }
            }
            Err(_) => {
                let _ = interrupt.await;
            }
        }
    }
    #[cfg(not(unix))]
    {
        let _ = interrupt.await;
    }
}
