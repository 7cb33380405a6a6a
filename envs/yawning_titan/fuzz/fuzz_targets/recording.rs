//! No file breaks the reader or the replay: it is replayed or refused.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use gimbal_yawning_titan::replay::{DrawSource, ReplayOptions, replay_from};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for draws in [DrawSource::Tape, DrawSource::Seed] {
        let options = ReplayOptions { files: Vec::new(), draws, checksum: false };
        let source = Box::new(Cursor::new(bytes.to_vec()));
        let _ = replay_from(Path::new("fuzz"), source, &options);
    }
});
