//! `requirements.yaml`: each numbered line with its status, the reason, and the tests that name it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::requirement::{Requirement, Shown, Status};

/// Works whose lines must state how they were shown.
const BUILT: [&str; 3] = ["BOG", "CYC", "SH"];

const HEADER: &str = "\
# Every numbered requirement of the four works, its state, and the tests that name it.
# `status` and `why` are written by hand; `tests` is filled from the `covers:` lines above tests by
# `cargo xtask requirements --write`, which also writes docs/fidelity.md. CI fails when a line that is
# called done has no test, or when this file is out of date.
";

fn load(root: &Path) -> Result<Vec<Requirement>, Vec<String>> {
    let path = root.join("requirements.yaml");
    let text = std::fs::read_to_string(&path).map_err(|error| vec![format!("requirements.yaml: {error}")])?;
    serde_saphyr::from_str(&text).map_err(|error| vec![format!("requirements.yaml: {error}")])
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn emit(requirements: &[Requirement]) -> String {
    let mut out = String::from(HEADER);
    for requirement in requirements {
        let _ = write!(
            out,
            "- id: {}\n  title: {}\n  status: {}\n",
            requirement.id,
            quoted(&requirement.title),
            requirement.status.name()
        );
        if !requirement.shown.is_empty() {
            let keys: Vec<&str> = requirement.shown.iter().map(|shown| shown.key()).collect();
            let _ = writeln!(out, "  shown: [{}]", keys.join(", "));
        }
        if !requirement.why.is_empty() {
            let _ = writeln!(out, "  why: {}", quoted(&requirement.why));
        }
        if !requirement.tests.is_empty() {
            out.push_str("  tests:\n");
            for test in &requirement.tests {
                let _ = writeln!(out, "    - {test}");
            }
        }
    }
    out
}

/// Whether a title is no more than a word or two, or was cut off at an abbreviation (`Eq`, `Tab`, ...).
fn is_stub(title: &str) -> bool {
    let words: Vec<&str> = title.split_whitespace().collect();
    words.len() < 3 || words.last().is_some_and(|last| ["App", "Eq", "Fig", "Sec", "Tab"].contains(last))
}

/// The file with its tests filled in, and what is wrong with it.
fn fresh(root: &Path) -> Result<(Vec<Requirement>, Vec<String>), Vec<String>> {
    let mut requirements = load(root)?;
    let (tags, mut complaints) = crate::tags::read(root);
    let mut known = BTreeSet::new();
    for requirement in &mut requirements {
        if !known.insert(requirement.id.clone()) {
            complaints.push(format!("requirements.yaml: duplicate requirement {}", requirement.id));
        }
        requirement.tests = tags.get(&requirement.id).into_iter().flatten().cloned().collect();
        let (id, why) = (&requirement.id, requirement.why.trim());
        if is_stub(&requirement.title) {
            let title = &requirement.title;
            complaints.push(format!(
                "requirements.yaml: {id}: the title `{title}` says too little; write three words or more"
            ));
        }
        let built = requirement.id.split('-').next().is_some_and(|work| BUILT.contains(&work));
        if built && requirement.status != Status::LeftOut && requirement.shown.is_empty() {
            complaints.push(format!(
                "requirements.yaml: {id} does not say how it was shown; add `shown: [...]` with one or more of {}",
                Shown::ALL.map(Shown::key).join(", ")
            ));
        }
        match requirement.status {
            Status::Done if requirement.tests.is_empty() => complaints.push(format!(
                "requirements.yaml: {id} is called done, but no test says `covers: {id}`; write one or set it to partly"
            )),
            Status::Partly | Status::LeftOut if why.is_empty() => {
                complaints.push(format!("requirements.yaml: {id} is not done and gives no reason under `why`"));
            }
            _ => {}
        }
    }
    for (id, tests) in &tags {
        if !known.contains(id) {
            let test = tests.iter().next().map_or("", String::as_str);
            complaints.push(format!("{test}: covers {id}, which requirements.yaml does not know"));
        }
    }
    Ok((requirements, complaints))
}

/// Fails when a line called done has no test, a reason is missing, or a generated part is out of date.
pub fn check(root: &Path) -> Result<String, Vec<String>> {
    let (requirements, mut complaints) = fresh(root)?;
    let generated =
        [("requirements.yaml", emit(&requirements)), ("docs/fidelity.md", crate::fidelity::page(&requirements))];
    for (name, expected) in generated {
        if std::fs::read_to_string(root.join(name)).unwrap_or_default() != expected {
            complaints.push(format!("{name} is out of date: run `cargo xtask requirements --write`"));
        }
    }
    if complaints.is_empty() { Ok(crate::fidelity::summary(&requirements)) } else { Err(complaints) }
}

/// Fills the tests in and writes the page.
pub fn write(root: &Path) -> Result<String, Vec<String>> {
    let (requirements, complaints) = fresh(root)?;
    let written = std::fs::write(root.join("requirements.yaml"), emit(&requirements))
        .and_then(|()| std::fs::write(root.join("docs/fidelity.md"), crate::fidelity::page(&requirements)));
    written.map_err(|error| vec![format!("cannot write: {error}")])?;
    if complaints.is_empty() { Ok(crate::fidelity::summary(&requirements)) } else { Err(complaints) }
}

#[cfg(test)]
mod tests {
    use super::is_stub;

    #[test]
    fn titles_that_were_cut_off_are_found() {
        for stub in ["App", "Eq", "Four levels exactly as Tab", "none", "report all", ""] {
            assert!(is_stub(stub), "{stub}");
        }
        for title in ["Default messages of each type", "Fact record: ids, entity", "Eq. 1 and its counter"] {
            assert!(!is_stub(title), "{title}");
        }
    }
}
