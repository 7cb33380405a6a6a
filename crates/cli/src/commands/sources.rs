//! Telemetry from files, folders and standard input, read into a packet.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Display;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use gimbal_core::Digest;
use gimbal_core::yaml::YamlError;
use gimbal_evidence::extract::{
    ExtractError, Extraction, Format, Pseudonyms, ReadOptions, SourceError, Stats, is_document, sha256_of,
};
use gimbal_evidence::triage::Skipped;
use gimbal_evidence::{Counter, Packet, Pseudonym, Selection, Utc};

use super::rules::{Reading, Rules, watcher};
use crate::args::Sources;
use crate::exit::Failure;
use crate::stdio::message;

/// A packet with what was named for it and not read.
pub struct Extracted {
    /// The packet.
    pub packet: Packet,
    /// Inputs that were not read, beside copies of what was.
    pub skipped: Vec<Skipped>,
    /// Files of a folder that hold no telemetry.
    pub no_telemetry: Vec<Skipped>,
}

/// Reads all sources and freezes what was selected. What could not be read is told on standard error.
pub fn extract(asked: &Sources) -> Result<Extracted, Failure> {
    let format = asked.format.as_deref().map(|name| named("--format", name)).transpose()?;
    if asked.files.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::Usage("-: standard input can be read once; name it once".to_owned()));
    }
    let options = ReadOptions { strict: asked.strict, year: asked.year, zone_minutes: asked.zone };
    let selection = selection(asked)?;
    let rules = asked.rules.as_deref().map(|folder| Rules::load(folder, Reading::WithMaps)).transpose()?;
    let mut hits = rules.as_ref().map(|rules| rules.hits(&selection));
    let mut extraction = Extraction::new(selection, options).with_pseudonyms(pseudonyms(asked)?);
    let mut shifts = Shifts::of(&asked.shift)?;
    let mut read = 0_usize;
    let (files, mut skipped) = found(&asked.files, &mut shifts)?;
    let mut no_telemetry = Vec::new();
    for SourceFile { path, in_folder } in files {
        let place = path.display().to_string();
        let opened = File::open(&path).map_err(|error| unopened(&place, &error))?;
        match extraction.read_watched(opened, format, shifts.take(&path), watcher(&mut hits)) {
            Ok(stats) => {
                tell(&place, &stats);
                read += 1;
            }
            Err(SourceError::UnknownFormat(_)) if in_folder && is_documentation(&path)? => {
                let why = "documentation by its name, and none of its lines could be a record".to_owned();
                message(&format!("{place}: no telemetry: {why}"));
                no_telemetry.push(Skipped { name: place, why });
            }
            // A folder holds other files too.
            Err(error @ (SourceError::UnknownFormat(_) | SourceError::Empty)) if in_folder => {
                let why = reason(&error);
                message(&passed_over(&place, &why));
                skipped.push(Skipped { name: place, why });
            }
            Err(error) => return Err(failed(&place, error)),
        }
    }
    // A pipe can be read once only, so its hash is known too late for an order.
    for path in asked.files.iter().filter(|path| path.as_os_str() == "-") {
        let stats = extraction
            .read_watched(std::io::stdin(), format, shifts.take(path), watcher(&mut hits))
            .map_err(|error| failed("-", error))?;
        tell("-", &stats);
        read += 1;
    }
    shifts.all_taken()?;
    if read == 0 {
        let what = match skipped.len() + no_telemetry.len() {
            0 => "there is no file",
            _ => "none of the files is in a known format; the reasons are above",
        };
        return Err(Failure::Usage(format!("nothing was read: {what}")));
    }
    match skipped.len() {
        0 => {}
        1 => message("1 file was skipped; its records are not in the packet (the reason is above)"),
        count => {
            message(&format!("{count} files were skipped; their records are not in the packet (the reasons are above)"))
        }
    }
    if let Some(context) = &asked.context {
        let place = context.display().to_string();
        let opened = File::open(context)
            .map_err(|error| Failure::Usage(format!("--context: {place}: cannot be opened: {error}")))?;
        extraction.read(opened, Some(Format::Context), 0).map_err(|error| {
            Failure::Usage(match error {
                // The extractor does not know the file.
                SourceError::Extract(ExtractError::Context(error)) => {
                    format!("--context: {}", YamlError { place, ..error })
                }
                error => format!("--context: {place}: {error}"),
            })
        })?;
    }
    if let (Some(rules), Some(hits)) = (&rules, hits) {
        rules.add(hits, &mut extraction);
    }
    let packet = extraction.finish().map_err(Failure::usage)?;
    if packet.facts().is_empty() {
        message(&nothing_in(&packet));
    }
    Ok(Extracted { packet, skipped, no_telemetry })
}

