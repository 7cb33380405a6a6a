//! The section `roles` of a study: who plays, with which settings.

use std::collections::BTreeMap;

use gimbal_core::yaml::{Kind, Member, Node};
use gimbal_core::{Decoding, Milli, RoleSettings, Sampling};
use gimbal_model::{ModelName, replay};
use serde_json::{Value, json};

use super::RoleSet;
use crate::plan::error::Problem;
use crate::plan::members::{Members, decimal, small, string, whole};
use crate::plan::provider;

/// Output tokens of a remote model's answer, at most, where a study sets no bound: the bound of BOG's published code.
const REMOTE_OUTPUT: u32 = 10_000;

pub(super) fn decoding(node: &Node, file: &str) -> Result<Decoding, Problem> {
    match string(node, file, "`decoding`")?.as_str() {
        "free" => Ok(Decoding::Free),
        "constrained" => Ok(Decoding::Constrained),
        "constrained_or_free" => Ok(Decoding::ConstrainedOrFree),
        other => {
            let hint = gimbal_core::nearest::hint(other, ["free", "constrained", "constrained_or_free"]);
            let what = format!("`decoding` is `free`, `constrained` or `constrained_or_free`, not `{other}`{hint}");
            Err(Problem::at(file, node.at, what))
        }
    }
}

/// One entry of `roles`; `default` is the decoding of roles that name none.
pub(super) fn role_set(node: &Node, file: &str, default: Decoding) -> Result<RoleSet, Problem> {
    let members = Members::of(node, file, "an entry of `roles`")?;
    let mut roles = BTreeMap::new();
    let written: Vec<&Member> = members.others().collect();
    for (index, Member { key: role, at, value }) in written.iter().copied().enumerate() {
        if is_null(value) {
            return Err(Problem::at(file, *at, nameless(&written, index)));
        }
        roles.insert(role.clone(), (role_settings(value, file, default)?, *at));
    }
    Ok(RoleSet { roles, at: node.at })
}

fn is_null(node: &Node) -> bool {
    node.kind == Kind::Scalar(Value::Null)
}

/// What is wrong with a role that names no model. Between braces a comma ends a value, so that what follows it in the name
/// of a model looks like a role of its own.
fn nameless(written: &[&Member], index: usize) -> String {
    let role = &written[index].key;
    let before = index.checked_sub(1).map(|before| written[before]).filter(|_| role.contains('='));
    let Some(Member { key: name, value: Node { kind: Kind::Scalar(Value::String(model)), .. }, .. }) = before else {
        return format!("the role `{role}` names no model");
    };
    let torn = written[index..].iter().take_while(|member| is_null(&member.value) && member.key.contains('='));
    let rest: String = torn.map(|member| format!(",{}", member.key)).collect();
    format!(
        "`{role}` is not a role but belongs to the name of a model: between braces a comma ends a value; write the name in \
         quotation marks, `{name}: \"{model}{rest}\"`"
    )
}

fn role_settings(node: &Node, file: &str, default: Decoding) -> Result<RoleSettings, Problem> {
    if let Kind::Scalar(_) = node.kind {
        let model = string(node, file, "the model of a role")?;
        let sampling = sampling_of(&model);
        return Ok(RoleSettings { model, decoding: default, sampling });
    }
    let mut members = Members::of(node, file, "a role")?;
    let model = string(members.need("model")?, file, "`model`")?;
    let decoding = members.get("decoding").map(|node| decoding(node, file)).transpose()?.unwrap_or(default);
    let mut sampling = sampling_of(&model);
    if let Some(node) = members.get("temperature") {
        sampling.temperature = Milli::from_f64(decimal(node, file, "`temperature`", 0.0, 2.0)?);
    }
    if let Some(node) = members.get("top_p") {
        sampling.top_p = Some(Milli::from_f64(decimal(node, file, "`top_p`", 0.0, 1.0)?));
    }
    if let Some(node) = members.get("max_output_tokens") {
        sampling.max_output_tokens = small(node, file, "`max_output_tokens`", 1)?;
    }
    if let Some(node) = members.get("seed") {
        sampling.seed = Some(whole(node, file, "`seed`", 0)?);
    }
    sampling.provider = provider::settings(&mut members, file)?;
    members.finish()?;
    as_recorded(&model, &sampling, node, file)?;
    Ok(RoleSettings { model, decoding, sampling })
}

