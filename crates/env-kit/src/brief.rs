//! The built-in `brief.yaml` of an environment: what all of them have in one form, with what one alone has beside it.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

use gimbal_core::{Brief, EnvError, GlossaryEntry, Manifest, Thresholds, ToolCall, ToolSpec};
use serde::de::DeserializeOwned;

use crate::catalogue;
use crate::manifest::Draft;

/// What the `brief.yaml` of every environment has.
#[derive(Clone, Copy, Debug)]
pub struct Common<'a> {
    /// What the agent is.
    pub role: &'a str,
    /// The kind of things that calls act on.
    pub subject: &'a str,
    /// The actions in words.
    pub glossary: &'a [GlossaryEntry],
    /// Names of queries that this environment shows otherwise.
    pub tool_names: &'a BTreeMap<String, String>,
    /// What keys in the blocks of its belief state mean.
    pub legend: &'a BTreeMap<String, String>,
    /// How long a step is.
    pub seconds_per_step: NonZeroU32,
    /// What tools use and bring about.
    pub manifest: &'a Draft,
    /// Words that no persona may hold.
    pub forbidden_words: &'a [String],
}

/// A `brief.yaml`, as [`brief_form`](crate::brief_form) declares it.
pub trait Form: DeserializeOwned {
    /// What every such file has.
    fn common(&self) -> Common<'_>;
}

/// Declares the form of a `brief.yaml`: what all of them have, and the keys that this environment alone has. All keys are fields of one struct, so
/// that an unknown one is an error with its line and with the keys that there are.
#[macro_export]
macro_rules! brief_form {
    ($(#[$about:meta])* $name:ident { $($key:ident: $of:ty),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Debug, ::serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            role: String,
            subject: String,
            glossary: Vec<::gimbal_core::GlossaryEntry>,
            #[serde(default)]
            tool_names: ::std::collections::BTreeMap<String, String>,
            #[serde(default)]
            legend: ::std::collections::BTreeMap<String, String>,
            seconds_per_step: ::std::num::NonZeroU32,
            manifest: $crate::manifest::Draft,
            forbidden_words: Vec<String>,
            $($key: $of,)*
        }

        impl $crate::brief::Form for $name {
            fn common(&self) -> $crate::brief::Common<'_> {
                $crate::brief::Common {
                    role: &self.role,
                    subject: &self.subject,
                    glossary: &self.glossary,
                    tool_names: &self.tool_names,
                    legend: &self.legend,
                    seconds_per_step: self.seconds_per_step,
                    manifest: &self.manifest,
                    forbidden_words: &self.forbidden_words,
                }
            }
        }
    };
}

impl Common<'_> {
    /// A brief with what the file has of it; goal, subjects, horizon, idle call, bounds and the like are filled in by the environment.
    fn brief(self, environment: &str, manifest: Manifest) -> Brief {
        Brief {
            environment: environment.to_owned(),
            goal: String::new(),
            objective: None,
            role: self.role.to_owned(),
            subject: self.subject.to_owned(),
            subjects: Vec::new(),
            glossary: self.glossary.to_vec(),
            horizon: 0,
            reward_range: None,
            thresholds: Thresholds::default(),
            idle: ToolCall::bare(""),
            segment_calls: None,
            seconds_per_step: Some(self.seconds_per_step.get()),
            manifest,
            runs_on: false,
            materials: Vec::new(),
            tool_names: self.tool_names.clone(),
            legend: self.legend.clone(),
            forbidden_words: self.forbidden_words.to_vec(),
            literals_change: false,
            free_arguments: false,
            free_numbers: false,
            answer: None,
            efficiency_shift: None,
        }
    }
}

/// A built-in `brief.yaml`, to be kept in a `static`: read once, because an episode of one step is shorter than the reading of a YAML file.
#[derive(Debug)]
pub struct BuiltIn<F: 'static> {
    environment: &'static str,
    file: &'static str,
    text: &'static str,
    form: OnceLock<Result<F, String>>,
    manifest: OnceLock<Result<Manifest, String>>,
}

impl<F: Form> BuiltIn<F> {
    /// The text of an environment's file; `file` is its name in errors.
    #[must_use]
    pub const fn new(environment: &'static str, file: &'static str, text: &'static str) -> Self {
        Self { environment, file, text, form: OnceLock::new(), manifest: OnceLock::new() }
    }

