//! What `gimbal env triage` does beside what every environment can: the packet of a task as a file, and what a policy is worth by split
//! and tier.

use std::fmt::Write as _;

use gimbal_core::{EnvError, Milli, TaskId};
use gimbal_env_kit::workbench::{EvaluateRequest, Output, SaveRequest, Workbench, choice};
use gimbal_evidence::Marking;
use gimbal_evidence::judge::Verdict;
use serde::Serialize;
use serde_json::json;

use crate::environment::{Case, Settings, Triage};
use crate::policy::{self, POLICIES};
use crate::scenario::Tier;

/// The splits that the table of a policy has: those that need no data.
const EVALUATED: [&str; 5] = ["dev", "test", "ares33", "ares18", "ares12"];

impl Workbench for Triage {
    fn contrast(&self) -> [String; 2] {
        ["inconclusive", "expert"].map(str::to_owned)
    }

    /// Writes the packet of a task.
    fn save(&self, request: &SaveRequest) -> Result<Output, EnvError> {
        let task = request.setup.task(self, request.seed)?;
        let case = Case::load(&task, &Settings::read(&request.setup.options())?)?;
        let packet = case.desk.packet();
        std::fs::write(&request.file, packet.to_bytes())
            .map_err(|error| EnvError::Usage(format!("{}: cannot be written: {error}", request.file.display())))?;
        let text =
            format!("{task}: {} facts in {}, head {}\n", packet.facts().len(), request.file.display(), packet.head());
        Ok(Output {
            json: json!({ "task": task, "facts": packet.facts().len(), "head": packet.head() }),
            ..Output::text(text)
        })
    }

    /// Verdicts of a policy by split and tier, with the confusion of each split. With `expert` it verifies the corpus again: every packet
    /// is made anew, and a criterion that gives another verdict than the label is a failed check.
    fn evaluate(&self, request: &EvaluateRequest) -> Result<Output, EnvError> {
        let known = POLICIES.map(|name| (name, name));
        let policy = choice("--policy", request.policy.as_deref().unwrap_or("rules"), &known)?;
        let settings = Settings::default();
        let mut rows: Vec<Row> = Vec::new();
        for split in EVALUATED {
            let mut row = Row { split, policy, scenarios: 0, right: 0, tiers: Vec::new(), confusion: [[0; 3]; 3] };
            row.tiers = Tier::ALL.iter().map(|tier| OfTier { tier: tier.name(), scenarios: 0, right: 0 }).collect();
            for task in gimbal_core::Catalogue::tasks(self, split, &serde_json::Value::Null)? {
                row.add(&task, &settings)?;
            }
            rows.push(row);
        }
        let wrong: usize = rows.iter().map(|row| row.scenarios - row.right).sum();
        let failed = (policy == policy::EXPERT && wrong > 0)
            .then(|| format!("the criterion gives another verdict than the label in {wrong} of the lines"));
        Ok(Output { failed, ..Output::of(table(&rows), &rows)? })
    }
}

/// What a policy came to on a split.
#[derive(Serialize)]
struct Row {
    split: &'static str,
    policy: &'static str,
    scenarios: usize,
    right: usize,
    tiers: Vec<OfTier>,
    /// Expected by given, both in the order confirmed, dismissed, inconclusive.
    confusion: [[usize; 3]; 3],
}

#[derive(Serialize)]
struct OfTier {
    tier: &'static str,
    scenarios: usize,
    right: usize,
}

impl Row {
    fn add(&mut self, task: &TaskId, settings: &Settings) -> Result<(), EnvError> {
        let case = Case::load(task, settings)?;
        let unlabelled = || EnvError::Data(format!("the scenario `{task}` has no label"));
        let Marking { expected, tier, .. } = case.marking(None).ok_or_else(unlabelled)?;
        let given = match policy::decide(self.policy, case.desk.packet()) {
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
}

fn table(rows: &[Row]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(out, "{:<8} {:>9} {:>6} {:>9}", "split", "scenarios", "right", "accuracy");
    for tier in Tier::ALL {
        let _ = write!(out, " {:>14}", tier.name());
    }
    out.push('\n');
    for row in rows {
        let share = Milli(1000 * row.right as i64 / row.scenarios.max(1) as i64);
        let _ = write!(out, "{:<8} {:>9} {:>6} {share:>9}", row.split, row.scenarios, row.right);
        for tier in &row.tiers {
            let _ = write!(out, " {:>14}", format!("{}/{}", tier.right, tier.scenarios));
        }
        out.push('\n');
    }
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
