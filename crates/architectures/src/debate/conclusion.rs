//! The conclusion: the verdict as the call that ends the task.

use gimbal_core::{Acted, EpisodeStopped, LaneId, Milli, Stage, ToolCall};
use serde_json::{Value, json};

use super::decision::Decision;

/// Most facts that a conclusion cites; those that weigh most come first.
const CITED: usize = 20;

/// Makes the answering call of the brief: `verdict`, `confidence` and `facts`, as far as its tool takes them. One that the environment refuses is
/// replaced with the idle call, and counted.
///
/// # Errors
/// What stopped the episode. A lasting one where the environment has no such call.
pub(super) async fn conclude(
    stage: &dyn Stage,
    decision: &Decision,
    words: Option<&str>,
) -> Result<(), EpisodeStopped> {
    let brief = stage.brief();
    let tool = brief.answer.as_ref().map(|answering| answering.tool.as_str());
    let tools = stage.tools();
    let spec = tools.iter().find(|spec| Some(spec.name.as_str()) == tool);
    let spec =
        spec.ok_or_else(|| EpisodeStopped::lasting("the brief of this task names no call that gives its answer"))?;
    let parameters = spec.parameters.get("properties").and_then(Value::as_object);
    let takes = |name: &str| parameters.and_then(|all| all.get(name));
    if takes("verdict").is_none() {
        let words = format!("the call `{}` of this task takes no `verdict`, which a debate concludes with", spec.name);
        return Err(EpisodeStopped::lasting(words));
    }
    let facts: Vec<String> = decision.facts.iter().take(CITED).map(ToString::to_string).collect();
    let mut call = ToolCall::bare(&spec.name);
    let values = [
        ("verdict", json!(decision.verdict.name()), json!(decision.verdict.name())),
        ("confidence", number(takes("confidence"), decision.certainty), json!(decision.certainty.to_string())),
        ("facts", json!(facts), json!(facts.join(" "))),
    ];
    for (name, value, text) in values {
        if let Some(schema) = takes(name) {
            let is_text = schema.get("type").and_then(Value::as_str) == Some("string");
            call.arguments.insert(name.to_owned(), if is_text { text } else { value });
        }
    }
    if let Acted::Rejected(rejection) = stage.act(LaneId::MAIN, &call, words).await? {
        let idle = brief.idle.clone();
        let reason = format!("the conclusion was refused: {}", rejection.message);
        stage.fallback(LaneId::MAIN, &idle, &reason).await;
        stage.act(LaneId::MAIN, &idle, None).await?;
    }
    Ok(())
}

/// A confidence as a schema wants it: a whole number of its largest where it is one, such as percent, else from 0 to 1.
fn number(schema: Option<&Value>, confidence: Milli) -> Value {
    let schema = schema.filter(|schema| schema.get("type").and_then(Value::as_str) == Some("integer"));
    match schema.and_then(|schema| schema.get("maximum")?.as_i64()) {
        Some(most) => json!((confidence.0 * most + 500) / 1000),
        None => json!(confidence.to_f64()),
    }
}
