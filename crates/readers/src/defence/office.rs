//! The agents of a controller over subtasks: router, analyzer and planners, and the executor whose subtask says what its work is.

use crate::control::{Office, Step, Work};
use crate::kit::{Act, Sheet};

use super::glossary::Glossary;
use super::planner::{call, wanted};
use super::sight::Sight;

/// The defender as such an agent.
pub struct Defender;

/// Kinds of work.
const FIX: &str = "fix";
const WATCH: &str = "watch";

/// Whether a sheet is from a controller.
pub fn knows(sheet: &Sheet<'_>) -> bool {
    let plans = sheet.asks_for(&["nodes", "entry", "edges"])
        || (sheet.adviser && sheet.asks_for(&["name", "goal", "tools"]) && sheet.request(&["size"]).is_some());
    plans || sheet.request(&["segment"]).is_some() || sheet.request(&["subtask", "memory"]).is_some()
}

impl Defender {
    /// Names of what needs a fix now.
    fn changed(sheet: &Sheet<'_>, glossary: &Glossary) -> Vec<String> {
        // Whoever only directs sees the state after the stretch of work, in the status.
        match Sight::of(sheet.first()).status {
            Some(lines) if sheet.adviser => {
                lines.into_iter().filter(|line| line.changed).map(|line| line.name).collect()
            }
            _ => wanted(sheet, glossary),
        }
    }
}

impl Office for Defender {
    fn step(&self, sheet: &Sheet<'_>) -> Step {
        let glossary = Glossary::of(&sheet.system);
        let refused = sheet.talk.last().is_some_and(|turn| turn.refused);
        let act = |entry: Option<Act>| entry.into_iter().collect();
        match Self::changed(sheet, &glossary).first().filter(|_| !refused) {
            Some(target) => {
                let fix = glossary.fix().map(|fix| call(fix, Some(target)));
                Step::act(FIX, &format!("{target} has changed and needs a fix."), act(fix))
            }
            None => {
                let watch = glossary.watch().map(|watch| call(watch, None));
                Step::act(WATCH, "Nothing calls for a fix.", act(watch))
            }
        }
    }

    fn kinds(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &[(WATCH, &["passive", "watch", "observe"]), (FIX, &["reactive", "fix", "repair"]), ("prepare", &["proactive"])]
    }

    fn tools(&self, kind: &str) -> &'static [&'static str] {
        match kind {
            FIX => &["Restore", "MakeNodeSafe"],
            WATCH => &["Monitor", "Scan", "DoNothing"],
            _ => &["Decoy", "Reduce"],
        }
    }

    fn plan(&self) -> Vec<Work> {
        vec![
            Work::new("WATCH", WATCH, "Watch the network until something has changed."),
            Work::new("FIX", FIX, "Fix what has changed, until nothing is left to fix."),
        ]
    }

    fn state(&self, sheet: &Sheet<'_>) -> String {
        match Self::changed(sheet, &Glossary::of(&sheet.system)).as_slice() {
            [] => "Nothing is known to have changed.".to_owned(),
            names => format!("Changed: {}.", names.join(", ")),
        }
    }
}