    /// The file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn form(&self) -> Result<&F, EnvError> {
        catalogue::value(self.form.get_or_init(|| catalogue::built_in(self.text, self.file)))
    }

    /// A brief with what the file has of it, without facts of tools; goal, subjects, horizon, idle call, bounds and the like are filled in by the
    /// environment.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn without_manifest(&self) -> Result<Brief, EnvError> {
        Ok(self.form()?.common().brief(self.environment, Manifest::default()))
    }

    /// These tools, each with the description that the glossary has of it: a prompt may say both, and then says one thing. A tool
    /// without an entry keeps its own.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn described(&self, tools: impl IntoIterator<Item = ToolSpec>) -> Result<Arc<[ToolSpec]>, EnvError> {
        let glossary = self.form()?.common().glossary;
        let described = |mut tool: ToolSpec| {
            if let Some(entry) = glossary.iter().find(|entry| entry.name == tool.name) {
                tool.description.clone_from(&entry.description);
            }
            tool
        };
        Ok(tools.into_iter().map(described).collect())
    }

    /// The facts of these tools.
    ///
    /// # Errors
    /// When the file cannot be read, or says something of a tool that is not there or does not fit it.
    pub fn manifest(&self, tools: &[ToolSpec]) -> Result<Manifest, EnvError> {
        self.form()?.common().manifest.of(self.file, tools).map_err(|error| EnvError::Data(error.to_string()))
    }

    /// A brief as [`BuiltIn::without_manifest`], with the facts of `tools`: all that the environment can have, those that an episode does not offer
    /// too. They are taken once.
    ///
    /// # Errors
    /// As [`BuiltIn::manifest`].
    pub fn brief<T: AsRef<[ToolSpec]>>(&self, tools: impl FnOnce() -> T) -> Result<Brief, EnvError> {
        let common = self.form()?.common();
        let read = || common.manifest.of(self.file, tools().as_ref()).map_err(|error| error.to_string());
        let manifest = catalogue::value(self.manifest.get_or_init(read))?;
        Ok(common.brief(self.environment, manifest.clone()))
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::ToolSpec;

    use super::BuiltIn;

    const TEXT: &str = "
role: You look after lamps.
subject: lamp
goal: All lamps burn.
glossary: [{ name: Wait, type: passive, description: Does nothing., usage: Wait }]
seconds_per_step: 60
manifest: { tools: { Wait: {} } }
forbidden_words: [lamps]
";

    crate::brief_form! {
        /// A file with a goal.
        Lamps { goal: String }
    }

    const fn of(text: &'static str) -> BuiltIn<Lamps> {
        BuiltIn::new("lamps", "brief.yaml", text)
    }

    #[test]
    fn a_file_gives_the_brief_and_the_facts_of_its_tools() {
        let file = of(TEXT);
        assert_eq!(file.form().unwrap().goal, "All lamps burn.");
        let brief = file.brief(|| [ToolSpec::of_strings("Wait", "Does nothing.", &[])]).unwrap();
        assert_eq!((brief.environment.as_str(), brief.seconds_per_step), ("lamps", Some(60)));
        assert_eq!(brief.manifest.tools().keys().collect::<Vec<_>>(), ["Wait"]);
        assert!(file.without_manifest().unwrap().manifest.tools().is_empty());
        assert!(file.manifest(&[]).unwrap_err().to_string().contains("brief.yaml, manifest, tools.Wait"));
    }

    #[test]
    fn a_tool_is_described_as_its_glossary_entry() {
        let tools = ["Wait", "Light"].map(|name| ToolSpec::of_strings(name, "Own words.", &[]));
        let described = of(TEXT).described(tools).unwrap();
        let said: Vec<&str> = described.iter().map(|tool| tool.description.as_str()).collect();
        assert_eq!(said, ["Does nothing.", "Own words."]);
    }

    #[test]
    fn unknown_and_missing_keys_are_errors_with_their_place() {
        let said = |text: &str| of(Box::leak(text.to_owned().into_boxed_str())).form().unwrap_err().to_string();
        let unknown = said(&TEXT.replace("goal:", "gaol:"));
        assert!(unknown.contains("brief.yaml:4:") && unknown.contains("did you mean `goal`"), "{unknown}");
        let missing = said(&TEXT.replace("goal: All lamps burn.\n", ""));
        assert!(missing.contains("brief.yaml") && missing.contains("`goal`"), "{missing}");
        let broken = said("role: [");
        assert!(broken.contains("brief.yaml"), "{broken}");
    }
}
