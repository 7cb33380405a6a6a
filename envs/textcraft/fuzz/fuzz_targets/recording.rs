//! No file breaks the replay: it is replayed or refused.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use gimbal_textcraft::Tree;
use gimbal_textcraft::replay::replay_from;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let tree = Tree::shipped().expect("the built-in recipes are read");
    let _ = replay_from(Path::new("fuzz"), Box::new(Cursor::new(bytes.to_vec())), &tree);
});
