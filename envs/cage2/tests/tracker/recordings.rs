//! The belief state along the recordings of the original simulator, where they are at hand.

use gimbal_cage2::Names;
use gimbal_cage2::recording::{Json, Line, Lines, Recorded};
use gimbal_cage2::tracker::{DecoyTable, HOSTNAME, HostBelief, HostTracker, Status};
use gimbal_core::{Observation, Stepped, ToolCall, Tracker as _};
use serde_json::Value;

use crate::common;
use crate::tracker::play::{BLOCKS, answers};

fn observation(line: &Line<'_>) -> Observation {
    let text = line.raw("blue_obs").unwrap().to_owned();
    Observation { data: gimbal_core::Data::json(text.as_str()), text }
}

/// The action of a recorded step: `[index, "Kind Host"]`.
fn call(line: &Line<'_>) -> ToolCall {
    let action = line.json("blue").unwrap().unwrap();
    let text = action.as_list().and_then(|pair| pair.get(1)).and_then(Json::as_text).unwrap();
    match text.split_once(' ') {
        Some((tool, host)) => ToolCall::with(tool, &[(HOSTNAME, host)]),
        None => ToolCall::bare(text),
    }
}

/// Whether an entry shows a process that is not a decoy, or dropped files.
fn suspicious(entry: &Value) -> bool {
    let processes = entry["Processes"].as_array().into_iter().flatten();
    let files = entry["Files"].as_array().is_some_and(|files| !files.is_empty());
    files || processes.into_iter().any(|process| !process["PID"].is_null() && process["Service Name"].is_null())
}

fn check(tracker: &HostTracker, step: u32, call: &ToolCall, seen: &Value) {
    for (host, status) in tracker.belief().statuses() {
        let entry = seen.get(host).unwrap_or(&Value::Null);
        let acted = call.string(HOSTNAME) == Some(host);
        let place = format!("step {step}, {host}, {call:?}, {seen}");
        if acted && call.tool == "Analyse" {
            assert_eq!(status, Status::Analysed(step), "{place}");
        } else if suspicious(entry) {
            assert_eq!(status, Status::Changed, "{place}");
        } else if acted && call.tool == "Restore" {
            assert_eq!(status, Status::Baseline, "{place}");
        } else if acted && call.tool == "Remove" {
            assert_eq!(status, Status::Unknown, "{place}");
        }
    }
}

// covers: BOG-080, BOG-082, BOG-085, BOG-086, BOG-087, BOG-090
#[test]
fn statuses_follow_the_recordings_and_repeat_to_the_byte() {
    let Some(files) = common::traces() else { return };
    let table = DecoyTable::of(&Names::original());
    let (mut one, mut other) =
        (HostTracker::new(HostBelief::new(table.clone())), HostTracker::new(HostBelief::new(table)));
    let (mut step, mut steps, mut changed, mut largest) = (0, 0_u32, 0_u32, [0; 3]);
    // Hosts that showed something since they were last set back.
    let mut shown: Vec<String> = Vec::new();
    for file in files {
        let mut lines = Lines::open(&file).unwrap();
        while let Some(line) = lines.next_line().unwrap() {
            match line.kind {
                Recorded::Reset => {
                    let first = observation(&line);
                    one.begin(&first);
                    other.begin(&first);
                    assert!(one.belief().statuses().all(|(_, status)| status == Status::Baseline));
                    assert_eq!(one.belief().statuses().count(), 13);
                    (step, shown) = (0, Vec::new());
                }
                Recorded::Step => {
                    step += 1;
                    steps += 1;
                    let (call, seen) = (call(&line), observation(&line));
                    for tracker in [&mut one, &mut other] {
                        let justification = Some("as recorded");
                        tracker.update(Stepped { step, call: &call, observation: &seen, justification });
                    }
                    check(&one, step, &call, &seen.data);
                    if call.tool == "Restore" {
                        shown.retain(|host| call.string(HOSTNAME) != Some(host));
                    }
                    let entries = seen.data.as_object().unwrap().iter();
                    shown.extend(entries.filter(|(_, entry)| suspicious(entry)).map(|(host, _)| host.clone()));
                    for (host, status) in one.belief().statuses() {
                        if status == Status::Changed {
                            changed += 1;
                            assert!(
                                shown.iter().any(|known| known == host),
                                "{host} changed by nothing in step {step}"
                            );
                        }
                    }
                    // Every tenth step: the log reports all steps before.
                    if step % 10 == 0 {
                        for (at, name) in BLOCKS.iter().enumerate() {
                            let text = one.block(name).unwrap();
                            largest[at] = largest[at].max(text.len());
                            assert_eq!(text, other.block(name).unwrap());
                        }
                        assert_eq!(answers(&one), answers(&other));
                    }
                }
                _ => {}
            }
        }
    }
    println!("{steps} steps, {changed} statuses `changed`; largest {BLOCKS:?}: {largest:?} bytes");
    assert!(steps > 0 && changed > 0);
}
