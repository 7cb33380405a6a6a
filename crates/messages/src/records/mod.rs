//! The records that reports read, by the room that writes them.

pub mod attack;
pub mod consensus;
pub mod control;
pub mod debate;
pub mod engine;
pub mod gate;
pub mod hierarchy;
pub mod memory;
pub mod panel;
pub mod search;
pub mod stage;
pub mod temporal;

/// Names the kind of each record, and lists the kinds of the file.
macro_rules! records {
    ($(#[$about:meta])* $($record:ident = $kind:literal),+ $(,)?) => {
        $(impl $crate::Record for $record {
            const KIND: &'static str = $kind;
        })+

        $(#[$about])*
        pub const KINDS: &[gimbal_core::record::RecordKind] = &[$($crate::kind::<$record>()),+];
    };
}
use records;
