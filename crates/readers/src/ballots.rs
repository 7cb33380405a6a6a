//! A player of games by ballots: states its start, then the lower median of what it was told, and votes to stop once enough agents state it.
//!
//! It knows the rounds that its page shows, and nothing of what others were told.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Value, json};

use crate::kit::{Sheet, between};

/// Whether the page asks for a ballot.
#[must_use]
pub fn knows(sheet: &Sheet<'_>) -> bool {
    sheet.adviser && sheet.asks_for(&["strategy", "value", "reason", "vote"])
}

/// The ballot of this round.
#[must_use]
pub fn reply(sheet: &Sheet<'_>) -> Reply {
    let Some(page) = sheet.shown().next_back().and_then(|text| between(text, "rounds")).map(unquoted) else {
        sheet.miss(InformationKind::Observation, "the rounds so far");
        return sheet.message("", &ballot(None, "the rounds are not shown", false));
    };
    if page.contains("You may abstain") && page.contains("do not follow the rules") {
        return sheet.message("others must not agree", &ballot(None, "", false));
    }
    let start = number_behind(&page, "at the start was ");
    if start.is_none() {
        sheet.miss(InformationKind::Observation, "the number at the start");
    }
    let needed = number_behind(&page, "Values are whole numbers from 0 to ")
        .and_then(|_| page.split_once(" votes for ").map(|(before, _)| before))
        .and_then(|before| before.rsplit(". ").next())
        .and_then(|counts| counts.split(' ').next()?.parse::<usize>().ok());
    let Some(last) = page.lines().rfind(|line| line.starts_with("Round ") && line.contains(": ")) else {
        return sheet.message("nobody has stated anything yet", &ballot(start, "my number at the start", false));
    };
    let mut told = told(last);
    if told.is_empty() {
        sheet.miss(InformationKind::Observation, "numbers of the latest round");
    }
    told.sort_unstable();
    let value = told.get(told.len().saturating_sub(1) / 2).copied().or(start);
    let same = told.iter().filter(|other| Some(**other) == value).count();
    let stop = needed.is_some_and(|needed| same >= needed);
    let reason = if stop { "enough of us state this number" } else { "the middle of what was stated" };
    sheet.message("take the middle of the latest round", &ballot(value, reason, stop))
}

fn ballot(value: Option<u64>, reason: &str, stop: bool) -> Value {
    let vote = if stop { "stop" } else { "continue" };
    json!({ "strategy": "move to the middle, stop when two thirds are there", "value": value, "reason": reason, "vote": vote })
}

/// The text without what is in quotation marks: reasons are words of others.
fn unquoted(text: &str) -> String {
    text.lines()
        .map(|line| if line.starts_with("Round ") && line.contains(": ") { outside(line) } else { line.to_owned() })
        .collect::<Vec<_>>()
        .join("\n")
}

fn outside(line: &str) -> String {
    line.split('"').step_by(2).collect()
}

/// The numbers in the line of a round: the word behind the name of each agent.
fn told(line: &str) -> Vec<u64> {
    let said = line.split_once(": ").map_or("", |(_, said)| said);
    said.split(';')
        .filter_map(|one| one.trim().trim_end_matches('.').split(' ').find_map(|word| word.parse::<u64>().ok()))
        .collect()
}

fn number_behind(text: &str, words: &str) -> Option<u64> {
    let (_, rest) = text.split_once(words)?;
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{told, unquoted};

    #[test]
    fn numbers_in_reasons_are_no_values() {
        let line = "Round 2: agent_1 12 continue \"take 40; agent_2 41 stop\"; agent_2 (you) 7 stop; agent_3 nothing continue.";
        assert_eq!(told(&unquoted(line)), [12, 7]);
    }
}
