//! A player of household tasks: looks for the object, takes it, does with it what the task asks, and puts it down.
//!
//! It gives only commands that the page lists as possible. What it knows of the house is what the page shows.

mod advice;
mod belief;
mod goal;
mod knowledge;
mod past;

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;

use crate::control::{self, Office, Step, Work};
use crate::kit::{Act, Choice, Sheet};
use belief::Belief;
use goal::{Goal, kind_of};

/// Whether the prompt mentions a household.
#[must_use]
pub fn knows(sheet: &Sheet<'_>) -> bool {
    let says = |text: &str| text.contains("household") && text.contains("receptacle");
    says(&sheet.system)
        || sheet.shown().any(|text| says(text) || (text.contains("manipulate_object") && text.contains("explore")))
        || advice::knows(sheet)
}

/// Answers a request.
#[must_use]
pub fn reply(sheet: &Sheet<'_>) -> Reply {
    advice::reply(sheet).unwrap_or_else(|| control::reply(sheet, &Housekeeper))
}

struct Housekeeper;

/// A command to give, and what kind of work it is.
struct Proposal {
    kind: &'static str,
    thought: String,
    commands: Vec<String>,
}

impl Proposal {
    fn new(kind: &'static str, thought: &str, commands: Vec<String>) -> Self {
        Self { kind, thought: thought.to_owned(), commands }
    }
}

/// The task's sentence: where the page states it.
fn goal(sheet: &Sheet<'_>) -> Option<Goal> {
    let after = |text: &str| text.rsplit_once("task").and_then(|(_, rest)| Goal::read(rest));
    // A planner of single steps is told a goal.
    let says = |line: &&str| ["task", "goal"].iter().any(|word| line.to_lowercase().contains(word));
    let lines = sheet.system.lines().filter(says);
    let told = lines.filter_map(Goal::read).next();
    let request = sheet.request(&["task"]).and_then(|request| Goal::read(request.get("task")?.as_str()?));
    told.or(request).or_else(|| sheet.section("first_observation").and_then(after))
}

struct Planner<'a> {
    goal: &'a Goal,
    belief: &'a Belief,
    /// Commands that are possible now; empty where none is listed.
    possible: Vec<String>,
}

