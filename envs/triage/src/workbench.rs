//! What `gimbal env triage` does beside what every environment can: the packet of a task as a file, what a policy is worth by split and
//! tier, and the verification of a corpus.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gimbal_core::{EnvError, TaskId};
use gimbal_env_kit::workbench::{EvaluateRequest, Output, SaveRequest, ShareInterval, Verb, Workbench, choice, plural};
use gimbal_evidence::Marking;
use gimbal_evidence::judge::Verdict;
use serde::Serialize;
use serde_json::json;

use crate::corpus::{SPLITS, verify};
use crate::environment::{Case, Settings, Triage};
use crate::policy::{self, POLICIES};
use crate::scenario::{Scenario, Tier};

/// The splits that the table of a policy has over the built-in scenarios: those that need no data.
const EVALUATED: [&str; 5] = ["dev", "test", "ares33", "ares18", "ares12"];

impl Workbench for Triage {
    fn written(&self) -> &[Verb] {
        &[Verb::Evaluate, Verb::Save]
    }

    fn contrast(&self) -> [String; 2] {
        ["inconclusive", "expert"].map(str::to_owned)
    }

    /// Writes the packet of a task.
    fn save(&self, request: &SaveRequest) -> Result<Output, EnvError> {
        let task = request.setup.task(self, request.seed)?;
        let case = Case::load(&task, &Settings::read(&request.setup.options())?)?;
        let packet = case.index.packet();
        std::fs::write(&request.file, packet.to_bytes())
            .map_err(|error| EnvError::Usage(format!("{}: cannot be written: {error}", request.file.display())))?;
        let text =
            format!("{task}: {} facts in {}, head {}\n", packet.facts().len(), request.file.display(), packet.head());
        Ok(Output {
            json: json!({ "task": task, "facts": packet.facts().len(), "head": packet.head() }),
            ..Output::text(text)
        })
    }

    fn evaluate_options(&self) -> &[&'static str] {
        &["corpus", "data", "max_facts", "sources", "pseudonyms", "split"]
    }

    /// Verdicts of a policy by split and tier, with the confusion of each split. With `expert` it verifies the corpus: every packet is
    /// made anew, and each scenario that does not pass all checks of [`verify`] is a line, and a failed check of the program.
    fn evaluate(&self, request: &EvaluateRequest) -> Result<Output, EnvError> {
        let known = POLICIES.map(|name| (name, name));
        let policy = choice("--policy", request.policy.as_deref().unwrap_or("rules"), &known)?;
        let options = request.setup.options();
        let settings = Settings::read(&options)?;
        let settings = match settings.clone().resolved() {
            Ok(resolved) => resolved,
            // A raw file that is missing or changed has no hash: its scenario fails below, and the others are looked at.
            Err(EnvError::Data(_)) if policy == policy::EXPERT => settings,
            Err(error) => return Err(error),
        };
        let (mut rows, mut faults): (Vec<Row>, Vec<Fault>) = (Vec::new(), Vec::new());
        for split in splits(request, &settings)? {
            let tasks = gimbal_core::Catalogue::tasks(self, split, &options)?;
            if tasks.is_empty() {
                return Err(EnvError::Usage(format!("--split: the split `{split}` has no scenario in this corpus")));
            }
            let mut row = Row::of(split, policy);
            for task in &tasks {
                match Case::load(task, &settings) {
                    Ok(case) => {
                        row.add(task, &case)?;
                        let known = faults.iter().any(|fault| fault.scenario == task.0);
                        if policy == policy::EXPERT && !known {
                            faults.extend(verified(task, &case, &settings)?);
                        }
                    }
                    // A packet that cannot be made fails its scenario, and the others are looked at.
                    Err(error) if policy == policy::EXPERT => {
                        row.scenarios += 1;
                        faults.push(Fault::of(&settings, task, error.to_string())?);
                    }
                    Err(error) => return Err(error),
                }
            }
            rows.push(row.with_rates(request.interval));
        }
        faults.sort();
        faults.dedup();
        let text = format!("{}{}", table(&rows), lines(policy, &rows, &faults));
        let failing: BTreeSet<&str> = faults.iter().map(|fault| fault.scenario.as_str()).collect();
        let failed = (!failing.is_empty())
            .then(|| format!("{} not verified; each line above says why", plural(failing.len() as u64, "scenario")));
        let json = json!({ "corpus": settings.corpus_digest, "rows": rows, "faults": faults });
        Ok(Output { failed, ..Output::of(text, &json)? })
    }
}

/// The splits that are evaluated: the named one; of the built-in scenarios those that need no data; of a corpus of one's own all that
/// have scenarios.
fn splits<'r>(request: &'r EvaluateRequest, settings: &Settings) -> Result<Vec<&'r str>, EnvError> {
    if let Some(split) = &request.setup.split {
        return Ok(vec![split.as_str()]);
    }
    if settings.corpus.is_none() {
        return Ok(EVALUATED.to_vec());
    }
    let corpus = settings.playing()?;
    Ok(SPLITS.into_iter().filter(|split| !corpus.scenarios(split).is_empty()).collect())
}

/// What is wrong with a scenario, as lines.
fn verified(task: &TaskId, case: &Case, settings: &Settings) -> Result<Vec<Fault>, EnvError> {
    let corpus = settings.playing()?;
    let Some(scenario) = corpus.scenario(&task.0) else { return Ok(Vec::new()) };
    let family: Vec<&Scenario> = corpus.all().iter().filter(|other| other.family == scenario.family).collect();
    let faults = verify::faults(scenario, case.index.packet(), &family);
    faults.into_iter().map(|what| Fault::of(settings, task, what)).collect()
}

