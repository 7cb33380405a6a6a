//! Lines of the ledger: any bytes are read or refused, and what is read is written alike.
#![no_main]

use gimbal_study::run::ledger::{line, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(row) = parse(bytes) {
        let (written, _) = line(0, &row);
        assert_eq!(parse(written.strip_suffix(b"\n").unwrap_or(&written)), Some(row));
    }
});
