//! One recorded episode, played along.

use std::sync::Arc;

use gimbal_core::nearest;
use gimbal_parity::{Json, Line, ReadError, Seed};

use super::Findings;
use crate::recording::{KINDS, Kind};
use crate::scene::{DISTRACTORS, FIRST_LINE, Scene, goal_line, task_of};
use crate::sim::Simulator;
use crate::tree::Tree;

/// The fields of a row. `solved_plan` is the recorder's note of whether it knew a plan, and nothing that an environment says.
const FIELDS: [&str; 9] = ["seed", "depth", "goal", "kind", "prompt", "core", "pool", "steps", "solved_plan"];

/// Fields that a row may leave out; they are counted.
const COMPARED: [&str; 5] = ["depth", "goal", "prompt", "core", "pool"];

const STEP_FIELDS: [&str; 4] = ["cmd", "obs", "reward", "done"];

/// The scene of the row before: rows of one seed follow one another.
pub(super) struct Scenes {
    tree: Arc<Tree>,
    last: Option<(String, Arc<Scene>)>,
}

impl Scenes {
    pub fn new(tree: &Arc<Tree>) -> Self {
        Self { tree: Arc::clone(tree), last: None }
    }

    fn of(&mut self, written: &str, seed: &Seed) -> Arc<Scene> {
        if let Some((_, scene)) = self.last.as_ref().filter(|(known, _)| known == written) {
            return Arc::clone(scene);
        }
        let place = task_of(&self.tree, seed, written.starts_with('-'));
        let scene = Arc::new(Scene::draw(&self.tree, place, seed));
        self.last = Some((written.to_owned(), Arc::clone(&scene)));
        scene
    }
}

/// Plays a row and compares.
pub(super) fn replay(line: &Line<'_>, scenes: &mut Scenes, findings: &mut Findings) -> Result<(), ReadError> {
    if let Some((other, _)) = line.fields.iter().find(|(key, _)| !FIELDS.contains(&key.as_str())) {
        let hint = nearest::hint(other, FIELDS);
        return Err(line.error(format!("unknown field `{other}`{hint} (known: {})", FIELDS.join(", "))));
    }
    let kinds = KINDS.map(Kind::name);
    if !kinds.contains(&line.kind.as_str()) {
        let hint = nearest::hint(&line.kind, kinds);
        return Err(line.error(format!("unknown `kind` {:?}{hint} (known: {})", line.kind, kinds.join(", "))));
    }
    let seed =
        line.seed()?.ok_or_else(|| line.error("`seed` is missing: the whole number that the episode began with"))?;
    let steps = line.needed("steps")?;
    let steps = steps.as_list().ok_or_else(|| line.error("`steps` must be a list"))?;
    if steps.is_empty() {
        return Err(line.error("`steps` is empty: a recorded episode holds at least one step"));
    }
    let written = line.raw("seed").unwrap_or_default().trim();
    findings.seed = written.to_owned();
    findings.report.counts.rows += 1;
    findings.report.lacks(COMPARED.iter().filter(|key| line.raw(key).is_none()).count());
    let scene = scenes.of(written, &seed);
    reset(line, &scene, findings)?;
    let aliasing = line.kind == "alias";
    findings.report.counts.aliased += u64::from(aliasing);
    let mut simulator = Simulator::new(scene).with_aliasing(aliasing);
    let mut reply = String::new();
    for (at, recorded) in steps.iter().enumerate() {
        findings.step = Some(at);
        step(line, recorded, at, &mut simulator, &mut reply, findings)?;
    }
    Ok(())
}

