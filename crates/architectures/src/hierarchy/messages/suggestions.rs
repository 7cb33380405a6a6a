//! What the chooser answers (BOG-067).

use std::borrow::Cow;

use gimbal_agent::reading::{array, words};
use gimbal_core::{Brief, Hint, ToolCall};
use gimbal_messages::{ANY, Allowed, ExpertMessage, ExpertView, Form, Message, Tier, bounded, spaced};
use serde_json::{Map, Value, json};

use super::written::{self, ACTIONS, CONFIDENCES};
use super::{Severity, Situation, UNKNOWN, told};

/// How many suggestions count; of the rest it is told.
pub const MAX_SUGGESTIONS: usize = 3;
/// How many things that are not suggestions it is told about.
const TOLD_AT_MOST: usize = 8;

/// Longest action, in characters. Environments whose actions hold whole answers with their sources need several hundred. A longer
/// one is not a suggestion, and none is cut: the part that is left might be an action that was not meant.
const BOUND: usize = 4_000;

/// A suggested action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The action, as its environment writes it.
    pub action: String,
    /// How sure the adviser is, in thousandths from 0 to 1000; 0 where that could not be read.
    pub confidence: u16,
    /// What could not be read of it, as it was written: `confidence: 9`.
    pub unread: Option<String>,
}

/// What a chooser wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Menu {
    /// The suggestions, at most [`MAX_SUGGESTIONS`], in its order.
    pub found: Vec<Suggestion>,
    /// What is not a suggestion, as it was written: `action: Dance`.
    pub unread: Vec<String>,
}

/// What is told about suggestions that did not come.
const NONE: &str = "no suggestion could be had";
/// The key of what could not be read.
const UNREAD: &str = "unread";

impl Suggestion {
    /// What replaces suggestions that cannot be read (BOG-070): it says so.
    #[must_use]
    pub fn default_of(idle: &str) -> Self {
        Self { action: idle.to_owned(), confidence: 0, unread: Some(NONE.to_owned()) }
    }

    /// Reads what a chooser wrote, as [`Menu::read`] does. None if there is not one suggestion.
    #[must_use]
    pub fn read(text: &str) -> Option<(Vec<Self>, Tier)> {
        Menu::read(text).map(|(menu, tier)| (menu.found, tier)).filter(|(found, _)| !found.is_empty())
    }

    /// An action, with its confidence or without.
    fn of(item: &Value) -> Option<Self> {
        let action = match ACTIONS.iter().find_map(|key| item.get(*key)) {
            Some(Value::Object(call)) => call_of(call)?,
            Some(action) => action.as_str()?.to_owned(),
            None => item.as_str()?.to_owned(),
        };
        let action = action.trim();
        let is_bounded = action.char_indices().nth(BOUND).is_none();
        let written = CONFIDENCES.iter().find_map(|key| item.get(*key));
        let confidence = written.and_then(confidence_of);
        // A message that is passed on has told it already.
        let known = || item.get(UNREAD).and_then(Value::as_array)?.first()?.as_str().map(|text| bounded(text, BOUND));
        let unread = if confidence.is_some() { None } else { known().or_else(|| Some(told(CONFIDENCES[0], written))) };
        (!action.is_empty() && is_bounded).then(|| Self {
            action: action.to_owned(),
            confidence: confidence.unwrap_or_default(),
            unread,
        })
    }

    /// The message of suggestions.
    #[must_use]
    pub fn message(suggestions: &[Self]) -> Value {
        let message = |one: &Self| match &one.unread {
            None => json!({ "action": one.action, "confidence": f64::from(one.confidence) / 1000.0 }),
            Some(unread) => json!({ "action": one.action, "confidence": UNKNOWN, UNREAD: [unread] }),
        };
        suggestions.iter().map(message).collect()
    }

    /// The message as text, in the spacing that grammars have.
    #[must_use]
    pub fn text(suggestions: &[Self]) -> String {
        spaced(&Self::message(suggestions))
    }
}

