//! A person plays at the terminal.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use crate::engine::{Game, Play};
use crate::plan::{Task, plan};

/// Plays a game until it is won, the calls are used up, or the input ends. Beside the game's own commands there are
/// `?` (what is possible), `hint` (the next command of the planner) and `quit`. Whether it was won.
///
/// # Errors
/// When input or output fails.
pub fn play(game: &Arc<Game>, most: u32, input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<bool> {
    let mut play = Play::new(Arc::clone(game));
    let task = Task::new(game);
    writeln!(
        output,
        "{}\n\n(`?` lists what is possible, `hint` tells what leads on, `quit` ends)",
        play.observation()
    )?;
    let mut line = String::new();
    while !play.won() && play.steps() < u64::from(most) {
        write!(output, "> ")?;
        output.flush()?;
        line.clear();
        if input.read_line(&mut line)? == 0 {
            break;
        }
        match line.trim() {
            "" => {}
            "quit" => break,
            "?" => {
                for command in play.admissible() {
                    writeln!(output, "  {command}")?;
                }
            }
            "hint" => {
                let moves = plan(game, &task, play.state());
                let first = moves.as_ref().and_then(|moves| moves.first());
                let place = first.and_then(|next| play.find_grounded(next.action, &next.arguments));
                match place.and_then(|at| play.command(at)) {
                    Some(command) => writeln!(output, "  {command}")?,
                    None if !task.complete => writeln!(output, "  this game has more actions than are planned for")?,
                    None => writeln!(output, "  there is no way to win any more")?,
                }
            }
            command => {
                play.step(command);
                writeln!(output, "{}", play.observation())?;
            }
        }
    }
    let end = if play.won() { "won" } else { "not won" };
    writeln!(output, "{end} after {} calls", play.steps())?;
    Ok(play.won())
}
