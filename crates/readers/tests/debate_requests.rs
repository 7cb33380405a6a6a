//! Every request of a debate, in every configuration and form: no sentence in it is false of that configuration.
//!
//! `GIMBAL_REQUESTS=FOLDER cargo test -p gimbal-readers --test all debate_requests::` also writes the requests there, for a person to read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::collections::BTreeSet;

use gimbal_triage::Triage;
use regex::Regex;
use serde_json::{Value, json};

use crate::common::{Asked, Cell, tasks};
use crate::debate::shipped;
use crate::requests::keep;

/// What is between two marks of a text.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let from = text.find(open)? + open.len();
    text[from..].find(close).map(|to| text[from..from + to].trim())
}

/// The side that a request speaks to, by its first sentence; none for the agents around a debate.
fn side(system: &str) -> Option<&'static str> {
    let sides = [
        ("You are the Architect.", "architect"),
        ("You are the Skeptic.", "skeptic"),
        ("You are an examiner.", "neutral"),
    ];
    sides.into_iter().find(|(words, _)| system.contains(words)).map(|(_, side)| side)
}

/// The bounds that a request states for a list: `at most 8 objects`, `at most 6 entries`.
fn bounds(text: &str, of: &str) -> BTreeSet<String> {
    let stated = Regex::new(&format!("\"{of}\"[^.\\n]*?at most ([0-9]+)")).unwrap();
    stated.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

/// What is false in a request to a side, or says two things.
fn stumbles(settings: &Value, constrained: bool, asked: &Asked) -> Vec<String> {
    let messages: Vec<&str> = asked.request.messages.iter().map(|message| &*message.text).collect();
    let (system, whole) = (messages[0], messages.join("\n"));
    let last =
        messages.iter().rfind(|text| text.contains("This is the packet of the case.")).copied().unwrap_or_default();
    let mut found = Vec::new();
    let mut check = |holds: bool, what: &str| {
        if !holds {
            found.push(what.to_owned());
        }
    };
    let Some(side) = side(system) else {
        check(!whole.contains("<debate>"), "who stands beside a debate is told how it stands as a side is");
        return found;
    };
    let told = between(last, "<debate>", "</debate>").map(|text| serde_json::from_str::<Value>(text).unwrap());
    let member = |key: &str| told.as_ref().and_then(|told| told.get(key));
    let (yours, theirs) = (member("yours"), member("theirs"));
    let heard = theirs.is_some_and(|theirs| !theirs.is_null());
    // The task behind the packet; anyone may have written the texts in the packet itself.
    let task = last.rsplit("</debate>").next().unwrap_or(last);
    let says = |words: &str| task.contains(words);
    if yours.is_none() {
        for words in ["your last answer", "anew", "both of you", "keep claims", "one of yours", "may go up"] {
            check(!says(words), &format!("`{words}` to a side that has not spoken"));
        }
    } else {
        check(says("your last answer"), "nobody says what `yours` is");
    }
    check(heard == says("one by one"), "claims are to be answered one by one where none, or some, are shown");
    check(
        says("Nobody answered you") == (yours.is_some() && theirs.is_none()),
        "`Nobody answered you` is said in the wrong place",
    );
    check(theirs.is_some_and(Value::is_null) == says("was lost on its way"), "what was lost and what is null differ");
    if let Some(told) = &told {
        let (round, rounds) = (told["round"].as_u64().unwrap(), told["rounds"].as_u64().unwrap());
        check(round <= rounds, "a round beyond the last one");
    }
    let anchored = system.contains("\"changes\"");
    let may_anchor = settings["configuration"].as_str().is_some_and(|name| name.contains("anchored"));
    // The first round is none.
    let must_anchor = may_anchor && heard && yours.is_some();
    check(anchored == must_anchor, "changes are asked for in a round that is not anchored, or not in one that is");
    let names = ["Architect", "Skeptic"].map(|name| whole.contains(name));
    check((side == "neutral") != names.contains(&true), "an examiner is told of roles, or a side of none");
    let calibrated = system.contains("A confidence of 0.5 says");
    let plain = settings["configuration"].as_str().is_some_and(|name| name.contains("uncalibrated"));
    check(calibrated != plain, "words on calibration are there where they are off, or missing where they are on");
    for list in ["assertions", "unknowns", "facts", "changes", "conceded", "interpretation"] {
        let stated = bounds(system, list);
        check(stated.len() <= 1, &format!("two bounds of `{list}` {stated:?}, constrained: {constrained}"));
    }
    found
}

/// The contract of the answer that a request asks for, by the keys that its system message names.
fn contract(system: &str) -> Option<Value> {
    let known = [
        ("\"changes\"", include_str!("../../architectures/src/debate/contracts/anchored_position.json")),
        ("\"assertions\" is", include_str!("../../architectures/src/debate/contracts/position.json")),
        ("\"answers\"", include_str!("../../architectures/src/debate/contracts/audit.json")),
        ("keys \"confidence\"", include_str!("../../architectures/src/debate/contracts/estimate.json")),
        ("one key, \"text\"", include_str!("../../architectures/src/debate/contracts/narration.json")),
    ];
    let found = known.into_iter().find(|(words, _)| system.contains(words));
    found.map(|(_, contract)| serde_json::from_str(contract).unwrap())
}

/// The members that a message may have and the request does not name, and the bounds that it does not state. A stated bound may be
/// narrower than that of the contract.
fn untold(system: &str, schema: &Value, found: &mut Vec<String>) {
    let most = Regex::new("at most ([0-9]+)").unwrap();
    for (key, of) in schema["properties"].as_object().into_iter().flatten() {
        let named = format!("\"{key}\"");
        let lines: Vec<&str> = system.lines().filter(|line| line.contains(&named)).collect();
        if lines.is_empty() {
            found.push(format!("a message may have `{key}`, and nobody says so"));
        }
        let states = |bound: &Value| {
            let bound = bound.as_u64().unwrap();
            // The numbers around it belong to others: a list of 6 does not say how long a text may be.
            let near = |number: u64| (bound / 2..=bound).contains(&number);
            let mut numbers = lines.iter().flat_map(|line| most.captures_iter(line));
            numbers.any(|number| number[1].parse().is_ok_and(near))
        };
        for bound in [&of["maxItems"], &of["maxLength"], &of["items"]["maxLength"]] {
            // There are as many answers as claims.
            if !bound.is_null() && key != "answers" && !states(bound) {
                found.push(format!("`{key}` may have {bound}, and nobody says so"));
            }
        }
        untold(system, of, found);
        untold(system, &of["items"], found);
    }
}

/// The keys of a value at every depth.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.keys().cloned());
            members.values().for_each(|member| keys(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

/// The keys of what a request shows beside the packet that no sentence of it names.
fn unexplained(asked: &Asked) -> Vec<String> {
    let messages = &asked.request.messages;
    let Some(last) = messages.iter().rfind(|one| one.text.contains("This is the packet of the case.")) else {
        return Vec::new();
    };
    let mut found = BTreeSet::new();
    let mut said = messages[0].text.to_string();
    for tag in ["debate", "claims", "position", "verdict"] {
        let (open, close) = (format!("<{tag}>\n"), format!("</{tag}>"));
        if let Some(told) = between(&last.text, &open, &close) {
            keys(&serde_json::from_str(told).unwrap(), &mut found);
            said.push_str(last.text.rsplit(&close).next().unwrap_or_default());
        }
    }
    let is_named = |key: &String| said.contains(&format!("\"{key}\""));
    found.into_iter().filter(|key| !is_named(key)).collect()
}

// covers: ARES-031, ARES-032, ARES-033, ARES-041, ARES-045, ARES-046
#[tokio::test]
async fn no_request_of_a_debate_says_what_is_false_of_its_configuration() {
    let options = json!({});
    // In the first scenario the Architect finds signs, in the other one the Skeptic finds explanations.
    let scenes = [0, 6].map(|index| tasks(&Triage, "dev", &options, 60).remove(index));
    let mut broken = BTreeSet::new();
    let (mut requests, mut episodes) = (0, 0);
    for name in shipped() {
        // Every round is played, so that every request is seen.
        let mut settings = json!({ "configuration": name, "stops_early": false });
        if name.starts_with("gate") {
            let certainty = if name.contains("oracle") { "oracle" } else { "winner" };
            settings["gate"] = json!({ "low": 0, "high": 1, "certainty": certainty });
        }
        let thesis = json!({ "configuration": name, "skeptic_sees_thesis": true, "narrator": "model" });
        let isolated = name == "self-correction";
        for (variant, settings) in
            [("", settings), ("-thesis", thesis)].into_iter().filter(|(v, _)| !isolated || v.is_empty())
        {
            for cell in Cell::all("debate", &settings) {
                for spoilt in [false, true] {
                    let task = &scenes[episodes / 2 % 2];
                    episodes += 1;
                    let (_, asked) = cell.requests(&Triage, &options, (task, 4), spoilt).await;
                    let form = if cell.constrained { "constrained" } else { "free" };
                    let spoilt = if spoilt { "-spoilt" } else { "" };
                    keep("debate", &format!("{name}{variant}-{}-{form}{spoilt}", cell.protocol), &asked);
                    requests += asked.len();
                    for one in &asked {
                        let mut found = stumbles(&settings, cell.constrained, one);
                        let system = &one.request.messages[0].text;
                        match contract(system) {
                            Some(contract) => untold(system, &contract, &mut found),
                            None => found.push(format!("nobody knows what is asked for: {system}")),
                        }
                        let unexplained = unexplained(one);
                        found.extend(unexplained.iter().map(|key| format!("`{key}` is shown and not explained")));
                        for what in found {
                            broken.insert(format!("{what} [{name}{variant} {} {form}]", cell.protocol));
                        }
                    }
                }
            }
        }
    }
    println!("{requests} requests");
    assert!(requests > 1000);
    assert!(broken.is_empty(), "{} stumbles:\n{}", broken.len(), broken.into_iter().collect::<Vec<_>>().join("\n"));
}
