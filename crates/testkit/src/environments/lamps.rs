//! Four lamps to light in the wind: all that a new environment on `gimbal-env-kit` must write, its verbs included.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use gimbal_core::{
    Brief, Catalogue, Digest, EnvError, Environment, EnvironmentStop, Expert, Milli, Observation, Offers, Rejection,
    Reply, Rng, Simulator, TaskId, ToolCall, ToolSpec, Transition,
};
use gimbal_env_kit::{brief::BuiltIn, calls, catalogue, options, states, workbench::Workbench};
use serde_json::{Value, json};

gimbal_env_kit::brief_form! { Form { goal: String, subjects: Vec<String> } }
static BRIEF: BuiltIn<Form> = BuiltIn::new("lamps", "lamps.rs", TEXT);
const TEXT: &str = "
role: You look after lamps in the wind.
goal: Have all lamps burn at the same time.
subject: lamp
subjects: [lamp_1, lamp_2, lamp_3, lamp_4]
glossary:
  - { name: Light, type: reactive, description: Lights one lamp., usage: Light lamp=<lamp> }
  - { name: Wait, type: passive, description: Does nothing., usage: Wait }
legend:
  current_status: baseline, as at the start; changed, not as at the start; unknown, not seen yet.
  time_of_update: Current, the latest observation tells of the lamp; Past, it does not.
  compared_with_baseline: the new status of lamps whose status the step changed.
seconds_per_step: 60
manifest: { tools: { Light: { writes: ['{lamp}'], effects: { '{lamp}': lit } }, Wait: {} } }
forbidden_words: [lamps]
";
static TOOLS: LazyLock<Arc<[ToolSpec]>> = LazyLock::new(|| {
    let mut light = ToolSpec::of_strings("Light", "Lights one lamp.", &[("lamp", "Its name.")]);
    light.parameters["properties"]["lamp"]["enum"] = BRIEF.form().map(|form| json!(form.subjects)).unwrap_or_default();
    [light, ToolSpec::of_strings("Wait", "Does nothing.", &[])].into()
});
static OPTIONS: LazyLock<options::Options> = LazyLock::new(|| {
    let wind = options::Field::whole("wind", 0, 100, "Percent of the steps that put out a lamp.");
    options::Options::with_defaults("lamps", json!({ "wind": 10 }), vec![wind])
});
/// The family `lamps`.
#[derive(Debug)]
pub struct Lamps;
impl Workbench for Lamps {}
impl Catalogue for Lamps {
    fn name(&self) -> &'static str {
        "lamps"
    }
    fn behaviour(&self) -> u32 {
        1
    }
    fn splits(&self) -> &[&'static str] {
        &["test"]
    }
    fn tasks(&self, split: &str, _options: &Value) -> Result<Vec<TaskId>, EnvError> {
        catalogue::tasks("lamps", split, &[("test", &["evening", "night"])])
    }
    fn schema(&self) -> Value {
        OPTIONS.schema()
    }
    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        OPTIONS.read(options)
    }
    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        let gusts = self.resolve(options)?["wind"].as_u64().unwrap_or_default();
        let form = BRIEF.form()?;
        let brief = Brief {
            goal: form.goal.clone(),
            subjects: form.subjects.clone(),
            horizon: 20,
            idle: ToolCall::bare("Wait"),
            ..BRIEF.brief(|| Arc::clone(&TOOLS))?
        };
        Ok(Box::new(Evening { brief: brief.into(), gusts, lit: [false; 4], wind: Rng::stream(0, "wind") }))
    }
    fn offers(&self) -> Offers {
        catalogue::offers(["wait", "light"], &*states::QUERIES)
    }
}
#[derive(Clone, Debug)]
struct Evening {
    brief: Arc<Brief>,
    gusts: u64,
    lit: [bool; 4],
    wind: Rng,
}
impl Evening {
    fn look(&self) -> Observation {
        let lamp = |(name, lit): (&String, bool)| (name.clone(), if lit { "lit" } else { "dark" });
        let lamps: Value = self.brief.subjects.iter().zip(self.lit).map(lamp).collect();
        Observation { text: lamps.to_string(), data: lamps.into() }
    }
}
#[async_trait]
impl Environment for Evening {
    gimbal_env_kit::calls_on_subjects!(TOOLS, "lamp");
    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        (self.lit, self.wind) = ([false; 4], Rng::stream(seed, &task.0));
        Ok(self.look())
    }
    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        calls::check_choices(call, self)?;
        if let Some(place) = calls::subject(call, "lamp", &self.brief.subjects) {
            self.lit[place] = true;
        }
        let won = self.lit == [true; 4];
        if !won && self.wind.below(100) < self.gusts {
            self.lit[self.wind.below(4) as usize] = false;
        }
        let reward = Milli(if won { 0 } else { -1000 });
        Ok(Reply::Step(Transition {
            observation: self.look().into(),
            reward,
            done: won.then_some(EnvironmentStop::Solved),
        }))
    }
    fn state(&self) -> Digest {
        Digest::of(&self.lit.map(u8::from))
    }
    fn simulator(&self) -> Option<&dyn Simulator> {
        Some(self)
    }
    fn expert(&self) -> Option<&dyn Expert> {
        Some(self)
    }
    fn policies(&self) -> &[&'static str] {
        &["wait", "light"]
    }
    fn decide(&mut self, policy: &str, _draws: &mut Rng) -> Option<ToolCall> {
        if policy == "light" { self.next_call() } else { Some(self.brief.idle.clone()) }
    }
}
impl Simulator for Evening {
    fn fork(&self, future: u64) -> Box<dyn Environment> {
        Box::new(Self { wind: Rng::stream(future, "fork"), ..self.clone() })
    }
}
impl Expert for Evening {
    fn next_call(&self) -> Option<ToolCall> {
        let dark = self.lit.iter().position(|lit| !lit)?;
        Some(ToolCall::with("Light", &[("lamp", &self.brief.subjects[dark])]))
    }
}
