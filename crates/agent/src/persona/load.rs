//! Reading, checking and compiling a persona.

use gimbal_core::{Digest, Files, canonical};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::data::{Core, Example, Examples, Knowledge, KnowledgeEntry, KnowledgeKind, Prompt};
use super::wording::Wording;
use super::{
    Content, ExampleTexts, JsonContent, KnowledgeTexts, Origin, Persona, PersonaError, RepairTexts, Sourced, Texts,
    ToolTexts,
};
use crate::template::{Place, Templates};
use crate::variables::SYSTEM_VARIABLES;
use gimbal_core::yaml::{self, line_of};

mod engine;

/// What the description of a tool may name beside the brief: the tool's own name, the names of all tools that are offered
/// with it, how many questions may be raised for one answer, and whether tools are called natively.
const OFFERED: &[&str] = &["tool", "offered", "questions", "native"];

/// A file as read.
struct Source {
    path: String,
    place: String,
    text: String,
}

/// Reads files and remembers them.
struct Reader<'a> {
    files: &'a dyn Files,
    read: Vec<(String, String)>,
    hashed: Vec<String>,
}

impl Reader<'_> {
    fn optional<T: DeserializeOwned + Serialize>(&mut self, path: String) -> Result<Option<(T, Source)>, PersonaError> {
        let Some((text, place)) = self.files.read(&path)? else { return Ok(None) };
        let value: T = yaml::read(&text, &place)?;
        self.read.push((path.clone(), place.clone()));
        self.hashed.push(canonical::text(&serde_json::to_value(&value).unwrap_or_default()));
        Ok(Some((value, Source { path, place, text })))
    }

    fn required<T: DeserializeOwned + Serialize>(&mut self, path: String) -> Result<(T, Source), PersonaError> {
        self.optional(path.clone())?.ok_or(PersonaError::Missing(path))
    }
}

/// Shared files of all personas, and the files of one, in the order in which they are read.
const SHARED: [&str; 2] = ["personas/engine.yaml", "personas/common.yaml"];
const OWN: [&str; 6] = ["core", "prompt", "knowledge", "reflection_knowledge", "examples", "reflection_examples"];

/// A hash of the name and of the texts and places of all files that a persona of this name is made of.
pub(crate) fn identity(name: &str, files: &dyn Files) -> Result<Digest, PersonaError> {
    let own = OWN.iter().map(|file| format!("personas/{name}/{file}.yaml"));
    let mut parts: Vec<String> = vec![name.to_owned()];
    for path in SHARED.iter().map(|path| (*path).to_owned()).chain(own) {
        // What is not there is told from what is empty.
        let (text, place) = files.read(&path)?.unwrap_or_default();
        parts.extend([text, place]);
    }
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    Ok(Digest::of_parts(&parts))
}

/// The persona called `name`, checked as far as its files alone tell.
pub(crate) fn load(name: &str, files: &dyn Files) -> Result<Persona, PersonaError> {
    if !Persona::list(files).iter().any(|known| known == name) {
        return Err(super::unknown(name, files));
    }
    let mut reader = Reader { files, read: Vec::new(), hashed: Vec::new() };
    let own = |file: &str| format!("personas/{name}/{file}.yaml");
    let (core, core_source) = reader.required::<Core>(own("core"))?;
    let (prompt, prompt_source) = reader.required::<Prompt>(own("prompt"))?;
    let (wording, wording_source) = reader.required::<Wording>("personas/engine.yaml".to_owned())?;
    check(&core, &core_source)?;

    let mut compiler = Compiler { templates: Templates::new() };
    let mut knowledge = Vec::new();
    for path in ["personas/common.yaml".to_owned(), own("knowledge"), own("reflection_knowledge")] {
        if let Some((found, source)) = reader.optional::<Knowledge>(path)? {
            knowledge.extend(compiler.knowledge(&source, &found.entries)?);
        }
    }
    let mut examples = [Vec::new(), Vec::new()];
    for (slot, file) in examples.iter_mut().zip(["examples", "reflection_examples"]) {
        if let Some((found, source)) = reader.optional::<Examples>(own(file))? {
            *slot = compiler.list(&source, "examples", &found.examples)?;
        }
    }
    let [examples, reflection_examples] = examples;
    // An adviser is asked about something, an agent that merely acts only about the step.
    let spoken: &[&str] = if core.is_asked() { &["step", "target", "message"] } else { &["step"] };
    let texts = Texts {
        system_message: compiler.add(&core_source, "system_message", &core.system_message, &[])?,
        answer_format: compiler.add(&core_source, "answer_format", &core.answer_format, &[])?,
        rules: compiler.list(&core_source, "rules", &core.rules)?,
        calibration: compiler.list(&core_source, "calibration", &core.calibration)?,
        cot: compiler.add(&core_source, "COT_instruction", &core.cot_instruction, &[])?,
        tools: compiler.tools(&core_source, &core)?,
        knowledge,
        examples,
        reflection_examples,
        opening: compiler.add(&prompt_source, "opening", &prompt.opening, spoken)?,
        closing: compiler.add(&prompt_source, "closing", &prompt.closing, spoken)?,
        repair: match &core.repair {
            Some(repair) => Some(RepairTexts {
                system: compiler.add(&core_source, "repair.system", &repair.system, crate::variables::REPAIR)?,
                user: compiler.add(&core_source, "repair.user", &repair.user, crate::variables::REPAIR)?,
            }),
            None => None,
        },
        engine: compiler.engine(&wording_source, &wording)?,
    };
    let parts: Vec<&[u8]> = reader.hashed.iter().map(String::as_bytes).collect();
    let persona = Persona {
        name: name.to_owned(),
        digest: Digest::of_parts(&parts),
        files: reader.read,
        core,
        prompt,
        wording,
        templates: compiler.templates,
        texts,
    };
    Ok(persona)
}

