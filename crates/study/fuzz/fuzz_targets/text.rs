//! Texts kept as changes: any bytes are decoded or refused.
#![no_main]

use gimbal_study::run::delta::decode;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = decode(bytes, &[b"one source\nof some lines\n", b"another"], 1 << 16);
});
