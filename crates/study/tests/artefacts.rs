//! Artefacts: files that a study names, from the plan to the stage, and what of them is in keys and run folders.

use std::path::Path;
use std::sync::Arc;

use crate::common::folders::{clean, opened};
use crate::common::{TestModels, registry};
use gimbal_core::{Artefact, Digest, Embedder, Files, Learned, RecordKinds, Scorer};
use gimbal_study::plan::artefacts::MOST_BYTES;
use gimbal_study::plan::{self, Options, Plan, Problems, Stored};
use gimbal_study::read::{digest, load_rows, verify};
use gimbal_study::registry::{Library, Registry};
use gimbal_study::runner::{self, Progress, Settings, Summary};
use gimbal_study::stage::Cancel;
use gimbal_testkit::plays::advised::Advice;

const STUDY: &str = "
study: advised
environment: { name: corridor }
architectures:
  - { base: advised, name: study's }
  - { base: advised, name: own, artefacts: { advice: other.txt } }
  - { base: advised, name: without, optional: true, artefacts: { advice: ~ } }
  - { base: policy, policy: walk }
artefacts: { advice: data/advice.txt }
episodes: { tasks: { split: test, limit: 2 }, seed: 3 }
";

/// A folder of files of one's own.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(place.0.path().join("data")).unwrap();
        place.write("data/advice.txt", b"Wait\n");
        place.write("other.txt", b"Wait\nWait\n");
        place
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        std::fs::write(self.0.path().join(path), bytes).unwrap();
    }

    fn plan_with(&self, text: &str, registry: &Registry) -> Result<Plan, Problems> {
        let files = Library::default().with_own(self.0.path().to_owned());
        plan::resolve(plan::parse(text, "study.yaml")?, &Options::default(), registry, &TestModels, &files)
    }

    fn plan(&self, text: &str) -> Result<Plan, Problems> {
        self.plan_with(text, &registry())
    }

    fn refused(&self, text: &str) -> String {
        match self.plan(text) {
            Ok(_) => panic!("it was taken: {text}"),
            Err(problems) => problems.to_string(),
        }
    }
}

async fn run(plan: Plan, folder: &Path) -> (Summary, Vec<String>) {
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let warnings = Arc::clone(&told);
    let settings = Settings { jobs: Some(2), ..Settings::new(folder) };
    let summary = runner::run(Arc::new(plan), Arc::new(TestModels), settings, Cancel::default(), move |progress| {
        if let Progress::Warning { text } = progress {
            warnings.lock().unwrap().push(text);
        }
    });
    let summary = summary.await.unwrap();
    let told = std::mem::take(&mut *told.lock().unwrap());
    (summary, told)
}

