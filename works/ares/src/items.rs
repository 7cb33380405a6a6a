//! The work's list: every table, every figure and the printed numbers, in reading order.

use gimbal_view::work::{Item, Make, Needs, Printed};

use crate::printed;

/// Printed numbers.
pub const ITEMS: &[Item] = &[Item {
    key: "ares",
    title: "Printed numbers that follow from others, recomputed",
    source: "",
    needs: Needs::NONE,
    records: None,
    in_report: false,
    make: Make::Printed(Printed { file: printed::FILE, examine: printed::read_and_examine }),
}];