impl Planner<'_> {
    fn can(&self, command: &str) -> bool {
        self.possible.iter().any(|known| known == command)
    }

    /// The commands possible now that begin so.
    fn starting<'s>(&'s self, start: &'s str) -> impl Iterator<Item = &'s String> {
        self.possible.iter().filter(move |command| command.starts_with(start) && !self.belief.vain.contains(*command))
    }

    /// What puts an object down at a place, in the words of the list.
    fn put(&self, object: &str, place: &str) -> Option<String> {
        let found = |command: &&String| {
            (command.starts_with("put ") || command.starts_with("move ")) && belief::named(command) == [object, place]
        };
        self.possible.iter().find(found).cloned()
    }

    /// Whether a place is within reach: the agent went there, or is where going there is no longer offered.
    fn at(&self, place: &str) -> bool {
        let walks = self.starting("go to ").next().is_some();
        self.belief.here.as_deref() == Some(place) || walks && !self.can(&format!("go to {place}"))
    }

    /// Goes to a place, or opens it.
    fn reach(&self, kind: &'static str, place: &str, thought: &str) -> Proposal {
        let open = format!("open {place}");
        if self.at(place) || self.can(&open) {
            return Proposal::new(kind, thought, vec![open]);
        }
        Proposal::new(kind, thought, vec![format!("go to {place}")])
    }

    fn next(&self) -> Proposal {
        match self.belief.carried.clone() {
            Some(object) if self.goal.wants(&object) => self.bring(&object),
            Some(object) => {
                let down = self.possible.iter().filter(|command| {
                    (command.starts_with("put ") || command.starts_with("move ")) && command.contains(&object)
                });
                let mut commands: Vec<String> = down.cloned().collect();
                commands.extend(self.starting("go to ").cloned());
                Proposal::new("take", "another object is carried", commands)
            }
            None => self.fetch(),
        }
    }

    /// Brings what is carried to where it belongs.
    fn bring(&self, object: &str) -> Proposal {
        let (goal, belief) = (self.goal, self.belief);
        if goal.light {
            // Any other lamp would be lit in vain.
            let lamp = |command: &&String| kind_of(command.trim_start_matches("use ")) == goal.place;
            if let Some(command) = self.starting("use ").find(lamp) {
                return Proposal::new("prepare", "the lamp is here", vec![command.clone()]);
            }
            return match belief.find(|name, _| kind_of(name) == goal.place) {
                Some((lamp, place)) => self.reach("prepare", &place, &format!("{lamp} is there")),
                None => self.search("the lamp is still to be found"),
            };
        }
        if let Some(treatment) = goal.treatment
            && !belief.treated.contains(&(treatment.verb().to_owned(), object.to_owned()))
        {
            let start = format!("{} {object} with ", treatment.verb());
            if let Some(command) = self.starting(&start).next() {
                return Proposal::new("prepare", "it can be done here", vec![command.clone()]);
            }
            let serves = |place: &&String| knowledge::serves(treatment).contains(&kind_of(place));
            let place = belief.places.iter().find(serves);
            return match place {
                Some(place) => self.reach("prepare", place, &format!("{object} must be treated first")),
                None => self.search("what treats the object is still to be found"),
            };
        }
        // Whether this agent may handle objects at all: a specialist may not.
        let handles = self.can("inventory");
        // Two objects go to one and the same place.
        let mut places: Vec<&String> = belief.places.iter().filter(|place| goal.goes_to(place)).collect();
        let delivered =
            |place: &String| belief.holds.get(place).is_some_and(|all| all.iter().any(|name| goal.wants(name)));
        places.sort_by_key(|place| usize::from(goal.count < 2 || !delivered(place)));
        for place in &places {
            if let Some(command) = self.put(object, place).filter(|command| !belief.vain.contains(command)) {
                return Proposal::new("place", "this is where it belongs", vec![command]);
            }
            let shut = self.can(&format!("open {place}"))
                || belief.closed.contains(*place) && !self.can(&format!("close {place}"));
            if self.at(place) && !shut && !handles {
                return Proposal::new("place", "this is where it belongs", Vec::new());
            }
            let tried = self.at(place) && !self.can(&format!("open {place}"));
            if !tried {
                return self.reach("deliver", place, "it belongs there");
            }
        }
        self.search("the place where it belongs is still to be found")
    }

    /// Gets an object of the kind that the task asks for.
    fn fetch(&self) -> Proposal {
        let (goal, belief) = (self.goal, self.belief);
        // Of two objects the one that is there already stays.
        let home = |place: &str| goal.goes_to(place) && (goal.count > 1 || goal.treatment.is_none() && !goal.light);
        let done = |name: &str| {
            goal.treatment
                .is_none_or(|treatment| belief.treated.contains(&(treatment.verb().to_owned(), name.to_owned())))
        };
        let first_home =
            belief.holds.iter().find(|(place, all)| home(place) && all.iter().any(|name| goal.wants(name)));
        let stays = |name: &str, place: &str| {
            goal.wants(name) && done(name) && first_home.is_some_and(|(home, _)| home == place)
        };
        let take = |command: &&String| match belief::named(command).as_slice() {
            [object, place] => goal.wants(object) && !stays(object, place),
            _ => false,
        };
        if let Some(command) = self.starting("take ").find(take) {
            return Proposal::new("take", "this is what the task asks for", vec![command.clone()]);
        }
        match belief.find(|name, place| goal.wants(name) && !stays(name, place)) {
            Some((object, place)) if !self.at(&place) || self.can(&format!("open {place}")) => {
                self.reach("locate", &place, &format!("{object} was seen there"))
            }
            // It is here, and this agent may not take it.
            Some(_) if !self.can("inventory") => Proposal::new("take", "the object is here", Vec::new()),
            _ => self.search("the object is still to be found"),
        }
    }

    /// Looks where nobody has looked yet.
    fn search(&self, thought: &str) -> Proposal {
        let belief = self.belief;
        if let Some(here) = &belief.here
            && belief.closed.contains(here)
            && self.can(&format!("open {here}"))
        {
            return Proposal::new("locate", thought, vec![format!("open {here}")]);
        }
        // Who remembers nothing goes from each place to the next one.
        let here = belief.here.as_ref().and_then(|here| belief.places.iter().position(|place| place == here));
        let next = here.map_or(0, |at| at + 1);
        let turned = || belief.places[next..].iter().chain(&belief.places[..next]);
        let ordered: Vec<&String> = if belief.blind { turned().collect() } else { belief.places.iter().collect() };
        let new: Vec<String> = ordered
            .into_iter()
            .filter(|place| !belief.seen(place) && belief.here.as_ref() != Some(place))
            .map(|place| format!("go to {place}"))
            .filter(|command| !belief.vain.contains(command))
            .collect();
        let open = belief.places.iter().map(|place| format!("open {place}")).filter(|command| self.can(command));
        let mut commands: Vec<String> =
            new.into_iter().filter(|command| self.possible.is_empty() || self.can(command)).collect();
        commands.extend(open);
        if !belief.visited.is_empty() {
            let again = turned().map(|place| format!("go to {place}"));
            commands.extend(again.filter(|command| self.can(command)));
        }
        commands.extend(self.starting("go to ").cloned());
        Proposal::new("locate", thought, commands)
    }
}

