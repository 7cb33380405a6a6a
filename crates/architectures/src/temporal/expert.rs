//! What an expert in a layer's place would answer, for the noisy expert alone.
//!
//! The expert's call is the environment's own; a mistaken layer wants another legal call, denies the expert's call, or leaves the idle call alone.
//! Of every two mistaken answers one is as sure of itself as if it were right.

use gimbal_core::{Hint, Rng, ToolCall};
use gimbal_messages::spaced;
use gimbal_temporal::Layer;
use serde_json::{Value, json};

use super::settings::Experts;

/// Most other answers.
const OTHERS: usize = 24;
/// Steps after which a plan is made anew.
const LASTS: u32 = 10;
/// How sure a right answer is, and mistaken ones by turns, where nothing is drawn.
const SURE: f64 = 0.8;
const MISTAKEN: [f64; 2] = [0.9, 0.4];
/// How sure answers are where it is drawn, in tenths: from, and how many values. Those that are sure, and those that are not.
const DRAWN: [(u64, u64); 2] = [(6, 4), (3, 4)];

/// How an expert speaks in one answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spoken {
    /// How sure a right answer is.
    sure: f64,
    /// How sure mistaken ones are, by turns.
    mistaken: Vec<f64>,
    /// Tool of the calls that a right plan excludes.
    excludes: Option<String>,
}

impl Default for Spoken {
    fn default() -> Self {
        Self { sure: SURE, mistaken: MISTAKEN.to_vec(), excludes: None }
    }
}

impl Spoken {
    /// Draws how an expert speaks. What it excludes is the tool of a legal call, neither the expert's own nor the idle one.
    pub(super) fn drawn(experts: Experts, legal: &[ToolCall], call: &ToolCall, idle: &str, rng: &mut Rng) -> Self {
        let confidence = |rng: &mut Rng, sure: bool| {
            let (from, values) = DRAWN[usize::from(!sure)];
            (from + rng.below(values)) as f64 / 10.0
        };
        let sure = confidence(rng, true);
        let mistaken = (0..OTHERS)
            .map(|_| {
                let as_sure = rng.below(1_000) < u64::from(experts.overconfident);
                confidence(rng, as_sure)
            })
            .collect();
        let others: Vec<&str> =
            legal.iter().map(|other| other.tool.as_str()).filter(|tool| *tool != call.tool && *tool != idle).collect();
        let excludes = if experts.excluding && !others.is_empty() {
            others.get(rng.below(others.len() as u64) as usize).map(|tool| (*tool).to_owned())
        } else {
            None
        };
        Self { sure, mistaken, excludes }
    }

    fn mistaken(&self, place: usize) -> f64 {
        self.mistaken.get(place % self.mistaken.len().max(1)).copied().unwrap_or(SURE)
    }
}

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
    /// How it speaks.
    pub spoken: Spoken,
}

impl Expert<'_> {
    /// The answer of a layer under contracts.
    pub(super) fn answer(&self, layer: Layer) -> Hint {
        match layer {
            Layer::Reflex => {
                let say = |action: &str, urgency: f64, confidence: f64| json!({ "action": action, "urgency": urgency, "confidence": confidence, "emergency": false, "summary": "as it should be" });
                self.hint(say(self.action, 0.5, self.spoken.sure), |action, place| {
                    say(action, 0.5, self.spoken.mistaken(place))
                })
            }
            Layer::Tactical => {
                let say = |action: &str, confidence: f64| {
                    json!({
                        "action_sequence": [action], "working_memory_update": "", "reached": [], "urgency": 0.5,
                        "confidence": confidence, "summary": "as it should be"
                    })
                };
                self.hint(say(self.action, self.spoken.sure), |action, place| say(action, self.spoken.mistaken(place)))
            }
            Layer::Strategic => {
                let say = |constraints: &[String], priority: f64| {
                    let subgoal = json!({
                        "id": "go on", "description": format!("{} {}", self.call.tool, self.about), "success_criteria": "it is done",
                        "dependencies": []
                    });
                    json!({ "goal_id": "goal", "subgoals": [subgoal], "constraints": constraints, "priority": priority, "deadline": LASTS })
                };
                let forbids = |tool: &str| [format!("forbid {tool} *"), format!("forbid {tool}")];
                let wrong = [
                    say(&forbids(&self.call.tool), self.spoken.mistaken(0)),
                    say(&[format!("only {}", self.idle)], self.spoken.mistaken(1)),
                ];
                let right = self.spoken.excludes.as_deref().map(forbids);
                written(&say(right.as_ref().map_or(&[], <[_; 2]>::as_slice), self.spoken.sure), &wrong)
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
                let right = self.spoken.excludes.iter().map(|tool| format!(" Forbid: {tool} *"));
                let right = format!("Go on as you do.{}", right.collect::<String>());
                (right, others.take(2).chain([deny]).collect())
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

#[cfg(test)]
mod tests {
    use gimbal_core::{Rng, ToolCall};
    use gimbal_temporal::Layer;

    use super::{Expert, Experts, Spoken};

    fn legal() -> Vec<ToolCall> {
        let calls = [("Light", "1"), ("Light", "2"), ("Snuff", "1")];
        let mut legal: Vec<ToolCall> =
            calls.iter().map(|(tool, lamp)| ToolCall::with(tool, &[("lamp", lamp)])).collect();
        legal.push(ToolCall::bare("Wait"));
        legal
    }

    fn spoken(overconfident: u32, seed: u64) -> Spoken {
        let legal = legal();
        let experts = Experts { overconfident, excluding: true };
        Spoken::drawn(experts, &legal, &legal[0], "Wait", &mut Rng::stream(seed, "expert"))
    }

    // covers: CTHA-080
    #[test]
    fn confidence_gives_no_mistake_away_and_a_right_plan_excludes_something_else() {
        let all = |overconfident: u32| (0..200).map(move |seed| spoken(overconfident, seed));
        assert_eq!(spoken(500, 3), spoken(500, 3), "the same stream speaks alike");
        assert!(all(500).all(|one| (0.6..=0.9).contains(&one.sure)));
        assert!(all(500).all(|one| one.excludes.as_deref() == Some("Snuff")), "neither its own kind nor the idle call");
        let sure = |overconfident: u32| {
            let drawn: Vec<f64> = all(overconfident).flat_map(|one| one.mistaken).collect();
            drawn.iter().filter(|one| **one > 0.65).count() as f64 / drawn.len() as f64
        };
        // Three of four values of those that are sure are above 0.65, and none of the others is.
        assert!((sure(0), sure(1000)) == (0.0, sure(1000)) && (sure(1000) - 0.75).abs() < 0.02);
        assert!((sure(500) - 0.375).abs() < 0.02, "{}", sure(500));
    }

    #[test]
    fn a_right_plan_says_what_it_excludes_and_without_the_setting_nothing_changes() {
        let legal = legal();
        let plan = |spoken: Spoken| {
            let expert =
                Expert { call: &legal[0], action: "Light 1", actions: &[], about: "lamp", idle: "Wait", spoken };
            expert.answer(Layer::Strategic).answer
        };
        assert!(plan(spoken(500, 1)).contains(r#""constraints": ["forbid Snuff *", "forbid Snuff"]"#));
        assert!(plan(Spoken::default()).contains(r#""constraints": []"#));
    }
}
