//! What a person should know of telemetry that was read all the same.

use std::fmt;

use gimbal_evidence::extract::Stats;

/// Most places of a source that are named as damaged.
const MOST_PLACES: usize = 3;

/// What a person should know of what was read, passed over or left out. It is shown as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Records of a source could not be read.
    Damaged {
        /// The source.
        place: String,
        /// How many.
        damaged: u64,
        /// Of how many.
        seen: u64,
    },
    /// One place of a source that could not be read.
    Issue {
        /// The source.
        place: String,
        /// The place in it.
        at: String,
        /// What is wrong.
        what: String,
    },
    /// A file of a folder holds no telemetry.
    NoTelemetry {
        /// The file.
        place: String,
        /// How that is known.
        why: String,
    },
    /// An input is passed over.
    Skipped {
        /// The input.
        place: String,
        /// Why.
        why: String,
    },
    /// How many inputs were passed over in all, where there are any.
    AllSkipped(usize),
    /// Records without a time were taken although a part of all times is asked for.
    Undated {
        /// How many.
        records: u64,
    },
    /// The packet has no fact.
    EmptyPacket {
        /// How many records were read for it.
        records: u64,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { place, damaged, seen } => write!(
                f,
                "{place}: {damaged} of {seen} records could not be read; they are facts of the class `damaged`"
            ),
            Self::Issue { place, at, what } => write!(f, "{place}: {at}: {what}"),
            Self::NoTelemetry { place, why } => write!(f, "{place}: no telemetry: {why}"),
            Self::Skipped { place, why } => write!(f, "{place}: skipped: {why}"),
            Self::AllSkipped(1) => {
                f.write_str("1 file was skipped; its records are not in the packet (the reason is above)")
            }
            Self::AllSkipped(count) => {
                write!(f, "{count} files were skipped; their records are not in the packet (the reasons are above)")
            }
            Self::Undated { records: 1 } => {
                f.write_str("1 record without a time was taken whatever --since and --until say")
            }
            Self::Undated { records } => {
                write!(f, "{records} records without a time were taken whatever --since and --until say")
            }
            Self::EmptyPacket { records: 0 } => f.write_str("the packet is empty: no record was read"),
            Self::EmptyPacket { records } => write!(
                f,
                "the packet is empty: {records} records were read, and --since, --until and --entity take none of them"
            ),
        }
    }
}

/// What could not be read of a source, with the first places.
pub(crate) fn damaged(place: &str, stats: &Stats, notices: &mut dyn FnMut(Notice)) {
    if stats.damaged > 0 {
        notices(Notice::Damaged { place: place.to_owned(), damaged: stats.damaged, seen: stats.seen });
    }
    for issue in stats.issues.iter().take(MOST_PLACES) {
        let (at, what) = (issue.at.clone(), issue.what.clone());
        notices(Notice::Issue { place: place.to_owned(), at, what });
    }
}
