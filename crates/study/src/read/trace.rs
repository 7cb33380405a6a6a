//! Reading one episode as a person would, down to the exact prompt of one call and the difference of two.

use std::fmt::Write as _;
use std::path::PathBuf;

use gimbal_analysis::episode::{EpisodeFold, FoldError};
use gimbal_core::event::{Body, Event, ModelCalled};
use gimbal_core::{Milli, TextRef};

use crate::run::index::unreadable;
use crate::run::texts::Texts;
use crate::run::{EpisodeId, Finished, INDEX, Place, RunError, RunFolder};

/// An attempt that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readable {
    /// Which episode.
    pub id: EpisodeId,
    /// Where its journal lies.
    pub place: Place,
    /// How it stopped.
    pub stop: &'static str,
    /// Why it stopped so, in the words of what stopped it; empty where there is no more to say.
    pub detail: String,
    /// Its return; none for attempts that have no outcome.
    pub episode_return: Option<Milli>,
    /// Steps and tokens as called; none for attempts that have no outcome.
    pub used: Option<(u32, u64)>,
    /// Whether its cell is in the study; episodes of other cells are kept and shown apart.
    pub current: bool,
}

impl Readable {
    /// How a person names it: cell, task and run, and the trial where there are several.
    #[must_use]
    pub fn name(&self) -> String {
        self.id.name()
    }
}

/// All finished episodes by cell, task, run and trial, then failed attempts, then finished episodes of cells that have
/// left the study.
///
/// # Errors
/// When the index cannot be read.
pub fn episodes(folder: &RunFolder) -> Result<Vec<Readable>, RunError> {
    let index = folder.index()?;
    let failed = |error: rusqlite::Error| unreadable(&folder.root().join(INDEX), &error);
    let mut all = Vec::new();
    let readable = |Finished { id, place, outcome }: Finished, current: bool| Readable {
        id,
        place,
        stop: outcome.stop.name(),
        detail: outcome.detail,
        episode_return: Some(outcome.episode_return),
        used: Some((outcome.steps, outcome.spent.tokens())),
        current,
    };
    let walked = index.each(|episode| {
        all.push(readable(episode, true));
        Ok::<(), rusqlite::Error>(())
    });
    walked.map_err(failed)?;
    all.sort_by(|left, right| order(&left.id).cmp(&order(&right.id)));
    for attempt in index.failures().map_err(failed)? {
        let (stop, detail, id, place) = (attempt.stop.name(), attempt.detail, attempt.id, attempt.place);
        all.push(Readable { id, place, stop, detail, episode_return: None, used: None, current: true });
    }
    let mut past = Vec::new();
    let walked = index.each_past(|episode| {
        past.push(readable(episode, false));
        Ok::<(), rusqlite::Error>(())
    });
    walked.map_err(failed)?;
    past.sort_by(|left, right| order(&left.id).cmp(&order(&right.id)));
    all.extend(past);
    Ok(all)
}

/// Which episodes of a list are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those of cells whose name holds this text.
    pub cell: Option<String>,
    /// Only those that stopped so.
    pub stop: Option<String>,
    /// Only this number of episodes, those with the lowest returns, the lowest first; without failed attempts.
    pub worst: Option<usize>,
}

impl Filter {
    /// The wanted ones with their numbers in the whole list, by which they are asked for.
    ///
    /// # Errors
    /// When no episode has such a cell or stop.
    pub fn of(&self, all: Vec<Readable>) -> Result<Vec<(usize, Readable)>, RunError> {
        let known = |what: &str, wanted: &str, names: std::collections::BTreeSet<&str>| {
            let hint = gimbal_core::nearest::hint(wanted, names.iter().copied());
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            RunError::Missing(format!("--{what}: no episode has the {what} `{wanted}`{hint} (known: {names})"))
        };
        if let Some(wanted) = self.cell.as_deref().filter(|wanted| !all.iter().any(|one| one.id.cell.contains(*wanted)))
        {
            return Err(known("cell", wanted, all.iter().map(|one| one.id.cell.as_str()).collect()));
        }
        if let Some(wanted) = self.stop.as_deref().filter(|wanted| !all.iter().any(|one| one.stop == *wanted)) {
            return Err(known("stop", wanted, all.iter().map(|one| one.stop).collect()));
        }
        let mut chosen: Vec<(usize, Readable)> = all
            .into_iter()
            .enumerate()
            .filter(|(_, one)| self.cell.as_ref().is_none_or(|cell| one.id.cell.contains(cell)))
            .filter(|(_, one)| self.stop.as_ref().is_none_or(|stop| one.stop == stop))
            .collect();
        if let Some(most) = self.worst {
            chosen.retain(|(_, one)| one.episode_return.is_some());
            chosen.sort_by_key(|(number, one)| (one.episode_return, *number));
            chosen.truncate(most);
        }
        Ok(chosen)
    }
}

fn order(id: &EpisodeId) -> (&str, &str, u32, u32) {
    (&id.cell, &id.task, id.run, id.trial)
}

