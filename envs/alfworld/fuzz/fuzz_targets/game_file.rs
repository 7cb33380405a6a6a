//! No bytes break the reader of game files: they are a game that can be played, or refused.
#![no_main]

use std::sync::Arc;

use gimbal_alfworld::{Library, Play};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(game) = Library::new().read(bytes, None) {
        let mut play = Play::new(Arc::new(game));
        for at in 0..20 {
            play.step_at(at);
        }
    }
});