impl Housekeeper {
    fn proposal(sheet: &Sheet<'_>, choices: &[Choice]) -> Proposal {
        let Some(goal) = goal(sheet) else {
            sheet.miss(InformationKind::Goal, "the sentence of the task");
            return Proposal::new("locate", "the task is not known", vec!["look".to_owned()]);
        };
        let belief = past::read(sheet);
        if belief.places.is_empty() {
            sheet.miss(InformationKind::Names, "names of receptacles");
        }
        // Who takes what is advised is shown no list.
        let possible = match advice::leads(sheet) {
            true => advice::possible(sheet, &belief),
            false => choices.iter().map(|choice| choice.literal.clone()).collect(),
        };
        let planner = Planner { goal: &goal, belief: &belief, possible };
        let mut proposal = planner.next();
        if past::is_afresh(sheet) {
            let needed = |name: &str| goal.wants(name) || goal.light && kind_of(name) == goal.place;
            proposal.thought.push_str(&belief.note(needed));
        }
        proposal
    }
}

impl Office for Housekeeper {
    fn step(&self, sheet: &Sheet<'_>) -> Step {
        let choices = sheet.choices();
        let acts = sheet.talk.is_empty() && sheet.adviser;
        if choices.is_empty() && !acts {
            sheet.miss(InformationKind::Names, "a list of the commands that are possible now");
        }
        let proposal = Self::proposal(sheet, &choices);
        let mut acts: Vec<Act> = Vec::new();
        for command in &proposal.commands {
            acts.extend(choices.iter().filter(|choice| choice.literal == *command).map(|choice| choice.act.clone()));
        }
        if acts.is_empty() && choices.is_empty() && !sheet.adviser {
            acts.extend(proposal.commands.first().map(|command| Act { text: command.clone(), ..Act::default() }));
        }
        Step::act(proposal.kind, &proposal.thought, acts)
    }

    fn kinds(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &[
            ("locate", &["locat", "search", "find", "explore"]),
            ("take", &["take", "pick", "acquire"]),
            ("prepare", &["prepar", "treat", "clean", "heat", "cool", "lamp"]),
            ("deliver", &["deliver", "carry", "bring"]),
            ("place", &["place", "put"]),
        ]
    }

    fn tools(&self, kind: &str) -> &'static [&'static str] {
        match kind {
            "locate" | "deliver" => &["explore", "select_command"],
            "prepare" => &["manipulate_object", "explore", "select_command"],
            _ => &["manage_inventory", "select_command"],
        }
    }

    fn plan(&self) -> Vec<Work> {
        vec![
            Work::new(
                "LOCATE",
                "locate",
                "Go to receptacles and open closed ones until the object that the task asks for is in front of you.",
            ),
            Work::new("TAKE", "take", "Take the object that the task asks for; put down any other object first."),
            Work::new(
                "PREPARE",
                "prepare",
                "Clean, heat or cool the object, or use the lamp, where the task asks for it.",
            ),
            Work::new(
                "DELIVER",
                "deliver",
                "Go with the object to the receptacle that the task names, and open it if it is closed.",
            ),
            Work::new("PLACE", "place", "Put the object in or on the receptacle that the task names."),
        ]
    }

    fn facts(&self, sheet: &Sheet<'_>) -> Vec<String> {
        past::read(sheet).facts()
    }

    fn state(&self, sheet: &Sheet<'_>) -> String {
        let belief = past::read(sheet);
        let carried = belief.carried.as_deref().unwrap_or("nothing");
        format!("Carried: {carried}. Location: {}.", belief.here.as_deref().unwrap_or("not known"))
    }
}
