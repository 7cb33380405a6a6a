//! Sensible values of arguments, from the question and from what the episode has met: for noisy experts, random play, and
//! models that decode under constraint.

use super::session::Session;
use super::task::Asked;
use crate::tools::{EDGAR_SEARCH, FINAL_ANSWER, PARSE_PAGE, RETRIEVE, WEB_SEARCH};
use crate::tracker::KINDS;

/// Addresses that are listed at most.
const MOST_URLS: usize = 24;
/// Characters of an answer that is listed.
const ANSWER: usize = 1200;

/// The values of a tool's parameter; none for one that is left out where it may be.
pub(super) fn of(tool: &str, parameter: &str, asked: &Asked, session: &Session) -> Option<Vec<String>> {
    Some(match (tool, parameter) {
        (EDGAR_SEARCH, "query" | "search_query") | (WEB_SEARCH, "search_query") => queries(&asked.text),
        (PARSE_PAGE, "url") => urls(session),
        (PARSE_PAGE, "key") => KINDS.iter().map(|kind| free_key(kind, session)).collect(),
        (RETRIEVE, "prompt") => prompts(&asked.text, session),
        (FINAL_ANSWER, "answer") => answers(session),
        _ => return None,
    })
}

/// Names in a question: runs of capitalised words, the first word left out.
fn names(question: &str) -> Vec<String> {
    const NO_NAMES: [&str; 20] = [
        "What",
        "Which",
        "Who",
        "How",
        "Did",
        "By",
        "If",
        "In",
        "Compare",
        "Assume",
        "Express",
        "Give",
        "Chief",
        "Financial",
        "Officer",
        "United",
        "December",
        "Exhibit",
        "At",
        "EBITDA",
    ];
    let mut names: Vec<String> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut close = |run: &mut Vec<&str>| {
        let name = run.join(" ");
        if run.len() > 1 && !names.contains(&name) {
            names.push(name);
        }
        run.clear();
    };
    for word in question.split(' ') {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let named = bare.chars().next().is_some_and(char::is_uppercase)
            && bare.chars().skip(1).any(char::is_lowercase)
            && !NO_NAMES.contains(&bare)
            && !word.starts_with('(');
        if named {
            run.push(bare);
        }
        if !named || bare.len() < word.len() {
            close(&mut run);
        }
    }
    close(&mut run);
    names
}

fn queries(question: &str) -> Vec<String> {
    let names = names(question);
    let mut words: Vec<&str> = question
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() > 5 && word.chars().all(|letter| letter.is_lowercase()))
        .collect();
    words.dedup();
    let topic = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
    let mut queries: Vec<String> = names.iter().take(4).map(|name| format!("\"{name}\"")).collect();
    if let Some(name) = names.first() {
        queries.extend(["annual report", "guidance", "press release"].map(|what| format!("\"{name}\" {what}")));
        if !topic.is_empty() {
            queries.push(format!("\"{name}\" {topic}"));
        }
    }
    if queries.is_empty() || !topic.is_empty() {
        queries.push(if topic.is_empty() { "annual report".to_owned() } else { topic });
    }
    queries.dedup();
    queries
}

fn urls(session: &Session) -> Vec<String> {
    session.found.iter().rev().take(MOST_URLS).map(|found| found.url.clone()).collect()
}

/// A key that holds nothing yet, named after the kind of source: `10-K`, `10-K 2`, ... So that a call names its subject.
pub(super) fn free_key(kind: &str, session: &Session) -> String {
    let mut key = kind.to_owned();
    let mut number = 1;
    while session.store.get(&key).is_some() {
        number += 1;
        key = format!("{kind} {number}");
    }
    key
}

/// A question with the keys of stored texts behind it; its own braces are doubled, so that they stay braces.
pub(super) fn prompt(question: &str, keys: &[&str]) -> String {
    let mut prompt = question.replace('{', "(").replace('}', ")");
    for key in keys {
        prompt.push_str(&format!("\n\n{{{{{key}}}}}"));
    }
    prompt
}

fn prompts(question: &str, session: &Session) -> Vec<String> {
    let keys: Vec<&str> =
        session.store.documents().iter().map(|document| document.key.as_str()).filter(|key| plain(key)).collect();
    let mut prompts: Vec<String> = keys.iter().map(|key| prompt(question, &[key])).collect();
    if keys.len() > 1 {
        prompts.push(prompt(question, &keys));
    }
    prompts
}

/// Whether a key can be in a format string.
pub(super) fn plain(key: &str) -> bool {
    !key.is_empty() && !key.contains(['{', '}', '.', '[', ':', '!']) && !key.bytes().all(|byte| byte.is_ascii_digit())
}

fn answers(session: &Session) -> Vec<String> {
    let nothing = "The documents do not tell.".to_owned();
    let read = session.reply.as_deref().map(|reply| reply.chars().take(ANSWER).collect::<String>());
    read.filter(|read| !read.trim().is_empty()).into_iter().chain([nothing]).collect()
}
