//! The records that works and reports read, a file for each system that writes them. A record that no report reads is in the folder of its
//! system. `engine`, `reading` and `stage` are of all systems.

pub mod attack;
pub mod consensus;
pub mod control;
pub mod debate;
pub mod engine;
pub mod filings;
pub mod gate;
pub mod hierarchy;
pub mod memory;
pub mod panel;
pub mod reading;
pub mod search;
pub mod stage;
pub mod temporal;

/// Names the kind of each record, and lists the kinds of the file. Behind `=>` is the function that puts a record into words, if it has words;
/// `[short]` says that they leave things out, `[behind]` that the record is about what was done before it.
macro_rules! records {
    ($(#[$about:meta])* $($record:ident = $kind:literal $(=> $told:path)? $([$mark:ident])?),+ $(,)?) => {
        $(impl $crate::Record for $record {
            const KIND: &'static str = $kind;
            $($crate::records::marked!($mark);)?
            $(fn told(&self, memory: &mut gimbal_core::StoryMemory) -> Option<String> {
                Some($told(self, memory))
            })?
        })+

        $(#[$about])*
        pub const KINDS: &[gimbal_core::record::RecordKind] = &[$($crate::kind::<$record>()),+];
    };
}

macro_rules! marked {
    (behind) => {
        const IS_BEHIND: bool = true;
    };
    (short) => {
        const IS_SHORT: bool = true;
    };
}
use {marked, records};
