//! What the flags of telemetry ask for, read into a packet.

use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use gimbal_evidence::extract::{Pseudonyms, ReadOptions};
use gimbal_evidence::{Counter, Selection, Utc};
use gimbal_telemetry::{Extracted, Notice, Reading, Shifts, TelemetryError, read_pseudonyms};

use super::rules::{self, Rules};
use crate::args::Sources;
use crate::exit::Failure;
use crate::stdio::message;

/// Reads all sources and freezes what was selected. What could not be read is told on standard error.
pub fn extract(asked: &Sources) -> Result<Extracted, Failure> {
    let format = parsed("--format", asked.format.as_ref())?;
    if asked.files.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(TelemetryError::StandardInputTwice.into());
    }
    let selection = selection(asked)?;
    let rules = asked.rules.as_deref().map(|folder| Rules::load(folder, rules::Reading::WithMaps)).transpose()?;
    let mut hits = rules.as_ref().map(|rules| rules.hits(&selection));
    let reading = Reading {
        files: asked.files.clone(),
        format,
        options: ReadOptions { strict: asked.strict, year: asked.year, zone_minutes: asked.zone },
        selection,
        context: asked.context.clone(),
        pseudonyms: asked.pseudonyms.as_deref().map_or_else(|| Ok(Pseudonyms::default()), read_pseudonyms)?,
        shifts: Shifts::of(&asked.shift)?,
    };
    let mut sources = reading.read(std::io::stdin(), hits.as_mut(), &mut notice)?;
    if let (Some(rules), Some(hits)) = (&rules, hits) {
        rules.add(hits, &mut sources.extraction);
    }
    sources.freeze(&mut notice).map_err(Failure::usage)
}

/// Says on standard error what a person should know of telemetry.
pub(super) fn notice(notice: Notice) {
    message(&notice.to_string());
}

impl From<TelemetryError> for Failure {
    fn from(error: TelemetryError) -> Self {
        match error.member() {
            Some(flag) => Self::Usage(format!("--{flag}: {error}")),
            None if error.is_external() => Self::external(error),
            None => Self::usage(error),
        }
    }
}

/// Refuses to write where something is read.
pub fn spared(flag: &str, out: &Path, asked: &Sources) -> Result<(), Failure> {
    let further = [&asked.context, &asked.pseudonyms].into_iter().flatten();
    if Reading::would_replace(&asked.files, further, out) {
        return Err(Failure::Usage(format!(
            "{flag}: {} is among the files that are read, and would be replaced; name another file",
            out.display()
        )));
    }
    Ok(())
}

fn selection(asked: &Sources) -> Result<Selection, Failure> {
    let (since, until) = bounds(asked.since.as_ref(), asked.until.as_ref())?;
    Ok(Selection {
        aggregate_above: Counter(asked.aggregate_above),
        entity: parsed("--entity", asked.entity.as_ref())?,
        max_facts: Counter(asked.max_facts),
        since,
        until,
    })
}

/// The bounds in time that are asked for; something must be able to be between them.
pub fn bounds(since: Option<&String>, until: Option<&String>) -> Result<(Option<Utc>, Option<Utc>), Failure> {
    let (since, until): (Option<Utc>, Option<Utc>) = (parsed("--since", since)?, parsed("--until", until)?);
    if let (Some(since), Some(until)) = (since, until)
        && since >= until
    {
        return Err(Failure::Usage(format!(
            "--until: {until} is not later than --since {since}: no record is in between"
        )));
    }
    Ok((since, until))
}

/// What a flag says, where it is given; an error names the flag.
pub fn parsed<T: FromStr<Err: Display>>(flag: &str, text: Option<&String>) -> Result<Option<T>, Failure> {
    text.map(|text| text.parse().map_err(|error| Failure::Usage(format!("{flag}: {error}")))).transpose()
}
