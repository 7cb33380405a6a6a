//! Personas whose texts can be filled in for one study and not for another: told before anything is played.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::sync::Arc;

use gimbal_model::{Models, ModelsConfig};
use gimbal_study::plan::{self, Options};
use gimbal_study::registry::{Library, Registry};
use gimbal_study::run::RunError;
use gimbal_study::runner::{self, RunStop, Settings, Summary};
use gimbal_study::stage::Cancel;

/// A persona that takes too many steps where the horizon is 7.
fn persona(data: &Path, root: &Path) {
    let (from, to) = (root.join("personas/planner"), data.join("personas/planner"));
    std::fs::create_dir_all(&to).unwrap();
    let text = std::fs::read_to_string(from.join("core.yaml")).unwrap();
    let many = "{% for a in range(900) %}{% for b in range(900) %}x{% endfor %}{% endfor %}";
    let spoilt = text
        .replace("system_message: |\n", &format!("system_message: |\n  {{% if horizon == 7 %}}{many}{{% endif %}}\n"));
    assert_ne!(text, spoilt);
    std::fs::write(to.join("core.yaml"), spoilt).unwrap();
}

async fn played(horizon: u32, path: &Path) -> Result<Summary, RunError> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let data = tempfile::tempdir().unwrap();
    persona(data.path(), root);
    let files = Library::new(&[], vec![data.path().to_owned(), root.to_owned()]);
    let registry = Registry {
        environments: vec![Arc::new(gimbal_cage2::environment::Cage2)],
        architectures: gimbal_architectures::kinds(),
        learned: None,
    };
    let text = format!(
        "study: prompts\nenvironment: {{ name: cage2, red: b_line, horizon: {horizon} }}\n\
         architectures: [{{ base: react, configuration: obs }}]\nroles: [{{ default: scripted/react-monitor }}]\n\
         episodes: {{ runs: 1, tasks: {{ limit: 1 }} }}\n"
    );
    let models = Arc::new(Models::new(ModelsConfig::default()));
    let study = plan::parse(&text, "study.yaml").unwrap();
    let plan = plan::resolve(study, &Options::default(), &registry, &*models, &files);
    let plan = Arc::new(plan.unwrap_or_else(|problems| panic!("{problems}")));
    runner::run(plan, models, Settings::new(path), Cancel::default(), |_| {}).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_that_cannot_be_filled_in_for_this_study_is_told_before_it_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let (fine, refused) = (folder.path().join("fine"), folder.path().join("refused"));
    assert_eq!(played(6, &fine).await.unwrap().ended, RunStop::Done);
    let error = played(7, &refused).await.unwrap_err();
    assert_eq!(error.exit_code(), 2);
    let words = error.to_string();
    for part in ["study.yaml", "`obs`", "personas/planner/core.yaml", "steps"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(!refused.exists(), "nothing was begun");
}
