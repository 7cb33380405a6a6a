//! A person at the terminal plays blue.

use std::io::{self, BufRead, Write};

use crate::action::{KINDS, parse};
use crate::draws::Draws;
use crate::facts::HOSTS;
use crate::names::Names;
use crate::sim::Simulator;

/// What came of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Game {
    /// Steps played.
    pub steps: u32,
    /// The sum of rewards.
    pub total: f64,
    /// Whether the horizon was reached.
    pub finished: bool,
}

/// Plays one episode: shows table and observation, reads an action a line in the tolerant grammar, until the
/// horizon, `quit` or the end of input.
///
/// # Errors
/// When reading or writing fails.
pub fn play<D: Draws>(
    simulator: &mut Simulator<D>,
    seed: u64,
    names: &Names,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Game> {
    simulator.reset(seed);
    writeln!(output, "You defend the network. `help` lists what you can do, `quit` ends the game.")?;
    show(simulator, names, output)?;
    let mut line = String::new();
    while !simulator.done() {
        let options = simulator.options();
        write!(output, "step {} of {} > ", simulator.steps() + 1, options.horizon)?;
        output.flush()?;
        line.clear();
        if input.read_line(&mut line)? == 0 {
            writeln!(output)?;
            break;
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "" => {}
            "quit" | "exit" | "q" => break,
            "help" | "?" => help(names, output)?,
            "observation" | "o" => {
                let mut text = Vec::new();
                simulator.write_observation(names, &mut text);
                output.write_all(&text)?;
                writeln!(output)?;
            }
            _ => match parse(&line, names) {
                Err(error) => writeln!(output, "{error}")?,
                Ok(action) => {
                    simulator.step(action);
                    writeln!(
                        output,
                        "{}: {}, reward {:.1}, return {:.1}",
                        action.render(names),
                        simulator.success().name(),
                        simulator.reward(),
                        simulator.return_value()
                    )?;
                    show(simulator, names, output)?;
                }
            },
        }
    }
    let game = Game { steps: simulator.steps(), total: simulator.return_value(), finished: simulator.done() };
    writeln!(output, "{} steps, return {:.1}", game.steps, game.total)?;
    Ok(game)
}

fn show<D: Draws>(simulator: &Simulator<D>, names: &Names, output: &mut impl Write) -> io::Result<()> {
    let mut table = String::new();
    simulator.write_table(names, &mut table);
    writeln!(output, "{table}")?;
    // The first observation lists the whole network; the table says enough of it.
    if simulator.steps() > 0 {
        let mut text = Vec::new();
        simulator.write_observation(names, &mut text);
        output.write_all(&text)?;
        writeln!(output)?;
    }
    Ok(())
}

fn help(names: &Names, output: &mut impl Write) -> io::Result<()> {
    let kinds: Vec<&str> = KINDS.iter().map(|kind| names.kind(*kind)).collect();
    let hosts: Vec<&str> = HOSTS.iter().map(|host| names.host(*host)).collect();
    writeln!(output, "Sleep, Monitor, or one of {}", kinds.join(", "))?;
    writeln!(output, "  followed by a host: {}", hosts.join(", "))?;
    writeln!(output, "  for example `Restore {}`", names.host(HOSTS[9]))?;
    writeln!(output, "observation (or o) shows the raw observation again; quit ends the game")
}
