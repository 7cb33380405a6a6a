//! Requests to stop: Ctrl-C and the signals of schedulers.

use gimbal_study::stage::Cancel;

use crate::stdio;

/// Raises `cancel` at each interrupt: the first lets requests under way end, the second waits for nothing.
pub async fn watch(cancel: Cancel) {
    let mut times = 0_u32;
    while requested().await.is_ok() {
        times += 1;
        let more = if times == 1 { "; again to stop at once" } else { "" };
        stdio::message(&format!("stopping{more}"));
        cancel.raise();
    }
}

/// Waits for Ctrl-C, or for the termination that schedulers send.
#[cfg(unix)]
pub async fn requested() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
/// Waits for Ctrl-C.
pub async fn requested() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
