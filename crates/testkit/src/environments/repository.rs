//! Two files of a repository and a test that fails: the case of Tab. 22 as an environment, with a manifest and queries (CTHA-134).
//!
//! `auth.py` must be edited before `views.py`, then the test passes. Editing both at once leaves both half edited; a redesign is not what was
//! asked for. Three more tools decide on the time scales of Strategic, of Tactical and of Reflex, and change nothing. It is in no list of
//! environments: tests play it.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use gimbal_core::{
    Brief, Catalogue, Digest, EnvError, Environment, EnvironmentStop, Milli, Observation, Offers, Rejection, Reply,
    TaskId, ToolCall, ToolSpec, Transition,
};
use gimbal_env_kit::{calls, catalogue, options, states, workbench::Workbench};
use serde_json::{Value, json};

static BRIEF: LazyLock<Result<Brief, String>> =
    LazyLock::new(|| catalogue::built_in(TEXT, "the brief of `repository`"));
const TEXT: &str = "
environment: repository
role: You repair a program.
goal: Make the test pass.
subject: file
subjects: [auth.py, views.py]
glossary:
  - { name: Read, type: reactive, description: Reads a file., usage: Read file=<file> }
  - { name: Edit, type: reactive, description: Edits four lines of a file., usage: Edit file=<file> }
  - { name: EditBoth, type: reactive, description: Edits both files at once., usage: EditBoth }
  - { name: Redesign, type: reactive, description: Writes a file anew from top to bottom., usage: Redesign file=<file> }
  - { name: Refactor, type: reactive, description: Renames things in a file., usage: Refactor file=<file> }
  - { name: Review, type: reactive, description: Goes through both files., usage: Review }
  - { name: Peek, type: reactive, description: Looks at one line., usage: Peek }
  - { name: Test, type: reactive, description: Runs the test., usage: Test }
  - { name: Wait, type: passive, description: Does nothing., usage: Wait }
horizon: 20
thresholds: { success: -5 }
idle: { tool: Wait }
seconds_per_step: 60
manifest:
  Read: { reads: ['file {file}'] }
  Edit: { writes: ['file {file}'], effects: { 'file {file}': edited } }
  EditBoth: { writes: ['file auth.py', 'file views.py'], effects: { 'file auth.py': half edited, 'file views.py': half edited } }
  Redesign: { seconds: [60, 3600], scope: plan, writes: ['file {file}'], effects: { 'file {file}': redesigned } }
  Refactor: { seconds: [60, 3600], writes: ['file {file}'] }
  Review: { seconds: [5, 100], reads: ['file auth.py', 'file views.py'] }
  Peek: { seconds: [1, 10] }
  Test: { reads: ['file auth.py', 'file views.py'] }
  Wait: {}
forbidden_words: [repository]
";
static TOOLS: LazyLock<Arc<[ToolSpec]>> = LazyLock::new(|| {
    let of_file = |name: &str, what: &str| ToolSpec::of_strings(name, what, &[("file", "Its name.")]);
    [
        of_file("Read", "Reads a file."),
        of_file("Edit", "Edits four lines of a file."),
        ToolSpec::of_strings("EditBoth", "Edits both files at once.", &[]),
        of_file("Redesign", "Writes a file anew from top to bottom."),
        of_file("Refactor", "Renames things in a file."),
        ToolSpec::of_strings("Review", "Goes through both files.", &[]),
        ToolSpec::of_strings("Peek", "Looks at one line.", &[]),
        ToolSpec::of_strings("Test", "Runs the test.", &[]),
        ToolSpec::of_strings("Wait", "Does nothing.", &[]),
    ]
    .into()
});
static OPTIONS: LazyLock<options::Options> =
    LazyLock::new(|| options::Options::with_defaults("repository", json!({}), Vec::new()));

/// The family `repository`.
#[derive(Debug)]
pub struct Repository;
impl Workbench for Repository {}
impl Catalogue for Repository {
    fn name(&self) -> &'static str {
        "repository"
    }
    fn behaviour(&self) -> u32 {
        1
    }
    fn splits(&self) -> &[&'static str] {
        &["test"]
    }
    fn tasks(&self, split: &str, _options: &Value) -> Result<Vec<TaskId>, EnvError> {
        catalogue::tasks("repository", split, &[("test", &["issue"])])
    }
    fn schema(&self) -> Value {
        OPTIONS.schema()
    }
    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        OPTIONS.read(options)
    }
    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        self.resolve(options)?;
        let brief = Arc::new(catalogue::value(&BRIEF)?.clone());
        Ok(Box::new(Files { brief, files: [File::Old; 2] }))
    }
    fn offers(&self) -> Offers {
        catalogue::offers([], &*states::QUERIES)
    }
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum File {
    Old,
    Edited,
    Half,
    Redesigned,
}

impl File {
    const fn word(self) -> &'static str {
        match self {
            Self::Old => "as it was",
            Self::Edited => "edited",
            Self::Half => "half edited",
            Self::Redesigned => "redesigned",
        }
    }
}

#[derive(Clone, Debug)]
struct Files {
    brief: Arc<Brief>,
    /// `auth.py` and `views.py`.
    files: [File; 2],
}

impl Files {
    fn look(&self) -> Observation {
        let file = |(name, file): (&String, File)| (name.clone(), file.word());
        let files: Value = self.brief.subjects.iter().zip(self.files).map(file).collect();
        Observation { text: files.to_string(), data: files.into() }
    }
}

#[async_trait]
impl Environment for Files {
    gimbal_env_kit::calls_on_subjects!(TOOLS, "file");
    async fn reset(&mut self, _task: &TaskId, _seed: u64) -> Result<Observation, EnvError> {
        self.files = [File::Old; 2];
        Ok(self.look())
    }
    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        calls::check_choices(call, self)?;
        let place = calls::subject(call, "file", &self.brief.subjects);
        let (mut reward, mut done) = (Milli::ZERO, None);
        match (call.tool.as_str(), place) {
            ("Edit", Some(0)) => self.files[0] = File::Edited,
            ("Edit", Some(place)) => {
                let in_order = self.files[0] == File::Edited;
                self.files[place] = if in_order { File::Edited } else { File::Half };
            }
            ("EditBoth", _) => (self.files, reward) = ([File::Half; 2], Milli(-1000)),
            ("Redesign", Some(place)) => (self.files[place], reward) = (File::Redesigned, Milli(-5000)),
            ("Test", _) if self.files == [File::Edited; 2] => done = Some(EnvironmentStop::Solved),
            ("Test", _) => reward = Milli(-1000),
            _ => {}
        }
        Ok(Reply::Step(Transition { observation: self.look().into(), reward, done }))
    }
    fn state(&self) -> Digest {
        Digest::of(&self.files.map(|file| file as u8))
    }
}