/// The episode that `wanted` names: a number in the list from 0, the first letters of its key, or cell/task/run[/trial]. Without a
/// trial it is the first one; where sessions go over tasks, the only one of its task.
///
/// # Errors
/// When there is none, or several.
pub fn find(folder: &RunFolder, wanted: &str) -> Result<Readable, RunError> {
    let all = episodes(folder)?;
    if let Some(named) = all.iter().find(|episode| episode.name() == wanted) {
        return Ok(named.clone());
    }
    let without_trial = |episode: &&Readable| {
        let EpisodeId { cell, task, run, .. } = &episode.id;
        episode.id.trial > 0 && format!("{cell}/{task}/{run}") == wanted
    };
    let mut later = all.iter().filter(without_trial);
    if let Some(first) = later.next()
        && later.all(|other| other.id.key == first.id.key)
    {
        return Ok(first.clone());
    }
    if let Some(numbered) = wanted.parse::<usize>().ok().and_then(|number| all.get(number)) {
        return Ok(numbered.clone());
    }
    let mut keyed = all.iter().filter(|episode| wanted.len() >= 4 && episode.id.key.to_string().starts_with(wanted));
    match (keyed.next(), keyed.next()) {
        (Some(only), None) => Ok(only.clone()),
        (Some(first), Some(second)) if first.id.key == second.id.key => Ok(first.clone()),
        (Some(_), Some(_)) => {
            Err(RunError::Missing(format!("`{wanted}` begins the keys of several episodes; write more of it")))
        }
        (None, _) => {
            let names: Vec<String> = all.iter().map(Readable::name).collect();
            let hint = gimbal_core::nearest::hint(wanted, names.iter().map(String::as_str));
            let count = all.len();
            Err(RunError::Missing(format!(
                "{}: there is no episode `{wanted}`{hint} ({count} are known: name one by its number from 0, its key, or as `{}`)",
                folder.root().display(),
                names.first().map_or("cell/task/run", String::as_str),
            )))
        }
    }
}

/// A request as it was sent, of what the journal keeps of it: everything that a model is given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sent {
    /// Speaker and text of each message; with native calls the text is their JSON form.
    pub messages: Vec<(String, String)>,
    /// The tools for native calls as canonical JSON: name, description and schema of each. Empty without tools.
    pub tools: String,
    /// The grammar that was asked for, as canonical JSON; empty for a free answer.
    pub grammar: String,
    /// Sampling settings and stop texts as canonical JSON.
    pub sampling: String,
}

/// An episode with its texts.
pub struct Reader {
    /// The run folder.
    pub(super) root: PathBuf,
    pub(super) name: String,
    /// How a failed attempt stopped, and why: its journal has no end.
    pub(super) lost: Option<String>,
    pub(super) events: Vec<Event>,
    texts: Texts,
}

impl Reader {
    /// Opens an episode.
    ///
    /// # Errors
    /// When its journal or the texts cannot be read.
    pub fn open(folder: &RunFolder, episode: &Readable) -> Result<Self, RunError> {
        let damaged = |error: serde_json::Error| RunError::Damaged {
            path: folder.root().to_owned(),
            what: format!("an event of {} cannot be read: {error}", episode.name()),
        };
        let bytes = folder.events(episode.place)?;
        let events =
            bytes.iter().map(|bytes| serde_json::from_slice(bytes)).collect::<Result<_, _>>().map_err(damaged)?;
        let lost = episode.episode_return.is_none().then(|| match episode.detail.as_str() {
            "" => episode.stop.to_owned(),
            why => format!("{} ({why})", episode.stop),
        });
        Ok(Self { root: folder.root().to_owned(), name: episode.name(), lost, events, texts: folder.texts()? })
    }

    /// The events.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The text that a reference names.
    ///
    /// # Errors
    /// When it is missing or damaged.
    pub fn text(&mut self, reference: &TextRef) -> Result<String, RunError> {
        match (reference.as_inline(), reference.as_stored()) {
            (Some(text), _) => Ok(text.to_owned()),
            (None, Some(digest)) => self.texts.get(&digest),
            (None, None) => Err(RunError::Missing(format!("`{reference}` is not a reference to a text"))),
        }
    }

    /// Passes the episode to a fold that needs its events and texts alone.
    ///
    /// # Errors
    /// When a text cannot be read, or a record does not have the form of its kind.
    pub fn fold(&mut self, fold: &mut dyn EpisodeFold<RunError>) -> Result<(), FoldError<RunError>> {
        let events = std::mem::take(&mut self.events);
        let episode = gimbal_analysis::episode::Episode { events: &events, ..Default::default() };
        let added = fold.add(&episode, &mut |reference: &TextRef| self.text(reference));
        self.events = events;
        added
    }

    fn calls(&self) -> impl Iterator<Item = &ModelCalled> {
        self.events.iter().filter_map(|event| match &event.body {
            Body::ModelCalled(call) => Some(call),
            _ => None,
        })
    }

