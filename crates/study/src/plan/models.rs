//! The section `models` of a study, read with the place of everything.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gimbal_core::yaml::{Kind, Location, Member, Node};
use gimbal_core::{GrammarKind, nearest};
use gimbal_model::remote::Dialect;
use gimbal_model::{Endpoint, ModelsSection, Rate, RetryPolicy, Timeouts, Traits, is_variable_name};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::Problem;
use super::file::StudyFile;
use super::members::{Members, items, small, string, whole};

/// The section `models` of a study; empty where the study has none.
///
/// # Errors
/// What is wrong with the section, with its place.
pub fn models_section(study: &StudyFile) -> Result<ModelsSection, Problem> {
    let mut section = ModelsSection::default();
    let Some(node) = &study.models else { return Ok(section) };
    let file = &study.file;
    let mut members = Members::of(node, file, "`models`")?;
    if let Some(node) = members.get("endpoints") {
        section.endpoints = by_name(node, file, "`models.endpoints`", endpoint)?;
    }
    if let Some(node) = members.get("rates") {
        section.rates = by_name(node, file, "`models.rates`", rate)?;
    }
    if let Some(node) = members.get("facts") {
        section.facts = by_name(node, file, "`models.facts`", facts)?;
    }
    if let Some(node) = members.get("retry") {
        section.retry = retry(node, file)?;
    }
    if let Some(node) = members.get("timeouts") {
        section.timeouts = timeouts(node, file)?;
    }
    let folder = |node: &Node, what: &str| string(node, file, what).map(PathBuf::from);
    section.cache = members.get("cache").map(|node| folder(node, "`cache`")).transpose()?;
    section.record = members.get("record").map(|node| folder(node, "`record`")).transpose()?;
    members.finish()?;
    Ok(section)
}

/// A map of families (`vllm`) and models (`vllm/qwen3-4b`) that are reached over the network.
fn by_name<T>(
    node: &Node,
    file: &str,
    what: &str,
    read: impl Fn(&Node, &str, &str) -> Result<T, Problem>,
) -> Result<BTreeMap<String, T>, Problem> {
    let mut found = BTreeMap::new();
    for Member { key: name, at, value } in Members::of(node, file, what)?.others() {
        check_name(name, *at, file, what)?;
        found.insert(name.clone(), read(value, file, &format!("{what} of `{name}`"))?);
    }
    Ok(found)
}

fn check_name(name: &str, at: Location, file: &str, what: &str) -> Result<(), Problem> {
    let family = name.split('/').next().unwrap_or(name);
    if !ModelsSection::families().any(|known| known == family) {
        let hint = nearest::hint(family, ModelsSection::families());
        let known = ModelsSection::families().collect::<Vec<_>>().join(", ");
        let words = format!("{what}: there is no family of remote models `{family}`{hint} (known: {known})");
        return Err(Problem::at(file, at, words));
    }
    if name.strip_prefix(family).is_some_and(|id| id == "/") {
        return Err(Problem::at(file, at, format!("{what}: a model's name must follow `{name}`, or drop the `/`")));
    }
    Ok(())
}

fn endpoint(node: &Node, file: &str, what: &str) -> Result<Endpoint, Problem> {
    let mut members = Members::of(node, file, what)?;
    let base_node = members.need("base")?;
    let base = string(base_node, file, "`base`")?;
    // The address is not shown: it may hold a password.
    let scheme = base.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if !matches!(scheme.as_deref(), Some("http" | "https")) {
        let words = "`base` must begin with http:// or https://: write e.g. `http://localhost:8000/v1`";
        return Err(Problem::at(file, base_node.at, words));
    }
    let key_variable = members.get("key_variable").map(|node| variable(node, file)).transpose()?;
    let grammar = members.get("grammar").map(|node| dialect(node, file)).transpose()?;
    members.finish()?;
    Ok(Endpoint { base, key_variable, grammar })
}

fn variable(node: &Node, file: &str) -> Result<String, Problem> {
    let name = string(node, file, "`key_variable`")?;
    if is_variable_name(&name) {
        return Ok(name);
    }
    // The text is not shown: it may be the key.
    let words = "`key_variable` is the name of an environment variable (capital letters, digits and `_`, e.g. MY_KEY), \
                 and what was found here is none; never write the key itself into a file: if it is one, set it as a \
                 variable, and have it replaced if the file was shared";
    Err(Problem::at(file, node.at, words))
}

