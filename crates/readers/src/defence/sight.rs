//! What a request shows of the network: status list, latest observation, own past.

use std::collections::BTreeMap;

use serde_json::Value;

use super::literal;

/// A line of the list of subjects that are not in their baseline state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The subject.
    pub name: String,
    /// Whether something was seen of it that its baseline does not hold.
    pub changed: bool,
}

/// A step of the past that is described by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// Its number, from 1.
    pub step: u32,
    /// The action, as the block writes it.
    pub action: String,
    /// The reason that was given for it.
    pub reason: String,
    /// What the comparison with the baseline led to then, by subject; empty where the block does not say.
    pub compared: BTreeMap<String, String>,
}

/// What is in sight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight {
    /// The step that is asked for, from 1.
    pub step: Option<u32>,
    /// The list of subjects that are not in their baseline state; empty where all are.
    pub status: Option<Vec<Line>>,
    /// The latest observation.
    pub observation: Option<Value>,
    /// The past, oldest first; steps that were folded together are left out.
    pub history: Option<Vec<Past>>,
}

impl Sight {
    /// What a message shows.
    pub fn of(text: &str) -> Self {
        Self { step: step(text), status: status(text), observation: observation(text), history: history(text) }
    }

    /// The step before this one, if the past describes it by itself.
    pub fn last(&self) -> Option<&Past> {
        let last = self.history.as_ref().and_then(|past| past.last());
        last.filter(|last| self.step == Some(last.step + 1))
    }

    /// Whether nothing was done yet: there is nothing to be seen then.
    pub fn at_the_start(&self) -> bool {
        self.step == Some(1)
    }

    /// Whether anything is shown of what happens in the network.
    pub fn shows_the_network(&self) -> bool {
        let told = |past: &Vec<Past>| past.iter().any(|past| !past.compared.is_empty());
        self.status.is_some() || self.observation.is_some() || self.history.as_ref().is_some_and(told)
    }
}

fn step(text: &str) -> Option<u32> {
    let after = text.split("step ").nth(1)?;
    let digits = after.find(|next: char| !next.is_ascii_digit()).unwrap_or(after.len());
    after[..digits].parse().ok()
}

/// The first list of objects with a `current_status`; empty where a sentence says that all are at their baseline.
fn status(text: &str) -> Option<Vec<Line>> {
    if let Some(items) =
        lists(text).find(|items| items.first().is_some_and(|item| item.get("current_status").is_some()))
    {
        return Some(items.iter().filter_map(line).collect());
    }
    let all = |line: &str| {
        let line = line.to_lowercase();
        (line.starts_with("every ") || line.starts_with("all ")) && line.contains("baseline")
    };
    text.lines().any(all).then(Vec::new)
}

/// The lists that begin a line.
fn lists(text: &str) -> impl Iterator<Item = Vec<Value>> + '_ {
    let starts = text.match_indices("[{").filter(|(at, _)| *at == 0 || text[..*at].ends_with('\n'));
    starts.filter_map(|(at, _)| match literal::first(&text[at..]) {
        Some(Value::Array(items)) => Some(items),
        _ => None,
    })
}

fn line(item: &Value) -> Option<Line> {
    let fields = item.as_object()?;
    let name = fields.iter().find(|(key, _)| key.ends_with("_name")).and_then(|(_, name)| name.as_str())?;
    let is_changed = |key: &str| fields.get(key).and_then(Value::as_str) == Some("changed");
    let changed = is_changed("current_status") || is_changed("compared_with_baseline");
    Some(Line { name: name.to_owned(), changed })
}

/// What follows the line that heads an observation.
fn observation(text: &str) -> Option<Value> {
    let (_, after) = text.split_once("Latest observation:")?;
    literal::first(after)
}

fn history(text: &str) -> Option<Vec<Past>> {
    if let Some((_, after)) = text.split_once("Steps so far:") {
        let lines = after.lines().skip(1).take_while(|line| line.starts_with("Step"));
        return Some(lines.filter_map(past).collect());
    }
    text.contains("No step has been taken yet").then(Vec::new)
}

/// A step that is written as an object.
fn past(line: &str) -> Option<Past> {
    let (head, told) = line.split_once(": ")?;
    let step = head.strip_prefix("Step ")?.parse().ok()?;
    let told = told.starts_with('{').then(|| literal::first(told)).flatten()?;
    let text = |key: &str| told.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let compared = told.get("compared_with_baseline").and_then(Value::as_object).into_iter().flatten();
    let compared = compared.filter_map(|(name, status)| Some((name.clone(), status.as_str()?.to_owned()))).collect();
    Some(Past { step, action: text("action"), reason: text("justification"), compared })
}

/// The subjects of an observation that show something that an undisturbed one does not, in its order.
///
/// Two kinds of observation are known: one that lists nodes with a mark of an intrusion, and one that lists hosts with their
/// processes and files. In the second a process that is told by its number and holds a connection was started from outside,
/// a file was dropped, and several connections to one port and no other are passwords that are guessed; connections to several
/// ports are a scan.
pub fn suspects(observation: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut note = |name: &str| {
        if !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    };
    if let Some(nodes) = observation.get("nodes").and_then(Value::as_object) {
        let marked = nodes.iter().filter(|(_, entry)| entry.get("compromised") == Some(&Value::Bool(true)));
        marked.for_each(|(name, _)| note(name));
        return found;
    }
    for (name, entry) in observation.as_object().into_iter().flatten() {
        let list = |key: &str| entry.get(key).and_then(Value::as_array).into_iter().flatten();
        let started =
            list("Processes").any(|process| process.get("PID").is_some() && process.get("Connections").is_some());
        if started || guessed(list("Processes")) || list("Files").next().is_some() {
            note(name);
        }
    }
    found
}

