//! Damaged model files are errors: the library behind the embedded model never ends the program.
//!
//! `GIMBAL_DAMAGE` sets the number of damaged files (60 by default).
#![cfg(feature = "embedded")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::process::Command;

use gimbal_core::Digest;
use gimbal_model::embedded::{Engine, EngineSettings};
use gimbal_model::gguf::check;
use gimbal_parity::Fast;
use gimbal_testkit::tiny_gguf::TinyGguf;

const VICTIM: &str = "GIMBAL_TEST_MODEL_FILES";

/// Not a test of its own: the process that opens what it is given, each in turn.
#[test]
fn victim() {
    let Ok(folder) = std::env::var(VICTIM) else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files {
        // Said before, so that the last line names the file that ended the program.
        eprintln!("{}", path.display());
        drop(Engine::open(&path, Digest::default(), &EngineSettings::default()));
    }
}

fn opened(folder: &Path) -> (bool, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["embedded_damage::victim", "--exact", "--nocapture", "--test-threads=1"])
        .env(VICTIM, folder)
        // The library's own trace of an abort would hide the name of the file.
        .env("GGML_NO_BACKTRACE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let named = said.lines().rfind(|line| line.ends_with(".gguf")).unwrap_or_default().to_owned();
    if !output.status.success() {
        let told: Vec<&str> = said.lines().rev().take(6).collect();
        println!("{}", told.into_iter().rev().collect::<Vec<_>>().join("\n"));
    }
    (output.status.success(), named)
}

#[test]
fn no_damaged_header_ends_the_program() {
    let wanted: u64 = std::env::var("GIMBAL_DAMAGE").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let folder = tempfile::tempdir().unwrap();
    let whole = TinyGguf { layers: 1, width: 32, context: 256, ..TinyGguf::default() }.bytes();
    let path = folder.path().join("sound.gguf");
    std::fs::write(&path, &whole).unwrap();
    let weights: u64 = check(&path).unwrap().tensors.iter().map(|tensor| tensor.bytes).sum();
    let header = whole.len() - weights as usize;
    let (mut draws, mut passed, mut refused) = (Fast::new(1), 0_u64, 0_u64);
    // Those that the check lets through are the library's to judge: only these can end the program.
    while passed < wanted && refused < 200 * wanted {
        let mut bytes = whole.clone();
        for _ in 0..=draws.next_u64() % 3 {
            let place = draws.next_u64() as usize % header;
            bytes[place] = match draws.next_u64() % 4 {
                0 => 0,
                1 => 0xFF,
                2 => bytes[place] ^ 1 << (draws.next_u64() % 8),
                _ => draws.next_u64() as u8,
            };
        }
        let path = folder.path().join(format!("{passed:05}.gguf"));
        std::fs::write(&path, &bytes).unwrap();
        if check(&path).is_ok() {
            passed += 1;
        } else {
            refused += 1;
            std::fs::remove_file(&path).unwrap();
        }
    }
    println!("{passed} damaged files pass the check, {refused} are refused by it");
    let (sound, last) = opened(folder.path());
    let kept = std::env::temp_dir().join("gimbal-damaged.gguf");
    if !sound {
        drop(std::fs::copy(&last, &kept));
    }
    assert!(sound, "the program ended on {last}; a copy is {}", kept.display());
}
