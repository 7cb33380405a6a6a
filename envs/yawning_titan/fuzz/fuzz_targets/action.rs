//! No text breaks the action grammar, and what it reads it can write and read again.
#![no_main]

use gimbal_yawning_titan::action::Vocabulary;
use gimbal_yawning_titan::names::Names;
use gimbal_yawning_titan::rules::KINDS;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for names in [Names::ordered(18, 2), Names::shuffled(18, 2, 1)] {
        let edges = vec![(0, 1), (1, 2), (17, 3)];
        let words = Vocabulary { names, kinds: KINDS.to_vec(), scan: true, edges };
        if let Ok(intent) = words.parse(text) {
            let written = words.render(intent).expect("what was read has a name");
            assert_eq!(words.parse(&written), Ok(intent));
        }
    }
});