/// The subjects of an observation from which attacks were seen to come: they are in the attacker's hands without showing it,
/// unless they were cleared after that.
pub fn sources(observation: &Value) -> impl Iterator<Item = String> + '_ {
    let listed = observation.get("attacking_nodes").and_then(Value::as_array).into_iter().flatten();
    listed.filter_map(|name| name.as_str().map(str::to_owned))
}

/// Fewest connections to one port that are taken for guessing.
const GUESSES: usize = 3;

/// Whether these processes are connections to one and the same port, and several of them.
fn guessed<'a>(processes: impl Iterator<Item = &'a Value>) -> bool {
    let connections = processes.filter_map(|process| process.get("Connections")?.as_array()).flatten();
    let ports: Vec<&Value> = connections.filter_map(|connection| connection.get("local_port")).collect();
    ports.len() >= GUESSES && ports.iter().all(|port| *port == ports[0])
}

#[cfg(test)]
mod tests {
    use super::{Sight, suspects};

    const SHOWN: &str = "You are at step 5 now.\n\nLatest observation:\n{'success': <T.TRUE: 1>, 'Gate': {'Processes': [{'Connections': \
        [{'local_port': 22}]}]}, 'Desk': {'Processes': [{'PID': 7, 'Connections': [{'remote_port': 4444}]}]}}\n\n\
        Hosts whose status is not baseline:\n[{\"host_name\":\"Desk\",\"current_status\":\"changed\",\"time_of_update\":\"Current\"},\n \
        {\"host_name\":\"Gate\",\"current_status\":\"analysed at step 3\",\"compared_with_baseline\":\"changed\"},\n \
        {\"host_name\":\"Vault\",\"current_status\":\"unknown\"}]\n\nSteps so far:\nSteps 1-2: Monitor (no status change)\n\
        Step 3: {\"action\":\"Analyse Gate\",\"justification\":\"why\",\"compared_with_baseline\":{\"Gate\":\"changed\"}}\n\
        Step 4: Monitor (no status change)\n\nWhich action?";

    // covers: BOG-061
    #[test]
    fn the_three_blocks_are_read() {
        let sight = Sight::of(SHOWN);
        assert_eq!(sight.step, Some(5));
        let status = sight.status.clone().unwrap_or_default();
        let lines: Vec<_> = status.iter().map(|line| (line.name.as_str(), line.changed)).collect();
        assert_eq!(lines, [("Desk", true), ("Gate", true), ("Vault", false)]);
        assert_eq!(suspects(sight.observation.as_ref().unwrap()), ["Desk"]);
        let history = sight.history.clone().unwrap_or_default();
        assert_eq!((history.len(), history[0].action.as_str(), history[0].reason.as_str()), (1, "Analyse Gate", "why"));
        assert_eq!(history[0].compared["Gate"], "changed");
        assert!(sight.shows_the_network() && !sight.at_the_start());
    }

    #[test]
    fn what_is_not_shown_is_not_there() {
        let start =
            Sight::of("You are at step 1.\n\nEvery host is in its baseline state.\n\nNo step has been taken yet.");
        assert_eq!((start.status, start.history, start.observation), (Some(Vec::new()), Some(Vec::new()), None));
        let bare = Sight::of("You are at step 2.\n\nSteps so far:\nStep 1: Monitor\n\nWhich?");
        assert_eq!((bare.status.clone(), bare.history.clone()), (None, Some(Vec::new())));
        assert!(!bare.shows_the_network());
        assert_eq!(Sight::of(""), Sight::default());
    }

    #[test]
    fn guessing_at_one_port_is_an_intrusion_and_a_look_at_many_is_none() {
        let at = |ports: &[u16]| {
            let items: Vec<String> =
                ports.iter().map(|port| format!("{{'Connections': [{{'local_port': {port}}}]}}")).collect();
            suspects(&super::literal::first(&format!("{{'Gate': {{'Processes': [{}]}}}}", items.join(", "))).unwrap())
        };
        assert_eq!(at(&[22, 22, 22, 22]), ["Gate"]);
        assert!(at(&[22, 22]).is_empty() && at(&[22, 80, 443]).is_empty() && at(&[]).is_empty());
    }

    #[test]
    fn intrusions_on_nodes_are_read_by_their_mark() {
        let text = "Latest observation:\n{\"attacking_nodes\":[\"node_4\"],\"attacked_nodes\":[\"node_0\"],\"nodes\":{\"node_0\":{\
                    \"compromised\":false},\"node_2\":{\"compromised\":true}}}";
        let observation = Sight::of(text).observation.unwrap();
        assert_eq!(suspects(&observation), ["node_2"]);
        assert_eq!(super::sources(&observation).collect::<Vec<_>>(), ["node_4"]);
    }
}
