//! Training in one thread. candle has threads of its own beside rayon's, which wait by spinning: on a machine with other work they cost several times
//! what they bring. It reads their number from the environment once.

/// What candle reads.
const THREADS: &str = "CANDLE_NUM_THREADS";

/// Begins the program anew with one thread of candle, unless the user said how many there are to be. Where that cannot be done training goes on with
/// candle's own threads; weights are the same.
pub fn alone() {
    #[cfg(unix)]
    if std::env::var_os(THREADS).is_none()
        && let Ok(program) = std::env::current_exe()
    {
        use std::os::unix::process::CommandExt as _;
        let error = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(THREADS, "1").exec();
        crate::stdio::message(&format!("candle keeps its threads: the program cannot be begun anew: {error}"));
    }
}
