//! Writes the figures of a made-up study of cyclic control into a folder, to look at them: `cargo run --example cycles -- FOLDER`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

#[path = "../tests/support/made.rs"]
mod cyclic;
#[path = "../tests/support/mod.rs"]
mod support;

use std::path::PathBuf;

fn main() {
    let Some(folder) = std::env::args().nth(1).map(PathBuf::from) else {
        eprintln!("name a folder to write into: cargo run --example cycles -- FOLDER");
        std::process::exit(2);
    };
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let cycles = cyclic::study(&["household unseen"], |_| true);
    for output in support::figures(&cycles) {
        std::fs::write(folder.join(format!("{}.svg", output.file)), &output.figure.svg).expect("written");
        println!("{}: {}", output.file, output.figure.caption);
    }
}
