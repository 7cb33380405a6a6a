//! What the prompt says of the actions: which of them fixes a subject for certain, which only watches.
//!
//! An action is chosen by its kind, its usage and its description and never by its name, so that the same rules serve every
//! network that explains its actions.

use serde_json::{Map, Value};

/// One action as the prompt explains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name: the first word of its usage.
    pub name: String,
    /// `passive`, `reactive` or `proactive`.
    pub kind: String,
    /// What it does.
    pub description: String,
    /// The parameter that takes the name of a subject, if it has one.
    pub parameter: Option<String>,
}

impl Entry {
    /// The action on this subject, in the form of its usage.
    pub fn text(&self, target: Option<&str>) -> String {
        match (&self.parameter, target) {
            (Some(parameter), Some(target)) => format!("{} {parameter}={target}", self.name),
            _ => self.name.clone(),
        }
    }

    /// Arguments of the action on this subject.
    pub fn arguments(&self, target: Option<&str>) -> Map<String, Value> {
        let pair = self.parameter.clone().zip(target);
        pair.map(|(parameter, target)| (parameter, Value::from(target))).into_iter().collect()
    }
}

/// The actions that a prompt explains, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glossary(pub Vec<Entry>);

impl Glossary {
    /// The glossary in a system message; empty if it holds none.
    pub fn of(system: &str) -> Self {
        // A page may also ask for an answer with a key of this name.
        let start = system.find("\"actions\":").and_then(|at| system[..at].rfind('{'));
        let value = start.and_then(|at| super::literal::first(&system[at..]));
        let items = value.as_ref().and_then(|value| value.get("actions")).and_then(Value::as_array);
        Self(items.into_iter().flatten().filter_map(entry).collect())
    }

    /// The action that fixes a subject: of those that answer an intrusion, one that always works, and of these one that sets
    /// the subject back to how it was.
    pub fn fix(&self) -> Option<&Entry> {
        let fixes = self.0.iter().filter(|entry| entry.kind == "reactive" && entry.parameter.is_some());
        fixes
            .filter_map(|entry| Some((fitness(&entry.description)?, entry)))
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, entry)| entry)
    }

    /// The action that looks at the whole network; else the one that leaves everything as it is.
    pub fn watch(&self) -> Option<&Entry> {
        let mut quiet = self.0.iter().filter(|entry| entry.kind == "passive" && entry.parameter.is_none());
        let looks = quiet.clone().find(|entry| says(&entry.description, &LOOKS));
        looks.or_else(|| quiet.next())
    }

    /// The action that looks into one subject.
    pub fn inspect(&self) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.kind == "passive" && entry.parameter.is_some())
    }

    /// The entry of an action by its name.
    pub fn named(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.name == name)
    }
}

fn entry(item: &Value) -> Option<Entry> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::trim);
    let mut usage = text("usage")?.split_whitespace();
    let name = usage.next()?;
    let parameter = usage.find_map(|word| {
        let (parameter, value) = word.split_once('=')?;
        (value.starts_with('<') && value.ends_with('>')).then_some(parameter)
    });
    Some(Entry {
        name: name.to_owned(),
        kind: text("type").unwrap_or_default().to_lowercase(),
        description: text("description").unwrap_or_default().to_owned(),
        parameter: parameter.map(str::to_owned),
    })
}

/// Words that say that an action cannot fail.
const CERTAIN: [&str; 5] = ["always works", "always succeeds", "never fails", "cannot fail", "always clears"];
/// Words that say that an action takes an intrusion away.
const CLEARS: [&str; 7] = ["clear", "remove", "restore", "reset", "sets", "return", "take"];
/// Words that say that a subject is afterwards as it was at first.
const BACK: [&str; 5] = [" back ", "first ", "initial ", "original ", "baseline"];
/// Words that say that an action looks for intrusions.
const LOOKS: [&str; 7] = ["watch", "look", "monitor", "observe", "scan", "check", "search"];

fn says(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// How well a description suits a fix; `None` where it names none.
fn fitness(description: &str) -> Option<u8> {
    let of = |words: &[&str], worth: u8| if says(description, words) { worth } else { 0 };
    let (certain, clears) = (of(&CERTAIN, 4), of(&CLEARS, 1));
    (certain + clears > 0).then(|| certain + of(&BACK, 2) + clears)
}

#[cfg(test)]
mod tests {
    use super::Glossary;

    const HOSTS: &str = r#"You defend. <reflection_knowledge>
WHAT THE ACTIONS MEAN
{ "actions": [
  { "name": "Monitor", "type": "passive", "description": "Watches the whole network.", "usage": "Monitor" },
  { "name": "Remove", "type": "reactive", "description": "Tries to remove an infection. It may fail.", "usage": "Remove hostname=<hostname>" },
  { "name": "Analyse", "type": "passive", "description": "Looks more closely into one host.", "usage": "Analyse hostname=<hostname>" },
  { "name": "Restore", "type": "reactive", "description": "Sets one host back to its initial state. It always works.", "usage": "Restore hostname=<hostname>" },
  { "name": "DecoySERVICE", "type": "proactive", "description": "Lays a decoy.", "usage": "DecoySERVICE hostname=<hostname>" }
] }
</reflection_knowledge> "actions" of others do not count"#;

    #[test]
    fn actions_are_chosen_by_what_is_said_of_them() {
        let glossary = Glossary::of(HOSTS);
        assert_eq!(glossary.0.len(), 5);
        assert_eq!(glossary.fix().map(|fix| fix.text(Some("User1"))).as_deref(), Some("Restore hostname=User1"));
        assert_eq!(glossary.watch().map(|watch| watch.text(Some("User1"))).as_deref(), Some("Monitor"));
        assert_eq!(glossary.inspect().map(|inspect| inspect.name.as_str()), Some("Analyse"));
        let renamed = HOSTS.replace("Restore hostname", "Mop hostname").replace("\"Restore\"", "\"Mop\"");
        assert_eq!(Glossary::of(&renamed).fix().map(|fix| fix.name.clone()).as_deref(), Some("Mop"));
    }

    #[test]
    fn a_look_at_everything_goes_before_doing_nothing() {
        let text = r#"{"actions": [
            {"name": "Nothing", "type": "passive", "description": "Leaves the network as it is.", "usage": "Nothing"},
            {"name": "Scan", "type": "passive", "description": "Looks at the whole network.", "usage": "Scan"},
            {"name": "Safe", "type": "reactive", "description": "Clears one node. It always works.", "usage": "Safe node=<node>"},
            {"name": "Cut", "type": "reactive", "description": "Cuts all connections.", "usage": "Cut node=<node>"}]}"#;
        let glossary = Glossary::of(text);
        assert_eq!(glossary.watch().map(|watch| watch.name.as_str()), Some("Scan"));
        assert_eq!(glossary.fix().map(|fix| fix.name.as_str()), Some("Safe"));
        assert_eq!(Glossary::of("no actions here"), Glossary::default());
        assert_eq!(Glossary::of("\"actions\"").fix(), None);
    }
}
