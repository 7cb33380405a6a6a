//! Comparison of what is seen of a host with what is expected of it (BOG-084).
//!
//! Compared are stable fields: which processes and services there are. Connections come and go by themselves and are
//! left out, and with them list items that hold nothing else, so that a port scan is not a change of the host.
//!
//! The first observation tells everything of a host; later ones tell what is new and shorten the rest (an interface
//! is then its address alone). So a key that a later observation leaves out, a process that it does not list and a
//! shortened field are not differences; a key, process or value that the baseline does not hold is one.

use serde_json::{Map, Value};

const CONNECTIONS: &str = "Connections";
pub(super) const PROCESSES: &str = "Processes";

/// What a comparison gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Everything that the baseline holds was seen, and nothing else.
    Equal,
    /// Part of the baseline was seen, and nothing else.
    Consistent,
    /// Something was seen that the baseline does not hold.
    Deviates,
}

/// Compares what was seen of a host with its baseline and the processes that are expected besides.
pub(super) fn compare(seen: &Map<String, Value>, baseline: &Map<String, Value>, expected: &[Value]) -> Verdict {
    let mut whole = baseline.keys().all(|key| key == CONNECTIONS || seen.contains_key(key));
    for (key, value) in seen.iter().filter(|(key, _)| *key != CONNECTIONS) {
        let known = baseline.get(key);
        if key == PROCESSES {
            let known = || items(known).iter().chain(expected).filter(|item| is_stable(item));
            let found = || items(Some(value)).iter().filter(|item| is_stable(item));
            if found().any(|item| count(found(), item) > count(known(), item)) {
                return Verdict::Deviates;
            }
            whole &= found().count() == known().count();
        } else {
            match known {
                Some(known) if known == value => {}
                Some(known) if is_part(value, known) => whole = false,
                _ => return Verdict::Deviates,
            }
        }
    }
    if whole { Verdict::Equal } else { Verdict::Consistent }
}

/// The items of a list; none if there is no list.
pub(super) fn items(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether an item holds anything but connections.
fn is_stable(item: &Value) -> bool {
    item.as_object().is_none_or(|fields| fields.keys().any(|key| key != CONNECTIONS))
}

/// How many items are the same process or service as `wanted`.
pub(super) fn count<'a>(list: impl Iterator<Item = &'a Value>, wanted: &Value) -> usize {
    list.filter(|item| is_same(item, wanted)).count()
}

fn is_same(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return one == other };
    let length = |fields: &Map<String, Value>| fields.len() - usize::from(fields.contains_key(CONNECTIONS));
    length(one) == length(other) && one.iter().all(|(key, value)| key == CONNECTIONS || other.get(key) == Some(value))
}

/// Whether `part` says nothing that `whole` does not.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|whole| is_part(value, whole)))
        }
        (Value::Array(part), Value::Array(whole)) => {
            part.iter().all(|item| whole.iter().any(|whole| is_part(item, whole)))
        }
        _ => part == whole,
    }
}

/// The process or service without its connections.
pub(super) fn stable_part(item: &Value) -> Value {
    let mut item = item.clone();
    if let Some(fields) = item.as_object_mut() {
        fields.remove(CONNECTIONS);
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn verdict(seen: Value, expected: &[Value]) -> Verdict {
        let baseline = json!({
            "Interface": [{ "Interface Name": "eth0", "IP Address": "10.0.0.1", "Subnet": "10.0.0.0/28" }],
            "Processes": [{ "PID": 4, "Username": "root" }, { "PID": 4, "Username": "root" }],
            "System info": { "Hostname": "A", "OSType": "LINUX" },
        });
        compare(seen.as_object().unwrap(), baseline.as_object().unwrap(), expected)
    }

    // covers: BOG-084
    #[test]
    fn only_identities_count_and_connections_do_not() {
        let scan = json!({
            "Processes": [{ "Connections": [{ "local_port": 22 }] }, { "Connections": [{ "local_port": 80 }] }],
            "Interface": [{ "IP Address": "10.0.0.1" }],
            "System info": { "Hostname": "A", "OSType": "LINUX" },
        });
        assert_eq!(verdict(scan, &[]), Verdict::Consistent);
        let known = json!({ "Processes": [{ "Username": "root", "PID": 4, "Connections": [] }] });
        assert_eq!(verdict(known, &[]), Verdict::Consistent);
        let other = json!({ "Processes": [{ "PID": 4, "Username": "ubuntu" }] });
        assert_eq!(verdict(other, &[]), Verdict::Deviates);
        let shell = json!({ "Processes": [{ "PID": 7, "Connections": [{ "remote_port": 4444 }] }] });
        assert_eq!(verdict(shell, &[]), Verdict::Deviates);
        let moved = json!({ "Interface": [{ "IP Address": "10.0.0.2" }] });
        assert_eq!(verdict(moved, &[]), Verdict::Deviates);
        let files = json!({ "Files": [] });
        assert_eq!(verdict(files, &[]), Verdict::Deviates, "a key that the baseline does not have");
        assert_eq!(verdict(json!({ "Connections": [1] }), &[]), Verdict::Consistent);
    }

    // covers: BOG-084
    #[test]
    fn processes_are_compared_as_a_multiset() {
        let process = json!({ "PID": 4, "Username": "root" });
        let times = |n: usize| json!({ "Processes": vec![process.clone(); n] });
        assert_eq!(verdict(times(2), &[]), Verdict::Consistent);
        assert_eq!(verdict(times(3), &[]), Verdict::Deviates);
        assert_eq!(verdict(times(3), std::slice::from_ref(&process)), Verdict::Consistent);
    }

    #[test]
    fn a_whole_view_is_equal_only_if_nothing_is_missing_or_shortened() {
        let whole = json!({
            "System info": { "OSType": "LINUX", "Hostname": "A" },
            "Processes": [{ "Username": "root", "PID": 4 }, { "PID": 4, "Username": "root", "Connections": [{}] },
                          { "Connections": [{ "local_port": 1 }] }],
            "Interface": [{ "Interface Name": "eth0", "IP Address": "10.0.0.1", "Subnet": "10.0.0.0/28" }],
        });
        assert_eq!(verdict(whole.clone(), &[]), Verdict::Equal);
        let decoy = json!({ "PID": 9, "Service Name": "bait" });
        assert_eq!(verdict(whole.clone(), &[decoy]), Verdict::Consistent, "the expected process was not seen");
        let mut short = whole;
        short["Interface"] = json!([{ "IP Address": "10.0.0.1" }]);
        assert_eq!(verdict(short, &[]), Verdict::Consistent);
    }
}