fn reset(line: &Line<'_>, scene: &Scene, findings: &mut Findings) -> Result<(), ReadError> {
    let names = scene.tree().names();
    if let Some(depth) = line.whole("depth")? {
        findings.check("depth", &depth.to_string(), &scene.task().depth.to_string());
    }
    if line.raw("goal").is_some() {
        findings.check("goal", &line.text("goal")?, names.shown(scene.task().goal));
    }
    for (key, got) in [("core", scene.core().collect::<Vec<_>>()), ("pool", scene.pool().collect::<Vec<_>>())] {
        let Some(recorded) = line.json(key)? else { continue };
        let listed = || line.error(format!("`{key}` must be a list of commands"));
        let recorded: Option<Vec<&str>> = recorded.as_list().ok_or_else(listed)?.iter().map(Json::as_text).collect();
        findings.check(key, &recorded.ok_or_else(listed)?.join("\n"), &got.join("\n"));
    }
    if line.raw("prompt").is_some() {
        prompt(&line.text("prompt")?, scene, findings);
    }
    Ok(())
}

/// The parts of a recorded prompt that a seed decides.
fn prompt(recorded: &str, scene: &Scene, findings: &mut Findings) {
    let goal = goal_line(scene.tree(), scene.task().goal);
    let body = recorded.strip_prefix(FIRST_LINE).and_then(|rest| rest.strip_prefix('\n'));
    let Some(body) = body else {
        findings.differs("prompt, first line", recorded.lines().next().unwrap_or_default(), FIRST_LINE);
        return;
    };
    let body = body.strip_suffix(&goal).and_then(|rest| rest.strip_suffix("\n\n"));
    let Some(body) = body else {
        findings.differs("prompt, last line", recorded.lines().last().unwrap_or_default(), &goal);
        return;
    };
    let mut lines: Vec<&str> = body.split('\n').collect();
    lines.sort_unstable();
    if let Some(twice) = lines.windows(2).find(|pair| pair[0] == pair[1]) {
        findings.differs("prompt, a command twice", twice[0], "each command once");
        return;
    }
    if let Some(missing) = scene.core().find(|text| lines.binary_search(text).is_err()) {
        findings.differs("prompt, a command below the goal", "(not shown)", missing);
        return;
    }
    let (core, pool): (Vec<&str>, Vec<&str>) = (scene.core().collect(), scene.pool().collect());
    let other = |text: &&&str| core.binary_search(text).is_err() && pool.binary_search(text).is_err();
    if let Some(foreign) = lines.iter().find(other) {
        findings.differs("prompt, a command of neither set", foreign, "(no such command)");
        return;
    }
    let wanted = core.len() + pool.len().min(DISTRACTORS);
    findings.check("prompt, number of commands", &lines.len().to_string(), &wanted.to_string());
}

fn step(
    line: &Line<'_>,
    recorded: &Json,
    at: usize,
    simulator: &mut Simulator,
    reply: &mut String,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let Json::Map(members) = recorded else { return Err(line.error(format!("step {at} must be an object"))) };
    if let Some((other, _)) = members.iter().find(|(key, _)| !STEP_FIELDS.contains(&key.as_str())) {
        let known = STEP_FIELDS.join(", ");
        return Err(line.error(format!("step {at}: unknown field `{other}` (known: {known})")));
    }
    let command = recorded.get("cmd").and_then(Json::as_text);
    let command = command.ok_or_else(|| line.error(format!("step {at}: `cmd` must be the text of the command")))?;
    let outcome = simulator.step(command, reply);
    findings.report.counts.steps += 1;
    match recorded.get("obs").map(Json::as_text) {
        Some(Some(expected)) => findings.check("obs", expected, reply),
        Some(None) => return Err(line.error(format!("step {at}: `obs` must be a text"))),
        None => findings.report.lacks(1),
    }
    match recorded.get("reward").map(Json::as_real) {
        Some(Some(expected)) => {
            let got = f64::from(u8::from(outcome.done));
            findings.check("reward", &expected.to_string(), &got.to_string());
        }
        Some(None) => return Err(line.error(format!("step {at}: `reward` must be a number"))),
        None => findings.report.lacks(1),
    }
    match recorded.get("done") {
        Some(Json::Bool(expected)) => findings.check("done", &expected.to_string(), &outcome.done.to_string()),
        Some(_) => return Err(line.error(format!("step {at}: `done` must be true or false"))),
        None => findings.report.lacks(1),
    }
    Ok(())
}
