//! The seam for architectures: a throw-away system with personas, a message and a record of its own, played and read.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_core::{ArchitectureKind, FileError, Files};
use gimbal_messages::{Record, Tier};
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::plan::{self, Options};
use gimbal_study::read::trace::{Reader, episodes};
use gimbal_study::read::{each_record, load_rows, verify};
use gimbal_study::registry::Registry;
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;
use gimbal_testkit::plays::dispute::{DisputeKind, Disputed};

/// The files of the project, and a model that says nothing of use.
struct ProjectFiles;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Files for ProjectFiles {
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
        let text = match path {
            "scripted/babbles.yaml" => Some("rules:\n  - say: \"I cannot decide.\"\n".to_owned()),
            path => std::fs::read_to_string(root().join(path)).ok(),
        };
        Ok(text.map(|text| (text, path.to_owned())))
    }
    fn list(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }
}

fn models() -> Models {
    Models::new(ModelsConfig { scripts: Arc::new(ProjectFiles), ..ModelsConfig::default() })
}

fn registry() -> Registry {
    let kind: Arc<dyn ArchitectureKind> = Arc::new(DisputeKind);
    Registry { environments: gimbal_testkit::environments(), architectures: vec![kind] }
}

async fn played(model: &str, folder: &Path) -> RunFolder {
    let study = format!(
        "study: dispute\nenvironment: {{ name: corridor, horizon: 8, slip_percent: 0 }}\narchitectures: [{{ base: dispute }}]\n\
         roles: [{{ default: {model} }}]\nepisodes: {{ tasks: {{ split: test }}, runs: 2, seed: 3 }}\n"
    );
    let parsed = plan::parse(&study, "study.yaml").unwrap();
    let plan = plan::resolve(parsed, &Options::default(), &registry(), &models(), &ProjectFiles);
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    runner::run(Arc::new(plan), Arc::new(models()), Settings::new(folder), Cancel::default(), |_| {}).await.unwrap();
    let folder = RunFolder::open(folder).unwrap();
    assert_eq!(verify(&folder, &registry().records()).unwrap().problems, Vec::<String>::new());
    folder
}

fn disputes(folder: &RunFolder) -> Vec<Disputed> {
    let mut all = Vec::new();
    each_record(folder, |_, record: Disputed| all.push(record)).unwrap();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_system_with_a_message_and_a_record_of_its_own_plays_and_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let run = played("noisy/1.0", folder.path()).await;
    let rows = load_rows(&run).unwrap().episodes;
    assert!(!rows.is_empty());
    for row in &rows {
        assert_eq!((row.stop.as_str(), row.fallbacks, row.rejected_calls), ("solved", 0, 0));
    }
    let steps: usize = rows.iter().map(|row| row.steps as usize).sum();
    let agreed = Disputed { agreed: true, turns: 2, tier: Tier::Direct };
    assert_eq!(disputes(&run), vec![agreed; steps], "experts agree at once");
    let episode = &episodes(&run).unwrap()[0];
    let story = Reader::open(&run, episode).unwrap().story(true).unwrap();
    assert!(story.contains("objector -> proposer (stance): "), "{story}");
    assert!(story.contains(&format!("note {}: {{\"agreed\":true", Disputed::KIND)), "{story}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_cannot_be_read_are_repaired_once_and_then_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let run = played("scripted/babbles", folder.path()).await;
    let unread = Disputed { agreed: false, turns: 4, tier: Tier::Default };
    assert!(disputes(&run).iter().all(|record| *record == unread));
    for row in load_rows(&run).unwrap().episodes {
        assert_eq!((row.steps, row.model_calls, row.fallbacks), (8, 64, 8), "each of four turns with one repair");
    }
}
