//! `gimbal evidence history`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::Path;

use gimbal_ares::history::{self, Filter, Found, History, OfRun};
use gimbal_core::RecordKinds;
use gimbal_study::plan::Stored;
use gimbal_study::read::{self, Episodes};
use gimbal_study::run::{AttemptPlace, Finished, RunError, RunFolder};

use crate::args::{EvidenceHistory, TableFormat};
use crate::commands::list::run_folders;
use crate::commands::sources::parsed;
use crate::commands::tables;
use crate::exit::Failure;
use crate::progress::Counted;
use crate::registry::registry;
use crate::stdio;

/// Lists the verdicts of verified runs as a stream. Runs that do not verify are named, and nothing of them is listed.
pub fn history(asked: &EvidenceHistory) -> Result<(), Failure> {
    let filter = filter(asked)?;
    let kinds = registry().records();
    let (mut found_all, mut damaged, mut open) = (Vec::new(), Vec::new(), 0_u64);
    let folders = run_folders(&asked.runs)?;
    let mut looked = Looked { folders: folders.len(), ..Looked::default() };
    // Every run over a packet is verified whole, which takes minutes where there are many.
    let mut progress =
        std::io::stderr().is_terminal().then(|| Counted::begin("runs verified".to_owned(), folders.len() as u64));
    for path in folders {
        if let Some(progress) = &mut progress {
            progress.add(1);
        }
        match of_run(&path, &kinds, &filter) {
            Ok(found) => {
                looked.over_packets += usize::from(found.over_packet);
                looked.verdicts += found.entries.len();
                found_all.extend(found.entries);
                open += found.open;
            }
            Err(what) => damaged.push(format!("{}: {what}", path.display())),
        }
    }
    drop(progress);
    let history = History::of(found_all, filter);
    if history.rows.is_empty() {
        let nothing = looked.nothing(asked);
        // A program reads an empty table; a person reads why it is.
        if !asked.json && matches!(asked.format, TableFormat::Text | TableFormat::Markdown) {
            println!("{nothing}\n\nHead of the stream over 0 rows: {}.", history.head);
        } else {
            stdio::message(&nothing);
            list(&history, asked)?;
        }
    } else {
        list(&history, asked)?;
    }
    if open > 0 {
        let episodes = stdio::count(open, "episode", "episodes");
        stdio::message(&format!("{episodes} over a packet ended without a verdict: not listed"));
    }
    for what in &damaged {
        stdio::message(&format!("DAMAGED, and nothing of it is listed: {what}"));
    }
    if damaged.is_empty() {
        return Ok(());
    }
    Err(Failure::Check(format!("{} not verified", stdio::count(damaged.len(), "run was", "runs were"))))
}

fn list(history: &History, asked: &EvidenceHistory) -> Result<(), Failure> {
    if asked.json {
        history.json_lines().iter().for_each(|line| println!("{line}"));
        return Ok(());
    }
    tables::show(&history.table(), asked.format);
    Ok(())
}

/// What was looked at.
#[derive(Default)]
struct Looked {
    folders: usize,
    over_packets: usize,
    verdicts: usize,
}

impl Looked {
    /// That nothing is listed, and why.
    fn nothing(&self, asked: &EvidenceHistory) -> String {
        let Self { folders, over_packets, verdicts } = self;
        let mut chosen = Vec::new();
        for (flag, value) in [("verdict", &asked.verdict), ("since", &asked.since), ("packet", &asked.packet)] {
            chosen.extend(value.as_ref().map(|value| format!("--{flag} {value}")));
        }
        let folder = asked.runs.display();
        let (folders, verdicts) =
            (stdio::count(*folders, "run folder", "run folders"), stdio::count(*verdicts, "verdict", "verdicts"));
        let of = match over_packets {
            0 => "none of them over a packet".to_owned(),
            count => format!("{count} of them over packets, with {verdicts}"),
        };
        let why = if chosen.is_empty() { String::new() } else { format!(" that matches {}", chosen.join(" ")) };
        format!("There is no verdict{why}. Looked at: {folders} below {folder}, {of}.")
    }
}

fn filter(asked: &EvidenceHistory) -> Result<Filter, Failure> {
    let since = parsed("--since", asked.since.as_ref())?;
    Filter::new(asked.packet.as_deref(), since, asked.verdict.as_deref())
        .map_err(|error| Failure::Usage(format!("--{}: {error}", error.member())))
}

/// What a run says of packets.
struct RunFound {
    entries: Vec<Found>,
    /// Episodes over a packet without a verdict.
    open: u64,
    /// Whether an episode of it is over a packet.
    over_packet: bool,
}

/// The verdicts of a run that verifies; of one without a packet nothing is verified.
fn of_run(path: &Path, kinds: &RecordKinds, filter: &Filter) -> Result<RunFound, String> {
    let told = |error: RunError| error.to_string();
    let folder = RunFolder::open(path).map_err(told)?;
    let stored = Stored::read(&folder).map_err(told)?;
    let ends = folder.attempt_ends().map_err(told)?;
    let run = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let current: RefCell<Option<Finished>> = RefCell::new(None);
    let mut fold =
        OfRun::new(run, &stored.study, filter.wants_ids(), || current.take().map(|row| finished(row, &stored, &ends)));
    let seen = |row: &Finished| {
        current.replace(Some(row.clone()));
        true
    };
    Episodes::of(&folder, &stored).pass_with_past(seen, &mut [&mut fold]).map_err(told)?;
    if let Some(episode) = fold.untimed {
        return Err(format!("the ledger does not say when {episode} ended"));
    }
    if fold.over_packet {
        let report = read::verify(&folder, kinds).map_err(told)?;
        if let Some(first) = report.problems.first() {
            let more = report.problems.len() - 1;
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            return Err(format!("{first}{more}"));
        }
    }
    Ok(RunFound { entries: fold.found, open: fold.open, over_packet: fold.over_packet })
}

/// What the folder knows of an episode.
fn finished(row: Finished, stored: &Stored, ends: &BTreeMap<AttemptPlace, u64>) -> history::Finished {
    let Finished { id, place, outcome } = row;
    let cell = stored.cells.iter().chain(&stored.past).find(|cell| cell.info.id == id.cell);
    let models = cell.map(|cell| cell.info.models.iter().map(|role| role.model.clone()).collect());
    history::Finished {
        key: id.key,
        chain: outcome.chain,
        architecture: cell.map_or(id.cell, |cell| cell.info.configuration.clone()),
        models: models.unwrap_or_default(),
        ended: ends.get(&AttemptPlace { file: place.segment, attempt: place.attempt }).copied(),
    }
}
