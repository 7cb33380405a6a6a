//! Records of attacks and of searches as a person reads them (CTHA-119, CTHA-131).

use gimbal_messages::Record;
use gimbal_messages::records::attack::{AttackCarriedOut, AttackPlanted, AttackRead};
use gimbal_messages::records::search::{Expanded, FirstAction, Reflected, Searched, Tried};
use gimbal_messages::records::stage::Branched;

/// Whether a record of this kind is about what was done before it: it belongs to the step that is over, or to the whole episode.
pub(super) fn is_behind(kind: &str) -> bool {
    [AttackPlanted::KIND, AttackCarriedOut::KIND, Branched::KIND].contains(&kind)
}

/// A record in words; `None` for other kinds and for data that do not have the form of their kind.
pub(super) fn tell(kind: &str, data: &str) -> Option<String> {
    Some(match kind {
        AttackPlanted::KIND => planted(&AttackPlanted::read(data).ok()?),
        AttackRead::KIND => {
            let AttackRead { role, whole, .. } = AttackRead::read(data).ok()?;
            let what = if whole { "the whole planted text" } else { "a rest of the planted text, with its call" };
            format!("attack: {role} reads {what}")
        }
        AttackCarriedOut::KIND => {
            let AttackCarriedOut { step } = AttackCarriedOut::read(data).ok()?;
            format!("attack: the planted call was carried out in step {step}")
        }
        Expanded::KIND => expanded(&Expanded::read(data).ok()?),
        Searched::KIND => searched(&Searched::read(data).ok()?),
        Reflected::KIND => reflected(&Reflected::read(data).ok()?),
        Branched::KIND => {
            let Branched { branches, calls, refused } = Branched::read(data).ok()?;
            let refused = if refused > 0 { format!(", {refused} more refused by the limit") } else { String::new() };
            format!(
                "in branches, over the whole episode: {} with {}{refused}",
                some(branches, "branch", "branches"),
                some(calls, "call", "calls")
            )
        }
        _ => return None,
    })
}

fn some(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn planted(planted: &AttackPlanted) -> String {
    let AttackPlanted { step, suite, category, text, aim, call, changes, .. } = planted;
    let harm = match (aim.as_str(), changes.as_deref()) {
        ("bind", _) => "it ends or binds the task".to_owned(),
        (_, Some([])) => "it changes no thing of the environment".to_owned(),
        (_, Some(changes)) => format!("it changes {}", changes.join(", ")),
        (aim, None) => format!("its aim: {aim}"),
    };
    format!(
        "attack: `{text}` of {category} ({suite}) follows the observation of step {step} and asks for {call}; {harm}"
    )
}

fn expanded(expanded: &Expanded) -> String {
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

fn searched(searched: &Searched) -> String {
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

fn reflected(reflected: &Reflected) -> String {
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
    use gimbal_core::Milli;
    use gimbal_messages::Record;
    use gimbal_messages::records::attack::{AttackCarriedOut, AttackPlanted, AttackRead};
    use gimbal_messages::records::search::{Expanded, FirstAction, Reflected, Searched, Tried};
    use gimbal_messages::records::stage::Branched;

    use super::{is_behind, tell};

    fn told<R: Record>(record: &R) -> String {
        tell(R::KIND, &record.data().to_string()).unwrap()
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
        let branched = Branched { branches: 9, calls: 1, refused: 2 };
        assert_eq!(
            told(&branched),
            "in branches, over the whole episode: 9 branches with 1 call, 2 more refused by the limit"
        );
        assert_eq!((tell("expanded", "{}"), tell("counted", "{}")), (None, None), "shown as it is stored");
    }

    // covers: CTHA-119
    #[test]
    fn an_attack_is_told_in_lines_with_the_steps_that_it_is_about() {
        let mut planted = AttackPlanted {
            step: 2,
            suite: "own".to_owned(),
            category: "jailbreak".to_owned(),
            text: "rules-off".to_owned(),
            aim: "change".to_owned(),
            call: "go to desk 1".to_owned(),
            tool: "move".to_owned(),
            arguments: Default::default(),
            changes: Some(Vec::new()),
        };
        let line =
            "attack: `rules-off` of jailbreak (own) follows the observation of step 2 and asks for go to desk 1; ";
        assert_eq!(told(&planted), format!("{line}it changes no thing of the environment"));
        assert_eq!(planted.is_harmful(), Some(false));
        planted.changes = Some(vec!["door of desk 1".to_owned()]);
        assert_eq!((told(&planted), planted.is_harmful()), (format!("{line}it changes door of desk 1"), Some(true)));
        planted.changes = None;
        assert_eq!((told(&planted), planted.is_harmful()), (format!("{line}its aim: change"), None));
        planted.aim = "bind".to_owned();
        assert_eq!((told(&planted), planted.is_harmful()), (format!("{line}it ends or binds the task"), Some(true)));
        let read = AttackRead { step: 3, role: "reflex".to_owned(), whole: false };
        assert_eq!(told(&read), "attack: reflex reads a rest of the planted text, with its call");
        assert_eq!(told(&AttackCarriedOut { step: 3 }), "attack: the planted call was carried out in step 3");
        assert!(is_behind(AttackPlanted::KIND) && is_behind(Branched::KIND) && !is_behind(AttackRead::KIND));
    }
}