/// Values that no type can hold back.
fn check(core: &Core, source: &Source) -> Result<(), PersonaError> {
    let wrong = |key: &str, message: String| {
        Err(PersonaError::Value { place: source.place.clone(), line: line_of(&source.text, key), message })
    };
    for (key, value) in [("turns", core.turns), ("max_attempts", core.max_attempts), ("legal_cap", core.legal_cap)] {
        if value == 0 {
            return wrong(key, format!("`{key}` must be at least 1, and is 0"));
        }
    }
    for (index, tool) in core.tools.iter().enumerate() {
        match (&tool.query, &tool.delegate) {
            (Some(_), None) | (None, Some(_)) => {}
            _ => {
                let message = format!("tools[{index}]: one of `query` and `delegate` is needed, and only one");
                return wrong(&format!("tools[{index}]"), message);
            }
        }
        let name = tool.generic();
        if core.tools[..index].iter().any(|other| other.generic() == name) {
            return wrong(&format!("tools[{index}]"), format!("the tool `{name}` is listed twice"));
        }
    }
    if core.repair.is_some() && core.contract.is_none() {
        let message = "`repair` asks for a message again, and this agent's answer is an action: give it a `contract`";
        return wrong("repair", message.to_owned());
    }
    Ok(())
}

struct Compiler {
    templates: Templates,
}

impl Compiler {
    /// Compiles a text that may use the variables of the brief and `more`.
    fn add(&mut self, source: &Source, key: &str, text: &str, more: &[&str]) -> Result<Sourced, PersonaError> {
        let known: Vec<&str> = SYSTEM_VARIABLES.iter().chain(more).copied().collect();
        let place = Place { place: &source.place, source: &source.text };
        let text = self.templates.add(place, key, text, &known)?;
        Ok(Sourced { origin: Origin { file: source.path.clone(), key: key.to_owned() }, text })
    }

    fn list(&mut self, source: &Source, key: &str, texts: &[String]) -> Result<Vec<Sourced>, PersonaError> {
        texts.iter().enumerate().map(|(index, text)| self.add(source, &format!("{key}[{index}]"), text, &[])).collect()
    }

    fn tools(&mut self, source: &Source, core: &Core) -> Result<Vec<ToolTexts>, PersonaError> {
        let mut tools = Vec::new();
        for (index, tool) in core.tools.iter().enumerate() {
            let mut text = |key: &str, text: &Option<String>| {
                text.as_ref().map(|text| self.add(source, &format!("tools[{index}].{key}"), text, OFFERED)).transpose()
            };
            let (description, example) = (text("description", &tool.description)?, text("example", &tool.example)?);
            let examples = self.examples(source, &format!("tools[{index}]"), &tool.examples)?;
            tools.push(ToolTexts { description, example, examples });
        }
        Ok(tools)
    }