impl Menu {
    /// The menu where nothing can be read: the call that does nothing, where prompts offer it as an action, and else no action.
    #[must_use]
    pub fn default_of(idle: Option<&str>) -> Self {
        match idle {
            Some(idle) => Self { found: vec![Suggestion::default_of(idle)], unread: Vec::new() },
            None => Self { found: Vec::new(), unread: vec![NONE.to_owned()] },
        }
    }

    /// Reads what a chooser wrote: objects that hold an action and a confidence, or actions alone; where it wrote none, a table or lines that
    /// state both. A confidence that cannot be read leaves the action as it is. None if it wrote no list.
    #[must_use]
    pub fn read(text: &str) -> Option<(Self, Tier)> {
        let listed = array(text).map(|(items, tier)| Self::of(&items, tier));
        if listed.as_ref().is_some_and(|(menu, _)| !menu.found.is_empty()) {
            return listed;
        }
        let written = Self::of(&written::items(text), Tier::ByRule);
        if written.0.found.is_empty() { listed } else { Some(written) }
    }

    fn of(items: &[Value], mut tier: Tier) -> (Self, Tier) {
        let mut menu = Self::default();
        for item in items {
            if !is_as_asked(item) {
                tier = tier.max(Tier::ByRule);
            }
            match Suggestion::of(item) {
                Some(suggestion) if menu.found.len() < MAX_SUGGESTIONS => menu.found.push(suggestion),
                Some(suggestion) => menu.drop_action(&suggestion.action),
                None => match item.get(UNREAD).and_then(Value::as_array) {
                    Some(texts) => {
                        menu.unread.extend(texts.iter().filter_map(Value::as_str).map(|text| bounded(text, BOUND)));
                    }
                    None => menu.unread.push(told("suggestion", Some(item))),
                },
            }
        }
        menu.unread.truncate(TOLD_AT_MOST);
        let tier = if menu.guessed() == 0 && menu.unread.is_empty() { tier } else { tier.max(Tier::Normalised) };
        (menu, tier)
    }

    /// Tells of an action that is not passed on.
    pub fn drop_action(&mut self, action: &str) {
        if self.unread.len() < TOLD_AT_MOST {
            self.unread.push(told(ACTIONS[0], Some(&action.into())));
        }
    }

    /// How many suggestions have something unread.
    #[must_use]
    pub fn guessed(&self) -> usize {
        self.found.iter().filter(|one| one.unread.is_some()).count()
    }

    /// The message: suggestions, and behind them what is none.
    #[must_use]
    pub fn message(&self) -> Value {
        let mut message = Suggestion::message(&self.found);
        if let (Some(items), false) = (message.as_array_mut(), self.unread.is_empty()) {
            items.push(json!({ UNREAD: self.unread }));
        }
        message
    }
}

/// Whether a confidence is stated as the message has it, or not in a way that a rule could read.
fn is_as_asked(item: &Value) -> bool {
    let written = CONFIDENCES.iter().find_map(|key| item.get(*key));
    let is_share = |written: &Value| written.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share));
    let is_call = ACTIONS.iter().any(|key| item.get(*key).is_some_and(Value::is_object));
    !is_call && written.is_none_or(|written| is_share(written) || confidence_of(written).is_none())
}

/// The text of an action that was written as a call: its name and its arguments, which stand beside the name or under a key of their own. None if
/// something else is written than texts, numbers and truth values.
fn call_of(call: &Map<String, Value>) -> Option<String> {
    const NAMES: [&str; 4] = ["name", "action", "tool", "type"];
    const ARGUMENTS: [&str; 5] = ["arguments", "args", "parameters", "params", "input"];
    let named = NAMES.into_iter().filter_map(|key| Some((key, call.get(key)?.as_str()?))).collect::<Vec<_>>();
    let [(name_key, name)] = named[..] else { return None };
    let mut text = name.trim().to_owned();
    for (key, value) in call.iter().filter(|(key, _)| *key != name_key) {
        match value {
            Value::Object(inner) if ARGUMENTS.contains(&key.as_str()) => {
                for (key, value) in inner {
                    text.push_str(&argument(key, value)?);
                }
            }
            value => text.push_str(&argument(key, value)?),
        }
    }
    Some(text)
}

