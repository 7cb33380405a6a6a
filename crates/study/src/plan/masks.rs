//! Which roles decode under constraint: what their answers take is compared with what their models' servers enforce, so
//! that no mask is dropped on the way and no answer is judged by one that was never sent.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{Decoding, GrammarKind, RoleSettings};
use gimbal_model::{Known, ModelFacts, ModelKind, ModelName, NativeCalls};

/// What is known of the models of a study.
#[derive(Default)]
pub(super) struct Models {
    pub facts: BTreeMap<String, ModelFacts>,
    /// Of remote ones, what their servers enforce and take.
    pub known: BTreeMap<String, Known>,
}

/// What the roles of one cell take.
pub(super) struct Asked<'a> {
    /// What tables call the architecture.
    pub label: &'a str,
    /// Grammars by role, as the architecture says.
    pub grammars: &'a [(String, GrammarKind)],
    /// Roles that the environment asks: one of several texts each.
    pub by_environment: &'a [String],
    /// Roles whose requests offer tools for native calls.
    pub native: &'a [String],
}

/// Whether a role that is asked is the entry `role`: its own, or `default` where no entry names it.
fn own(asked: &str, role: &str, named: &BTreeMap<String, RoleSettings>) -> bool {
    asked == role || (role == "default" && !named.contains_key(asked))
}

impl Asked<'_> {
    /// The grammars of a role; those of `default` for all that are not named.
    fn of(&self, role: &str, named: &BTreeMap<String, RoleSettings>) -> BTreeSet<GrammarKind> {
        let own = |asked: &str| own(asked, role, named);
        let by_architecture = self.grammars.iter().filter(|(asked, _)| own(asked)).map(|(_, kind)| *kind);
        let by_environment = self.by_environment.iter().filter(|asked| own(asked)).map(|_| GrammarKind::Choice);
        by_architecture.chain(by_environment).collect()
    }

    /// Whether a role calls tools natively; `default` also for all that are not named.
    fn calls(&self, role: &str, named: &BTreeMap<String, RoleSettings>) -> bool {
        self.native.iter().any(|asked| own(asked, role, named))
    }
}

/// How the roles of a cell decode.
pub(super) struct Decided {
    /// The roles as they are played.
    pub roles: BTreeMap<String, RoleSettings>,
    /// What is wrong with them.
    pub problems: Vec<String>,
    /// What to know of them.
    pub warnings: Vec<String>,
}

/// Decides for each role whether its answers are masked.
pub(super) fn decided(roles: &BTreeMap<String, RoleSettings>, asked: &Asked<'_>, models: &Models) -> Decided {
    let (mut problems, mut warnings) = (Vec::new(), Vec::new());
    let mut played = roles.clone();
    for (role, settings) in &mut played {
        let model = settings.model.clone();
        let remote = models.facts.get(&model).is_some_and(|facts| facts.kind == ModelKind::Remote);
        let Some(known) = models.known.get(&model).filter(|_| remote) else {
            if settings.decoding == Decoding::ConstrainedOrFree {
                settings.decoding = Decoding::Constrained;
            }
            continue;
        };
        if settings.decoding == Decoding::Free {
            continue;
        }
        let kinds = asked.of(role, roles);
        let missing: Vec<GrammarKind> = kinds.into_iter().filter(|kind| !known.enforces(*kind)).collect();
        let calls = if asked.calls(role, roles) { calls(asked.label, role, settings, known) } else { Calls::default() };
        if missing.is_empty() || matches!(calls, Calls::Free { .. }) {
            match calls {
                Calls::Held => settings.decoding = Decoding::Constrained,
                Calls::Forced(words) => {
                    settings.decoding = Decoding::Forced;
                    warnings.push(words);
                }
                Calls::Free { what, .. } if settings.decoding == Decoding::ConstrainedOrFree => {
                    settings.decoding = Decoding::Free;
                    warnings.push(format!("{what}: it plays free"));
                }
                Calls::Free { what, remedy } => problems.push(format!("{what}: {remedy}")),
            }
            continue;
        }
        let words: Vec<&str> = missing.iter().map(|kind| kind.words()).collect();
        let what = format!(
            "`{}`: the role `{role}` decodes by {}, which the server of `{model}` does not enforce ({})",
            asked.label,
            words.join(" and "),
            known.source
        );
        if settings.decoding == Decoding::ConstrainedOrFree {
            settings.decoding = Decoding::Free;
            warnings.push(format!("{what}: it plays free"));
            continue;
        }
        let json = if missing == [GrammarKind::Regex] { by_json(known) } else { "" };
        problems.push(format!(
            "{what}: {json}write `decoding: constrained_or_free` to let such roles play free, or state under \
             `models.facts` which `masks` the server enforces"
        ));
    }
    Decided { roles: played, problems, warnings }
}

