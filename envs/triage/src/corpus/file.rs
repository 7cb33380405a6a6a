//! The file `scenario.yaml`: one scenario, and its twins as differences from it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use gimbal_core::Digest;
use gimbal_core::yaml::Node;
use gimbal_evidence::extract::{Format, PseudonymError, Pseudonyms};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{Pseudonym, SourceKind, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::steps::{LONGEST, MOST_RECORDS, check_step, filled_step};
use super::{CorpusError, SPLITS};
use crate::scenario::{
    Background, Category, Criterion, Engine, Frame, Matcher, Names, OperatorTruth, RawSource, Scenario, Script, Step,
    Telemetry, Tier,
};

/// Entries of a context file by section.
type Context = BTreeMap<String, Vec<Map<String, Value>>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    id: String,
    title: String,
    family: String,
    splits: Vec<String>,
    tier: Tier,
    difficulty: u8,
    category: Category,
    #[serde(default)]
    techniques: Vec<String>,
    expected: Verdict,
    operator_truth: OperatorTruth,
    label_version: u32,
    rationale: String,
    #[serde(default)]
    review: Vec<String>,
    #[serde(default)]
    year: Option<i16>,
    #[serde(default)]
    names: BTreeMap<String, String>,
    #[serde(default)]
    pseudonyms: BTreeMap<String, String>,
    sources: Vec<SourceFile>,
    #[serde(default)]
    context: Context,
    criterion: Criterion,
    #[serde(default)]
    twins: Vec<Twin>,
}

/// A source: either `engine` with a script, or `file` or `data` with a hash.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceFile {
    #[serde(default)]
    engine: Option<Engine>,
    #[serde(default)]
    frame: Frame,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    host: String,
    #[serde(default)]
    start: Option<Utc>,
    #[serde(default)]
    background: Option<Background>,
    #[serde(default)]
    steps: Vec<Step>,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    data: Option<String>,
    #[serde(default)]
    sha256: Option<Digest>,
    #[serde(default)]
    format: Option<String>,
    /// Licence of a file of the folder of telemetry.
    #[serde(default)]
    licence: Option<String>,
    #[serde(default)]
    shift_seconds: i32,
}

/// A twin: the same scene with something removed or added. One without an id is not a scenario; it is checked like one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Twin {
    id: String,
    #[serde(default)]
    splits: Option<Vec<String>>,
    tier: Tier,
    #[serde(default)]
    difficulty: Option<u8>,
    expected: Verdict,
    #[serde(default)]
    operator_truth: Option<OperatorTruth>,
    rationale: String,
    #[serde(default)]
    names: BTreeMap<String, String>,
    /// Labels of steps and of context entries.
    #[serde(default)]
    remove: Vec<String>,
    #[serde(default)]
    steps: Vec<Step>,
    /// Further sources, behind those of the scenario.
    #[serde(default)]
    sources: Vec<SourceFile>,
    #[serde(default)]
    context: Context,
    /// Further names that facts do not show, such as those of the host that a further source is of.
    #[serde(default)]
    pseudonyms: BTreeMap<String, String>,
}

/// Reads a file: its scenario, then the twins.
pub(super) fn read(text: &str, place: &str, folder: &Path) -> Result<Vec<Scenario>, CorpusError> {
    let file: File = gimbal_core::yaml::read(text, place)?;
    let names = Names::new(&file.names);
    // What can be read as a file need not be one as a tree: `.nan` is a number of the one and not of the other.
    let tree = Node::parse(text, place).ok();
    let lines = Lines { tree: tree.as_ref(), twin: None };
    let mut scenarios = vec![scenario(&file, None, &names, (place, &lines), folder)?];
    for (index, twin) in file.twins.iter().enumerate() {
        let lines = Lines { twin: Some(index), ..lines };
        scenarios.push(scenario(&file, Some(twin), &names.with(&twin.names), (place, &lines), folder)?);
    }
    Ok(scenarios)
}

/// Where the keys of a scenario are in its file.
#[derive(Clone, Copy)]
struct Lines<'t> {
    /// The file as a tree with places; `None` if it has none.
    tree: Option<&'t Node>,
    /// Index of the twin.
    twin: Option<usize>,
}

