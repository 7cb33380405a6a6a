//! Two trajectories side by side, step by step, as text.

use gimbal_analysis::printable;
use gimbal_analysis::profile::{ActionFacts, Profile, StepProfile};

use crate::escape::minus;

/// Two trajectories in two columns, at most `width` characters wide: per step the action and its reward, and beneath it
/// what led there (model calls, deliberation, messages, ranking, refusals, fallback, faults). `≠` marks steps whose
/// actions differ, `_` rewards at or below the floor.
#[must_use]
pub fn side_by_side(
    (first, second): (&Profile, &Profile),
    names: (&str, &str),
    facts: &ActionFacts,
    width: usize,
) -> String {
    let side = width.saturating_sub(GUTTER).max(2 * NARROWEST) / 2 - 1;
    let mut out = String::new();
    let mut line = |number: &str, mark: &str, left: &str, right: &str| {
        let text = format!("{number:>4} {mark} {}  {}", cell(left, side), cell(right, side));
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line("step", " ", names.0, names.1);
    line("", " ", &"-".repeat(side), &"-".repeat(side));
    let longest = first.steps.len().max(second.steps.len());
    for at in 0..longest {
        let (one, other) = (first.steps.get(at), second.steps.get(at));
        let action = |step: Option<&StepProfile>| step.and_then(|step| step.action.clone());
        let (a, b) = (action(one), action(other));
        let same = a.as_ref().map(|a| (&a.tool, &a.arguments)) == b.as_ref().map(|b| (&b.tool, &b.arguments));
        let number = one.or(other).map_or(0, |step| step.step).to_string();
        let (left, right) = (headline(one, facts, side), headline(other, facts, side));
        line(&number, if same { " " } else { "≠" }, &left, &right);
        let (left, right) = (remarks(one, side), remarks(other, side));
        for below in 0..left.len().max(right.len()) {
            let part = |lines: &[String]| lines.get(below).cloned().unwrap_or_default();
            line("", " ", &part(&left), &part(&right));
        }
    }
    let total = |profile: &Profile| {
        format!(
            "return {} after {} steps ({})",
            units(profile.return_thousandths),
            profile.acted().count(),
            profile.stop.name()
        )
    };
    line("", " ", &total(first), &total(second));
    out
}

/// Step number, mark and the gaps between columns.
const GUTTER: usize = 8;
/// Characters of a column below which nothing would be left of it.
const NARROWEST: usize = 20;

/// Text of exactly so many characters.
fn cell(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let length = text.chars().count();
    text + &" ".repeat(width.saturating_sub(length))
}

/// Text of at most so many characters; control characters in names are shown as escapes.
fn cut(text: &str, width: usize) -> String {
    let text = printable(text);
    if text.chars().count() <= width {
        return text;
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

fn units(thousandths: i64) -> String {
    minus(&format!("{:.1}", thousandths as f64 / 1000.0))
}

/// Action on the left, reward on the right of the column.
fn headline(step: Option<&StepProfile>, facts: &ActionFacts, width: usize) -> String {
    let Some(step) = step else { return "(ended)".to_owned() };
    let Some(action) = &step.action else { return "(no action)".to_owned() };
    let floor = if facts.at_floor(step.reward) == Some(true) { "_" } else { " " };
    let reward = format!("{}{floor}", units(step.reward));
    let mut marks = String::new();
    if step.fallbacks > 0 {
        marks.push_str(" [fallback]");
    }
    if step.off_menu {
        marks.push_str(" [off menu]");
    }
    let room = width.saturating_sub(reward.chars().count() + 1);
    format!("{} {reward}", cell(&format!("{}{marks}", action.shown()), room))
}

/// What led to the action, in lines of at most so many characters.
fn remarks(step: Option<&StepProfile>, width: usize) -> Vec<String> {
    let Some(step) = step else { return Vec::new() };
    let mut parts: Vec<String> = Vec::new();
    if step.model_calls() > 0 {
        let calls: Vec<String> = step.calls.iter().map(|entry| format!("{} {}", entry.role, entry.calls)).collect();
        parts.push(format!("calls: {} ({} tokens)", calls.join(", "), step.tokens()));
    }
    if step.deliberated() > 0 {
        let agents: Vec<String> =
            step.deliberations.iter().map(|entry| format!("{} {}", entry.name, entry.count)).collect();
        parts.push(format!("deliberates: {}", agents.join(", ")));
    }
    if !step.invocations.is_empty() {
        let asked: Vec<String> =
            step.invocations.iter().map(|entry| format!("{} ({} messages)", entry.agent, entry.messages)).collect();
        parts.push(format!("asks: {}", asked.join(", ")));
    }
    if !step.suggestions.is_empty() {
        let ranking: Vec<String> = step
            .suggestions
            .iter()
            .map(|entry| {
                let confidence = entry.confidence.map(|value| format!(" {:.2}", value as f64 / 1000.0));
                format!("{}{}", entry.action, confidence.unwrap_or_default())
            })
            .collect();
        parts.push(format!("ranked: {}", ranking.join(" > ")));
    }
    let trouble: Vec<String> = [(step.rejected, "refused"), (step.failed, "failed"), (step.faults, "faults")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !trouble.is_empty() {
        parts.push(trouble.join(", "));
    }
    parts.into_iter().map(|part| cut(&format!("  {part}"), width)).collect()
}

#[cfg(test)]
mod tests {
    use gimbal_analysis::profile::{Action, AgentCount, RoleCalls, Suggestion};

    use super::*;

    fn step(number: u32, tool: &str, reward: i64) -> StepProfile {
        StepProfile {
            step: number,
            action: Some(Action { tool: tool.to_owned(), subject: None, arguments: "{}".to_owned() }),
            reward,
            ..StepProfile::default()
        }
    }

    // covers: BOG-223
    #[test]
    fn columns_never_exceed_the_width_and_marks_stand_where_they_belong() {
        let mut busy = step(2, "Watch\u{7}", -13_100);
        busy.calls = vec![RoleCalls { role: "planner".to_owned(), calls: 3, input: 900, output: 30 }];
        busy.deliberations = vec![AgentCount { name: "planner".to_owned(), count: 2 }];
        busy.suggestions = vec![
            Suggestion { action: "Rebuild ".repeat(20), confidence: Some(850) },
            Suggestion { action: "Watch".to_owned(), confidence: None },
        ];
        let first = Profile { steps: vec![step(1, "Watch", 0), step(2, "Rebuild", -1_000)], ..Profile::default() };
        let second = Profile { steps: vec![step(1, "Watch", 0), busy, step(3, "Watch", 0)], ..Profile::default() };
        let facts = ActionFacts { floor: Some(-13_000), ..ActionFacts::default() };
        for width in [60, 80, 120] {
            let text = side_by_side((&first, &second), ("plain", "deliberating"), &facts, width);
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
                assert!(!line.contains('\u{7}'));
            }
        }
        let text = side_by_side((&first, &second), ("plain", "deliberating"), &facts, 120);
        assert!(text.contains("≠") && text.contains("−13.1_") && text.contains("(ended)"), "{text}");
        let differing = text.lines().filter(|line| line.contains('≠')).count();
        assert_eq!(differing, 2, "{text}");
    }
}