/// Refuses to write where something is read: raw telemetry that is replaced by its packet is lost.
pub fn spared(flag: &str, out: &Path, asked: &Sources) -> Result<(), Failure> {
    let further = [&asked.context, &asked.pseudonyms].into_iter().flatten();
    let is_read = |path: &PathBuf| {
        let below = path.is_dir() && out.exists() && canonical(out).starts_with(canonical(path));
        below || is_same(out, path)
    };
    if asked.files.iter().chain(further).any(is_read) {
        return Err(Failure::Usage(format!(
            "{flag}: {} is among the files that are read, and would be replaced; name another file",
            out.display()
        )));
    }
    Ok(())
}

/// Whether two paths lead to one file, by links too.
pub fn is_same(one: &Path, other: &Path) -> bool {
    one.exists() && other.exists() && canonical(one) == canonical(other)
}

fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Why a packet has no fact.
fn nothing_in(packet: &Packet) -> String {
    let records: u64 = packet.header().sources.iter().map(|source| source.records.0).sum();
    match records {
        0 => "the packet is empty: no record was read".to_owned(),
        records => {
            format!(
                "the packet is empty: {records} records were read, and --since, --until and --entity take none of them"
            )
        }
    }
}

/// A file that is read.
struct SourceFile {
    path: PathBuf,
    /// Whether a folder was named and not the file.
    in_folder: bool,
}

/// The files, each content once. Several are in the order of their SHA-256, so that the packet depends neither on their names nor on the order in
/// which they were named.
fn found(files: &[PathBuf], shifts: &mut Shifts) -> Result<(Vec<SourceFile>, Vec<Skipped>), Failure> {
    let (mut all, mut skipped) = (Vec::new(), Vec::new());
    for path in files.iter().filter(|path| path.as_os_str() != "-") {
        let in_folder = path.is_dir();
        let below = entries_below(path)?;
        all.extend(below.files.into_iter().map(|path| SourceFile { path, in_folder }));
        for (path, why) in below.others {
            let name = path.display().to_string();
            message(&passed_over(&name, why));
            skipped.push(Skipped { name, why: why.to_owned() });
        }
    }
    // A single source needs no look at others.
    if all.len() < 2 && files.len() < 2 {
        return Ok((all, skipped));
    }
    let mut by_hash: BTreeMap<Digest, SourceFile> = BTreeMap::new();
    for file in all {
        let place = file.path.display().to_string();
        let opened = File::open(&file.path).map_err(|error| unopened(&place, &error))?;
        let sha256 = sha256_of(opened).map_err(|error| Failure::Usage(format!("{place}: cannot be read: {error}")))?;
        // The records of a copy would count twice.
        match by_hash.entry(sha256) {
            Entry::Occupied(_) => {
                message(&format!("{place}: skipped: a file with the same bytes was read before"));
                shifts.take(&file.path);
            }
            Entry::Vacant(free) => {
                free.insert(file);
            }
        }
    }
    Ok((by_hash.into_values().collect(), skipped))
}

/// Whether a file of a folder is documentation beside the telemetry.
fn is_documentation(path: &Path) -> Result<bool, Failure> {
    let place = path.display().to_string();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let opened = File::open(path).map_err(|error| unopened(&place, &error))?;
    is_document(&name, opened).map_err(|error| Failure::Usage(format!("{place}: cannot be read: {error}")))
}

fn unopened(place: &str, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("{place}: cannot be opened: {error}"))
}

/// Why a file of a folder is passed over: a packed one holds records that nobody looks at.
pub(super) fn reason(error: &SourceError) -> String {
    match error {
        // The hint on `--format` would name one format for all files of the folder.
        SourceError::UnknownFormat(unknown) => unknown.why.to_owned(),
        error => error.to_string(),
    }
}

/// What is said of an input that is passed over.
pub(super) fn passed_over(place: &str, why: &str) -> String {
    format!("{place}: skipped: {why}")
}

