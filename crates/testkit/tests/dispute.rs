//! The seam for architectures: a throw-away system with personas, a message and a record of its own, played and read.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_agent::audit::{AuditedEnvironment, agents};
use gimbal_agent::shown::{FirstPrompts, ShownEnvironment};
use gimbal_agent::{Family, Forbidden, audit, prompt};
use gimbal_analysis::episode::Episode;
use gimbal_analysis::stored_records::{RecordState, StoredRecord, Takes};
use gimbal_analysis::work_folds::FoldSource;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_core::{
    Architecture, ArchitectureKind, Block, BuildError, Catalogue as _, FileError, Files, RecordError, RecordKind,
};
use gimbal_messages::{Record, Tier, kind};
use gimbal_model::{Models, ModelsConfig};
use gimbal_report::{Catalogue, Report, Source, figure, table};
use gimbal_study::plan::{self, Options, Stored};
use gimbal_study::read::trace::{Reader, episodes};
use gimbal_study::read::{each_record, load_rows, verify};
use gimbal_study::registry::Registry;
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;
use gimbal_testkit::environments::corridor::CorridorFamily;
use gimbal_testkit::plays::dispute::{DisputeKind, Disputed};
use gimbal_view::kit::svg::{Anchor, LABEL, Svg};
use gimbal_view::work::{Choices, Context, Item, Make, Needs, Undeclared, Work};
use gimbal_view::{Figure, Output};

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
    Registry { environments: gimbal_testkit::environments(), architectures: vec![kind], learned: None }
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
    each_record(folder, |record: Disputed| all.push(record)).unwrap();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_system_with_a_message_and_a_record_of_its_own_plays_and_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let run = played("noisy/1.0", folder.path()).await;
    let rows = load_rows(&run).unwrap().episodes;
    assert!(!rows.is_empty());
    for row in &rows {
        assert_eq!((row.stop.name(), row.fallbacks, row.rejected_calls), ("solved", 0, 0));
    }
    let steps: usize = rows.iter().map(|row| row.steps as usize).sum();
    let agreed = Disputed { agreed: true, turns: 2, tier: Tier::Direct };
    assert_eq!(disputes(&run), vec![agreed; steps], "experts agree at once");
    let episode = &episodes(&run).unwrap()[0];
    let story = Reader::open(&run, episode).unwrap().story(true, &registry()).unwrap();
    assert!(story.contains("objector -> proposer (stance): "), "{story}");
    assert!(story.contains("\nthe two agreed after 2 turns\n"), "{story}");
    // Without the system a record is shown as it is stored.
    let unknown = Reader::open(&run, episode).unwrap().story(true, &Registry::default()).unwrap();
    assert!(unknown.contains(&format!("note {}: {{\"agreed\":true", Disputed::KIND)), "{unknown}");
}

/// The family with a record of the same kind that has one more member.
struct LaterKind;

#[derive(serde::Serialize, serde::Deserialize)]
struct LaterDisputed {
    agreed: bool,
    loudness: u32,
}

impl Record for LaterDisputed {
    const KIND: &'static str = Disputed::KIND;
}

