//! A person at the terminal.

use std::io::{self, BufRead, Write};

use crate::planner;
use crate::sim::Simulator;

/// What came of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// Commands that were carried out.
    pub steps: u64,
    /// Whether the goal was made.
    pub solved: bool,
}

/// Plays one episode: shows the commands, reads one a line as the original does, until the goal is made, `horizon` commands
/// are used up, or the person says `quit`. `help` and `hint` are the terminal's and no steps.
///
/// # Errors
/// When reading or writing fails.
pub fn play(
    simulator: &mut Simulator,
    horizon: u32,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Game> {
    writeln!(output, "{}", simulator.scene().prompt())?;
    writeln!(output, "`help` lists what you can do, `quit` ends the game.")?;
    let mut bytes = Vec::new();
    let mut reply = String::new();
    let mut solved = false;
    let from = simulator.steps();
    while !solved && simulator.steps() - from < u64::from(horizon) {
        write!(output, "step {} of {horizon} > ", simulator.steps() - from + 1)?;
        output.flush()?;
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            writeln!(output)?;
            break;
        }
        // A byte that is no UTF-8 spoils its line and not the game.
        let line = String::from_utf8_lossy(&bytes);
        let line = line.strip_suffix('\n').unwrap_or(&line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        match line.trim() {
            "" => {}
            "quit" | "exit" => break,
            "help" => help(output)?,
            "hint" => match planner::next(simulator) {
                Some(next) => writeln!(output, "{}", next.text(simulator.tree()))?,
                None => writeln!(output, "the goal cannot be made from here")?,
            },
            _ => {
                solved = simulator.step(line, &mut reply).done;
                writeln!(output, "{reply}")?;
            }
        }
    }
    let game = Game { steps: simulator.steps() - from, solved };
    writeln!(output, "{} after {} steps", if solved { "solved" } else { "not solved" }, game.steps)?;
    Ok(game)
}

fn help(output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "get <number> <item>                      takes a raw item")?;
    writeln!(output, "craft <number> <item> using <number> <item>, ...   one use of a recipe")?;
    writeln!(output, "inventory                                what you carry")?;
    writeln!(output, "hint                                     the next command of the built-in planner, no step")?;
    writeln!(output, "quit                                     ends the game")
}
