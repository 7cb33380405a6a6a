//! What an expert in a layer's place would answer, for the noisy expert alone.
//!
//! The expert's call is the environment's own; a mistaken layer wants another legal call, denies the expert's call, or leaves the idle call alone.
//! Of every two mistaken answers one is as sure of itself as if it were right.

use gimbal_core::{Hint, ToolCall};
use gimbal_messages::spaced;
use gimbal_temporal::Layer;
use serde_json::{Value, json};

/// Most other answers.
const OTHERS: usize = 24;
/// Steps after which a plan is made anew.
const LASTS: u32 = 10;
/// How sure a right answer is, and mistaken ones by turns.
const SURE: f64 = 0.8;
const MISTAKEN: [f64; 2] = [0.9, 0.4];

/// What an expert goes by.
pub(super) struct Expert<'a> {
    /// What the environment's own expert would do now, and its action text.
    pub call: &'a ToolCall,
    pub action: &'a str,
    /// Action texts of the legal calls.
    pub actions: &'a [String],
    /// The subject of the call, or the goal.
    pub about: &'a str,
    /// Name of the idle tool.
    pub idle: &'a str,
}

impl Expert<'_> {
    /// The answer of a layer under contracts.
    pub(super) fn answer(&self, layer: Layer) -> Hint {
        match layer {
            Layer::Reflex => {
                let say = |action: &str, urgency: f64, confidence: f64| json!({ "action": action, "urgency": urgency, "confidence": confidence, "emergency": false, "summary": "as it should be" });
                self.hint(say(self.action, 0.5, SURE), |action, place| say(action, 0.5, MISTAKEN[place % 2]))
            }
            Layer::Tactical => {
                let say = |action: &str, confidence: f64| {
                    json!({
                        "action_sequence": [action], "working_memory_update": "", "reached": [], "urgency": 0.5,
                        "confidence": confidence, "summary": "as it should be"
                    })
                };
                self.hint(say(self.action, SURE), |action, place| say(action, MISTAKEN[place % 2]))
            }
            Layer::Strategic => {
                let say = |constraints: &[String], priority: f64| {
                    let subgoal = json!({
                        "id": "go on", "description": format!("{} {}", self.call.tool, self.about), "success_criteria": "it is done",
                        "dependencies": []
                    });
                    json!({ "goal_id": "goal", "subgoals": [subgoal], "constraints": constraints, "priority": priority, "deadline": LASTS })
                };
                let wrong = [
                    say(&[format!("forbid {} *", self.call.tool), format!("forbid {}", self.call.tool)], MISTAKEN[0]),
                    say(&[format!("only {}", self.idle)], MISTAKEN[1]),
                ];
                written(&say(&[], SURE), &wrong)
            }
            Layer::Institutional | Layer::Meta => {
                let say = |rules: Value, forbidden: &[String]| json!({ "rules": rules, "thresholds": {}, "forbidden": forbidden });
                let deny =
                    json!([{ "id": "deny", "condition": format!("call {} *", self.call.tool), "action": "deny" }]);
                let wrong = [say(json!([]), &[format!("{} *", self.call.tool)]), say(deny, &[])];
                written(&say(json!([]), &[]), &wrong)
            }
        }
    }

    /// The answer of a layer without contracts.
    pub(super) fn remark(&self, layer: Layer) -> Hint {
        let acts = |action: &str| format!("This should be done now. Do: {action}");
        let others = self.others().map(|(_, action)| acts(action));
        let (answer, alternatives): (String, Vec<String>) = match layer {
            Layer::Reflex | Layer::Tactical => (acts(self.action), others.collect()),
            Layer::Strategic | Layer::Institutional | Layer::Meta => {
                let deny = format!("This should not be done. Forbid: {} *", self.call.tool);
                ("Go on as you do.".to_owned(), others.take(2).chain([deny]).collect())
            }
        };
        Hint { answer, alternatives }
    }

    fn others(&self) -> impl Iterator<Item = (usize, &str)> {
        let others = self.actions.iter().map(String::as_str).filter(|action| *action != self.action);
        others.take(OTHERS).enumerate()
    }

    fn hint(&self, right: Value, wrong: impl Fn(&str, usize) -> Value) -> Hint {
        let wrong: Vec<Value> = self.others().map(|(place, action)| wrong(action, place)).collect();
        written(&right, &wrong)
    }
}

fn written(right: &Value, wrong: &[Value]) -> Hint {
    Hint { answer: spaced(right), alternatives: wrong.iter().map(spaced).collect() }
}
