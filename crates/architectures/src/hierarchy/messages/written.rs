//! Suggestions that a chooser wrote as a table or as a list of lines in place of JSON. Only what states a confidence in its own row or line is read:
//! lines of a thought state none.

use gimbal_agent::reading::{bare, key, undecorated};
use serde_json::{Value, json};

/// Names of the member that holds the action.
pub(super) const ACTIONS: [&str; 4] = ["action", "suggested_action", "suggestion", "action_name"];
/// Names of the member that holds the confidence.
pub(super) const CONFIDENCES: [&str; 5] = ["confidence", "confidence_score", "score", "probability", "certainty"];

/// How many rows or lines are read.
const MOST: usize = 16;

/// The rows of the first table, or else the lines of a list, as the objects that JSON would have. Empty if there is neither.
pub(super) fn items(text: &str) -> Vec<Value> {
    let text = bare(text);
    let rows = table(&text);
    if rows.is_empty() { lines(&text) } else { rows }
}

fn item(action: &str, confidence: &str) -> Option<Value> {
    let (action, confidence) = (undecorated(action), undecorated(confidence));
    (!action.is_empty() && !confidence.is_empty()).then(|| json!({ ACTIONS[0]: action, CONFIDENCES[0]: confidence }))
}

/// The rows of a table whose head names an action and a confidence.
fn table(text: &str) -> Vec<Value> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| columns(&cells(line)).is_none());
    let Some(head) = lines.next().and_then(|line| columns(&cells(line))) else { return Vec::new() };
    let rows = lines.take_while(|line| line.starts_with('|')).take(MOST + 1);
    let read = |line: &str| {
        let cells = cells(line);
        let is_rule = cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' ')));
        if is_rule { None } else { item(cells.get(head.0)?, cells.get(head.1)?) }
    };
    rows.filter_map(read).take(MOST).collect()
}

/// The cells of a line between its bars.
fn cells(line: &str) -> Vec<&str> {
    let inside = line.strip_prefix('|').map(|line| line.strip_suffix('|').unwrap_or(line));
    inside.map(|line| line.split('|').map(str::trim).collect()).unwrap_or_default()
}

/// Where a head has the action and the confidence.
fn columns(head: &[&str]) -> Option<(usize, usize)> {
    let at = |names: &[&str]| head.iter().position(|cell| names.contains(&key(undecorated(cell)).as_str()));
    Some((at(&ACTIONS)?, at(&CONFIDENCES)?))
}

/// The lines `1. ACTION (confidence SHARE)`, with any mark of a list before them.
fn lines(text: &str) -> Vec<Value> {
    let read = |line: &str| {
        let (action, confidence) = rated(unmarked(line.trim())?)?;
        item(action, confidence)
    };
    text.lines().filter_map(read).take(MOST).collect()
}

/// A line without the mark of a list before it; `None` if it has no such mark.
fn unmarked(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match number.len() < line.len() {
        true => number.strip_prefix(['.', ')'])?,
        false => line.strip_prefix(['-', '*', '•'])?,
    };
    rest.strip_prefix(' ').map(str::trim)
}

/// What is before the last `confidence` of a line, and the share behind it.
fn rated(line: &str) -> Option<(&str, &str)> {
    let word = CONFIDENCES[0];
    let at = line
        .char_indices()
        .map(|(at, _)| at)
        .rfind(|at| line.get(*at..*at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word)))?;
    let before = line[..at].trim_end();
    let (before, after) = (before.strip_suffix(['(', '[', ',', '-', '–', '—', ':', ';'])?, &line[at + word.len()..]);
    let share = after.split([')', ']']).next().unwrap_or_default();
    let share = share.trim_start_matches([' ', ':', '=', '*']).trim_end_matches([' ', '.', '*']);
    Some((before.trim_end(), share))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::items;

    // covers: BOG-067, BOG-070
    #[test]
    fn tables_and_lines_are_read_where_each_states_a_confidence() {
        let wanted = [
            json!({ "action": "Oil machine=lathe", "confidence": "0.8" }),
            json!({ "action": "Wait", "confidence": "20%" }),
        ];
        for text in [
            "| Action | Confidence |\n|---|---|\n| Oil machine=lathe | 0.8 |\n| `Wait` | 20% |",
            "I suggest:\n\n| # | **Action** | Why | Confidence |\n|:-:|---|---|---|\n| 1 | Oil machine=lathe | hot | 0.8 |\n| 2 | Wait | - | 20% |\n\nThat is all.",
            "1. Oil machine=lathe (confidence 0.8)\n2. Wait (confidence: 20%)",
            "Here they are:\n- **Oil machine=lathe** - confidence: 0.8\n- Wait, Confidence = 20%.",
            "<think>1. Stop (confidence 1)</think>1) `Oil machine=lathe` [confidence 0.8]\n2) Wait: confidence 20%",
            "1. Oil machine=lathe (confidence 0.8), because it is hot\n2. Wait (confidence: 20%) [calm]",
        ] {
            assert_eq!(items(text), wanted, "{text}");
        }
        for text in [
            "",
            "1. Wait",
            "I have no confidence 0.8",
            "- confidence: 0.8",
            "| Action |\n|---|\n| Wait |",
            "Wait (confidence 0.8)",
        ] {
            assert!(items(text).is_empty(), "{text}");
        }
        assert_eq!(items(&"1. Wait (confidence 1)\n".repeat(99)).len(), super::MOST);
    }
}
