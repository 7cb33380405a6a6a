//! Writes the named figures of made-up studies into folders, to look at them: `cargo run --example named -- FOLDER`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::PathBuf;

use gimbal_analysis::profile::Traces;
use gimbal_analysis::{Analysis, Rows};
use support::published;

fn main() {
    let Some(folder) = std::env::args().nth(1).map(PathBuf::from) else {
        eprintln!("name a folder to write into: cargo run --example named -- FOLDER");
        std::process::exit(2);
    };
    let whole = || published::study("cage2 b_line 30");
    let studies: [(&str, Rows); 7] = [
        ("whole", whole()),
        ("one-model", published::only(whole(), |cell| cell.models.iter().all(|role| role.model == "Devstral"))),
        ("one-episode", published::at_most(whole(), 1)),
        ("two-episodes", published::at_most(whole(), 2)),
        (
            "gaps",
            published::only(whole(), |cell| {
                let model = cell.models.first().map(|role| role.model.as_str());
                let hole = matches!(
                    (model, cell.configuration.as_str()),
                    (Some("Grok"), "hist+net" | "obs") | (Some("Llama"), "hier-delib") | (_, "+critique")
                );
                let axis = model == Some("Qwen") && cell.axis.as_deref() == Some("hierarchy");
                !hole && !axis
            }),
        ),
        ("two-environments", published::two_environments()),
        ("quickstart", support::drawn::quickstart()),
    ];
    for (name, rows) in studies {
        let place = folder.join(name);
        std::fs::create_dir_all(&place).expect("the folder can be made");
        let analysis = Analysis::new(&rows, &support::drawn::options_without()).expect("good rows");
        let traces = published::traces(&rows);
        let traces = if name == "quickstart" { Traces::default() } else { traces };
        for output in support::figures(&rows, &analysis, &traces) {
            std::fs::write(place.join(format!("{}.svg", output.file)), &output.figure.svg).expect("written");
            if let Some(missing) = &output.missing {
                println!("{name} {}: {missing}", output.file);
            }
        }
    }
}
