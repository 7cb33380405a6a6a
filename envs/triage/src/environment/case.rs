//! A scenario that is played: its packet as the agent sees it, and what is known of it beside.

use std::sync::Arc;

use gimbal_core::{Digest, EnvError, Kept, TaskId, nearest};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{Draft, FactId, Marking, Selection};

use super::settings::{Settings, data};
use crate::corpus::PacketOptions;
use crate::packet_index::PacketIndex;
use crate::scenario::{RawSource, Scenario};
use crate::tools::Conclusion;

/// Cases that are kept: a few more than the largest split of generated scenarios holds.
const KEPT: usize = 40;

/// One scenario with its packet.
#[derive(Clone, Debug)]
pub struct Case {
    /// The packet.
    pub index: Arc<PacketIndex>,
    /// The verdict that its facts support, by the criterion.
    pub supported: Verdict,
    /// The facts that decide.
    pub decisive: Vec<FactId>,
    /// The facts that explain others.
    pub explaining: Vec<FactId>,
    /// The marking without a verdict; `None` if nothing was expected.
    unanswered: Option<Marking>,
}

impl Case {
    /// The case before the first reset: an empty packet.
    pub(super) fn none() -> Self {
        Self::given(Arc::new(PacketIndex::new(Draft::new(Vec::new(), Selection::default()).freeze())))
    }

    /// The case of a packet that nobody has labelled: no verdict is expected, and nothing is marked.
    pub(super) const fn given(index: Arc<PacketIndex>) -> Self {
        Self { index, supported: Verdict::Inconclusive, decisive: Vec::new(), explaining: Vec::new(), unanswered: None }
    }

    /// The case of a task. One without files is made once for all episodes of the scenario.
    ///
    /// # Errors
    /// When there is no such scenario, or its packet cannot be made.
    pub fn load(task: &TaskId, settings: &Settings) -> Result<Self, EnvError> {
        let corpus = settings.playing()?;
        let Some(scenario) = corpus.scenario(&task.0) else {
            let hint = nearest::hint(&task.0, corpus.all().iter().map(|scenario| scenario.id.as_str()));
            let place = settings.corpus.as_deref().unwrap_or("the program");
            return Err(EnvError::Usage(format!(
                "`triage` has no task `{task}`{hint}; `gimbal env triage tasks` lists the scenarios of {place}"
            )));
        };
        // Of files it is checked each time that they are the ones which the scenario was written on.
        if scenario.sources.iter().any(|source| matches!(source, RawSource::File { .. })) {
            return Self::make(scenario, settings);
        }
        static KNOWN: Kept<Case> = Kept::new(KEPT);
        let PacketOptions { max_facts, mixed, pseudonyms } = settings.packets();
        let digest = scenario.digest().map_err(|error| data(&error))?;
        // The digest of a scenario leaves out its names and its year.
        let Scenario { pseudonyms: names, year, .. } = scenario;
        let options = format!("{max_facts} {mixed} {pseudonyms} {names:?} {year:?}");
        let input = Digest::of_parts(&[&digest.0, options.as_bytes()]);
        KNOWN.get(input, || Self::make(scenario, settings)).map(Arc::unwrap_or_clone)
    }

    fn make(scenario: &Scenario, settings: &Settings) -> Result<Self, EnvError> {
        let telemetry = settings.telemetry();
        let packet = scenario.packet(telemetry.as_deref(), &settings.packets()).map_err(|error| data(&error))?;
        let supported = scenario.criterion.verdict(&packet);
        let (decisive, explaining) = (scenario.decisive(&packet), scenario.explaining(&packet));
        let unanswered = Marking {
            scenario: scenario.id.clone(),
            corpus: scenario.digest().map_err(|error| data(&error))?,
            label_version: scenario.label_version,
            tier: scenario.tier.to_string(),
            difficulty: scenario.difficulty,
            category: scenario.category.to_string(),
            telemetry: scenario.telemetry.iter().map(ToString::to_string).collect(),
            operator_truth: scenario.operator_truth.to_string(),
            expected: scenario.expected,
            supported,
            given: None,
            confidence: None,
            cited: Vec::new(),
            decisive: decisive.clone(),
            explaining: explaining.clone(),
        };
        let index = Arc::new(PacketIndex::new(packet));
        Ok(Self { index, supported, decisive, explaining, unanswered: Some(unanswered) })
    }

    /// The verdict that is expected; `None` if nobody has labelled the packet.
    #[must_use]
    pub fn expected(&self) -> Option<Verdict> {
        self.unanswered.as_ref().map(|marking| marking.expected)
    }

    /// The marking of a conclusion, or of an episode without one; `None` if no verdict is expected.
    #[must_use]
    pub fn marking(&self, given: Option<&Conclusion>) -> Option<Marking> {
        let mut marking = self.unanswered.clone()?;
        if let Some(given) = given {
            marking.given = Some(given.verdict);
            marking.confidence = Some(given.confidence);
            marking.cited.clone_from(&given.facts);
        }
        Some(marking)
    }
}