impl ArchitectureKind for LaterKind {
    fn name(&self) -> &'static str {
        "later"
    }
    fn schema(&self) -> serde_json::Value {
        serde_json::json!({})
    }
    fn build(&self, _: &serde_json::Value, _: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        Err(BuildError::new("it is not played"))
    }
    fn records(&self) -> Vec<RecordKind> {
        vec![kind::<LaterDisputed>()]
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_of_a_known_kind_that_does_not_read_is_an_error_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let run = played("noisy/1.0", folder.path()).await;
    let episode = &episodes(&run).unwrap()[0];
    let later = Registry { architectures: vec![Arc::new(LaterKind)], ..Registry::default() };
    let error = Reader::open(&run, episode).unwrap().story(true, &later).unwrap_err().to_string();
    assert!(error.contains(&format!("episode {}, event ", episode.name())), "{error}");
    assert!(error.contains("`disputed`") && error.contains("missing field `loudness`"), "{error}");
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

/// What `gimbal persona show` prints: the agents have a place by their message, and are shown what they would be sent.
#[tokio::test]
async fn its_agents_are_shown_without_playing() {
    let settings = serde_json::json!({ "protocol": "json" });
    let team = DisputeKind.team(&settings, &ProjectFiles).unwrap();
    assert_eq!(team.context, ["observation"]);
    let environment = CorridorFamily.open(&serde_json::json!({})).unwrap();
    let shown = ShownEnvironment::new(&*environment, &[]);
    let blocks = [Block { name: "observation".to_owned(), text: "You are at 3.".into() }];
    for (placed, role) in team.agents.iter().zip(["proposer", "objector"]) {
        assert_eq!((placed.place, placed.agent.role()), (role, role));
        let persona = placed.agent.persona();
        assert_eq!(DisputeKind.place_of(persona), Some("proposer"), "both answer with the message of the first");
        let FirstPrompts { system, user, notes: _ } = FirstPrompts::new(&DisputeKind, placed, &shown, &blocks).unwrap();
        assert!(prompt::joined(&system).contains(&shown.brief.goal), "{system:?}");
        let text = prompt::joined(&user);
        assert!(text.contains("(its objection)") && text.contains("You are at 3."), "{text}");
    }
    assert!(DisputeKind.build(&serde_json::json!({ "turn": 1 }), &ProjectFiles).is_err());
}

/// What `gimbal persona audit` prints: its texts are looked at, and a word that gives the environment away is found.
#[test]
fn its_texts_are_audited() {
    let families: [Arc<dyn Family>; 1] = [Arc::new(DisputeKind)];
    let all = agents(&families, &ProjectFiles).unwrap();
    let names: Vec<(&str, &str)> = all.iter().map(|one| (&*one.configuration, one.agent.role())).collect();
    assert_eq!(names, [("dispute", "proposer"), ("dispute", "objector")]);
    let environment = CorridorFamily.open(&serde_json::json!({})).unwrap();
    let environment = AuditedEnvironment::new(&*environment, &[]);
    let mut brief = environment.brief().clone();
    let found = |brief: &gimbal_core::Brief| {
        let forbidden = Forbidden::of([brief]);
        let parts = all.iter().flat_map(|one| environment.prompts(&one.agent).unwrap());
        audit(&parts.collect::<Vec<_>>(), &forbidden).len()
    };
    assert_eq!(found(&brief), 0);
    brief.forbidden_words = vec!["objects to".to_owned()];
    assert!(found(&brief) > 0);
}

/// The publication of the throw-away system: one table and one figure, both of its own record.
struct DisputeWork;

const ITEMS: &[Item] = &[
    Item {
        key: "disputes",
        title: "How disputes went",
        source: "Tab. 1",
        needs: Needs::RESULTS.with_fold(&DISPUTES),
        in_report: true,
        make: Make::Table(|context, item| {
            let label = |key, title| Column::new(key, title, "cell", ColumnKind::Label, "");
            let count = |key, title| Column::new(key, title, "disputes", ColumnKind::Integer, "");
            let columns = vec![label("cell", "Cell"), count("all", "Disputes"), count("agreed", "Agreed")];
            let rows = by_cell(context)?
                .into_iter()
                .map(|(cell, count)| vec![Cell::text(cell), Cell::Integer(count.all), Cell::Integer(count.agreed)]);
            Ok(Table { key: item.key, title: item.title.to_owned(), columns, rows: rows.collect(), notes: Vec::new() })
        }),
    },
    Item {
        key: "dispute-f1",
        title: "Share of disputes that ended in agreement",
        source: "Fig. 1",
        needs: Needs::fold(&DISPUTES),
        in_report: false,
        make: Make::Figure(|context, item| {
            let counts = context.fold::<Disputes>(&DISPUTES)?.0.values();
            let (all, agreed) = counts.fold((0, 0), |(all, agreed), count| (all + count.all, agreed + count.agreed));
            let mut svg = Svg::new();
            svg.text(10.0, 20.0, Anchor::Start, LABEL, &format!("{agreed} of {all}"));
            let figure = Figure::new(item.key, item.title.to_owned(), "Counts.".to_owned(), (&svg, 40.0));
            Ok(vec![Output {
                key: item.key,
                environment: String::new(),
                file: item.key.to_owned(),
                figure,
                missing: None,
            }])
        }),
    },
];

/// Disputes, and how many ended in agreement.
#[derive(Clone, Copy, Default)]
struct Count {
    all: i64,
    agreed: i64,
}

/// The counts of each cell: what the work keeps of its records.
#[derive(Default)]
struct Disputes(BTreeMap<String, Count>);

impl RecordState for Disputes {
    const TAKES: Takes = Takes::records(&[Disputed::KIND]);

    fn on_record(&mut self, episode: &Episode<'_>, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        let disputed = Disputed::read(record.data)?;
        let count = self.0.entry(episode.cell.to_owned()).or_default();
        count.all += 1;
        count.agreed += i64::from(disputed.agreed);
        Ok(())
    }
}

static DISPUTES: FoldSource = FoldSource::of_records::<Disputes>("disputes");

/// The counts of each cell, in the order of the study.
fn by_cell(context: &Context<'_>) -> Result<Vec<(String, Count)>, Undeclared> {
    let Disputes(counts) = context.fold(&DISPUTES)?;
    let count = |id: &String| counts.get(id).copied().unwrap_or_default();
    Ok(context.rows()?.cells.iter().map(|cell| (cell.id.clone(), count(&cell.id))).collect())
}

impl Work for DisputeWork {
    fn name(&self) -> &'static str {
        "dispute"
    }

    fn items(&self) -> &'static [Item] {
        ITEMS
    }
}

/// A work of its own room: its table is in the report, its figure is found by key, and nobody else was touched.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_work_brings_a_table_and_a_figure_of_its_own() {
    let place = tempfile::tempdir().unwrap();
    let folder = played("noisy/1.0", place.path()).await;
    let stored = Stored::read(&folder).unwrap();
    let (registry, options) = (registry(), gimbal_report::Options::default());
    let catalogue = Catalogue::new(vec![&DisputeWork]);
    let source =
        Source { folder: &folder, stored: &stored, registry: &registry, catalogue: &catalogue, options: &options };
    let seen = disputes(&folder).len() as i64;
    assert!(seen > 0);
    let made = table(&source, catalogue.table("disputes").unwrap()).unwrap();
    assert_eq!(made.rows.len(), 1);
    assert_eq!((made.rows[0][1].clone(), made.rows[0][2].clone()), (Cell::Integer(seen), Cell::Integer(seen)));
    let report = Report::build(&source).unwrap();
    assert!(report.tables().iter().any(|table| table.key == "disputes"));
    assert!(report.page().contains("How disputes went"));
    let drawn = figure(&source, catalogue.figure("DISPUTE-F1").unwrap()).unwrap();
    assert!(drawn[0].figure.alone.contains(&format!("{seen} of {seen}")));
    let unknown = catalogue.table("dispute").map(|_| ()).unwrap_err();
    assert!(unknown.to_string().contains("`disputes`"), "{unknown}");
    // An item that reads what it does not declare is an error that names it.
    let nothing = gimbal_view::work::Inputs::default();
    let undeclared = Context::new(&DisputeWork, &nothing, &Choices::default());
    assert!(undeclared.fold::<Disputes>(&DISPUTES).is_err());
}
