//! `gimbal triage`.

mod kept;
mod played;

use std::path::PathBuf;

use gimbal_ares::tables::timeline;
use gimbal_core::Files as _;
use gimbal_evidence::judge::{Judge, Verdict};
use gimbal_evidence::rules::{Decision, RuleSet, SkepticKind, single_turn};
use gimbal_evidence::triage::{Gaps, Places, Triage};
use gimbal_telemetry::Extracted;

use super::{print_json, sources, write_file};
use crate::args::{SkepticChoice, TriageArgs, TriageForm};
use crate::exit::Failure;
use crate::home::Home;
use crate::stdio;

/// The rules of both sides among the program's data.
const RULES: &str = "rules/triage.yaml";

/// Reads telemetry, lets both sides speak, by rule or by a model, and prints the verdict.
pub async fn triage(home: &Home, asked: &TriageArgs) -> Result<(), Failure> {
    for (flag, out) in [("--packet", &asked.packet), ("--figure", &asked.figure)] {
        if let Some(out) = out {
            sources::spared(flag, out, &asked.sources)?;
        }
    }
    let decision = asked.judge.as_deref().map(decision).transpose()?;
    let rules = rules(home)?;
    let Extracted { packet, skipped, no_telemetry } = sources::extract(&asked.sources)?;
    if let Some(path) = &asked.packet {
        write_file(path, &String::from_utf8_lossy(&packet.to_bytes()))?;
    }
    let (outcome, played) = match &asked.model {
        None => {
            let skeptic = match asked.skeptic {
                None | Some(SkepticChoice::Deterministic) => SkepticKind::Deterministic,
                Some(SkepticChoice::Rules) => SkepticKind::Rules,
            };
            (single_turn(&packet, &rules, skeptic, decision.unwrap_or_default()), None)
        }
        Some(model) => {
            let Some((outcome, played)) = played::play(home, asked, model, (&packet, &rules)).await? else {
                return Ok(());
            };
            (outcome, Some(played))
        }
    };
    let gaps = Gaps::of(&packet, played.is_none().then_some(&rules)).skipping(skipped).beside(no_telemetry);
    let triage =
        Triage { packet: &packet, outcome: &outcome, played: played.as_ref(), gaps: &gaps, places: &places(asked) };
    match asked.form {
        TriageForm::Text => print!("{}", triage.text()),
        TriageForm::Markdown => print!("{}", triage.markdown()),
        TriageForm::Jsonl => triage.json_lines().iter().try_for_each(print_json)?,
        TriageForm::Html => print!("{}", triage.html()),
        TriageForm::Csv => print!("{}", timeline(&triage).to_csv()),
    }
    match outcome.verdict {
        // A script that reads 0 as "nothing to see" must not be told so about what no side saw.
        Verdict::ThreatDismissed if !gaps.is_none() && !asked.allow_left_out => {
            let left_out = (gaps.in_no_fact > 0).then(|| {
                let are = if gaps.in_no_fact == 1 { "is" } else { "are" };
                format!(
                    "{} of what was read {are} in none of its facts",
                    stdio::count(gaps.in_no_fact, "record", "records")
                )
            });
            let what: Vec<String> = left_out.into_iter().chain(gaps.not_asked_for()).chain(gaps.sentence()).collect();
            stdio::message(&format!(
                "exit code 10 and not 0: the packet is dismissed, but it is not complete: {} (--allow-left-out: exit code 0 all the same)",
                what.join("; ")
            ));
            Err(Failure::Verdict(Verdict::Inconclusive))
        }
        Verdict::ThreatDismissed => Ok(()),
        verdict => Err(Failure::Verdict(verdict)),
    }
}

/// Packet and telemetry as a command names them. A statement is behind a fact too.
fn places(asked: &TriageArgs) -> Places {
    let named = |path: &PathBuf| path.display().to_string();
    let files = asked.sources.files.iter().chain(&asked.sources.context).map(named).collect();
    Places { packet: asked.packet.as_ref().map(named), files }
}

fn decision(name: &str) -> Result<Decision, Failure> {
    if name == "claims" {
        return Ok(Decision::Claims);
    }
    Judge::PLAIN.into_iter().find(|judge| judge.name() == name).map(Decision::Positions).ok_or_else(|| {
        let known: Vec<&str> = std::iter::once("claims").chain(Judge::PLAIN.iter().map(Judge::name)).collect();
        if name == "calibrated" {
            let what = "it subtracts the mean confidences of many cases, and here is one; use `gimbal judge sweep`, or a study";
            return Failure::Usage(format!("--judge: `calibrated` cannot judge a single packet: {what} (known here: {})", known.join(", ")));
        }
        let hint = gimbal_core::nearest::hint(name, known.iter().copied());
        Failure::Usage(format!("--judge: there is no judge `{name}`{hint} (known: {})", known.join(", ")))
    })
}

pub(super) fn rules(home: &Home) -> Result<RuleSet, Failure> {
    let (text, place) = home
        .files
        .read(RULES)
        .map_err(Failure::usage)?
        .ok_or_else(|| Failure::Usage(format!("{RULES}: is not there")))?;
    let rules: RuleSet = gimbal_core::yaml::read(&text, &place).map_err(Failure::usage)?;
    rules.check().map_err(|error| Failure::Usage(format!("{place}: {error}")))?;
    Ok(rules)
}