/// Refuses settings of a role that plays a recording back where nothing was recorded with them: the answers would be
/// shown under settings that they do not have. What the role leaves out is as it was recorded.
fn as_recorded(model: &str, sampling: &Sampling, node: &Node, file: &str) -> Result<(), Problem> {
    let Ok(ModelName::Replay(folder)) = ModelName::parse(model) else { return Ok(()) };
    type SamplingValue = fn(&Sampling) -> Value;
    let settings: [(&str, SamplingValue); 8] = [
        ("temperature", |sampling| json!(sampling.temperature)),
        ("top_p", |sampling| json!(sampling.top_p)),
        ("max_output_tokens", |sampling| json!(sampling.max_output_tokens)),
        ("seed", |sampling| json!(sampling.seed)),
        ("stop", |sampling| json!(sampling.provider.stop)),
        ("reasoning_effort", |sampling| json!(sampling.provider.reasoning_effort)),
        ("extra_body", |sampling| json!(sampling.provider.extra_body)),
        ("extra_headers", |sampling| json!(sampling.provider.extra_headers)),
    ];
    let Kind::Map(members) = &node.kind else { return Ok(()) };
    let written: Vec<(&str, SamplingValue)> =
        settings.into_iter().filter(|(key, _)| members.iter().any(|written| written.key == *key)).collect();
    let agrees = |recorded: &Sampling| written.iter().all(|(_, of)| of(sampling) == of(recorded));
    if written.is_empty() || replay::was_made_with(&folder, agrees) != Some(false) {
        return Ok(());
    }
    let keys: Vec<String> = written.iter().map(|(key, _)| format!("`{key}`")).collect();
    let what = format!(
        "nothing in the recording of `{model}` was made with these settings ({}); drop them: it is played back with those \
         that it was made with",
        keys.join(", ")
    );
    Err(Problem::at(file, node.at, what))
}

/// The decoding settings of a model for which a study sets none (BOG-045): greedy, and 10,000 tokens of output for remote
/// models, which may reason at length before they answer.
pub(in crate::plan) fn sampling_of(model: &str) -> Sampling {
    match ModelName::parse(model) {
        Ok(ModelName::Remote { .. }) => Sampling { max_output_tokens: REMOTE_OUTPUT, ..Sampling::default() },
        // What was recorded of a remote model was asked with its settings, and is found by them.
        Ok(ModelName::Replay(folder)) if replay::holds_remote(&folder) => {
            Sampling { max_output_tokens: REMOTE_OUTPUT, ..Sampling::default() }
        }
        _ => Sampling::default(),
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Milli, Sampling};

    use super::sampling_of;
    use crate::plan::parse;

    // covers: BOG-045, CYC-055
    #[test]
    fn remote_models_may_answer_at_length_unless_the_study_says_otherwise() {
        for (model, bound) in
            [("openai/gpt-5", 10_000), ("vllm/a/b", 10_000), ("local/smollm2-135m", 1024), ("scripted/idle", 1024)]
        {
            let expected = Sampling { temperature: Milli::ZERO, max_output_tokens: bound, ..Sampling::default() };
            assert_eq!(sampling_of(model), expected, "{model}");
        }
        let study = "
study: x
environment: cage2
architectures: [react]
roles:
  - { default: openai/gpt-5, judge: { model: openai/gpt-5, max_output_tokens: 77, top_p: 0.7 }, reader: { model: gemini/x } }
";
        let study = parse(study, "study.yaml").unwrap();
        let bound = |role: &str| study.roles[0].roles[role].0.sampling.max_output_tokens;
        assert_eq!((bound("default"), bound("judge"), bound("reader")), (10_000, 77, 10_000));
        assert_eq!(study.roles[0].roles["judge"].0.sampling.top_p, Some(Milli(700)));
    }
}