impl Lines<'_> {
    /// The line, from 1, of a key of the twin, or of the scenario where it is none.
    fn own(&self, key: &str) -> u64 {
        match self.twin {
            Some(index) => self.at(&format!("twins[{index}].{key}")),
            None => self.at(key),
        }
    }

    /// The line of what is at a path of the file.
    fn at(&self, path: &str) -> u64 {
        self.tree.map_or(1, |tree| tree.place_of(path).line)
    }

    /// The line of a key of the scenario, which a twin may take over.
    fn of(&self, key: &str, is_own: bool) -> u64 {
        if is_own { self.own(key) } else { self.at(key) }
    }

    /// The line of a source, of which the scenario has `count` and a twin what comes behind.
    fn source(&self, index: usize, count: usize) -> u64 {
        match index.checked_sub(count) {
            None => self.at(&format!("sources[{index}]")),
            Some(further) => self.own(&format!("sources[{further}]")),
        }
    }
}

fn scenario(
    file: &File,
    twin: Option<&Twin>,
    names: &Names,
    (place, lines): (&str, &Lines<'_>),
    folder: &Path,
) -> Result<Scenario, CorpusError> {
    let id = twin.map_or(&file.id, |twin| &twin.id);
    let wrong = |line: u64, what: String| CorpusError::Scenario { place: place.to_owned(), line, id: id.clone(), what };
    let rationale = twin.map_or(&file.rationale, |twin| &twin.rationale);
    let texts = [
        ("id", id, true),
        ("title", &file.title, false),
        ("family", &file.family, false),
        ("rationale", rationale, true),
    ];
    if let Some((key, _, is_own)) = texts.into_iter().find(|(_, text, _)| text.trim().is_empty()) {
        return Err(wrong(lines.of(key, is_own), format!("`{key}` is empty; expected a text")));
    }
    let splits = twin.and_then(|twin| twin.splits.as_ref()).unwrap_or(&file.splits);
    if let Some(unknown) = splits.iter().find(|split| !SPLITS.contains(&split.as_str())) {
        let hint = gimbal_core::nearest::hint(unknown, SPLITS);
        let line = lines.of("splits", twin.is_none_or(|twin| twin.splits.is_some()));
        return Err(wrong(line, format!("there is no split `{unknown}`{hint} (known: {})", SPLITS.join(", "))));
    }
    let difficulty = twin.and_then(|twin| twin.difficulty).unwrap_or(file.difficulty);
    if !(1..=4).contains(&difficulty) {
        let line = lines.of("difficulty", twin.is_none_or(|twin| twin.difficulty.is_some()));
        return Err(wrong(line, format!("difficulty {difficulty}; expected 1 to 4")));
    }
    let tier = twin.map_or(file.tier, |twin| twin.tier);
    let expected = twin.map_or(file.expected, |twin| twin.expected);
    if !tier.allows(expected) {
        let what = format!("a scenario of the tier {tier} is not {expected}; change one of the two");
        return Err(wrong(lines.own("expected"), what));
    }
    let changed = Changes::new(file, twin).map_err(|(key, what)| wrong(lines.own(key), what))?;
    let (mut sources, mut source_lines) = (Vec::new(), Vec::new());
    for (index, source) in changed.sources.iter().enumerate() {
        let line = lines.source(index, file.sources.len());
        sources.push(raw(source, names).map_err(|what| wrong(line, format!("source {}: {what}", index + 1)))?);
        source_lines.push(line);
    }
    if !changed.context.is_empty() {
        let line = lines.of("context", twin.is_none_or(|twin| !twin.context.is_empty()));
        sources.push(RawSource::Context(context_text(&changed.context, names).map_err(|what| wrong(line, what))?));
        source_lines.push(line);
    }
    let line = lines.of("criterion", false);
    let criterion = filled(&file.criterion, names).map_err(|what| wrong(line, what))?;
    criterion.check().map_err(|what| wrong(line, format!("criterion: {what}")))?;
    let year = file.year.or_else(|| changed.sources.iter().find_map(|source| source.start).and_then(year_of));
    Ok(Scenario {
        id: id.clone(),
        title: file.title.clone(),
        family: file.family.clone(),
        splits: splits.clone(),
        tier,
        difficulty,
        category: file.category,
        telemetry: telemetry(&sources),
        expected,
        operator_truth: twin.and_then(|twin| twin.operator_truth).unwrap_or(file.operator_truth),
        label_version: file.label_version,
        techniques: file.techniques.clone(),
        rationale: rationale.clone(),
        review: file.review.clone(),
        criterion,
        twin_of: twin.map(|_| file.id.clone()),
        sources,
        pseudonyms: pseudonyms(file, twin).map_err(|error| {
            let is_own = twin.is_none_or(|twin| !twin.pseudonyms.is_empty());
            wrong(lines.of("pseudonyms", is_own), format!("pseudonyms: {error}"))
        })?,
        year,
        place: place.to_owned(),
        line: lines.own("id"),
        source_lines,
        folder: folder.to_path_buf(),
        digest: OnceLock::new(),
    })
}

/// The names of the scenario, then those of the twin.
fn pseudonyms(file: &File, twin: Option<&Twin>) -> Result<Pseudonyms, PseudonymError> {
    let own = twin.into_iter().flat_map(|twin| &twin.pseudonyms);
    let all = file.pseudonyms.iter().chain(own);
    let names = all.map(|(name, by)| Pseudonym { name: name.clone(), replaced_by: by.clone() });
    Pseudonyms::new(names.collect())
}

/// The year of a time, which syslog lines leave out.
fn year_of(time: Utc) -> Option<i16> {
    time.to_string().get(..4).and_then(|year| year.parse().ok())
}

/// What a file says after a twin's changes.
struct Changes {
    sources: Vec<SourceFile>,
    context: Context,
}

impl Changes {
    /// # Errors
    /// What cannot be changed, with the key of the twin that asks for it.
    fn new(file: &File, twin: Option<&Twin>) -> Result<Self, (&'static str, String)> {
        let (mut sources, mut context) = (file.sources.clone(), file.context.clone());
        let Some(twin) = twin else { return Ok(Self { sources, context: without_labels(context) }) };
        let mut removed = BTreeSet::new();
        let mut is_removed = |label: &str| {
            let is = !label.is_empty() && twin.remove.iter().any(|name| name == label);
            if is {
                removed.insert(label.to_owned());
            }
            is
        };
        for source in &mut sources {
            source.steps.retain(|step| !is_removed(&step.label));
        }
        for entries in context.values_mut() {
            entries.retain(|entry| !is_removed(entry.get("label").and_then(Value::as_str).unwrap_or_default()));
        }
        if let Some(missing) = twin.remove.iter().find(|label| !removed.contains(*label)) {
            return Err(("remove", format!("it removes `{missing}`, and no step or entry has this label")));
        }
        for step in &twin.steps {
            let count = sources.len();
            let wrong =
                || ("steps", format!("a step for source {}; expected 0 to {}", step.source, count.saturating_sub(1)));
            let source = sources.get_mut(step.source).ok_or_else(wrong)?;
            source.steps.push(step.clone());
        }
        sources.extend(twin.sources.iter().cloned());
        for (section, entries) in &twin.context {
            context.entry(section.clone()).or_default().extend(entries.iter().cloned());
        }
        context.retain(|_, entries| !entries.is_empty());
        Ok(Self { sources, context: without_labels(context) })
    }
}

fn without_labels(mut context: Context) -> Context {
    for entry in context.values_mut().flatten() {
        entry.shift_remove("label");
    }
    context
}

/// The text of a context file. Texts are written as JSON writes them, which YAML reads.
fn context_text(context: &Context, names: &Names) -> Result<String, String> {
    let mut text = String::new();
    for (section, entries) in context {
        text.push_str(&format!("{section}:\n"));
        for entry in entries {
            for (index, (key, value)) in entry.iter().enumerate() {
                let value = names.fill(&value.to_string()).map_err(|key| unknown_name(&key))?;
                text.push_str(&format!("{}{key}: {value}\n", if index == 0 { "- " } else { "  " }));
            }
        }
    }
    Ok(text)
}

fn unknown_name(key: &str) -> String {
    format!("`${key}` is not a name of this scenario; add it under `names`, or write `$$` for a dollar sign")
}

/// The raw source that a file describes.
fn raw(source: &SourceFile, names: &Names) -> Result<RawSource, String> {
    if let Some(engine) = source.engine {
        let start = source.start.ok_or("`start` is missing: the time of second 0")?;
        let fill = |text: &str| names.fill(text).map_err(|key| unknown_name(&key));
        source.steps.iter().try_for_each(check_step)?;
        if source.steps.iter().map(|step| u64::from(step.count)).sum::<u64>() > MOST_RECORDS {
            return Err(format!("its steps make more than {MOST_RECORDS} records"));
        }
        if let Some(background) = &source.background
            && f64::from(background.minutes) * 60.0 > LONGEST
        {
            return Err(format!("its background lasts {} minutes; expected at most 31 days", background.minutes));
        }
        let steps = source.steps.iter().map(|step| filled_step(step, &fill)).collect::<Result<_, _>>()?;
        return Ok(RawSource::Generated(Box::new(Script {
            engine,
            frame: source.frame,
            seed: source.seed,
            host: fill(&source.host)?,
            start: start.micros(),
            background: source.background.clone(),
            steps,
        })));
    }
    let (path, is_data) = match (&source.file, &source.data) {
        (Some(path), None) => (path, false),
        (None, Some(path)) => (path, true),
        _ => return Err("expected one of `engine`, `file` and `data`".to_owned()),
    };
    let is_inside = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !is_inside {
        return Err(format!("`{path}` leaves its folder; expected a path below it"));
    }
    let named = source.format.as_deref().ok_or("`format` is missing")?;
    let known = Format::ALL.map(Format::name);
    let format = Format::ALL.into_iter().find(|format| format.name() == named).ok_or_else(|| {
        let hint = gimbal_core::nearest::hint(named, known);
        format!("there is no format `{named}`{hint} (known: {})", known.join(", "))
    })?;
    let sha256 = source.sha256.ok_or_else(|| format!("`sha256` of `{path}` is missing"))?;
    let licence = source.licence.clone().unwrap_or_default();
    if is_data && licence.is_empty() {
        return Err(format!("`licence` of `{path}` is missing"));
    }
    Ok(RawSource::File { path: path.into(), sha256, format, licence, shift_seconds: source.shift_seconds, is_data })
}

/// The criterion with its names filled in.
fn filled(criterion: &Criterion, names: &Names) -> Result<Criterion, String> {
    let mut criterion = criterion.clone();
    let matchers = criterion.suspicious.iter_mut().map(|one| &mut one.facts).chain(criterion.explanations.values_mut());
    for Matcher { action, actor, object, attributes, .. } in matchers {
        let texts = [action, actor, object].into_iter().flatten().chain(attributes.values_mut());
        for text in texts {
            *text = names.fill(text).map_err(|key| unknown_name(&key))?;
        }
    }
    Ok(criterion)
}

/// The types of telemetry, without statements.
fn telemetry(sources: &[RawSource]) -> Vec<Telemetry> {
    let kinds = sources.iter().filter_map(|source| match source {
        RawSource::File { format, .. } => Some(format.kind()),
        RawSource::Generated(script) => Some(script.engine.format().kind()),
        RawSource::Context(_) => None,
    });
    let types = kinds.filter_map(|kind| match kind {
        SourceKind::Windows => Some(Telemetry::Windows),
        SourceKind::Syslog | SourceKind::Auditd => Some(Telemetry::Syslog),
        SourceKind::Netflow | SourceKind::FlowText => Some(Telemetry::Netflow),
        SourceKind::Manual | SourceKind::Rules | SourceKind::Unknown => None,
    });
    types.collect::<BTreeSet<_>>().into_iter().collect()
}