/// What to write instead where the server enforces JSON Schemas.
fn by_json(known: &Known) -> &'static str {
    if known.enforces(GrammarKind::Schema) {
        "set `protocol: json` in the architecture (it takes JSON Schemas), "
    } else {
        ""
    }
}

/// What the server of a role that calls tools natively enforces of its calls.
#[derive(Default)]
enum Calls {
    /// All that the grammars ask for; also of a role that calls none.
    #[default]
    Held,
    /// That a tool is called: what to know of that.
    Forced(String),
    /// Nothing: what is missing, and what to write instead.
    Free { what: String, remedy: String },
}

fn calls(label: &str, role: &str, settings: &RoleSettings, known: &Known) -> Calls {
    let (model, source) = (&settings.model, &known.native_source);
    let what = format!("`{label}`: the role `{role}` decodes by native tool calls (`protocol: native-tools`)");
    let thinks = settings.sampling.provider.extra_body.get("thinking");
    let thinks = thinks.and_then(|thinking| thinking.get("type")).is_some_and(|kind| kind != "disabled");
    let (what, fix) = match known.native {
        NativeCalls::Strict if thinks => (
            format!(
                "{what}, and while `thinking` is on (`extra_body`) the server of `{model}` takes no demand for a call"
            ),
            "switch it off",
        ),
        NativeCalls::Strict => return Calls::Held,
        NativeCalls::Forced => {
            return Calls::Forced(format!(
                "{what}, of which the server of `{model}` enforces only that one is made ({source}): names and arguments are a \
                 hint and are not judged, and tables show `forced`; `protocol: json` in the architecture is enforced whole"
            ));
        }
        NativeCalls::None => (
            format!("{what}, which the server of `{model}` does not enforce ({source})"),
            "state under `models.facts` that it does (`native: strict`)",
        ),
    };
    let remedy =
        format!("{}write `decoding: constrained_or_free` to let such roles play free, or {fix}", by_json(known));
    Calls::Free { what, remedy }
}

/// Roles whose requests offer tools, with models that cannot be shown any: such a request would fail, and close the model
/// for every other cell.
pub(super) fn native(
    label: &str,
    native: &[String],
    roles: &BTreeMap<String, RoleSettings>,
    models: &Models,
) -> Vec<String> {
    let native: BTreeSet<&String> = native.iter().collect();
    let refused = native.into_iter().filter_map(|role| {
        let model = &roles.get(role).or_else(|| roles.get("default"))?.model;
        let facts = models.facts.get(model).filter(|facts| !facts.tools)?;
        Some(format!(
            "`{label}`: the role `{role}` answers by `protocol: native-tools`, and the chat template of `{}` has no place \
             for tools: write `protocol: react-text` or `protocol: json` in the architecture, or name another model",
            facts.name
        ))
    });
    refused.collect()
}

/// What is wrong with the settings that a role sends to its provider.
pub(super) fn settings(role: &str, settings: &RoleSettings, known: Option<&Known>) -> Option<String> {
    let own = &settings.sampling.provider;
    if own.is_default() {
        return None;
    }
    let model = &settings.model;
    // The settings of what was recorded, by which the calls of a recording differ.
    if matches!(ModelName::parse(model), Ok(ModelName::Replay(_))) {
        return None;
    }
    let Some(known) = known else {
        return Some(format!(
            "the role `{role}`: `stop`, `reasoning_effort`, `extra_body` and `extra_headers` are for models that are reached \
             over the network, and `{model}` is none; drop them"
        ));
    };
    let effort = own.reasoning_effort.as_ref().filter(|_| !known.effort)?;
    Some(format!(
        "the role `{role}`: `{model}` takes no reasoning effort (`{effort}`); drop it, or state `effort: true` under \
         `models.facts`"
    ))
}

/// What to know where the bound of a role's output is more than its model gives.
pub(super) fn bound(role: &str, settings: &RoleSettings, known: &Known) -> Option<String> {
    let asked = u64::from(settings.sampling.max_output_tokens);
    let fits = [known.output.map(u64::from), known.context].into_iter().flatten().min()?;
    (fits < asked).then(|| {
        format!(
            "the role `{role}`: `{}` gives at most {fits} tokens of output and prompt, and `max_output_tokens` is {asked}: \
             it is cut to what fits, call by call",
            settings.model
        )
    })
}
