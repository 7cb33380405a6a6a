//! Messages of the program: lines on standard output and standard error that never panic.
//!
//! `print!`, `println!` and `eprintln!` of this crate take the place of the standard ones, which panic where a reader has
//! gone or a disk is full. They escape all control characters.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use gimbal_analysis::printable_lines;

macro_rules! print {
    ($($text:tt)*) => { $crate::stdio::out(format_args!($($text)*), "") };
}

macro_rules! println {
    () => { $crate::stdio::out(format_args!(""), "\n") };
    ($($text:tt)*) => { $crate::stdio::out(format_args!($($text)*), "\n") };
}

macro_rules! eprintln {
    ($($text:tt)*) => { $crate::stdio::err(format_args!($($text)*)) };
}

/// Whether messages are JSON lines.
static JSON: AtomicBool = AtomicBool::new(false);

/// Writes what a reader must know before the output.
static BEFORE_OUTPUT: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// `tell` is called before every text on standard output. It may write messages; the first one that is set remains.
pub fn before_output(tell: impl Fn() + Send + Sync + 'static) {
    let _ = BEFORE_OUTPUT.set(Box::new(tell));
}

/// From now on messages are JSON lines, like the progress lines around them.
pub fn messages_as_json() {
    JSON.store(true, Ordering::Relaxed);
}

/// A message of the program on standard error: `gimbal: ...`, or `{"message": ...}` among JSON lines.
pub fn message(text: &str) {
    if JSON.load(Ordering::Relaxed) {
        eprintln!("{}", serde_json::json!({ "message": text }));
    } else {
        eprintln!("gimbal: {text}");
    }
}

/// A number and what it counts: `count(1, "cell", "cells")` is `1 cell`.
pub fn count(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Writes to standard output. A closed pipe is ignored; a full disk ends the program.
pub fn out(text: Arguments<'_>, end: &str) {
    if let Some(tell) = BEFORE_OUTPUT.get() {
        tell();
    }
    let mut stdout = std::io::stdout().lock();
    let text = format!("{text}{end}");
    // Much of the text comes from models, files and pages.
    if let Err(error) = stdout.write_all(printable_lines(&text).as_bytes())
        && error.kind() != ErrorKind::BrokenPipe
    {
        message(&format!("standard output cannot be written: {error}"));
        std::process::exit(3);
    }
}

/// Writes a line to standard error; when that fails there is no other way to report it.
pub fn err(text: Arguments<'_>) {
    // One write a line, so that lines of several threads stay whole.
    let _ = std::io::stderr().lock().write_all(printable_lines(&format!("{text}\n")).as_bytes());
}