/// The map of `--pseudonyms`.
fn pseudonyms(asked: &Sources) -> Result<Pseudonyms, Failure> {
    let Some(path) = &asked.pseudonyms else { return Ok(Pseudonyms::default()) };
    let place = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("--pseudonyms: {place}: cannot be read: {error}")))?;
    let map: BTreeMap<String, String> = gimbal_core::yaml::read(&text, &place).map_err(|error| {
        Failure::Usage(format!("--pseudonyms: {error}; expected a map of names, each line `NAME: REPLACEMENT`"))
    })?;
    let names = map.into_iter().map(|(name, replaced_by)| Pseudonym { name, replaced_by }).collect();
    Pseudonyms::new(names).map_err(|error| Failure::Usage(format!("--pseudonyms: {place}: {error}")))
}

/// What `--shift` asks for.
struct Shifts(Vec<Shift>);

/// Seconds that are added to the times of a file.
struct Shift {
    file: PathBuf,
    seconds: i32,
    /// Whether the file was read.
    is_used: bool,
}

impl Shifts {
    fn of(asked: &[String]) -> Result<Self, Failure> {
        let one = |text: &String| {
            let parts = text.rsplit_once('=').and_then(|(file, seconds)| Some((file, seconds.parse().ok()?)));
            let wrong = || format!("--shift: `{text}`: expected FILE=SECONDS, such as logs/a.evtx=-614");
            let shift = parts.map(|(file, seconds)| Shift { file: PathBuf::from(file), seconds, is_used: false });
            shift.ok_or_else(|| Failure::Usage(wrong()))
        };
        asked.iter().map(one).collect::<Result<_, _>>().map(Self)
    }

    /// The seconds for a file; 0 where none are asked for.
    fn take(&mut self, file: &Path) -> i32 {
        let asked = self.0.iter_mut().find(|shift| shift.file == file);
        asked.map_or(0, |shift| {
            shift.is_used = true;
            shift.seconds
        })
    }

    fn all_taken(&self) -> Result<(), Failure> {
        let left = self.0.iter().find(|shift| !shift.is_used);
        left.map_or(Ok(()), |shift| {
            let file = shift.file.display();
            Err(Failure::Usage(format!(
                "--shift: `{file}` is none of the files that were read; write it as it is read"
            )))
        })
    }
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

fn named(flag: &str, name: &str) -> Result<Format, Failure> {
    let known = Format::ALL.map(Format::name);
    Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
        let hint = gimbal_core::nearest::hint(name, known);
        Failure::Usage(format!("{flag}: there is no format `{name}`{hint} (known: {})", known.join(", ")))
    })
}

/// What a path leads to.
struct FolderEntries {
    /// Files, in the order of the bytes of their paths.
    files: Vec<PathBuf>,
    /// What a folder holds and is not read, with the reason.
    others: Vec<(PathBuf, &'static str)>,
}

/// A file, or the files of a folder and the folders in it, in the order of the bytes of their paths.
pub(super) fn files_below(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    entries_below(path).map(|below| below.files)
}

/// The same with what is passed over.
fn entries_below(path: &Path) -> Result<FolderEntries, Failure> {
    let unreadable =
        |path: &Path, error: std::io::Error| Failure::Usage(format!("{}: cannot be read: {error}", path.display()));
    let about = std::fs::metadata(path).map_err(|error| unreadable(path, error))?;
    if !about.is_dir() {
        return Ok(FolderEntries { files: vec![path.to_path_buf()], others: Vec::new() });
    }
    let (mut files, mut others, mut folders) = (Vec::new(), Vec::new(), vec![path.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))? {
            let entry = entry.map_err(|error| unreadable(&folder, error))?;
            // Links are not followed: a folder could hold itself.
            let kind = entry.file_type().map_err(|error| unreadable(&folder, error))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            } else if kind.is_symlink() {
                others.push((entry.path(), "links in a folder are not followed; name what it leads to"));
            } else {
                others.push((entry.path(), "it is neither a file nor a folder"));
            }
        }
    }
    files.sort_by(|one, other| one.as_os_str().as_encoded_bytes().cmp(other.as_os_str().as_encoded_bytes()));
    others.sort();
    Ok(FolderEntries { files, others })
}

/// What could not be read, with the first places.
pub(super) fn tell(place: &str, stats: &Stats) {
    if stats.damaged > 0 {
        message(&format!(
            "{place}: {} of {} records could not be read; they are facts of the class `damaged`",
            stats.damaged, stats.seen
        ));
    }
    for issue in stats.issues.iter().take(3) {
        message(&format!("{place}: {}: {}", issue.at, issue.what));
    }
}

pub(super) fn failed(place: &str, error: SourceError) -> Failure {
    let text = format!("{place}: {error}");
    match error {
        SourceError::Extract(ExtractError::Io(_)) => Failure::External(text),
        _ => Failure::Usage(text),
    }
}
