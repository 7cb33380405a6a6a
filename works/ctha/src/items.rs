//! The work's list: tables and figures of hierarchies that were played, figures of drawn maps, printed numbers, in reading order.

use gimbal_view::work::{Item, Make, Needs, Printed};

use crate::attacks::{self, ATTACKS};
use crate::labels::{self, LABELS};
use crate::layers::LAYERS;
use crate::spread::{self, SPREAD};
use crate::{ablation, effort, failures, figures, hierarchy, latency, printed};

/// A table of hierarchies; `shown` tables are in the report of a run, the others in `--all` alone.
macro_rules! table {
    ($key:literal, $source:literal, $title:literal, $shown:literal, $made:path) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: Needs::RESULTS,
            records: Some(&LAYERS),
            in_report: $shown,
            make: Make::Table($made),
        }
    };
}

/// A table of attacks.
macro_rules! attack {
    ($key:literal, $source:literal, $title:literal, $shown:literal, $made:path) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: Needs::RESULTS,
            records: Some(&ATTACKS),
            in_report: $shown,
            make: Make::Table($made),
        }
    };
}

/// Tables, figures, printed numbers.
#[rustfmt::skip]
pub const ITEMS: &[Item] = &[
    table!("ctha-coordination", "Tab. 5, Tab. 16", "How the layers of a hierarchy get along", true, hierarchy::coordination),
    table!("ctha-pairs", "", "Conflicts by pair of layers, what they are about, and who is kept", true, hierarchy::pairs),
    table!("ctha-messages", "", "Messages between layers by how they were read", true, hierarchy::messages),
    table!("ctha-activity", "Tab. 6, Fig. 8(b)", "Active layers, and what coordination costs without model time", false, hierarchy::activity),
    table!("ctha-triggers", "", "Why layers were asked", false, hierarchy::triggers),
    table!("ctha-ablation", "Tab. 17, Tab. 18, Tab. 19", "Each configuration against the baseline, where that is a hierarchy", false, ablation::ablation),
    table!("ctha-ablation-mean", "Tab. 17, Tab. 18", "Mean of signed deltas by configuration", false, ablation::means),
    Item {
        key: "ctha-labels",
        title: "What the ways to resolve conflicts are worth, and what each rule loses",
        source: "",
        needs: Needs::RESULTS,
        records: Some(&LABELS),
        in_report: true,
        make: Make::Table(labels::labels),
    },
    attack!("ctha-attacks-overall", "Tab. 13", "Attacks by text: success and helpfulness by configuration", true, attacks::overall),
    attack!("ctha-attacks", "Tab. 35", "Attacks by text: success and helpfulness by category", true, attacks::attacks),
    attack!("ctha-attacks-stopped", "", "Attacks by text: what stopped them, and who read them", false, attacks::stopped),
    table!("ctha-latency", "Tab. 11, Tab. 20", "Where the time of a step goes, and throughput", false, latency::latency),
    table!("ctha-efficiency", "Tab. 15", "What a success takes, and cascades against the baseline", false, effort::efficiency),
    Item {
        key: "ctha-scaling",
        title: "Messages and comparisons against what grows with layers and with their pairs",
        source: "Tab. 1, Tab. 6",
        needs: Needs::RESULTS,
        records: Some(&effort::EFFORT),
        in_report: false,
        make: Make::Table(effort::scaling),
    },
    Item {
        key: "ctha-amplification",
        title: "How far one altered message spreads",
        source: "Fig. 7(b)",
        needs: Needs::RESULTS,
        records: Some(&SPREAD),
        in_report: true,
        make: Make::Table(spread::amplification),
    },
    Item {
        key: failures::KEY,
        title: "Coordination failures by step",
        source: "Fig. 2(a), Fig. 7(a)",
        needs: Needs::RESULTS,
        records: Some(&LAYERS),
        in_report: false,
        make: Make::Figure(failures::figures),
    },
    Item {
        key: figures::ACROSS_LAYERS,
        title: "Gain of composite maps against depth",
        source: "Fig. 2(b)",
        needs: Needs::NONE,
        records: None,
        in_report: false,
        make: Make::Figure(|_, item| Ok(vec![figures::output(item.key, item.title, &figures::Asked::default())])),
    },
    Item {
        key: figures::AMPLIFICATION,
        title: "Amplification of an error over the layers of a hierarchy",
        source: "Fig. 7(b)",
        needs: Needs::NONE,
        records: None,
        in_report: false,
        make: Make::Figure(|_, item| Ok(vec![figures::output(item.key, item.title, &figures::Asked::default())])),
    },
    Item {
        key: "ctha",
        title: "Printed numbers that follow from others, recomputed",
        source: "",
        needs: Needs::NONE,
        records: None,
        in_report: false,
        make: Make::Printed(Printed { file: printed::FILE, examine: printed::read_and_examine }),
    },
];
