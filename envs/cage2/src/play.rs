//! A person at the terminal plays blue.

use std::io::{self, BufRead, Write};

use crate::action::{Action, ActionError, KINDS, parse};
use crate::draws::Draws;
use crate::facts::HOSTS;
use crate::names::Names;
use crate::sim::Simulator;
use gimbal_core::nearest;

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

/// Plays one episode: shows table and observation, reads an action a line in the tolerant grammar or as its index,
/// until the horizon, `quit` or the end of input.
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
    let mut bytes = Vec::new();
    while !simulator.done() {
        let options = simulator.options();
        write!(output, "step {} of {} > ", simulator.steps() + 1, options.horizon)?;
        output.flush()?;
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            writeln!(output)?;
            break;
        }
        // A byte that is no UTF-8 spoils its line and not the game.
        let line = String::from_utf8_lossy(&bytes);
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
            _ => match read(&line, names) {
                Err(message) => writeln!(output, "{message}")?,
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

/// An action by name or index. A person may know every name, unlike an agent (BOG-025), and is told them all.
fn read(line: &str, names: &Names) -> Result<Action, String> {
    let text = line.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let action = text.parse().ok().and_then(Action::from_index);
        return action.ok_or_else(|| format!("there is no action {text}; actions are numbered from 0 to 144"));
    }
    let kinds = || KINDS.iter().map(|kind| names.kind(*kind));
    let hosts = || HOSTS.iter().map(|host| names.host(*host));
    let list = |names: &mut dyn Iterator<Item = &str>| names.collect::<Vec<_>>().join(", ");
    parse(text, names).map_err(|error| match error {
        ActionError::UnknownAction { name, .. } => {
            let hint = nearest::hint(&name, ["Sleep", "Monitor"].into_iter().chain(kinds()));
            let joined = if hint.is_empty() { "; the".to_owned() } else { format!("{hint} The") };
            format!("there is no action `{name}`{joined} actions are Sleep, Monitor, {}", list(&mut kinds()))
        }
        ActionError::UnknownHost { host, .. } => {
            let hint = nearest::hint(&host, hosts());
            let joined = if hint.is_empty() { "; the".to_owned() } else { format!("{hint} The") };
            format!("there is no host `{host}`{joined} hosts are {}", list(&mut hosts()))
        }
        other => other.to_string(),
    })
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
    writeln!(output, "  or the number of an action, from 0 to 144")?;
    writeln!(output, "observation (or o) shows the raw observation again; quit ends the game")
}
