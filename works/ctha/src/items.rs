//! The work's list: tables and figures of hierarchies that were played, figures of drawn maps, printed numbers, in reading order.

use gimbal_view::work::{Item, Make, Needs, Printed};

use crate::attacks::{self, ATTACKS};
use crate::labels::{self, LABELS};
use crate::layers::LAYERS;
use crate::spread::{self, SPREAD};
use crate::{ablation, curves, effort, failures, figures, hierarchy, latency, printed};

/// A table of what a state keeps of records; `shown` tables are in the report of a run, the others in `--all` alone.
macro_rules! table {
    ($records:path, $key:expr, $source:literal, $title:literal, $shown:literal, $made:path) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: Needs::RESULTS.with_fold(&$records),
            in_report: $shown,
            make: Make::Table($made),
        }
    };
}

/// Tables, figures, printed numbers.
#[rustfmt::skip]
pub const ITEMS: &[Item] = &[
    table!(LAYERS, "ctha-coordination", "Tab. 5, Tab. 16", "How the layers of a hierarchy get along", true, hierarchy::coordination),
    table!(LAYERS, "ctha-pairs", "", "Conflicts by pair of layers, what they are about, and who is kept", true, hierarchy::pairs),
    table!(LAYERS, "ctha-messages", "", "Messages between layers by how they were read", true, hierarchy::messages),
    table!(LAYERS, "ctha-activity", "Tab. 6, Fig. 8(b)", "Active layers, and what coordination costs without model time", false, hierarchy::activity),
    table!(LAYERS, "ctha-triggers", "", "Why layers were asked", false, hierarchy::triggers),
    table!(LAYERS, "ctha-ablation", "Tab. 17, Tab. 18, Tab. 19", "Each configuration against the baseline, where that is a hierarchy", false, ablation::ablation),
    table!(LAYERS, "ctha-ablation-mean", "Tab. 17, Tab. 18", "Mean of signed deltas by configuration", false, ablation::means),
    table!(LABELS, "ctha-labels", "", "What the ways to resolve conflicts are worth, and what each rule loses", true, labels::labels),
    table!(ATTACKS, "ctha-attacks-overall", "Tab. 13", "Attacks by text: success and helpfulness by configuration", true, attacks::overall),
    table!(ATTACKS, "ctha-attacks", "Tab. 35", "Attacks by text: success and helpfulness by category", true, attacks::attacks),
    table!(ATTACKS, "ctha-attacks-stopped", "", "Attacks by text: what stopped them, and who read them", false, attacks::stopped),
    table!(LAYERS, "ctha-latency", "Tab. 11, Tab. 20", "Where the time of a step goes, and throughput", false, latency::latency),
    table!(LAYERS, "ctha-efficiency", "Tab. 15", "What a success takes, and cascades against the baseline", false, effort::efficiency),
    table!(effort::EFFORT, "ctha-scaling", "Tab. 1, Tab. 6", "Messages and comparisons against what grows with layers and with their pairs", false, effort::scaling),
    table!(SPREAD, "ctha-amplification", "Fig. 7(b)", "How far one altered message spreads", true, spread::amplification),
    Item {
        key: failures::KEY,
        title: "Coordination failures by step",
        source: "Fig. 2(a), Fig. 7(a)",
        needs: Needs::RESULTS.with_fold(&LAYERS),
        in_report: false,
        make: Make::Figure(failures::figures),
    },
    Item {
        key: curves::BY_STEP,
        title: "Success by step",
        source: "Fig. 7(a)",
        needs: Needs::RESULTS.with_fold(&LAYERS),
        in_report: false,
        make: Make::Figure(curves::by_step),
    },
    Item {
        key: curves::NOISE,
        title: "Return by the competence of noisy experts",
        source: "",
        needs: Needs::RESULTS.with_fold(&LAYERS),
        in_report: false,
        make: Make::Figure(curves::noise),
    },
    Item {
        key: figures::ACROSS_LAYERS,
        title: "Gain of composite maps against depth",
        source: "Fig. 2(b)",
        needs: Needs::NONE,
        in_report: false,
        make: Make::Figure(|_, item| Ok(vec![figures::output(item.key, item.title, &figures::Asked::default())])),
    },
    Item {
        key: figures::AMPLIFICATION,
        title: "Amplification of an error over the layers of a hierarchy",
        source: "Fig. 7(b)",
        needs: Needs::NONE,
        in_report: false,
        make: Make::Figure(|_, item| Ok(vec![figures::output(item.key, item.title, &figures::Asked::default())])),
    },
    Item {
        key: "ctha",
        title: "Printed numbers that follow from others, recomputed",
        source: "",
        needs: Needs::NONE,
        in_report: false,
        make: Make::Printed(Printed { file: printed::FILE, examine: printed::read_and_examine }),
    },
];
