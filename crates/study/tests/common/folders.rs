//! Two small studies, and looks at the folders of their runs.

use std::path::Path;

use gimbal_core::RecordKinds;
use gimbal_study::plan::Stored;
use gimbal_study::read::{Books, read, verify};
use gimbal_study::run::RunFolder;

pub const STUDY: &str = "
study: small
environment: [{ name: corridor, horizon: 6 }, { name: oracle }]
architectures:
  - { base: panel, members: 2 }
  - { base: learner }
roles:
  - { default: unreliable }
  - { default: slow, reader: picker }
episodes: { tasks: { split: test }, runs: 3, trials: 2, seed: 5 }
baseline: learner
";

pub const FLAKY: &str = "
study: flaky
environment: { name: corridor }
architectures: [{ base: learner }]
roles: [{ default: MODEL }]
episodes: { runs: 2, tasks: { split: test, limit: 2 } }
";

pub fn opened(folder: &Path) -> RunFolder {
    RunFolder::open(folder).unwrap()
}

pub fn books(folder: &RunFolder, stored: &Stored) -> Books {
    read(folder, stored, &mut []).unwrap().books
}

pub fn clean(folder: &Path) {
    let report = verify(&opened(folder), &RecordKinds::default()).unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    assert!(report.episodes > 0 && report.events > report.episodes);
}
