//! The table of a sweep.

use gimbal_ares::tables::{Asked, NamedRanges, sweep};
use gimbal_core::Milli;
use gimbal_evidence::judge::sweep::PUBLISHED;
use gimbal_evidence::judge::{Arithmetic, Judge};

// covers: ARES-060, ARES-061, ARES-113, ARES-114, ARES-115, ARES-R10
#[test]
fn the_published_ranges_under_every_judge() {
    let asked = Asked {
        judges: Judge::PLAIN.to_vec(),
        arithmetics: Arithmetic::ALL.to_vec(),
        phases: PUBLISHED.iter().map(NamedRanges::from).collect(),
        step: Milli(10),
    };
    insta::assert_snapshot!(sweep(&asked).unwrap().to_text(140));
    assert!(sweep(&Asked { step: Milli(0), ..asked }).is_err());
}
