//! A program with the engine.

use std::path::Path;

use gimbal_evidence::Selection;
use gimbal_evidence::extract::{Extraction, ReadOptions};
use gimbal_evidence::rules::{Decision, RuleSet as OwnRules, SkepticKind, single_turn};
use gimbal_sigma::comparison::{Compared, Labels, by_file, by_label, hits, test};
use gimbal_sigma::{Hits, MAX_REMEMBERED, Matcher as _, RuleFiles, RuleSet, Tables};
use gimbal_telemetry::{SourceFile, TelemetryError, files_below, read_file};

use super::Reading;
use crate::args::{RulesArgs, RulesTable};
use crate::commands::sources::notice;
use crate::commands::{tables, triage};
use crate::exit::Failure;
use crate::home::Home;
use crate::stdio::message;

/// Most rules that are named as not used, one a line.
const MOST_NAMED: usize = 5;

/// Rules of a folder, ready to be asked.
pub struct Rules {
    set: RuleSet,
    tables: Tables,
}

impl Rules {
    /// Reads a folder of rules, and says on standard error what of it is asked.
    pub fn load(folder: &Path, reading: Reading) -> Result<Self, Failure> {
        let tables = Tables::windows().map_err(Failure::usage)?;
        let tables = if reading == Reading::AsWritten { tables.without_maps() } else { tables };
        let files = RuleFiles::read(folder).map_err(|error| Failure::Usage(format!("--rules: {error}")))?;
        let set = RuleSet::new(&files, &tables);
        let place = folder.display();
        let elsewhere: usize = set.elsewhere().values().sum();
        message(&format!(
            "rules of {place}: {} asked, {} of them over several records, {elsewhere} about records that rules are not asked about, {} not used",
            set.rules().len(),
            set.correlations().len(),
            set.unused().len()
        ));
        for unused in set.unused().iter().take(MOST_NAMED) {
            message(&format!("{place}/{}: {}", unused.path, unused.why));
        }
        if let more @ 1.. = set.unused().len().saturating_sub(MOST_NAMED) {
            message(&format!("{place}: and {more} more that are not used"));
        }
        Ok(Self { set, tables })
    }

    /// Hits of these rules, for packets of a selection.
    pub fn hits(&self, selection: &Selection) -> Hits<'_> {
        Hits::new(&self.set, &self.tables, selection)
    }

    /// Adds hits to what was extracted, and says on standard error how many there are.
    pub fn add(&self, mut hits: Hits<'_>, extraction: &mut Extraction) {
        let source = hits.source(self.set.bytes(), self.set.sha256());
        let (rules, asked, matched) = (hits.found().len(), hits.asked(), hits.matched());
        let not_remembered = hits.not_remembered();
        let (facts, left_out) = hits.into_facts();
        message(&format!(
            "rules: {rules} matched {matched} of {asked} records; a hit says that a pattern matched, and no verdict follows from it"
        ));
        if not_remembered > 0 {
            message(&format!(
                "rules: {not_remembered} records that rules matched were not asked about together: they have no time, or are more than {MAX_REMEMBERED}"
            ));
        }
        if left_out > 0 {
            message(&format!("rules: {left_out} hits are in no fact: the packet has its most facts (--max-facts)"));
        }
        extraction.add(source, facts);
    }
}

/// Compares hits with the verdicts of the program's own rules, file by file.
pub fn compare(home: &Home, asked: &RulesArgs) -> Result<(), Failure> {
    let reading = if asked.sysmon_only { Reading::AsWritten } else { Reading::WithMaps };
    let rules = Rules::load(&asked.rules, reading)?;
    let own = triage::rules(home)?;
    let labels = match &asked.labels {
        None => Labels::default(),
        Some(path) => {
            let place = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::Usage(format!("--labels: {place}: cannot be read: {error}")))?;
            Labels::read(&text, &place).map_err(|error| Failure::Usage(format!("--labels: {error}")))?
        }
    };
    let mut compared = Vec::new();
    for path in &asked.files {
        for file in files_below(path)? {
            let file = SourceFile { path: file, in_folder: path.is_dir() };
            compared.extend(one(&rules, &own, &labels, &file)?);
        }
    }
    let table = match asked.table {
        RulesTable::Files => by_file(&compared),
        RulesTable::Hits => hits(&compared),
        RulesTable::Labels => by_label(&compared),
        RulesTable::Test => test(&compared),
    };
    tables::show(&table, asked.format);
    Ok(())
}

/// One file, read once: for the packet of the own rules and for hits. A file of a folder in no known format is passed over.
fn one<'r>(
    rules: &'r Rules,
    own: &OwnRules,
    labels: &Labels,
    file: &SourceFile,
) -> Result<Option<Compared<'r>>, Failure> {
    let place = file.path.display().to_string();
    let selection = Selection::default();
    let mut hits = rules.hits(&selection);
    let mut extraction = Extraction::new(selection, ReadOptions::default());
    if !read_file(file, &mut extraction, Some(&mut hits), &mut notice)? {
        return Ok(None);
    }
    let packet = extraction.finish().map_err(|error| TelemetryError::Source { place: place.clone(), error })?;
    let outcome = single_turn(&packet, own, SkepticKind::Deterministic, Decision::Claims);
    Ok(Some(Compared {
        label: labels.of(&place.replace('\\', "/")).map(str::to_owned),
        file: place,
        verdict: outcome.verdict,
        records: hits.asked(),
        matched: hits.matched(),
        found: hits.found(),
    }))
}
