//! `gimbal evidence history`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::Path;

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Source, Texts};
use gimbal_ares::history::{Entry, Filter, Found, Given, History, PacketEpisode};
use gimbal_core::RecordKinds;
use gimbal_evidence::Utc;
use gimbal_study::plan::Stored;
use gimbal_study::read::{self, Episodes};
use gimbal_study::run::{AttemptPlace, EpisodeId, Finished, RunError, RunFolder};

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
#[derive(Default)]
struct OfRun {
    entries: Vec<Found>,
    /// Episodes over a packet without a verdict.
    open: u64,
    /// Whether an episode of it is over a packet.
    over_packet: bool,
}

/// The verdicts of a run that verifies; of one without a packet nothing is verified.
fn of_run(path: &Path, kinds: &RecordKinds, filter: &Filter) -> Result<OfRun, String> {
    let told = |error: RunError| error.to_string();
    let folder = RunFolder::open(path).map_err(told)?;
    let stored = Stored::read(&folder).map_err(told)?;
    let current = RefCell::new(None);
    let mut fold = Verdicts {
        run: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        stored: &stored,
        wants_ids: filter.wants_ids(),
        ends: folder.attempt_ends().map_err(told)?,
        current: &current,
        found: OfRun::default(),
        about_packets: false,
        untimed: None,
    };
    let seen = |finished: &Finished| {
        current.replace(Some(finished.clone()));
        true
    };
    Episodes::of(&folder, &stored).pass_with_past(seen, &mut [&mut fold]).map_err(told)?;
    if let Some(episode) = fold.untimed {
        return Err(format!("the ledger does not say when {episode} ended"));
    }
    if fold.about_packets {
        let report = read::verify(&folder, kinds).map_err(told)?;
        if let Some(first) = report.problems.first() {
            let more = report.problems.len() - 1;
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            return Err(format!("{first}{more}"));
        }
    }
    Ok(OfRun { over_packet: fold.about_packets, ..fold.found })
}

/// The verdicts of a run, episode by episode.
struct Verdicts<'r> {
    run: String,
    stored: &'r Stored,
    /// Whether packets are chosen by their ids, which only the packets themselves hold.
    wants_ids: bool,
    /// When each attempt ended, in milliseconds since 1970.
    ends: BTreeMap<AttemptPlace, u64>,
    /// The row of the episode that is read.
    current: &'r RefCell<Option<Finished>>,
    found: OfRun,
    about_packets: bool,
    /// The first episode whose end the ledger does not know.
    untimed: Option<String>,
}

impl EpisodeFold<RunError> for Verdicts<'_> {
    fn add(
        &mut self,
        episode: &Episode<'_>,
        texts: &mut dyn Texts<Error = RunError>,
    ) -> Result<(), FoldError<RunError>> {
        let Some(finished) = self.current.take() else { return Ok(()) };
        let Some(read) = PacketEpisode::read(episode.events, Source::new(texts), self.wants_ids)? else {
            return Ok(());
        };
        self.about_packets = true;
        let Some(Given { verdict, confidence }) = read.given else {
            self.found.open += 1;
            return Ok(());
        };
        let Finished { id, place, outcome } = finished;
        let ended = self.ends.get(&AttemptPlace { file: place.segment, attempt: place.attempt });
        let time = ended.and_then(|at| Utc::from_micros(i64::try_from(*at).ok()?.checked_mul(1000)?));
        let Some(time) = time else {
            self.untimed.get_or_insert_with(|| id.name());
            return Ok(());
        };
        let cell = self.stored.cells.iter().chain(&self.stored.past).find(|cell| cell.info.id == id.cell);
        let info = cell.map(|cell| &cell.info);
        let entry = Entry {
            architecture: info.map_or_else(|| id.cell.clone(), |info| info.configuration.clone()),
            chain: outcome.chain,
            confidence,
            corpus: read.corpus,
            key: id.key,
            model: models(info.map_or(&[][..], |info| &info.models)),
            packet: read.packet,
            run: self.run.clone(),
            task: task(&id),
            time,
            verdict,
        };
        let is_renamed = self.run != self.stored.study;
        self.found.entries.push(Found { entry, packet_id: read.packet_id, is_renamed });
        Ok(())
    }
}

fn models(roles: &[gimbal_analysis::RoleModel]) -> String {
    let mut names: Vec<&str> = roles.iter().map(|role| role.model.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// The task, with run and trial where they are not the first.
fn task(id: &EpisodeId) -> String {
    let mut task = id.task.clone();
    if id.run > 0 || id.trial > 0 {
        task += &format!(" run {}", id.run);
    }
    if id.trial > 0 {
        task += &format!(" trial {}", id.trial);
    }
    task
}
