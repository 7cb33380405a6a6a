//! No text breaks the reader of saved households, and what is read is a game.
#![no_main]

use std::sync::Arc;

use gimbal_alfworld::Play;
use gimbal_alfworld::home::Household;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(household) = Household::read(text)
        && let Ok(game) = household.game()
    {
        Play::new(Arc::new(game)).step_at(0);
    }
});
