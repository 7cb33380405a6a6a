//! What a page shows to an agent that is asked afresh in every step: what it did, what it saw last, and what it can do now.

use super::belief::{Belief, command, named};
use crate::kit::{PastStep, Sheet, past_steps};

/// Written in the thought before what was seen and may be needed later: the agent reads it in its own past.
pub(super) const SEEN: &str = "Seen: ";
/// Between an object and its place in that note.
pub(super) const AT: &str = " at ";

/// Whether a page is of such an agent: no command that was carried out in this conversation, no subtask, no segment, no request of a layer or a search.
pub(super) fn is_afresh(sheet: &Sheet<'_>) -> bool {
    let acted = sheet.talk.iter().any(|turn| !turn.refused && command(&turn.own).is_some());
    !acted && !sheet.adviser && ["subtask", "segment", "step"].iter().all(|key| sheet.request(&[key]).is_none())
}

/// What a page says of the house.
pub(super) fn read(sheet: &Sheet<'_>) -> Belief {
    let mut belief = Belief::of_places(sheet);
    let afresh = is_afresh(sheet);
    if afresh {
        belief.recall(sheet.first());
    }
    belief.told(sheet.first());
    if afresh {
        belief.look_around(sheet);
    }
    belief.follow(sheet);
    belief
}

impl Belief {
    /// Takes in the agent's own past.
    pub(super) fn recall(&mut self, text: &str) {
        let past = past_steps(text);
        self.blind = past.is_empty() && !text.contains("receptacle_name");
        for PastStep { action: command, reason } in past {
            let noted = reason.split_once(SEEN).map_or("", |(_, rest)| rest).trim_end_matches(['.', '…']);
            for (object, place) in noted.split(", ").filter_map(|one| one.split_once(AT)) {
                let all = self.holds.entry(place.to_owned()).or_default();
                if !all.iter().any(|known| known == object) {
                    all.push(object.to_owned());
                }
            }
            let (verb, rest) = command.split_once(' ').unwrap_or((&command, ""));
            match verb {
                "go" => {
                    let place = rest.trim_start_matches("to ").to_owned();
                    self.visited.insert(place.clone());
                    self.here = Some(place);
                }
                "take" | "put" | "move" | "clean" | "heat" | "cool" => self.hear(&command, ""),
                _ => {}
            }
        }
    }

    /// Takes in the latest observation and what the list of possible actions tells of the place.
    pub(super) fn look_around(&mut self, sheet: &Sheet<'_>) {
        let latest = sheet.first().split_once("Latest observation:\n").map(|(_, rest)| rest);
        let latest = latest.map(|rest| rest.split("\n\n").next().unwrap_or_default());
        let commands: Vec<String> = sheet.choices().into_iter().map(|choice| choice.literal).collect();
        // Whoever carries something can put it down, or look at it. A past and a belief state say it themselves.
        if self.blind && self.carried.is_none() {
            let down = |command: &&String| command.starts_with("put ") || command.starts_with("move ");
            let shown = |command: &&String| {
                command.strip_prefix("examine ").is_some_and(|name| !self.places.iter().any(|place| place == name))
            };
            let put = commands.iter().find(down).or_else(|| commands.iter().find(shown));
            self.carried = put.and_then(|command| named(command).into_iter().next());
        }
        if self.here.is_none() {
            let here = |command: &&String| ["examine ", "open ", "close "].iter().any(|verb| command.starts_with(verb));
            let near: Vec<String> = commands
                .iter()
                .filter(here)
                .flat_map(|command| named(command))
                .filter(|name| self.places.contains(name))
                .collect();
            let said = latest.map(named).unwrap_or_default();
            self.here = near.iter().find(|name| said.contains(name)).or(near.first()).cloned();
        }
        let Some((here, seen)) = self.here.clone().zip(latest) else { return };
        // What is said of an object tells nothing of the place.
        if named(seen).first() == Some(&here) || seen.contains(&here) && self.carried.is_none() && !self.seen(&here) {
            self.look_at(&here, seen);
        }
    }

    /// What is here and may be needed later, as a note for the agent's own past.
    pub(super) fn note(&self, wanted: impl Fn(&str) -> bool) -> String {
        let Some(here) = &self.here else { return String::new() };
        let all = self.holds.get(here).into_iter().flatten().filter(|name| wanted(name));
        let noted: Vec<String> = all.map(|name| format!("{name}{AT}{here}")).collect();
        if noted.is_empty() { String::new() } else { format!(". {SEEN}{}.", noted.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Belief, past_steps};

    #[test]
    fn the_past_says_where_the_agent_is_what_it_carries_and_what_it_noted() {
        let past = "Steps so far:\n\
                    Steps 1-2: go to bed 1, look (no status change)\n\
                    Step 3: {\"action\":\"go to desk 1\",\"justification\":\"x. Seen: mug 1 at bed 1, mug 2 at bed 1.\"}\n\
                    Step 4: {\"action\":\"take pen 1 from desk 1\"}";
        assert_eq!(past_steps(past).len(), 4);
        let mut belief = Belief::default();
        belief.recall(past);
        assert_eq!((belief.here.as_deref(), belief.carried.as_deref()), (Some("desk 1"), Some("pen 1")));
        assert_eq!(belief.holds["bed 1"], ["mug 1", "mug 2"]);
        assert!(belief.seen("bed 1") && !belief.blind);
        belief.recall("Steps so far:\nStep 5: {\"action\":\"put pen 1 in/on bed 1\"}");
        assert_eq!((belief.carried.as_deref(), belief.holds["bed 1"].len()), (None, 3));
    }
}
