//! Records of searches and reflections as a person reads them (CTHA-131).

use gimbal_core::StoryMemory;

use super::{Expanded, FirstAction, Reflected, Searched, Tried};
use crate::records::stage::some;

pub(super) fn expanded(expanded: &Expanded, _memory: &mut StoryMemory) -> String {
    let Expanded { iteration, path, tried, .. } = expanded;
    let from = if path.is_empty() { "the present".to_owned() } else { path.join(", then ") };
    let tried: Vec<String> = tried.iter().map(one_tried).collect();
    let tried = if tried.is_empty() { "nothing was proposed".to_owned() } else { tried.join("; ") };
    format!("search, expansion {iteration} from {from}: {tried}")
}

fn one_tried(tried: &Tried) -> String {
    let Tried { action, outcome, reward, ended, value } = tried;
    let mut facts = vec![outcome.replace('_', " ")];
    facts.extend(reward.map(|reward| format!("reward {reward}")));
    facts.extend(ended.clone());
    facts.extend(value.map(|value| format!("value {value}")));
    format!("{action} ({})", facts.join(", "))
}

pub(super) fn searched(searched: &Searched, _memory: &mut StoryMemory) -> String {
    let Searched { iterations, nodes, depth, answers, stopped, first, played, .. } = searched;
    let first = first.iter().map(|one| {
        let FirstAction { action, visits, value, simulated, worth } = one;
        format!(
            "{action}: worth {worth} (value {value}, simulated return {simulated}, {})",
            some(u64::from(*visits), "visit", "visits")
        )
    });
    let first = first.collect::<Vec<_>>().join("; ");
    let first = if first.is_empty() { String::new() } else { format!("; {first}") };
    let plays =
        played.as_ref().map_or_else(|| "no action is left to play".to_owned(), |played| format!("plays {played}"));
    format!(
        "search ends ({}) after {}, {}, depth {depth}, {}: {plays}{first}",
        stopped.replace('_', " "),
        some(u64::from(*iterations), "expansion", "expansions"),
        some(u64::from(*nodes), "node", "nodes"),
        some(u64::from(*answers), "answer", "answers")
    )
}

pub(super) fn reflected(reflected: &Reflected, _memory: &mut StoryMemory) -> String {
    let Reflected { about, attempt, ended, text, tokens, kept, .. } = reflected;
    let about = if about == "leaf" { "simulated attempt" } else { "attempt" };
    match text {
        Some(text) => format!(
            "reflection on {about} {attempt} ({ended}): {text} ({tokens} tokens; {kept} stand in later prompts)"
        ),
        None => format!("reflection on {about} {attempt} ({ended}): nothing usable was written"),
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Milli, StoryMemory};

    use crate::Record;
    use crate::records::search::{Expanded, FirstAction, Reflected, Searched, Tried};

    fn told<R: Record>(record: &R) -> String {
        record.told(&mut StoryMemory::default()).unwrap()
    }

    // covers: CTHA-131
    #[test]
    fn a_search_is_told_in_lines() {
        let tried = |action: &str, outcome: &str, value: Option<i64>| Tried {
            action: action.to_owned(),
            outcome: outcome.to_owned(),
            reward: value.map(|_| Milli(0)),
            ended: None,
            value: value.map(Milli),
        };
        let mut expanded = Expanded {
            step: 2,
            iteration: 1,
            path: Vec::new(),
            tried: vec![tried("go", "simulated", Some(600)), tried("fly", "refused", None)],
        };
        assert_eq!(
            told(&expanded),
            "search, expansion 1 from the present: go (simulated, reward 0.0, value 0.6); fly (refused)"
        );
        (expanded.path, expanded.tried) = (vec!["go".to_owned(), "take".to_owned()], Vec::new());
        assert_eq!(told(&expanded), "search, expansion 1 from go, then take: nothing was proposed");
        let first = FirstAction {
            action: "go".to_owned(),
            visits: 1,
            value: Milli(600),
            simulated: Milli(0),
            worth: Milli(500),
        };
        let searched = Searched {
            step: 2,
            iterations: 1,
            nodes: 1,
            depth: 1,
            answers: 2,
            stopped: "branch_calls".to_owned(),
            first: vec![first],
            played: Some("go".to_owned()),
        };
        assert_eq!(
            told(&searched),
            "search ends (branch calls) after 1 expansion, 1 node, depth 1, 2 answers: plays go; go: worth 0.5 (value 0.6, simulated return 0.0, 1 visit)"
        );
        let mut reflected = Reflected {
            about: "leaf".to_owned(),
            attempt: 3,
            ended: "no step is left".to_owned(),
            text: Some("Go first.".to_owned()),
            tokens: 3,
            exact: true,
            kept: 1,
        };
        assert_eq!(
            told(&reflected),
            "reflection on simulated attempt 3 (no step is left): Go first. (3 tokens; 1 stand in later prompts)"
        );
        (reflected.about, reflected.text) = ("trial".to_owned(), None);
        assert_eq!(told(&reflected), "reflection on attempt 3 (no step is left): nothing usable was written");
    }
}
