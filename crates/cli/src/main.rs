//! The `gimbal` program: arguments, registry, progress and exit codes. No logic lives here.
//!
//! Exit codes: 0 done, 1 a check failed, 2 usage, 3 network, disk or provider, 130 interrupted. A panic is a bug.

#[macro_use]
mod stdio;

mod args;
mod commands;
mod exit;
mod help;
mod home;
mod interrupt;
mod learned;
mod progress;
mod registry;

use std::process::ExitCode;
use std::sync::Arc;

use clap::FromArgMatches as _;

use args::{Arguments, Command};
use exit::Failure;

/// Plans and reports are many small texts and trees: this allocator takes a third less time over them than that of the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    set_signals();
    let outcome = help::command_for(std::env::args_os()).and_then(|command| {
        let arguments = Arguments::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit());
        start(arguments)
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let text = failure.to_string();
            if !text.is_empty() {
                stdio::message(&text);
            }
            ExitCode::from(failure.code())
        }
    }
}

fn start(arguments: Arguments) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::External(format!("the runtime cannot start: {error}")))?;
    let outcome = runtime.block_on(dispatch(arguments));
    // Blocking work that was cancelled (a fetch, a reader of standard input) must not delay the exit.
    runtime.shutdown_background();
    outcome
}

/// `gimbal trace ... | head` must end without a message: the default of a closed pipe is restored, which Rust's runtime
/// switches off. A write beyond the size that `ulimit -f` allows must fail, and be reported, instead of ending the program.
fn set_signals() {
    #[cfg(unix)]
    {
        signal(libc::SIGPIPE, libc::SIG_DFL);
        signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// A run that is paid for must not end because the reader of its progress has closed the pipe.
fn survive_closed_pipes() {
    #[cfg(unix)]
    signal(libc::SIGPIPE, libc::SIG_IGN);
}

/// Sets the disposition of a signal: `SIG_DFL` or `SIG_IGN`.
#[cfg(unix)]
#[expect(unsafe_code, reason = "setting a signal has no safe form")]
fn signal(signal: libc::c_int, disposition: libc::sighandler_t) {
    // SAFETY: neither disposition installs code of ours.
    unsafe {
        libc::signal(signal, disposition);
    }
}

async fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    let home = Arc::new(home::Home::new(arguments.config)?);
    let warned = Arc::clone(&home);
    stdio::before_output(move || warned.warn_of_overrides());
    let outcome = command(&home, arguments.command).await;
    // A command may fail, or end, without output.
    home.warn_of_overrides();
    outcome
}

async fn command(home: &home::Home, command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(run) => commands::run::run(home, run).await,
        Command::Plan(plan) => commands::plan::plan(home, &plan).await,
        Command::Coverage(coverage) => commands::coverage::coverage(&coverage).await,
        Command::List(list) => commands::list::list(&list),
        Command::Report(report) => commands::report::report(&report),
        Command::Papers(papers) => commands::papers::papers(home, &papers),
        Command::Compare(compare) => commands::compare::compare(&compare),
        Command::Verify(of) => commands::inspect::verify(&of),
        Command::Digest(of) => commands::inspect::digest(&of),
        Command::Rescore(asked) => commands::rescore::rescore(home, &asked).await,
        Command::Trace(trace) => commands::inspect::trace(&trace),
        Command::Matrix { json } => commands::shown::matrix(home, json),
        Command::Env { name, verb } => commands::env::env(&name, verb),
        Command::Model { verb } => commands::model::model(home, verb).await,
        Command::Persona { verb } => commands::persona::persona(home, verb).await,
        Command::Advise(asked) => commands::advise::advise(&asked).await,
        Command::Graph { verb } => commands::graph::graph(home, verb).await,
        Command::Triage(asked) => commands::triage::triage(home, &asked).await,
        Command::Evidence { verb } => commands::evidence::evidence(home, &verb),
        Command::Judge { verb } => commands::judge::judge(&verb),
        Command::Temporal { verb } => commands::temporal::temporal(&verb),
        Command::Arbiter { verb } => commands::arbiter::arbiter(&verb),
        Command::Schema { kind } => commands::shown::schema(kind),
        Command::Doctor { json } => commands::doctor::doctor(home, json),
    }
}