    /// The worked examples of the tool whose texts stand under `key`.
    fn examples(
        &mut self,
        source: &Source,
        key: &str,
        examples: &[Example],
    ) -> Result<Vec<ExampleTexts>, PersonaError> {
        let mut texts = Vec::with_capacity(examples.len());
        for (index, example) in examples.iter().enumerate() {
            let mut add = |part: &str, text: &str| {
                self.add(source, &format!("{key}.examples[{index}].{part}"), text, &["tool", "offered"])
            };
            texts.push(ExampleTexts {
                case: add("case", &example.case)?,
                thought: add("thought", &example.thought)?,
                input: example.input.as_ref().map(|input| add("input", input)).transpose()?,
            });
        }
        Ok(texts)
    }

    fn knowledge(&mut self, source: &Source, entries: &[KnowledgeEntry]) -> Result<Vec<KnowledgeTexts>, PersonaError> {
        let mut texts = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let key = format!("entries[{index}]");
            let wrong = |message: &str| PersonaError::Value {
                place: source.place.clone(),
                line: line_of(&source.text, &key),
                message: format!("{key}: {message}"),
            };
            let content = match (&entry.content, &entry.variable, entry.kind) {
                (Some(_), Some(_), _) => return Err(wrong("`content` and `variable` exclude each other")),
                (None, None, _) => return Err(wrong("one of `content` and `variable` is needed")),
                (None, Some(variable), _) if SYSTEM_VARIABLES.contains(&variable.as_str()) => {
                    Content::Variable(variable.clone())
                }
                (None, Some(variable), _) => {
                    let hint = gimbal_core::nearest::hint(variable, SYSTEM_VARIABLES);
                    let known = SYSTEM_VARIABLES.join(", ");
                    return Err(wrong(&format!("unknown variable `{variable}`{hint} (known: {known})")));
                }
                (Some(Value::String(text)), None, KnowledgeKind::Plain) => {
                    Content::Plain(self.add(source, &format!("{key}.content"), text, &[])?.text)
                }
                (Some(_), None, KnowledgeKind::Plain) => {
                    return Err(wrong("the content of a `plain` entry must be a text"));
                }
                (Some(value), None, KnowledgeKind::Json) => {
                    Content::Json(self.json(source, &format!("{key}.content"), value)?)
                }
            };
            texts.push(KnowledgeTexts {
                header: self.add(source, &format!("{key}.header"), &entry.header, &[])?,
                root: entry.root.clone().filter(|_| entry.kind == KnowledgeKind::Json),
                content,
            });
        }
        Ok(texts)
    }

    fn json(&mut self, source: &Source, key: &str, value: &Value) -> Result<JsonContent, PersonaError> {
        Ok(match value {
            Value::String(text) => JsonContent::Text(self.add(source, key, text, &[])?.text),
            Value::Array(items) => JsonContent::List(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| self.json(source, &format!("{key}[{index}]"), item))
                    .collect::<Result<_, _>>()?,
            ),
            Value::Object(members) => JsonContent::Object(
                members
                    .iter()
                    .map(|(name, member)| {
                        self.json(source, &format!("{key}.{name}"), member).map(|member| (name.clone(), member))
                    })
                    .collect::<Result<_, _>>()?,
            ),
            other => JsonContent::Other(other.clone()),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests panic on failure")]

    use std::path::PathBuf;

    use gimbal_core::yaml::line_within;
    use gimbal_core::{FileError, Files};

    use super::{Persona, load};

    /// The project's own files.
    struct Shipped;

    impl Files for Shipped {
        fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
            let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
            Ok(std::fs::read_to_string(file).ok().map(|text| (text, path.to_owned())))
        }

        fn list(&self, folder: &str) -> Vec<String> {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
            let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir());
            entries
                .map(|entry| entry.file_name())
                .map(|name| format!("personas/{}/core.yaml", name.to_string_lossy()))
                .collect()
        }
    }

    #[test]
    fn the_key_of_each_template_leads_to_its_text() {
        let mut count = 0;
        for name in Persona::list(&Shipped) {
            let persona = load(&name, &Shipped).unwrap();
            for (place, key, text) in persona.templates.keyed() {
                let (source, _) = Shipped.read(place).unwrap().unwrap();
                for (offset, word) in text.match_indices("{{ ") {
                    let line = line_within(&source, key, offset);
                    let line = source.lines().nth(usize::try_from(line).unwrap() - 1).unwrap();
                    let name = text[offset + word.len()..].split(' ').next().unwrap();
                    assert!(line.contains(&format!("{{{{ {name} ")), "{place}: {key}: {line}");
                    count += 1;
                }
            }
        }
        assert!(count > 500, "{count}");
    }
}