/// The records of what each episode had at hand, by cell.
fn noted(folder: &Path) -> Vec<(String, Advice)> {
    let folder = opened(folder);
    let mut all = Vec::new();
    for episode in gimbal_study::read::trace::episodes(&folder).unwrap() {
        let mut reader = gimbal_study::read::trace::Reader::open(&folder, &episode).unwrap();
        let notes: Vec<_> = reader
            .events()
            .iter()
            .filter_map(|event| match &event.body {
                gimbal_core::Body::Note(note) if note.kind == "advice" => Some(note.data.clone()),
                _ => None,
            })
            .collect();
        for note in notes {
            all.push((episode.id.cell.clone(), serde_json::from_str(&reader.text(&note).unwrap()).unwrap()));
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_reach_the_stage_and_their_digests_are_in_keys_and_run_folders() {
    let place = Place::new();
    let plan = place.plan(STUDY).unwrap();
    let ids: Vec<&str> = plan.cells.iter().map(|cell| cell.info.id.as_str()).collect();
    assert_eq!(ids, ["study's", "own", "without", "policy:walk"]);
    let (one, other) = (Digest::of(b"Wait\n"), Digest::of(b"Wait\nWait\n"));
    let identity = |cell: usize| plan.cells[cell].identity()["artefacts"].clone();
    assert_eq!(identity(0), serde_json::json!([{ "digest": one, "name": "advice" }]));
    assert_eq!(identity(1), serde_json::json!([{ "digest": other, "name": "advice" }]));
    for cell in [2, 3] {
        // Those of an architecture that asks for none are as they were before there were any.
        let text = gimbal_core::canonical::text(&plan.cells[cell].identity());
        assert!(text.contains(r#","artefacts":[],"environment":"#), "{text}");
        assert_eq!(plan.cells[cell].identity().as_object().unwrap().len(), 5);
    }
    let path = place.0.path().join("run");
    let (summary, _) = run(plan, &path).await;
    assert_eq!(summary.finished, 8);
    let expected = |cell: &str| match cell {
        "study's" => (one.to_string(), 1),
        "own" => (other.to_string(), 2),
        _ => (String::new(), 0),
    };
    let noted = noted(&path);
    assert_eq!(noted.len(), 6);
    for (cell, advice) in noted {
        assert_eq!((advice.digest, advice.lines), expected(&cell), "{cell}");
    }
    let stored = Stored::read(&opened(&path)).unwrap();
    let kept: Vec<Vec<(&str, &str, Digest, u64)>> = stored
        .cells
        .iter()
        .map(|cell| cell.artefacts.iter().map(|of| (of.name.as_str(), of.file.as_str(), of.digest, of.bytes)).collect())
        .collect();
    assert_eq!(kept[0], [("advice", "data/advice.txt", one, 5)]);
    assert_eq!(kept[1], [("advice", "other.txt", other, 10)]);
    assert!(kept[2].is_empty() && kept[3].is_empty());
    clean(&path);
    // What was read of the run again is what was written: the run goes on, with nothing left to do.
    let before = digest(&opened(&path)).unwrap();
    assert_eq!(run(place.plan(STUDY).unwrap(), &path).await.0.finished, 0);
    assert_eq!(digest(&opened(&path)).unwrap(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_byte_is_another_cell_and_its_episodes_are_kept_apart() {
    let place = Place::new();
    let path = place.0.path().join("run");
    let first = place.plan(STUDY).unwrap();
    let keys: Vec<Digest> = first.cells.iter().map(|cell| cell.key).collect();
    run(first, &path).await;
    place.write("data/advice.txt", b"Wait \n");
    let second = place.plan(STUDY).unwrap();
    let changed: Vec<bool> = second.cells.iter().zip(&keys).map(|(cell, key)| cell.key != *key).collect();
    assert_eq!(changed, [true, false, false, false]);
    let (summary, told) = run(second, &path).await;
    assert_eq!((summary.already, summary.finished), (6, 2));
    assert!(told.iter().any(|text| text.contains("the cell `study's` is another one now (artefacts)")), "{told:?}");
    clean(&path);
    assert_eq!(verify(&opened(&path), &RecordKinds::default()).unwrap().past, 2);
    // The old file brings the old episodes back.
    place.write("data/advice.txt", b"Wait\n");
    assert_eq!(run(place.plan(STUDY).unwrap(), &path).await.0.finished, 0);
    assert_eq!(load_rows(&opened(&path)).unwrap().episodes.len(), 8);
    // A file of another name with the same bytes is the same artefact.
    place.write("moved.txt", b"Wait\n");
    let moved = place.plan(&STUDY.replace("data/advice.txt", "moved.txt")).unwrap();
    assert_eq!(moved.cells.iter().map(|cell| cell.key).collect::<Vec<_>>(), keys);
}

#[test]
fn what_cannot_be_used_is_refused_with_its_place() {
    let place = Place::new();
    let cases: [(&str, &str, &[&str]); 9] = [
        ("data/advice.txt", "data/none.txt", &["study.yaml:9", "`advice`", "there is no file `data/none.txt`"]),
        ("data/advice.txt", "../advice.txt", &["study.yaml:9", "leads out"]),
        ("data/advice.txt", "/etc/hostname", &["study.yaml:9", "leads out"]),
        ("data/advice.txt", "data", &["study.yaml:9", "it is a folder"]),
        ("data/advice.txt", "empty.txt", &["study.yaml:9", "the file is empty"]),
        (
            "{ advice: data/advice.txt }",
            "{ advice: data/advice.txt, advise: other.txt }",
            &["`advise`", "did you mean `advice`"],
        ),
        (
            "{ advice: other.txt }",
            "{ other: other.txt }",
            &["study.yaml:6", "`own` asks for no artefact `other`", "(known: advice)"],
        ),
        ("policy: walk", "policy: walk, artefacts: { advice: other.txt }", &["asks for no artefact `advice`; drop it"]),
        ("artefacts: { advice: data/advice.txt }\n", "", &["study.yaml:5", "`study's` needs the artefact `advice`"]),
    ];
    place.write("empty.txt", b"");
    for (from, to, said) in cases {
        let text = STUDY.replacen(from, to, 1);
        assert_ne!(text, STUDY);
        let refused = place.refused(&text);
        assert!(said.iter().all(|part| refused.contains(part)), "{to}: {refused}");
    }
    // Without the study's advice where it is needed.
    let refused = place.refused(&STUDY.replace("name: study's", "name: study's, artefacts: { advice: ~ }"));
    assert!(refused.contains("needs the artefact `advice`"), "{refused}");
    // Too large, and not read to the end.
    let large = std::fs::File::create(place.0.path().join("large.bin")).unwrap();
    large.set_len(MOST_BYTES + 1).unwrap();
    let refused = place.refused(&STUDY.replace("data/advice.txt", "large.bin"));
    assert!(refused.contains(&format!("at most {MOST_BYTES} are read")), "{refused}");
    // Artefacts that a study has built are none of this version, and it says what is.
    let refused = place.refused(&format!("{STUDY}prepare: [graph]\n"));
    assert!(refused.contains("`prepare`") && refused.contains("artefacts: { arbiter: FILE }"), "{refused}");
    place.plan(&format!("{STUDY}prepare: []\n")).unwrap();
    for (text, said) in [
        ("artefacts: [advice]", "must be a map"),
        ("artefacts: { advice: [a] }", "the file of the artefact `advice` must be a text"),
        ("artefacts: { advice: a, advice: b }", "advice"),
    ] {
        let refused = place.refused(&STUDY.replace("artefacts: { advice: data/advice.txt }", text));
        assert!(refused.contains(said), "{refused}");
    }
}

/// Weights of the smallest scorer: `times N`.
struct Times(i64);

impl Scorer for Times {
    fn identity(&self) -> String {
        format!("times/1/{}", self.0)
    }
    fn width(&self) -> usize {
        1
    }
    fn score(&self, parties: &[Vec<f32>]) -> Vec<i64> {
        parties.iter().map(|party| party.first().map_or(0, |length| *length as i64) * self.0).collect()
    }
}

struct Letters;

impl Embedder for Letters {
    fn identity(&self) -> String {
        "letters/1".to_owned()
    }
    fn dimensions(&self) -> usize {
        1
    }
    fn embed(&self, _: &str) -> Vec<f32> {
        vec![1.0]
    }
}

struct Small;

impl Learned for Small {
    fn scorer(&self, artefact: &Artefact) -> Result<Arc<dyn Scorer>, String> {
        let text = String::from_utf8_lossy(&artefact.bytes);
        let number = text.trim().strip_prefix("times ").and_then(|number| number.parse().ok());
        let number = number.ok_or_else(|| format!("expected `times N`, found `{}`", text.trim()))?;
        Ok(Arc::new(Times(number)))
    }
    fn embedder(&self, name: &str) -> Result<Arc<dyn Embedder>, String> {
        if name == "letters" { Ok(Arc::new(Letters)) } else { Err(format!("there is no embedder `{name}`")) }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scorers_and_embedders_are_made_by_the_plan_and_bad_weights_are_refused_there() {
    let place = Place::new();
    place.write("weights", b"times 3\n");
    let text = "
study: scored
environment: { name: corridor }
architectures: [{ base: advised, scored: true, artefacts: { advice: weights } }]
episodes: { tasks: { split: test, limit: 1 } }
";
    let learned = Registry { learned: Some(Arc::new(Small)), ..registry() };
    let plan = place.plan_with(text, &learned).unwrap();
    let identity = plan.cells[0].identity()["artefacts"].clone();
    let weights = Digest::of(b"times 3\n");
    assert_eq!(
        identity,
        serde_json::json!([
            { "digest": weights, "name": "advice", "scorer": "times/1/3" }, { "embedder": "letters/1", "name": "letters" },
        ])
    );
    let path = place.0.path().join("run");
    run(plan, &path).await;
    let (_, advice) = noted(&path).remove(0);
    let expected = Advice { digest: weights.to_string(), embedder: "letters/1".to_owned(), lines: 1, scores: vec![21] };
    assert_eq!(advice, expected);
    let refused = |registry: &Registry| match place.plan_with(text, registry) {
        Ok(_) => panic!("it was taken"),
        Err(problems) => problems.to_string(),
    };
    place.write("weights", b"times three");
    let said = refused(&learned);
    assert!(said.contains("study.yaml:4") && said.contains("(weights)") && said.contains("`times N`"), "{said}");
    let said = refused(&registry());
    assert!(said.contains("this program has no learned parts"), "{said}");
}

/// A bound holds for files of any kind of library.
#[test]
fn texts_serve_as_bytes_within_their_bound() {
    struct One;
    impl Files for One {
        fn read(&self, path: &str) -> Result<Option<(String, String)>, gimbal_core::FileError> {
            Ok((path == "a").then(|| ("four".to_owned(), "a".to_owned())))
        }
        fn list(&self, _: &str) -> Vec<String> {
            Vec::new()
        }
    }
    assert_eq!(One.read_bytes("a", 4).unwrap().unwrap().0, b"four");
    assert_eq!(One.read_bytes("b", 4).unwrap(), None);
    assert!(One.read_bytes("a", 3).unwrap_err().why.contains("4 bytes"));
}
