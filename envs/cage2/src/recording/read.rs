//! Reads recordings line by line, with errors that say file and line.

use std::io::BufRead;
use std::ops::Deref;
use std::path::Path;

pub use gimbal_parity::ReadError;

use super::Json;
use crate::draws::{Drawn, Entry, Function, Phase, Purpose, Site};
use crate::options::{Green, Red};

/// A line of a recording, with its kind.
#[derive(Debug)]
pub struct Line<'a> {
    line: gimbal_parity::Line<'a>,
    /// `reset`, `step`, `end`, `actions` or `error`.
    pub kind: Recorded,
}

impl<'a> Deref for Line<'a> {
    type Target = gimbal_parity::Line<'a>;

    fn deref(&self) -> &Self::Target {
        &self.line
    }
}

/// What a recording holds at least, for [`ReadError::Empty`].
pub(crate) const WANTED: &str = "a recording holds at least one `reset` line with its steps, or an `actions` line";

/// The kinds of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The start of an episode.
    Reset,
    /// A step.
    Step,
    /// The end of an episode.
    End,
    /// The original simulator raised an error here.
    Error,
    /// A whole episode as its list of actions.
    Actions,
}

/// The lines of a recording.
pub struct Lines(gimbal_parity::Lines);

impl Lines {
    /// Opens a recording, or standard input for `-`; whether it is gzipped is seen from its first bytes.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        gimbal_parity::Lines::open(path).map(Self)
    }

    /// Lines of any source; `path` is only for messages.
    #[must_use]
    pub fn new(path: &Path, source: Box<dyn BufRead>) -> Self {
        Self(gimbal_parity::Lines::new(path, source))
    }

    /// The next line that is not blank.
    ///
    /// # Errors
    /// When the file ends badly or the line is malformed.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, ReadError> {
        let Some(line) = self.0.next_line()? else { return Ok(None) };
        let kind = match line.kind.as_str() {
            "reset" => Recorded::Reset,
            "step" => Recorded::Step,
            "end" => Recorded::End,
            "error" => Recorded::Error,
            "actions" => Recorded::Actions,
            other => {
                return Err(line.error(format!("unknown kind \"{other}\"; expected reset, step, end or actions")));
            }
        };
        Ok(Some(Line { line, kind }))
    }
}

impl Line<'_> {
    /// Red's agent.
    ///
    /// # Errors
    /// When it is missing or unknown.
    pub fn red(&self) -> Result<Red, ReadError> {
        let name = self.text("red")?;
        let known = match name.as_str() {
            "B_lineAgent" => Some(Red::BLine),
            "RedMeanderAgent" => Some(Red::Meander),
            "SleepAgent" => Some(Red::Sleep),
            name => Red::from_name(name),
        };
        known.ok_or_else(|| self.error(format!("`red` is `{name}`; expected B_line, Meander or Sleep")))
    }

    /// Green's agent; asleep when the line does not say.
    ///
    /// # Errors
    /// When it is unknown.
    pub fn green(&self) -> Result<Green, ReadError> {
        match self.json("green_agent")? {
            None | Some(Json::Null) => Ok(Green::Sleep),
            Some(Json::Text(name)) if name == "SleepAgent" => Ok(Green::Sleep),
            Some(Json::Text(name)) if name == "GreenAgent" => Ok(Green::Scan),
            Some(_) => Err(self.error("`green_agent` must be SleepAgent or GreenAgent")),
        }
    }

    /// The draws, if the line has them.
    ///
    /// # Errors
    /// When an entry is malformed.
    pub fn tape(&self) -> Result<Option<Vec<Entry>>, ReadError> {
        let Some(tape) = self.json("tape")? else { return Ok(None) };
        let entries = tape.as_list().ok_or_else(|| self.error("`tape` must be a list"))?;
        let entries = entries.iter().enumerate().map(|(at, entry)| {
            read_entry(entry).ok_or_else(|| {
                self.error(format!(
                    "entry {at} of `tape` is malformed; expected [phase, purpose, function, arguments, result]"
                ))
            })
        });
        entries.collect::<Result<Vec<_>, _>>().map(Some)
    }
}

fn read_entry(entry: &Json) -> Option<Entry> {
    let [phase, purpose, function, arguments, result] = entry.as_list()? else { return None };
    let phase = match phase.as_text()? {
        "reset" => Phase::Reset,
        "Blue" => Phase::Blue,
        "Green" => Phase::Green,
        "Red" => Phase::Red,
        _ => return None,
    };
    const PURPOSES: [Purpose; 12] = [
        Purpose::Layout,
        Purpose::Pid,
        Purpose::Port,
        Purpose::BlueSession,
        Purpose::DecoyFactory,
        Purpose::Green,
        Purpose::BlineTarget,
        Purpose::MeanderOrder,
        Purpose::Exploit,
        Purpose::Detect,
        Purpose::EscalateSession,
        Purpose::ImpactSession,
    ];
    let purpose = purpose.as_text()?;
    let purpose = PURPOSES.into_iter().find(|known| known.name() == purpose)?;
    const FUNCTIONS: [Function; 6] = [
        Function::Choice,
        Function::Choices,
        Function::Random,
        Function::Randrange,
        Function::Sample,
        Function::Shuffle,
    ];
    let function = function.as_text()?;
    let function = FUNCTIONS.into_iter().find(|known| known.name() == function)?;
    let small = |value: &Json| value.as_whole().and_then(|value| u32::try_from(value).ok());
    let arguments = arguments.as_list()?.iter().map(small).collect::<Option<Vec<u32>>>()?;
    let result = match function {
        Function::Random => Drawn::Real(result.as_real()?),
        Function::Sample | Function::Shuffle => {
            Drawn::List(result.as_list()?.iter().map(small).collect::<Option<Vec<u32>>>()?)
        }
        _ => Drawn::Whole(small(result)?),
    };
    Some(Entry { site: Site::new(phase, purpose), function, arguments, result })
}
