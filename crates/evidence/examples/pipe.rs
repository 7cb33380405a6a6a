//! A pipe of any length into a packet, to see that memory does not grow with the data:
//!
//! ```text
//! cargo build --release -p gimbal-evidence --features extract --example pipe
//! target/release/examples/pipe make 10000000000 | /usr/bin/time -v target/release/examples/pipe read
//! target/release/examples/pipe make 10000000000 | /usr/bin/time -v gimbal evidence extract - --year 2026 > packet.json
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

#[path = "../benches/samples/mod.rs"]
mod samples;

use std::io::{self, Write as _};
use std::process::ExitCode;

use gimbal_evidence::Selection;
use gimbal_evidence::extract::{Extraction, Format, ReadOptions};

/// Lines that are made at once.
const CHUNK: u64 = 10_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done =
        match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["make", bytes] => bytes.parse().map_err(|_| format!("`{bytes}` is no number of bytes")).and_then(make),
            ["read"] => read(),
            _ => Err("expected `make BYTES`, which writes lines of syslog, or `read`, which makes a packet of them"
                .to_owned()),
        };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("pipe: {what}");
            ExitCode::FAILURE
        }
    }
}

/// Writes so many bytes of lines, and the rest of the last line.
fn make(bytes: u64) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let (mut written, mut line) = (0_u64, 0);
    while written < bytes {
        let mut text = samples::syslog(line..line + CHUNK);
        if written + text.len() as u64 > bytes {
            let end = usize::try_from(bytes - written).unwrap_or(text.len());
            text.truncate(text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |rest| end + rest + 1));
        }
        out.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
        written += text.len() as u64;
        line += CHUNK;
    }
    Ok(())
}

/// Reads standard input as `gimbal evidence extract -` does.
fn read() -> Result<(), String> {
    let options = ReadOptions { year: Some(2026), ..ReadOptions::default() };
    let mut extraction = Extraction::new(Selection::default(), options);
    let stats = extraction.read(io::stdin(), Some(Format::Syslog), 0).map_err(|error| error.to_string())?;
    let packet = extraction.finish().map_err(|error| error.to_string())?;
    println!("{} lines, {} facts, head {}", stats.seen, packet.facts().len(), packet.head());
    Ok(())
}
