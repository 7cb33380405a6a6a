//! The work's list: figures and printed numbers, in reading order. The figures are drawn from drawn maps and need no run.

use gimbal_view::work::{Item, Make, Needs, Printed};

use crate::{figures, printed};

/// Figures, printed numbers.
pub const ITEMS: &[Item] = &[
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
