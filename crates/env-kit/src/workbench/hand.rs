//! An episode by hand: a person, or whatever writes to standard input.

use std::io::{self, BufRead, Write};

use gimbal_core::{
    EnvError, Environment, Observation, Rejection, Reply, Stepped, TaskId, ToolCall, Tracker, Transition, legal_calls,
};
use thiserror::Error;

use super::Episode;

/// Why an episode by hand ended early.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The terminal.
    #[error("the terminal cannot be read or written: {0}")]
    Terminal(#[from] io::Error),
    /// The environment.
    #[error(transparent)]
    Environment(#[from] EnvError),
}

/// Most legal calls that are listed.
const LISTED: usize = 1000;
/// Longest first observation that is shown whole, in bytes.
const SHOWN: usize = 4000;

/// Plays an episode: shows each observation and reads an action a line, as tolerantly as from a model, or as its number
/// among the legal calls. The person also answers what tools ask of models. The episode ends with its last step, `quit` or
/// the end of input.
///
/// # Errors
/// When the terminal or the environment fails.
pub async fn by_hand(
    environment: &mut dyn Environment,
    task: &TaskId,
    seed: u64,
    input: &mut (dyn BufRead + Send),
    output: &mut (dyn Write + Send),
) -> Result<Episode, PlayError> {
    let first = environment.reset(task, seed).await?;
    let mut tracker = environment.tracker();
    tracker.begin(&first);
    let brief = std::sync::Arc::clone(environment.brief());
    writeln!(output, "{}\n", brief.goal)?;
    greet(&first, &*tracker, output)?;
    writeln!(
        output,
        "(`?` lists the legal calls, `help` the actions, `hint` a call of the expert; {}; `quit` ends)",
        blocks(&*tracker)
    )?;
    let mut episode = Episode::BEGUN;
    while episode.steps < brief.horizon && episode.ending.is_none() {
        write!(output, "step {} of {} > ", episode.steps + 1, brief.horizon)?;
        output.flush()?;
        let Some(line) = line(input)? else {
            writeln!(output)?;
            break;
        };
        let line = line.trim();
        let block = tracker.blocks().contains(&line).then(|| tracker.block(line)).flatten();
        match line {
            "" => continue,
            "quit" | "exit" => break,
            "?" => list(environment, output)?,
            "help" => help(environment, output)?,
            "hint" => hint(environment, output)?,
            _ if block.is_some() => writeln!(output, "{}", block.unwrap_or_default())?,
            _ => match read(environment, line) {
                Err(rejection) => writeln!(output, "rejected: {rejection}")?,
                Ok(call) => match step(environment, &call, input, output).await? {
                    None => break,
                    Some(Err(rejection)) => writeln!(output, "rejected: {rejection}")?,
                    Some(Ok(step)) => {
                        episode.add(&step);
                        let (text, total) = (environment.render(&call), episode.total);
                        writeln!(output, "{text}: reward {}, return {total}", step.reward)?;
                        writeln!(output, "{}", step.observation.text)?;
                        let observation = &step.observation;
                        tracker.update(Stepped { step: episode.steps, call: &call, observation, justification: None });
                    }
                },
            },
        }
    }
    writeln!(output, "{episode}")?;
    Ok(episode)
}

/// The first observation; a long one is left to the command of its name.
fn greet(first: &Observation, tracker: &dyn Tracker, output: &mut dyn Write) -> io::Result<()> {
    if first.text.len() <= SHOWN {
        return writeln!(output, "{}\n", first.text);
    }
    match tracker.block("status") {
        Some(status) => writeln!(output, "{status}\n"),
        None => writeln!(output, "{}\n", first.text),
    }
}

fn blocks(tracker: &dyn Tracker) -> String {
    let names: Vec<String> = tracker.blocks().iter().map(|name| format!("`{name}`")).collect();
    format!("{} show what is known", names.join(", "))
}

/// A line; a byte that is not UTF-8 spoils its line and not the episode.
fn line(input: &mut dyn BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    Ok((input.read_until(b'\n', &mut bytes)? > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

fn read(environment: &dyn Environment, line: &str) -> Result<ToolCall, Rejection> {
    if line.bytes().all(|byte| byte.is_ascii_digit()) {
        let calls = legal_calls(environment, LISTED);
        let call = line.parse().ok().and_then(|place: usize| calls.get(place).cloned());
        return call.ok_or_else(|| {
            let kind = gimbal_core::RejectionKind::BadValue;
            Rejection::new(
                kind,
                format!("there is no call {line}; calls are numbered from 0 to {}", calls.len().saturating_sub(1)),
            )
        });
    }
    environment.parse(line)
}

fn list(environment: &dyn Environment, output: &mut dyn Write) -> io::Result<()> {
    for (place, call) in legal_calls(environment, LISTED).iter().enumerate() {
        writeln!(output, "  {place:>3}  {}", environment.render(call))?;
    }
    Ok(())
}

fn help(environment: &dyn Environment, output: &mut dyn Write) -> io::Result<()> {
    for entry in &environment.brief().glossary {
        writeln!(output, "  {}\n    {}", entry.usage, entry.description)?;
    }
    Ok(())
}

fn hint(environment: &dyn Environment, output: &mut dyn Write) -> io::Result<()> {
    match environment.expert().and_then(|expert| expert.next_call()) {
        Some(call) => writeln!(output, "  {}", environment.render(&call)),
        None => writeln!(output, "  the expert knows no call that leads on"),
    }
}

/// Carries out a call; none if the input ended at a question.
async fn step(
    environment: &mut dyn Environment,
    call: &ToolCall,
    input: &mut (dyn BufRead + Send),
    output: &mut (dyn Write + Send),
) -> Result<Option<Result<Transition, Rejection>>, PlayError> {
    let mut reply = environment.call(call).await;
    loop {
        if let Some(error) = environment.failure() {
            return Err(EnvError::Service(error.to_string()).into());
        }
        match reply {
            Err(rejection) => return Ok(Some(Err(rejection))),
            Ok(Reply::Step(step)) => return Ok(Some(Ok(step))),
            Ok(Reply::Ask(ask)) => {
                writeln!(output, "-- the role `{}` is asked:", ask.role)?;
                for message in &ask.messages {
                    writeln!(output, "{}", message.text)?;
                }
                write!(output, "-- its answer, on one line: ")?;
                output.flush()?;
                let Some(answer) = line(input)? else { return Ok(None) };
                reply = environment.answer(answer.trim()).await;
            }
        }
    }
}