/// Why a scenario is not verified.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Fault {
    /// Its file.
    file: String,
    /// The line of its id.
    line: u64,
    scenario: String,
    what: String,
}

impl Fault {
    fn of(settings: &Settings, task: &TaskId, what: String) -> Result<Self, EnvError> {
        let corpus = settings.playing()?;
        let (file, line) = corpus.scenario(&task.0).map_or(("", 0), Scenario::place);
        Ok(Self { file: file.to_owned(), line, scenario: task.0.clone(), what })
    }
}

/// What the checks found, where there were any.
fn lines(policy: &str, rows: &[Row], faults: &[Fault]) -> String {
    if policy != policy::EXPERT {
        return String::new();
    }
    let mut out = String::new();
    for Fault { file, line, scenario, what } in faults {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n{file}:{line}: {scenario}: {what}");
    }
    let checked: usize = rows.iter().map(|row| row.scenarios).sum();
    let checks = "verdict by criterion, another one without the decisive facts, twins of open cases, no text that tells the label";
    let _ = writeln!(out, "\n{} checked: {checks}", plural(checked as u64, "scenario"));
    out
}

/// What a policy came to on a split.
#[derive(Serialize)]
struct Row {
    split: String,
    policy: &'static str,
    scenarios: usize,
    right: usize,
    /// Of all; missing where there is no scenario.
    rate: Option<Rate>,
    tiers: Vec<OfTier>,
    /// Expected by given, both in the order confirmed, dismissed, inconclusive.
    confusion: [[usize; 3]; 3],
}

#[derive(Serialize)]
struct OfTier {
    tier: &'static str,
    scenarios: usize,
    right: usize,
    rate: Option<Rate>,
}

/// The share of right verdicts with its 95% interval.
#[derive(Clone, Copy, Serialize)]
struct Rate {
    share: f64,
    low: f64,
    high: f64,
}

impl Rate {
    fn of(right: usize, scenarios: usize, interval: ShareInterval) -> Option<Self> {
        let (low, high) = interval(right as u64, scenarios as u64)?;
        Some(Self { share: right as f64 / scenarios as f64, low, high })
    }
}

impl Row {
    fn of(split: &str, policy: &'static str) -> Self {
        let of_tier = |tier: &Tier| OfTier { tier: tier.name(), scenarios: 0, right: 0, rate: None };
        let tiers = Tier::ALL.iter().map(of_tier).collect();
        Self { split: split.to_owned(), policy, scenarios: 0, right: 0, rate: None, tiers, confusion: [[0; 3]; 3] }
    }

    fn add(&mut self, task: &TaskId, case: &Case) -> Result<(), EnvError> {
        let unlabelled = || EnvError::Data(format!("the scenario `{task}` has no label"));
        let Marking { expected, tier, .. } = case.marking(None).ok_or_else(unlabelled)?;
        let given = match policy::decide(self.policy, case.index.packet()) {
            Some(given) => given.verdict,
            None => case.supported,
        };
        let right = given == expected;
        self.scenarios += 1;
        self.right += usize::from(right);
        if let Some(of_tier) = self.tiers.iter_mut().find(|known| known.tier == tier) {
            of_tier.scenarios += 1;
            of_tier.right += usize::from(right);
        }
        let place = |verdict| Verdict::ALL.iter().position(|known| *known == verdict).unwrap_or_default();
        self.confusion[place(expected)][place(given)] += 1;
        Ok(())
    }

    fn with_rates(mut self, interval: ShareInterval) -> Self {
        self.rate = Rate::of(self.right, self.scenarios, interval);
        for tier in &mut self.tiers {
            tier.rate = Rate::of(tier.right, tier.scenarios, interval);
        }
        self
    }
}

const RATES: &str = "95% intervals by Wilson's score, as if scenarios were independent; twins of one scene are not, so that they are rather too narrow";

fn table(rows: &[Row]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let width = rows.iter().map(|row| row.split.len()).max().unwrap_or_default().max(8);
    let _ = writeln!(
        out,
        "{:<width$} {:<14} {:>9} {:>6} {:>9}  95% interval",
        "split", "tier", "scenarios", "right", "accuracy"
    );
    for row in rows {
        let mut line = |split: &str, tier: &str, scenarios: usize, right: usize, rate: Option<Rate>| {
            let rate = rate.map_or_else(
                || format!("{:>9}", "-"),
                |rate| format!("{:>9.3}  {:.3} to {:.3}", rate.share, rate.low, rate.high),
            );
            let _ = writeln!(out, "{split:<width$} {tier:<14} {scenarios:>9} {right:>6} {rate}");
        };
        line(&row.split, "all", row.scenarios, row.right, row.rate);
        for tier in &row.tiers {
            line("", tier.tier, tier.scenarios, tier.right, tier.rate);
        }
    }
    let _ = writeln!(out, "\n{RATES}");
    for row in rows.iter().filter(|row| row.scenarios > 0) {
        let _ = writeln!(out, "\n{}: expected (rows) by given", row.split);
        let _ = write!(out, "{:<18}", "");
        for given in Verdict::ALL {
            let _ = write!(out, " {:>16}", given.name());
        }
        out.push('\n');
        for (expected, counts) in Verdict::ALL.iter().zip(&row.confusion) {
            let _ = write!(out, "{:<18}", expected.name());
            for count in counts {
                let _ = write!(out, " {count:>16}");
            }
            out.push('\n');
        }
    }
    out
}
