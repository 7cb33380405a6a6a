//! The compressed log of an episode (BOG-104 to BOG-106).

use std::fmt::Write as _;

use crate::{json, words};

/// Characters of a justification that the log keeps; the rest is cut off, so that one talkative step cannot make
/// every later prompt long (BOG-107).
pub const JUSTIFICATION_LIMIT: usize = 1000;

/// A step in which something was done or seen.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Its number, from 1.
    pub step: u32,
    /// The action as the agent writes it.
    pub action: &'a str,
    /// Why the agent did so, in its own words.
    pub justification: Option<&'a str>,
    /// Subjects whose comparison with the baseline changed, with its verdict.
    pub updates: &'a [(String, &'a str)],
}

/// The log, kept twice: with the comparison's verdict on each step, and as the agent's own past alone.
/// The second is for prompts that show no status: the verdicts of the belief state would show it nevertheless, and contexts
/// with and without status could not be compared (BOG-130).
#[derive(Clone, Debug)]
pub struct History {
    judged: Log,
    own: Log,
}

impl Default for History {
    fn default() -> Self {
        Self { judged: Log { judged: true, ..Log::default() }, own: Log::default() }
    }
}

/// Lines are written once; only the last run of quiet steps may still grow.
#[derive(Clone, Debug, Default)]
struct Log {
    /// Whether it reports for quiet steps that no status changed.
    judged: bool,
    closed: String,
    run: Option<Run>,
}

/// Quiet steps that follow one another.
#[derive(Clone, Debug)]
struct Run {
    from: u32,
    to: u32,
    tools: Vec<String>,
}

impl History {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a step in which nothing was done and no status changed (BOG-105, BOG-R04).
    pub fn quiet(&mut self, step: u32, tool: &str) {
        self.judged.quiet(step, tool);
        self.own.quiet(step, tool);
    }

    /// Adds a step in which nothing was done with `tool`, and the comparison gave news: quiet but for its verdict.
    pub fn noticed(&mut self, tool: &str, event: Event<'_>) {
        self.own.quiet(event.step, tool);
        self.judged.event(event);
    }

    /// Adds any other step.
    pub fn event(&mut self, event: Event<'_>) {
        self.own.event(Event { updates: &[], ..event });
        self.judged.event(event);
    }

    /// The log as a block, with the comparison's verdict on each step.
    #[must_use]
    pub fn render(&self) -> String {
        self.judged.render()
    }

    /// The log as a block of the agent's own actions and reasons alone.
    #[must_use]
    pub fn render_own(&self) -> String {
        self.own.render()
    }
}

impl Log {
    fn quiet(&mut self, step: u32, tool: &str) {
        if let Some(run) = self.run.as_mut().filter(|run| run.to.checked_add(1) == Some(step)) {
            run.to = step;
            if run.tools.iter().all(|known| known != tool) {
                run.tools.push(tool.to_owned());
            }
            return;
        }
        self.close();
        self.run = Some(Run { from: step, to: step, tools: vec![tool.to_owned()] });
    }

    fn event(&mut self, event: Event<'_>) {
        self.close();
        let out = &mut self.closed;
        // Writing to a string cannot fail.
        let _ = write!(out, "\n{} {}: {{", words::STEP, event.step);
        json::member(out, words::ACTION, event.action);
        if let Some(text) = event.justification.map(str::trim).filter(|text| !text.is_empty()) {
            match text.char_indices().nth(JUSTIFICATION_LIMIT) {
                Some((end, _)) => json::member(out, words::JUSTIFICATION, &format!("{}…", &text[..end])),
                None => json::member(out, words::JUSTIFICATION, text),
            }
        }
        if !event.updates.is_empty() {
            json::key(out, words::COMPARED);
            out.push('{');
            for (host, status) in event.updates {
                json::member(out, host, status);
            }
            out.push('}');
        }
        out.push('}');
    }

    fn render(&self) -> String {
        if self.closed.is_empty() && self.run.is_none() {
            return words::NO_STEPS.to_owned();
        }
        let mut out = String::with_capacity(words::HISTORY.len() + self.closed.len() + 96);
        out.push_str(words::HISTORY);
        out.push_str(&self.closed);
        if let Some(run) = &self.run {
            run.write(&mut out, self.judged);
        }
        out
    }

    fn close(&mut self) {
        if let Some(run) = self.run.take() {
            run.write(&mut self.closed, self.judged);
        }
    }
}

