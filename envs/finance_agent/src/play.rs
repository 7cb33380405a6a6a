//! A person at the terminal.

use std::io::{self, BufRead, Write};

use gimbal_core::{Catalogue as _, EnvError, Observation, Rejection, Reply, TaskId};
use serde_json::Value;
use thiserror::Error;

use crate::FinanceAgent;

/// Why a play ended early.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The terminal.
    #[error("the terminal cannot be read or written: {0}")]
    Terminal(#[from] io::Error),
    /// The environment.
    #[error(transparent)]
    Environment(#[from] EnvError),
}

/// Plays a task: shows each observation, reads an action a line, and puts the questions of the reader and the judge to the
/// person. An empty line shows the tools, `quit` ends. Returns the reward in thousandths.
///
/// # Errors
/// When the terminal or the environment fails.
pub async fn play(
    task: &TaskId,
    options: &Value,
    seed: u64,
    input: &mut (dyn BufRead + Send),
    output: &mut (dyn Write + Send),
) -> Result<i64, PlayError> {
    let mut environment = FinanceAgent.open(options)?;
    let Observation { text, .. } = environment.reset(task, seed).await?;
    writeln!(output, "{text}\n")?;
    for entry in &environment.brief().glossary {
        writeln!(output, "  {}", entry.usage)?;
    }
    loop {
        write!(output, "\n> ")?;
        output.flush()?;
        let Some(line) = line(input)? else { return Ok(0) };
        match line.trim() {
            "quit" | "exit" => return Ok(0),
            "" => {
                for entry in &environment.brief().glossary {
                    writeln!(output, "  {}\n    {}", entry.usage, entry.description)?;
                }
                continue;
            }
            _ => {}
        }
        let mut reply = match environment.parse(&line) {
            Ok(call) => environment.call(&call).await,
            Err(rejection) => Err(rejection),
        };
        loop {
            if let Some(error) = environment.failure() {
                return Err(EnvError::Service(error.to_string()).into());
            }
            match reply {
                Ok(Reply::Ask(ask)) => {
                    writeln!(output, "-- the role `{}` is asked:", ask.role)?;
                    for message in &ask.messages {
                        writeln!(output, "{}", message.text)?;
                    }
                    write!(output, "-- its answer, on one line: ")?;
                    output.flush()?;
                    let Some(line) = self::line(input)? else { return Ok(0) };
                    reply = environment.answer(line.trim()).await;
                }
                Ok(Reply::Step(step)) => {
                    writeln!(output, "{}", step.observation.text)?;
                    if step.done.is_some() {
                        return Ok(step.reward.0);
                    }
                    break;
                }
                Err(Rejection { message, .. }) => {
                    writeln!(output, "rejected: {message}")?;
                    break;
                }
            }
        }
    }
}

fn line(input: &mut (dyn BufRead + Send)) -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok((input.read_line(&mut line)? > 0).then_some(line))
}
