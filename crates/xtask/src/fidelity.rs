//! `docs/fidelity.md`: where we follow each work, where not, and why.

use std::fmt::Write as _;

use crate::requirements::{Requirement, Status};

const WORKS: [(&str, &str); 5] = [
    ("BOG", "Compound defenders (BOG)"),
    ("ARES", "Evidence-grounded debate (ARES)"),
    ("CYC", "Cyclic subtask graphs (CYC)"),
    ("CTHA", "Constrained temporal hierarchy (CTHA)"),
    ("SH", "Shared parts (SH)"),
];

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
         by `cargo xtask requirements --write`; edit that file, not this one.\n",
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
    out.push_str(if status == Status::Done {
        "how, tests |\n| --- | --- | --- |\n"
    } else {
        "why |\n| --- | --- | --- |\n"
    });
    for requirement in chosen {
        let tests = match requirement.tests.len() {
            0 => String::new(),
            1 => "1 test".to_owned(),
            many => format!("{many} tests"),
        };
        let why = [requirement.why.as_str(), &tests].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let cell = |text: &str| text.replace('|', "\\|");
        let _ = writeln!(out, "| {} | {} | {} |", requirement.id, cell(&requirement.title), cell(&why.join(" · ")));
    }
}
