//! CPython's generator, against vectors that CPython 3.11 printed.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_cage2::draws::{Draws, Mersenne, Phase, Purpose, Seed, Site};
use gimbal_cage2::recording::Json;

const SITE: Site = Site::new(Phase::Reset, Purpose::Layout);

fn whole(json: &Json) -> u64 {
    u64::try_from(json.as_whole().unwrap()).unwrap()
}

fn small(json: &Json) -> u32 {
    u32::try_from(whole(json)).unwrap()
}

fn list<'a>(row: &'a Json, key: &str) -> &'a [Json] {
    row.get(key).unwrap().as_list().unwrap()
}

#[test]
fn every_function_gives_what_cpython_gives() {
    let rows = Json::parse(include_str!("fixtures/mersenne.json")).unwrap();
    for row in rows.as_list().unwrap() {
        let seed = whole(row.get("seed").unwrap());
        let mut twister = Mersenne::new(0);
        twister.seed(seed);
        for expected in list(row, "bits32") {
            assert_eq!(twister.next_u32(), small(expected), "seed {seed}");
        }
        for pair in list(row, "bits") {
            let pair = pair.as_list().unwrap();
            assert_eq!(twister.getrandbits(small(&pair[0])), whole(&pair[1]));
        }
        for expected in list(row, "random") {
            let expected: f64 = expected.as_text().unwrap().parse().unwrap();
            assert_eq!(twister.random(SITE).to_bits(), expected.to_bits());
        }
        for (at, expected) in list(row, "randrange").iter().enumerate() {
            let (start, stop) = if at < 3 { (49_152, 60_000) } else { (0, 32_768) };
            assert_eq!(twister.randrange(SITE, start, stop), small(expected));
        }
        for pair in list(row, "choice") {
            let pair = pair.as_list().unwrap();
            assert_eq!(twister.choice(SITE, small(&pair[0])), small(&pair[1]));
        }
        for pair in list(row, "choices") {
            let pair = pair.as_list().unwrap();
            assert_eq!(twister.choices(SITE, small(&pair[0])), small(&pair[1]));
        }
        for pair in list(row, "sample") {
            let pair = pair.as_list().unwrap();
            let expected: Vec<u32> = pair[1].as_list().unwrap().iter().map(small).collect();
            let mut chosen = vec![0; expected.len()];
            twister.sample(SITE, small(&pair[0]), &mut chosen);
            assert_eq!(chosen, expected);
        }
        let mut order: Vec<u8> = (0..13).collect();
        twister.shuffle(SITE, &mut order);
        let expected: Vec<u32> = list(row, "shuffle").iter().map(small).collect();
        assert_eq!(order.into_iter().map(u32::from).collect::<Vec<_>>(), expected);
        for _ in 0..700 {
            twister.next_u32();
        }
        assert_eq!(twister.getrandbits(64), whole(row.get("after").unwrap()));
    }
}

/// Seeds beyond 64 bits, with what CPython 3 printed for `getrandbits(32)` after `random.seed(seed)`.
#[test]
fn a_seed_of_any_size_gives_what_cpython_gives() {
    for (seed, expected) in [
        ("18446744073709551616", [4198958755, 3158798261, 1593907883]),
        ("10000000000000000000000000000000000000000", [1492664192, 624131156, 3266468590]),
        ("-1606938044258990275541962092341162602522202993782792835313721", [632829219, 3476216445, 2945453961]),
    ] {
        let seed = Seed::from_decimal(seed).unwrap();
        assert_eq!(seed.small(), None);
        let mut twister = Mersenne::from_seed(&seed);
        assert_eq!([0; 3].map(|_| twister.next_u32()), expected);
        let mut again = Mersenne::new(5);
        again.next_u32();
        again.seed_with(&seed);
        assert_eq!(again.next_u32(), expected[0]);
    }
}
