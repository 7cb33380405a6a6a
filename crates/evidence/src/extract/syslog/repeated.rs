//! What syslog daemons write in the place of equal messages: `message repeated N times: [ MESSAGE]`, or, on BSD and small systems,
//! `last message repeated N times` behind the message.

use super::frame::Frame;
use super::reading::Reading;

/// Most times that a message counts: no log holds more, and one that says more counts once.
const MOST: u64 = u32::MAX as u64;

/// How often a message was repeated, as it is written, and the message.
pub(super) fn inner(message: &str) -> Option<(&str, &str)> {
    let (times, inner) = message.strip_prefix("message repeated ")?.split_once(" times: [")?;
    let inner = inner.trim();
    is_number(times).then_some((times, inner.strip_suffix(']').unwrap_or(inner)))
}

/// How often the message before this one was repeated, as it is written.
fn of_last(message: &str) -> Option<&str> {
    let (times, unit) = message.trim_end().strip_prefix("last message repeated ")?.split_once(' ')?;
    (is_number(times) && matches!(unit, "time" | "times")).then_some(times)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What a message says, so many times.
pub(super) fn times<'a>(mut reading: Reading<'a>, times: &'a str) -> Reading<'a> {
    match times.parse().ok().filter(|times| (1..=MOST).contains(times)) {
        Some(number) => {
            reading.repeated = number;
            reading.with("repeated", times)
        }
        None => reading.with("repeated_found", times),
    }
}

/// The message before, which a later line may repeat.
#[derive(Debug, Default)]
pub(super) struct Last {
    host: String,
    program: String,
    message: String,
}

impl Last {
    /// What a line says: if it repeats the message before, that message so many times.
    pub(super) fn read<'a>(&'a self, frame: &Frame<'a>) -> Reading<'a> {
        match of_last(frame.message) {
            Some(found) if !self.message.is_empty() && self.host == frame.host => {
                times(super::read(&self.program, &self.message), found)
            }
            _ => super::read(frame.program, frame.message),
        }
    }

    /// Keeps a message, unless it is itself a repetition.
    pub(super) fn keep(&mut self, frame: &Frame<'_>) {
        if of_last(frame.message).is_some() {
            return;
        }
        for (kept, new) in
            [(&mut self.host, frame.host), (&mut self.program, frame.program), (&mut self.message, frame.message)]
        {
            kept.clear();
            kept.push_str(new);
        }
    }

    /// Forgets it: what comes in between was not written by a program.
    pub(super) fn forget(&mut self) {
        self.message.clear();
    }
}