fn dialect(node: &Node, file: &str) -> Result<Dialect, Problem> {
    word(node, file, "`grammar`", &["openai", "schema", "vllm", "llamacpp", "none"])
}

fn facts(node: &Node, file: &str, what: &str) -> Result<Traits, Problem> {
    let mut members = Members::of(node, file, what)?;
    let mut traits = Traits::default();
    if let Some(node) = members.get("masks") {
        let kinds = items(node).into_iter().map(|node| word(node, file, "`masks`", &["schema", "choice", "regex"]));
        traits.masks = Some(kinds.collect::<Result<Vec<GrammarKind>, _>>()?);
    }
    if let Some(node) = members.get("rules") {
        traits.rules = Some(word(node, file, "`rules`", &["any", "openai", "anthropic", "gemini"])?);
    }
    if let Some(node) = members.get("native") {
        traits.native = Some(word(node, file, "`native`", &["strict", "forced", "none"])?);
    }
    let yes_or_no = [
        ("parallel", &mut traits.parallel),
        ("stop", &mut traits.stop),
        ("sampling", &mut traits.sampling),
        ("seed", &mut traits.seed),
        ("effort", &mut traits.effort),
    ];
    for (key, field) in yes_or_no {
        if let Some(node) = members.get(key) {
            let Kind::Scalar(Value::Bool(yes)) = node.kind else {
                return Err(Problem::at(file, node.at, format!("`{key}` is `true` or `false`")));
            };
            *field = Some(yes);
        }
    }
    if let Some(node) = members.get("bound") {
        traits.bound = Some(word(node, file, "`bound`", &["max_tokens", "max_completion_tokens"])?);
    }
    traits.context = members.get("context").map(|node| whole(node, file, "`context`", 1)).transpose()?;
    traits.output = members.get("output").map(|node| small(node, file, "`output`", 1)).transpose()?;
    members.finish()?;
    Ok(traits)
}

/// One of these words.
fn word<T: DeserializeOwned>(node: &Node, file: &str, what: &str, known: &[&str]) -> Result<T, Problem> {
    let word = string(node, file, what)?;
    serde_json::from_value(Value::from(word.as_str())).map_err(|_| {
        let (hint, known) = (nearest::hint(&word, known.iter().copied()), known.join(", "));
        Problem::at(file, node.at, format!("{what} is not `{word}`{hint} (known: {known})"))
    })
}

fn rate(node: &Node, file: &str, what: &str) -> Result<Rate, Problem> {
    let mut members = Members::of(node, file, what)?;
    let mut rate = Rate::default();
    if let Some(node) = members.get("requests_per_minute") {
        rate.requests_per_minute = Some(small(node, file, "`requests_per_minute`", 1)?);
    }
    if let Some(node) = members.get("concurrency") {
        rate.concurrency = Some(usize::try_from(small(node, file, "`concurrency`", 1)?).unwrap_or(usize::MAX));
    }
    members.finish()?;
    Ok(rate)
}

fn retry(node: &Node, file: &str) -> Result<RetryPolicy, Problem> {
    let mut members = Members::of(node, file, "`models.retry`")?;
    let mut retry = RetryPolicy::default();
    if let Some(node) = members.get("attempts") {
        retry.attempts = small(node, file, "`attempts`", 1)?;
    }
    milliseconds(&mut members, file, "first_ms", 0, &mut retry.first_ms)?;
    milliseconds(&mut members, file, "longest_ms", 0, &mut retry.longest_ms)?;
    milliseconds(&mut members, file, "patience_ms", 0, &mut retry.patience_ms)?;
    members.finish()?;
    Ok(retry)
}

fn timeouts(node: &Node, file: &str) -> Result<Timeouts, Problem> {
    let mut members = Members::of(node, file, "`models.timeouts`")?;
    let mut timeouts = Timeouts::default();
    milliseconds(&mut members, file, "connect_ms", 1, &mut timeouts.connect_ms)?;
    milliseconds(&mut members, file, "whole_ms", 1, &mut timeouts.whole_ms)?;
    members.finish()?;
    Ok(timeouts)
}

fn milliseconds(
    members: &mut Members<'_>,
    file: &str,
    key: &'static str,
    least: u64,
    field: &mut u64,
) -> Result<(), Problem> {
    if let Some(node) = members.get(key) {
        *field = whole(node, file, &format!("`{key}`"), least)?;
    }
    Ok(())
}
