//! `docs/fidelity.md`: where we follow each work, where not, and why.

use std::fmt::Write as _;

use crate::requirement::{Requirement, Shown, Status};

const WORKS: [(&str, &str); 5] = [
    ("BOG", "Compound defenders (BOG)"),
    ("ARES", "Evidence-grounded debate (ARES)"),
    ("CYC", "Cyclic subtask graphs (CYC)"),
    ("CTHA", "Constrained temporal hierarchy (CTHA)"),
    ("SH", "Shared parts (SH)"),
];

/// Notes that belong to no single line, by work.
const PROSE: [(&str, &str); 1] = [(
    "BOG",
    "Our prompts say more than the work prints where a reader of them could not act, and less where they contradict themselves. The glossary of cage2 adds to the work's five entries: that Monitor and Analyse have no cost and change nothing, that Remove may fail, that Restore always works, that a host can hold decoys of several kinds, and that SERVICE is a placeholder for the name of a service. The glossary of yawning_titan is ours, since no work prints one. The lead may ask for suggestions about any host and answers with the idle call where it asked for none; the analyst is told the goal. `strict: true` plays the work's content instead, and `artefact: true` the switches of its code: personas/README.md lists every difference. Under native tools the schemas of the actions list the values that an argument may take, so that an agent knows the name of every host, and of every decoy, from the first step on; under the protocols of text and JSON it must find them out. The same holds for whoever decodes under a grammar, which lists the legal actions. A difference between protocols, or between free and constrained decoding, is confounded with it.",
)];

/// Counts by status, on one line.
pub fn summary(requirements: &[Requirement]) -> String {
    let count = |status| requirements.iter().filter(|requirement| requirement.status == status).count();
    format!(
        "requirements: {} done, {} partly, {} left out",
        count(Status::Done),
        count(Status::Partly),
        count(Status::LeftOut)
    )
}

/// The page.
pub fn page(requirements: &[Requirement]) -> String {
    let mut out = String::from(
        "# Fidelity\n\nWhere Gimbal follows each work, where it does not, and why. Generated from `requirements.yaml` \
         by `cargo xtask requirements --write`; edit that file, not this one.\n\n\
         The column *shown* says what supports a line. *Tested as code*: tests of plain code. *Held against the \
         original*: recordings or data of the original agree. *Recomputed from print*: printed figures follow from other \
         printed figures, and nothing was measured here. *Shown by scripts*: scripts or noisy experts played it; they look \
         past the prompt, so that only the scaffolding is shown. *Shown by readers*: players by rule that see their \
         requests and nothing else. *Measured with a model*: a language model played; nothing else says anything about \
         language models. That mark covers what docs/real-models.md and results/ hold: one model of 1.5 billion parameters, \
         `local/qwen2.5-coder-1.5b`, in short episodes on few seeds. Its figures say nothing of larger models, and they reproduce \
         no printed figure of a work.\n",
    );
    for (prefix, title) in WORKS {
        let of_work: Vec<&Requirement> =
            requirements.iter().filter(|requirement| requirement.id.split('-').next() == Some(prefix)).collect();
        if of_work.is_empty() {
            continue;
        }
        let count = |status| of_work.iter().filter(|requirement| requirement.status == status).count();
        let _ = write!(
            out,
            "\n## {title}\n\n{} lines: {} done, {} partly, {} left out.\n",
            of_work.len(),
            count(Status::Done),
            count(Status::Partly),
            count(Status::LeftOut)
        );
        if let Some((_, words)) = PROSE.iter().find(|(work, _)| *work == prefix) {
            let _ = write!(out, "\n{words}\n");
        }
        section(&mut out, "Done", &of_work, Status::Done);
        section(&mut out, "Partly", &of_work, Status::Partly);
        section(&mut out, "Left out", &of_work, Status::LeftOut);
    }
    out
}

fn section(out: &mut String, title: &str, requirements: &[&Requirement], status: Status) {
    let chosen: Vec<_> = requirements.iter().filter(|requirement| requirement.status == status).collect();
    if chosen.is_empty() {
        return;
    }
    let _ = write!(out, "\n### {title}\n\n| number | what | ");
    out.push_str(match status {
        Status::Done => "shown | how, tests |\n| --- | --- | --- | --- |\n",
        Status::Partly => "shown | why, tests |\n| --- | --- | --- | --- |\n",
        Status::LeftOut => "why |\n| --- | --- | --- |\n",
    });
    for requirement in chosen {
        let tests = match requirement.tests.len() {
            0 => String::new(),
            1 => "1 test".to_owned(),
            many => format!("{many} tests"),
        };
        let why = [requirement.why.as_str(), &tests].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let cell = |text: &str| text.replace('|', "\\|");
        let _ = write!(out, "| {} | {} |", requirement.id, cell(&requirement.title));
        if status != Status::LeftOut {
            let shown: Vec<&str> = requirement.shown.iter().copied().map(Shown::words).collect();
            let _ = write!(out, " {} |", shown.join(", "));
        }
        let _ = writeln!(out, " {} |", cell(&why.join(" · ")));
    }
}