/// ` key=value`, in quotes where the value needs them.
fn argument(key: &str, value: &Value) -> Option<String> {
    let value = match value {
        Value::String(text) if !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '"') => {
            text.clone()
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => return None,
    };
    Some(format!(" {key}={value}"))
}

/// A confidence in thousandths: a number from 0 to 1, a percentage, or a word (BOG-074). A whole number above 1 is a percentage
/// where it can be one.
fn confidence_of(value: &Value) -> Option<u16> {
    match value {
        Value::Number(number) => share(number.as_f64()?),
        Value::String(text) => {
            let text = &*with_point(text.trim());
            if let Some(percent) = text.strip_suffix('%') {
                return share(percent.trim().parse::<f64>().ok()? / 100.0);
            }
            if let Ok(number) = text.parse::<f64>() {
                return share(number);
            }
            if let Some((part, whole)) = text.split_once('/') {
                let (part, whole) = (part.trim().parse::<f64>().ok()?, whole.trim().parse::<f64>().ok()?);
                return (whole > 0.0).then(|| part / whole).and_then(share);
            }
            words().confidence(text)
        }
        _ => None,
    }
}

/// A number with a point where it has a decimal comma: `0,8`, `80,5%`. A comma before three digits may part thousands, unless a zero is before it.
fn with_point(text: &str) -> Cow<'_, str> {
    let number = text.strip_suffix('%').map_or(text, str::trim_end);
    let is_decimal = number.split_once(',').is_some_and(|(whole, part)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits(whole) && digits(part) && (part.len() != 3 || whole == "0")
    });
    if is_decimal { Cow::Owned(text.replacen(',', ".", 1)) } else { Cow::Borrowed(text) }
}

fn share(number: f64) -> Option<u16> {
    // From 10 to 100 no other unit than a hundredth is meant; what lies between is a mark out of five or ten, or a slip.
    let number = if (10.0..=100.0).contains(&number) { number / 100.0 } else { number };
    // In range, so the cast cannot lose anything but the fraction.
    (0.0..=1.0).contains(&number).then(|| (number * 1000.0).round() as u16)
}

/// The suggestions of an expert who puts `first` first and `others` behind it.
fn expert(first: &str, others: &[&str]) -> Vec<Suggestion> {
    let rest = others.iter().copied().zip([450, 200]);
    std::iter::once((first, 900))
        .chain(rest)
        .map(|(action, confidence)| Suggestion { action: action.to_owned(), confidence, unread: None })
        .collect()
}

/// The message `suggestions`.
#[derive(Debug)]
pub struct Suggestions;

impl Message for Suggestions {
    fn name(&self) -> &'static str {
        "suggestions"
    }

    fn form(&self, _brief: &Brief, action: Option<&Form>) -> Form {
        let action = action.cloned().unwrap_or_else(|| Form::text(1, 80));
        Form::array(&Form::object(&[("action", action), ("confidence", Form::share())]), 1, 3)
    }

    fn allowed(&self, _brief: &Brief) -> Allowed {
        Allowed::Actions
    }

    fn expert(&self) -> Option<&dyn ExpertMessage> {
        Some(self)
    }

    fn request(&self, brief: &Brief, target: &str) -> Value {
        let situation = Situation {
            target: target.to_owned(),
            situation: "(what the planner writes)".to_owned(),
            severity: Severity::High,
            context: "(what the planner writes)".to_owned(),
        };
        situation.message(brief)
    }
}

impl ExpertMessage for Suggestions {
    /// Puts the expert's call first, and other legal actions on the same subject behind it.
    fn say(&self, view: &ExpertView<'_>) -> Hint {
        let about = |call: &ToolCall| view.target == Some(ANY) || view.brief.subject_of(call) == view.target;
        let pairs = view.calls.iter().zip(view.actions);
        let on_target: Vec<&str> = pairs.filter(|(call, _)| about(call)).map(|(_, text)| text.as_str()).collect();
        let best = if about(view.call) { view.action } else { view.idle };
        let led_by = |first: &str| {
            let others: Vec<&str> = on_target.iter().copied().filter(|text| *text != first).take(2).collect();
            Suggestion::text(&expert(first, &others))
        };
        let alternatives = on_target.iter().filter(|text| **text != best).map(|text| led_by(text)).collect();
        Hint { answer: led_by(best), alternatives }
    }
}

