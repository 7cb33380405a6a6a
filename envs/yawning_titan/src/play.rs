//! A person at the terminal plays blue.

use std::io::{self, BufRead, Write};

use crate::action::Vocabulary;
use crate::draws::Draws;
use crate::dynamics::{Intent, Raised};
use crate::names::Names;
use crate::sim::Simulator;
use crate::view::Viewer;

/// What came of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Game {
    /// Steps played.
    pub steps: u64,
    /// The sum of rewards.
    pub total: f64,
    /// Whether the episode came to its end.
    pub finished: bool,
}

/// Plays one episode: shows the observation, reads an action a line in the tolerant grammar or as its index, until the
/// end, `quit` or the end of input.
///
/// # Errors
/// When reading or writing fails, or the network cannot be drawn for.
pub fn play<D: Draws>(
    simulator: &mut Simulator<D>,
    seed: u64,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Game> {
    simulator.rebuild(seed).map_err(io::Error::other)?;
    let rules = simulator.rules();
    let deceptive = if rules.deceptive { rules.deceptive_count } else { 0 };
    let words = Vocabulary {
        names: Names::ordered(simulator.base_count(), deceptive),
        kinds: rules.kinds.clone(),
        scan: rules.scan,
        edges: if deceptive > 0 { simulator.edges().to_vec() } else { Vec::new() },
    };
    let horizon = rules.max_steps;
    writeln!(output, "You defend the network. `help` lists what you can do, `quit` ends the game.")?;
    let mut viewer = Viewer::default();
    writeln!(output, "{}", viewer.first(simulator, &words.names))?;
    let mut bytes = Vec::new();
    let (mut steps, mut broken): (u64, Option<Raised>) = (0, None);
    while !simulator.done() && broken.is_none() {
        write!(output, "step {} of {horizon} > ", steps + 1)?;
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
            "help" | "?" => help(&words, simulator.action_count(), output)?,
            _ => match read(&line, &words, simulator) {
                Err(message) => writeln!(output, "{message}")?,
                Ok(index) => {
                    steps += 1;
                    let text = words.render(simulator.intent(index)).unwrap_or_default();
                    match simulator.step(index) {
                        Err(raised) => {
                            writeln!(output, "the original breaks off here: {raised}")?;
                            broken = Some(raised);
                        }
                        Ok(reward) if simulator.lost() => writeln!(output, "lost, reward {reward:.3}")?,
                        Ok(reward) => {
                            let total = simulator.return_value();
                            writeln!(output, "{text}: reward {reward:.3}, return {total:.3}")?;
                            writeln!(output, "{}", viewer.next(simulator, &words.names))?;
                        }
                    }
                }
            },
        }
    }
    let game = Game { steps, total: simulator.return_value(), finished: simulator.done() };
    writeln!(output, "{} steps, return {:.3}", game.steps, game.total)?;
    Ok(game)
}

/// An action by name or index.
fn read<D>(line: &str, words: &Vocabulary, simulator: &Simulator<D>) -> Result<u32, String> {
    let text = line.trim();
    let count = simulator.action_count();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let index = text.parse().ok().filter(|index| *index < count);
        return index.ok_or_else(|| format!("there is no action {text}; actions are numbered from 0 to {}", count - 1));
    }
    let intent = words.parse(text).map_err(|error| error.to_string())?;
    match (simulator.index_of(intent), intent) {
        (Some(index), _) => Ok(index),
        // Any index beyond the space does nothing.
        (None, Intent::On(_, node)) => {
            Err(format!("`{}` is not in the network now; place it first", words.names.node(node)))
        }
        (None, _) => Ok(count),
    }
}

fn help(words: &Vocabulary, count: u32, output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "one of {}", words.tools().collect::<Vec<_>>().join(", "))?;
    writeln!(output, "  followed by a node where it needs one: {}", words.names.all().collect::<Vec<_>>().join(", "))?;
    if let Some(kind) = words.kinds.first() {
        writeln!(output, "  for example `{} {}`", crate::action::tool(*kind), words.names.node(0))?;
    }
    writeln!(output, "  or the number of an action, from 0 to {}", count.saturating_sub(1))?;
    writeln!(output, "quit ends the game")
}
