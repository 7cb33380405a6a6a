//! `gimbal doctor`: keys, weights, tools, disk.

use std::path::Path;
use std::process::Command;

use gimbal_model::ModelsSection;
use gimbal_model::remote::Provider;
use gimbal_model::weights::{self, Cache};
use serde::Serialize;

use super::print_json;
use crate::exit::Failure;
use crate::home::Home;

/// One check; its keys are those of `--json`.
#[derive(Serialize)]
struct Finding {
    /// What was checked.
    what: String,
    /// Whether it is there and usable.
    good: bool,
    /// Whether it must be fixed: what is missing may not be needed.
    wrong: bool,
    /// What was found, in words.
    says: String,
}

impl Finding {
    fn new(what: impl Into<String>, good: bool, says: impl Into<String>) -> Self {
        Self { what: what.into(), good, wrong: false, says: says.into() }
    }

    fn wrong(what: impl Into<String>, says: impl Into<String>) -> Self {
        Self { what: what.into(), good: false, wrong: true, says: says.into() }
    }
}

/// Checks everything that a run may need. Values of keys are never printed.
pub fn doctor(home: &Home, as_json: bool) -> Result<(), Failure> {
    let mut findings = Vec::new();
    for provider in Provider::ALL {
        let variable = provider.key_variable();
        let good = provider.is_key_set();
        let says = if good { format!("{variable} is set") } else { format!("{variable} is not set") };
        findings.push(Finding::new(format!("key {}", provider.name()), good, says));
    }
    match Cache::from_environment() {
        Err(error) => findings.push(Finding::wrong("weights", error.to_string())),
        Ok(cache) => {
            for listed in weights::list(&cache) {
                let what = format!("weights {}", listed.model.name);
                findings.push(match (&listed.path, &listed.fault) {
                    (_, Some(fault)) => Finding::wrong(what, fault.clone()),
                    (Some(path), None) => Finding::new(what, true, path.display().to_string()),
                    (None, None) => {
                        Finding::new(what, false, format!("not fetched (`gimbal model pull {}`)", listed.model.name))
                    }
                });
            }
        }
    }
    for (program, use_) in [
        ("python3", "fetches weights from packages"),
        ("cc", "builds"),
        ("c++", "builds the embedded model"),
        ("cmake", "builds the embedded model"),
    ] {
        let found = Command::new(program).arg("--version").output();
        let (good, says) = match found {
            Ok(output) => {
                let text =
                    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
                (true, text.lines().next().unwrap_or_default().to_owned())
            }
            Err(_) => (false, format!("not found; it {use_}")),
        };
        findings.push(Finding::new(format!("tool {program}"), good, says));
    }
    findings.push(disk());
    findings.push(match home.models(ModelsSection::default(), None) {
        Ok(_) => Finding::new("prices.yaml", true, "reads"),
        Err(error) => Finding::wrong("prices.yaml", error.to_string()),
    });
    let embedded = cfg!(feature = "embedded");
    let says = if embedded { "built in" } else { "not built in" };
    findings.push(Finding::new("embedded model", embedded, says));
    if as_json {
        print_json(&findings)?;
    } else {
        for finding in &findings {
            let mark = match (finding.good, finding.wrong) {
                (true, _) => "ok",
                (false, true) => "WRONG",
                (false, false) => "-",
            };
            println!("{mark:<6} {:<28} {}", finding.what, finding.says);
        }
        println!(
            "\n`-` is missing: it matters only to studies that name it. Keys of servers of your own are optional."
        );
    }
    match findings.iter().filter(|finding| finding.wrong).count() {
        0 => Ok(()),
        wrong => Err(Failure::Check(format!("{wrong} problem(s) must be fixed"))),
    }
}

fn disk() -> Finding {
    let what = "disk for runs".to_owned();
    match fs4::available_space(Path::new(".")) {
        Ok(bytes) => Finding::new(what, bytes > 1 << 30, format!("{:.1} GB free", bytes as f64 / 1e9)),
        Err(error) => Finding::wrong(what, error.to_string()),
    }
}