#[cfg(test)]
mod tests {
    use super::{BOUND, MAX_SUGGESTIONS, Menu, Suggestion, TOLD_AT_MOST, Tier};

    // covers: BOG-067, BOG-070, BOG-074
    #[test]
    fn confidences_are_read_in_every_way_and_written_in_one() {
        let text = r#"[{"action":"Oil machine=lathe","confidence":0.8},{"action":"Wait","confidence":"high"},
            {"action":"Wait","confidence":"35%"}]"#;
        let others = r#"[{"action":"Wait","confidence":85},{"action":"Wait","confidence":"8/10"},{"action":"Wait","score":"0.4"}]"#;
        let (others, _) = Suggestion::read(others).unwrap();
        assert_eq!(others.iter().map(|one| one.confidence).collect::<Vec<_>>(), [850, 800, 400]);
        let (found, tier) = Suggestion::read(text).unwrap();
        assert_eq!(tier, Tier::ByRule, "a rule made a number of a word");
        assert_eq!(found.iter().map(|one| one.confidence).collect::<Vec<_>>(), [800, 750, 350]);
        let written = Suggestion::text(&found);
        assert_eq!(Suggestion::read(&written).unwrap(), (found.clone(), Tier::Direct));
        assert_eq!(Suggestion::message(&found)[1]["confidence"], 0.75);
    }

    // covers: BOG-067, BOG-070
    #[test]
    fn forms_that_need_no_guess_are_read() {
        let oil = ("Oil machine=lathe", 800);
        for (text, (action, confidence), tier) in [
            ("[{action: Wait, confidence: 0.8}]", ("Wait", 800), Tier::Normalised),
            (r#"[{"action": "Wait", "confidence": "0,8"}]"#, ("Wait", 800), Tier::ByRule),
            (r#"[{"action": "Wait", "confidence": "80,5%"}]"#, ("Wait", 805), Tier::ByRule),
            (r#"[{"action": "Wait", "confidence": 80}]"#, ("Wait", 800), Tier::ByRule),
            (r#"[{"action": {"name": "Oil", "machine": "lathe"}, "confidence": 0.8}]"#, oil, Tier::ByRule),
            (r#"[{"action": {"tool": "Oil", "args": {"machine": "lathe"}}, "confidence": 0.8}]"#, oil, Tier::ByRule),
            (
                r#"[{"action": {"name": "Say", "text": "a \"b\" c"}, "confidence": 1}]"#,
                (r#"Say text="a \"b\" c""#, 1000),
                Tier::ByRule,
            ),
            ("1. Oil machine=lathe (confidence 0.8)", oil, Tier::ByRule),
            ("| action | confidence |\n|---|---|\n| Oil machine=lathe | 0,8 |", oil, Tier::ByRule),
            (r#"[{"action": "Wait", "confidence": 0.8}]"#, ("Wait", 800), Tier::Direct),
            (r#"[{"action": "Wait", "confidence": 1}, {"confidence": 1}]"#, ("Wait", 1000), Tier::Normalised),
        ] {
            let (found, read) = Suggestion::read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found[0].action.as_str(), found[0].confidence, read), (action, confidence, tier), "{text}");
            assert_eq!((found.len(), &found[0].unread), (1, &None), "{text}");
        }
        // Thousands are not read as a share, and neither two names nor a list as a call.
        let thousand = Suggestion::read(r#"[{"action": "Wait", "confidence": "1,000"}]"#).unwrap();
        assert_eq!(thousand.0[0].unread.as_deref(), Some("confidence: 1,000"));
        for call in [
            r#"{"name": "Oil", "tool": "Wait"}"#,
            r#"{"name": "Oil", "machine": ["lathe"]}"#,
            r#"{"machine": "lathe"}"#,
        ] {
            let (menu, _) = Menu::read(&format!(r#"[{{"action": {call}, "confidence": 1}}]"#)).unwrap();
            assert_eq!((menu.found.len(), menu.unread.len()), (0, 1), "{call}");
        }
        let nothing = Suggestion::read(r#"[{"action": "Wait", "confidence": NaN}]"#).unwrap().0;
        assert_eq!(nothing[0].unread.as_deref(), Some("confidence: null"));
    }

    // covers: BOG-067
    #[test]
    fn an_action_is_whole_or_no_suggestion() {
        let suggest = |letters: usize| {
            let action = format!("Say text=\"{}\"", "ä".repeat(letters));
            (
                action.clone(),
                Suggestion::read(&Suggestion::text(&[Suggestion { action, confidence: 900, unread: None }])),
            )
        };
        for letters in [1, 300, 3_000] {
            let (action, read) = suggest(letters);
            assert_eq!(read.unwrap().0[0].action, action);
        }
        assert_eq!(suggest(BOUND).1, None, "never a part of it");
    }

    // covers: BOG-067, BOG-070
    #[test]
    fn an_action_without_a_readable_confidence_is_kept_and_says_so() {
        for (text, unread) in [
            (r#"["Wait"]"#, "confidence: missing"),
            (r#"[{"action": "Wait"}]"#, "confidence: missing"),
            (r#"[{"Action": "Wait", "Confidence": 9}]"#, "confidence: 9"),
            (r#"[{"action": "Wait", "confidence": -0.1}]"#, "confidence: -0.1"),
            (r#"[{"action": "Wait", "confidence": "certainly not"}]"#, "confidence: certainly not"),
        ] {
            let (found, tier) = Suggestion::read(text).unwrap();
            assert_eq!((found[0].confidence, found[0].unread.as_deref()), (0, Some(unread)), "{text}");
            assert_eq!((found[0].action.as_str(), tier), ("Wait", Tier::Normalised), "{text}");
            let message = Suggestion::message(&found);
            assert_eq!((&message[0]["confidence"], &message[0]["unread"][0]), (&"unknown".into(), &unread.into()));
            // Passed on, it says the same.
            assert_eq!(Suggestion::read(&message.to_string()).unwrap().0, found, "{text}");
        }
        let default = Suggestion::text(&[Suggestion::default_of("Wait")]);
        assert_eq!(
            default,
            r#"[{"action": "Wait", "confidence": "unknown", "unread": ["no suggestion could be had"]}]"#
        );
        assert_eq!(Suggestion::read(&default).unwrap().0, [Suggestion::default_of("Wait")]);
    }

    // covers: BOG-067, BOG-070
    #[test]
    fn what_is_not_passed_on_is_told() {
        let four = r#"["Wait", "Oil machine=lathe", 7, {"confidence": 0.3}, "Wait", "Stop"]"#;
        let (mut menu, _) = Menu::read(four).unwrap();
        assert_eq!((menu.found.len(), menu.guessed()), (MAX_SUGGESTIONS, 3));
        assert_eq!(menu.unread, ["suggestion: 7", r#"suggestion: {"confidence":0.3}"#, "action: Stop"]);
        menu.drop_action("Dance");
        let message = menu.message();
        assert_eq!(message[3]["unread"][3], "action: Dance");
        assert_eq!(Menu::read(&message.to_string()).unwrap().0, menu);
        let many = format!("[{}]", ["7"; 99].join(","));
        assert_eq!(Menu::read(&many).unwrap().0.unread.len(), TOLD_AT_MOST);
    }

    #[test]
    fn what_holds_no_suggestion_is_none() {
        for text in [
            "",
            "Wait",
            "[]",
            "[1, 2]",
            r#"[{"action": "", "confidence": 1}]"#,
            r#"[{"confidence": 1}]"#,
            r#"[{"unread": ["action: Dance"]}]"#,
            r#"[""]"#,
        ] {
            assert_eq!(Suggestion::read(text), None, "{text}");
        }
        let many = format!("[{}]", [r#"{"action": "Wait", "confidence": 0.5}"#; 9].join(","));
        assert_eq!(Suggestion::read(&many).unwrap().0.len(), MAX_SUGGESTIONS);
    }
}
