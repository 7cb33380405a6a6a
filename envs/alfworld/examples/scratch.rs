#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]
use gimbal_alfworld::*;
use std::sync::Arc;
fn main() {
    let base = std::env::args().nth(1).unwrap();
    let lib = Library::new();
    let w = Wording::of_folder(format!("{base}/variant_2.1.1").as_ref()).unwrap();
    for (f, old) in [("traces.jsonl", false), ("traces_2.1.1.jsonl", true)] {
        let text = std::fs::read_to_string(format!("/tmp/alftr/{f}")).unwrap();
        let (mut bad, mut n, mut steps) = (0, 0, 0);
        for line in text.lines() {
            let r: serde_json::Value = serde_json::from_str(line).unwrap();
            let path = format!("{base}/games/{}/game.tw-pddl", r["game"].as_str().unwrap());
            let g = if old { lib.load_as(path.as_ref(), &w) } else { lib.load(path.as_ref()) };
            let g = match g {
                Ok(g) => g,
                Err(e) => {
                    println!("{e}");
                    return;
                }
            };
            let mut p = Play::new(Arc::new(g));
            n += 1;
            let mut adm: Vec<String> =
                r["admissible"].as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect();
            let mut fail = |what: String| {
                bad += 1;
                if bad < 6 {
                    println!("{} {} {what}", r["game"], r["walk"])
                }
            };
            if p.observation() != r["intro"] {
                fail(format!("intro\n {:?}\n {}", p.observation(), r["intro"]));
                continue;
            }
            if !p.admissible().eq(adm.iter().map(String::as_str)) {
                fail(format!("adm {:?}", p.admissible().collect::<Vec<_>>()));
                continue;
            }
            for s in r["steps"].as_array().unwrap() {
                steps += 1;
                let cmd = s["cmd"].as_str().unwrap();
                let o = p.step(cmd);
                if p.observation() != s["obs"] {
                    fail(format!("{cmd}: obs\n {:?}\n {}", p.observation(), s["obs"]));
                    break;
                }
                for d in s["adm_del"].as_array().unwrap() {
                    adm.retain(|x| x != d.as_str().unwrap())
                }
                for d in s["adm_add"].as_array().unwrap() {
                    adm.push(d.as_str().unwrap().to_owned())
                }
                adm.sort();
                if !p.admissible().eq(adm.iter().map(String::as_str)) {
                    fail(format!("{cmd}: adm {:?}\n{adm:?}", p.admissible().collect::<Vec<_>>()));
                    break;
                }
                if o.won != s["won"].as_bool().unwrap()
                    || o.score() as u64 != s["score"].as_u64().unwrap()
                    || o.done() != s["done"].as_bool().unwrap()
                {
                    fail(format!("{cmd} won"));
                    break;
                }
            }
        }
        println!("{f}: {n} {steps} bad {bad}");
    }
}
