//! Writes the pages and figures of made-up studies into a folder, to look at them: `cargo run --example pages -- FOLDER`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::PathBuf;

use gimbal_view::Report;

fn main() {
    let Some(folder) = std::env::args().nth(1).map(PathBuf::from) else {
        eprintln!("name a folder to write into: cargo run --example pages -- FOLDER");
        std::process::exit(2);
    };
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let studies = [
        ("large", support::large(), "obs"),
        ("medium", support::medium(), "observation"),
        ("quickstart", support::quickstart(), "observation"),
        ("decodings", support::decodings(), "hierarchy: observation"),
    ];
    for (name, rows, baseline) in studies {
        let report = Report::build(&rows, support::meta(name), &support::options(baseline)).expect("good rows");
        std::fs::write(folder.join(format!("{name}.html")), report.html()).expect("written");
        for figure in &report.figures {
            std::fs::write(folder.join(format!("{name}-{}.svg", figure.name)), &figure.svg).expect("written");
        }
        println!("{}", report.brief(120));
    }
}