    /// The messages of a call, exactly as they were sent: speaker and text.
    ///
    /// # Errors
    /// When there is no such call, or a text is missing.
    pub fn messages(&mut self, call: u64) -> Result<Vec<(String, String)>, RunError> {
        // Back along what is extended, then forward again; requests extend earlier ones only. A request keeps the first
        // messages of the earlier one, which may itself keep fewer or more of a still earlier one: of each, only as many
        // messages count as every later one keeps.
        let mut parts: Vec<(Vec<(String, TextRef)>, u64)> = Vec::new();
        let (mut next, mut wanted) = (Some(call), u64::MAX);
        while let Some(number) = next {
            let Some(found) = self.calls().find(|found| found.call == number) else {
                let what = match self.calls().count() {
                    0 => "it made no model call, so there is no prompt to show".to_owned(),
                    most => format!("there is no call {number} in this episode; it has {most}, numbered from 0"),
                };
                return Err(RunError::Missing(format!("{}: {what}", self.name)));
            };
            let own = found.messages.iter().map(|message| (message.speaker.clone(), message.text.clone())).collect();
            parts.push((own, wanted.saturating_sub(found.kept)));
            wanted = wanted.min(found.kept);
            next = found.extends.first().copied().filter(|earlier| *earlier < number && wanted > 0);
        }
        let mut messages = Vec::new();
        for (own, most) in parts.into_iter().rev() {
            for (speaker, reference) in own.into_iter().take(usize::try_from(most).unwrap_or(usize::MAX)) {
                messages.push((speaker, self.text(&reference)?));
            }
        }
        Ok(messages)
    }

    /// A call's request: its messages, and what was sent beside them.
    ///
    /// # Errors
    /// When there is no such call, or a text is missing.
    pub fn request(&mut self, call: u64) -> Result<Sent, RunError> {
        let messages = self.messages(call)?;
        let beside = |found: &ModelCalled| [&found.tools, &found.grammar, &found.sampling].map(Clone::clone);
        let found = self.calls().find(|found| found.call == call).map(beside);
        let [tools, grammar, sampling] = found.unwrap_or_else(|| [""; 3].map(TextRef::inline));
        let (tools, grammar, sampling) = (self.text(&tools)?, self.text(&grammar)?, self.text(&sampling)?);
        Ok(Sent { messages, tools, grammar, sampling })
    }

    /// The exact prompt of a call, as text.
    ///
    /// # Errors
    /// When there is no such call, or a text is missing.
    pub fn prompt(&mut self, call: u64) -> Result<String, RunError> {
        let mut out = String::new();
        let Sent { messages, tools, grammar, sampling } = self.request(call)?;
        for (speaker, text) in messages {
            let _ = writeln!(out, "--- {speaker} ---\n{text}");
        }
        let found = self.calls().find(|found| found.call == call).cloned();
        if let Some(found) = found {
            for (what, text) in [("tools", tools), ("grammar", grammar), ("sampling", sampling)] {
                if !text.is_empty() {
                    let _ = writeln!(out, "--- {what} ---\n{text}");
                }
            }
            let reply = self.text(&found.reply)?;
            let _ = writeln!(
                out,
                "--- answer ({}, {} + {} tokens) ---\n{reply}",
                found.outcome, found.prompt_tokens, found.output_tokens
            );
        }
        Ok(out)
    }

    /// What two prompts differ in, line by line: `-` of the first, `+` of the second.
    ///
    /// # Errors
    /// When there is no such call, or a text is missing.
    pub fn difference(&mut self, first: u64, second: u64) -> Result<String, RunError> {
        let (first, second) = (self.prompt(first)?, self.prompt(second)?);
        Ok(lines_apart(&first, &second))
    }
}

/// Lines that two texts differ in; what both begin and end with is only counted.
fn lines_apart(first: &str, second: &str) -> String {
    let (left, right): (Vec<&str>, Vec<&str>) = (first.lines().collect(), second.lines().collect());
    let operations = similar::capture_diff_slices(similar::Algorithm::Myers, &left, &right);
    let mut out = String::new();
    for operation in &operations {
        match *operation {
            // Between two differences, short stretches are shown; at the ends they are counted.
            similar::DiffOp::Equal { old_index, new_index, len } => {
                let begins = old_index == 0 && new_index == 0;
                let ends = old_index + len == left.len() && new_index + len == right.len();
                if begins || ends {
                    out.push_str(&equal(len));
                } else {
                    left[old_index..old_index + len].iter().for_each(|line| _ = writeln!(out, "  {line}"));
                }
            }
            ref changed => {
                left[changed.old_range()].iter().for_each(|line| _ = writeln!(out, "- {line}"));
                right[changed.new_range()].iter().for_each(|line| _ = writeln!(out, "+ {line}"));
            }
        }
    }
    out
}

/// Says how many equal lines are left out; empty when there are none.
fn equal(lines: usize) -> String {
    match lines {
        0 => String::new(),
        1 => "  (1 equal line)\n".to_owned(),
        more => format!("  ({more} equal lines)\n"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_what_differs_is_shown() {
        let apart = super::lines_apart("a\nb\nc\nd\n", "a\nb\nx\nd\ny\n");
        assert_eq!(apart, "  (2 equal lines)\n- c\n+ x\n  d\n+ y\n");
        assert_eq!(super::lines_apart("a\nz", "b\nz"), "- a\n+ b\n  (1 equal line)\n");
    }
}
