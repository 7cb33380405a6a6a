//! A run folder is read once for all that a report needs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::path::{Path, PathBuf};

use common::folders::opened;
use common::run;
use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Texts};
use gimbal_analysis::stored_records::{RecordState, StoredRecord, Takes};
use gimbal_analysis::work_folds::{FoldSource, WorkFolds};
use gimbal_core::RecordError;
use gimbal_cyc::cyclic::CyclesFold;
use gimbal_study::plan::Stored;
use gimbal_study::read::{Episodes, load_outcomes, load_rows, read, recovery_fold, run_cells, trace_fold};
use gimbal_study::registry::Registry;
use gimbal_study::run::RunError;

/// One cell with faults, and so many episodes.
fn study(runs: u32) -> String {
    format!(
        "study: small
environment: {{ name: corridor, horizon: 6 }}
architectures: [{{ base: learner }}]
roles: [{{ default: picker }}]
faults: [{{ name: often, tool.wrong: 0.9 }}]
episodes: {{ runs: {runs}, tasks: {{ split: test, limit: 1 }}, seed: 5 }}
"
    )
}

async fn played(place: &Path, runs: u32) -> PathBuf {
    let root = place.join("small");
    run(&study(runs), &root, 2).await.unwrap();
    root
}

/// Removes all journals as soon as it has one episode.
struct Remover(PathBuf);

impl EpisodeFold<RunError> for Remover {
    fn add(
        &mut self,
        episode: &Episode<'_>,
        _texts: &mut dyn Texts<Error = RunError>,
    ) -> Result<(), FoldError<RunError>> {
        assert!(!episode.events.is_empty());
        std::fs::remove_dir_all(&self.0).unwrap();
        Ok(())
    }
}

/// Counts records.
#[derive(Default)]
struct Count(u64);

impl RecordState for Count {
    const TAKES: Takes = Takes::records(&["parsed"]);

    fn on_record(&mut self, _episode: &Episode<'_>, _record: &StoredRecord<'_>) -> Result<(), RecordError> {
        self.0 += 1;
        Ok(())
    }
}

static PARSED: FoldSource = FoldSource::of_records::<Count>("parsed");

#[tokio::test]
async fn a_journal_is_read_once_for_all_folds() {
    let place = tempfile::tempdir().unwrap();
    let root = played(place.path(), 1).await;
    let (folder, registry) = (opened(&root), Registry::default());
    let stored = Stored::read(&folder).unwrap();
    let mut remover = Remover(root.join("journals"));
    let (mut traces, mut cycles, mut recoveries) =
        (trace_fold(&stored), CyclesFold::new(&run_cells(&stored, &registry)), recovery_fold(&stored));
    let mut records = WorkFolds::new([&PARSED], &run_cells(&stored, &registry));
    // Whatever reads a journal after the first fold finds none.
    let folds: &mut [&mut gimbal_study::read::Fold<'_>] =
        &mut [&mut remover, &mut traces, &mut cycles, &mut recoveries, &mut records];
    let reading = read(&folder, &stored, folds).unwrap();
    assert_eq!(reading.rows.episodes.len(), 1);
    assert_eq!(traces.finish().cells.values().map(|cell| cell.episodes).sum::<u64>(), 1);
    assert_eq!(cycles.cycles().cells.iter().map(|cell| cell.records.len()).sum::<usize>(), 1);
    assert!(!recoveries.finish().is_empty(), "faults were injected");
    assert_eq!(records.finish().get::<Count>(&PARSED).map(|count| count.0), Some(0));
}

#[tokio::test]
async fn a_journal_that_no_fold_wants_is_not_opened() {
    let place = tempfile::tempdir().unwrap();
    let root = played(place.path(), 3).await;
    let folder = opened(&root);
    let rows = load_outcomes(&folder).unwrap();
    std::fs::remove_dir_all(root.join("journals")).unwrap();
    assert_eq!(load_outcomes(&folder).unwrap(), rows);
    let stored = Stored::read(&folder).unwrap();
    let mut traces = trace_fold(&stored);
    let mut seen = 0;
    let counted = |_: &gimbal_study::run::Finished| {
        seen += 1;
        false
    };
    Episodes::of(&folder, &stored).pass(counted, &mut [&mut traces]).unwrap();
    assert_eq!(seen, rows.episodes.len());
    let error = Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut traces]).unwrap_err();
    assert!(matches!(error, RunError::Damaged { .. }), "{error}");
}

/// Takes no record.
struct Refusing;

impl EpisodeFold<RunError> for Refusing {
    fn add(
        &mut self,
        _episode: &Episode<'_>,
        _texts: &mut dyn Texts<Error = RunError>,
    ) -> Result<(), FoldError<RunError>> {
        let error = RecordError { kind: "parsed", key: "tier".to_owned(), why: "expected a tier".to_owned() };
        Err(FoldError::Record { event: 2, error })
    }
}

#[tokio::test]
async fn an_error_of_a_fold_names_run_episode_and_event() {
    let place = tempfile::tempdir().unwrap();
    let root = played(place.path(), 1).await;
    let folder = opened(&root);
    let stored = Stored::read(&folder).unwrap();
    let name = stored.cells[0].info.id.clone();
    let error = Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut Refusing]).unwrap_err().to_string();
    let row = &load_rows(&folder).unwrap().episodes[0];
    assert!(error.starts_with(&root.display().to_string()), "{error}");
    assert!(
        error.contains(&format!("episode {name}/{}/{}, event 2: the record `parsed`", row.task, row.run)),
        "{error}"
    );
}