impl Run {
    fn write(&self, out: &mut String, judged: bool) {
        let Self { from, to, tools } = self;
        let _ = match from == to {
            true => write!(out, "\n{} {from}: ", words::STEP),
            false => write!(out, "\n{} {from}-{to}: ", words::STEPS),
        };
        for (at, tool) in tools.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { ", " });
            out.push_str(tool);
        }
        if judged {
            let _ = write!(out, " ({})", words::QUIET);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event<'a>(step: u32, action: &'a str, justification: Option<&'a str>) -> Event<'a> {
        Event { step, action, justification, updates: &[] }
    }

    // covers: BOG-104, BOG-105, BOG-106
    #[test]
    fn quiet_runs_fold_and_the_rest_is_whole() {
        let mut log = History::default();
        assert_eq!(log.render(), "No step has been taken yet.");
        log.quiet(1, "Monitor");
        assert_eq!(log.render(), "Steps so far:\nStep 1: Monitor (no status change)");
        log.quiet(2, "Sleep");
        log.quiet(3, "Monitor");
        log.event(event(4, "Analyse A", Some(" looks\n\"odd\" ")));
        log.quiet(5, "Monitor");
        log.event(Event { updates: &[("A".to_owned(), "changed")], ..event(6, "Monitor", None) });
        log.event(event(7, "Remove A", Some("  ")));
        log.quiet(8, "Monitor");
        log.quiet(9, "Monitor");
        assert_eq!(
            log.render(),
            "Steps so far:\n\
             Steps 1-3: Monitor, Sleep (no status change)\n\
             Step 4: {\"action\":\"Analyse A\",\"justification\":\"looks\\n\\\"odd\\\"\"}\n\
             Step 5: Monitor (no status change)\n\
             Step 6: {\"action\":\"Monitor\",\"compared_with_baseline\":{\"A\":\"changed\"}}\n\
             Step 7: {\"action\":\"Remove A\"}\n\
             Steps 8-9: Monitor (no status change)"
        );
        log.clear();
        assert_eq!(log.render(), words::NO_STEPS);
        assert_eq!(log.render_own(), words::NO_STEPS);
    }

    // covers: BOG-104, BOG-106, BOG-130
    #[test]
    fn the_agents_own_past_holds_no_verdict_and_no_trace_of_one() {
        let news = [("A".to_owned(), "changed")];
        let mut log = History::default();
        log.quiet(1, "Monitor");
        log.noticed("Monitor", Event { updates: &news, ..event(2, "Monitor", Some("sees A")) });
        log.quiet(3, "Monitor");
        log.event(Event { updates: &news, ..event(4, "Restore A", Some("it changed")) });
        log.quiet(5, "Monitor");
        let own = "Steps so far:\nSteps 1-3: Monitor\n\
                   Step 4: {\"action\":\"Restore A\",\"justification\":\"it changed\"}\nStep 5: Monitor";
        assert_eq!(log.render_own(), own);
        assert!(log.render().contains("compared_with_baseline") && log.render().contains("no status change"));
        // The same actions without any news: the same text, so that nothing can be read off the way runs are folded.
        let mut blind = History::default();
        for step in 1..=3 {
            blind.quiet(step, "Monitor");
        }
        blind.event(event(4, "Restore A", Some("it changed")));
        blind.quiet(5, "Monitor");
        assert_eq!(blind.render_own(), own);
    }

    #[test]
    fn steps_that_do_not_follow_one_another_are_not_folded() {
        let mut log = History::default();
        log.quiet(1, "Monitor");
        log.quiet(3, "Monitor");
        assert_eq!(
            log.render(),
            "Steps so far:\nStep 1: Monitor (no status change)\nStep 3: Monitor (no status change)"
        );
    }

    // covers: BOG-107
    #[test]
    fn a_long_justification_is_cut_between_characters() {
        let long = "é".repeat(JUSTIFICATION_LIMIT + 1);
        let mut log = History::default();
        log.event(event(1, "Remove A", Some(&long)));
        let kept = "é".repeat(JUSTIFICATION_LIMIT) + "…";
        assert!(log.render().ends_with(&format!("\"justification\":\"{kept}\"}}")));
        let mut log = History::default();
        log.event(event(1, "Remove A", Some(&long[2..])));
        assert!(log.render().ends_with("é\"}"));
    }
}
