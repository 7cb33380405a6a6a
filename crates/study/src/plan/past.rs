//! Whether a cell that was played is no longer in a study because the program changed, and not the study.

use std::collections::BTreeSet;

use gimbal_core::canonical;
use serde_json::{Map, Value};

use super::stored::{Stored, StoredCell};

/// Parts of a cell's identity that the program and its texts decide, and not the study file.
const VERSIONS: [&str; 4] = ["behaviour", "engine", "persona_digest", "script"];

impl Stored {
    /// What of the program has another version now, where a cell of the study differs from this one in nothing else; empty
    /// where the study itself was changed.
    #[must_use]
    pub fn other_versions(&self, cell: &StoredCell) -> Vec<String> {
        let is_alike = |other: &&StoredCell| {
            other.key != cell.key && other.environment == cell.environment && other.info.models == cell.info.models
        };
        let found =
            self.cells.iter().filter(is_alike).find_map(|other| other_versions(&cell.identity, &other.identity));
        found.unwrap_or_default()
    }
}

/// The versions in which two identities differ, in words; `None` where a setting differs too, or no version does.
fn other_versions(before: &Value, now: &Value) -> Option<Vec<String>> {
    let base = before.pointer("/architecture/base").and_then(Value::as_str).unwrap_or("architecture");
    let mut found = Vec::new();
    compare(before, now, base, false, &mut found).then_some(found).filter(|found| !found.is_empty())
}

/// Whether two values differ in versions alone; those are added to `found`. `settings` are those of the architecture, with
/// every default written out.
fn compare(before: &Value, now: &Value, base: &str, settings: bool, found: &mut Vec<String>) -> bool {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => {
            let keys: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
            keys.into_iter().all(|key| match (before.get(key), now.get(key)) {
                (Some(left), Some(right)) if VERSIONS.contains(&key.as_str()) => {
                    if canonical::text(left) != canonical::text(right) {
                        let words = words(key, before, left, right, base);
                        if !found.contains(&words) {
                            found.push(words);
                        }
                    }
                    true
                }
                (Some(left), Some(right)) => compare(left, right, base, settings || key == "settings", found),
                // A setting that only one of the two programs has.
                _ => settings,
            })
        }
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            before.iter().zip(now).all(|(left, right)| compare(left, right, base, settings, found))
        }
        _ => canonical::text(before) == canonical::text(now),
    }
}

/// A version in words; `beside` are the members beside it.
fn words(key: &str, beside: &Map<String, Value>, before: &Value, now: &Value, base: &str) -> String {
    let named = |name: &str| beside.get(name).and_then(Value::as_str);
    let what = match (key, named("name"), named("persona"), named("model")) {
        ("persona_digest", _, Some(persona), _) => return format!("another text of persona `{persona}`"),
        ("script", _, _, Some(model)) => return format!("another script of `{model}`"),
        ("behaviour", Some(environment), ..) => format!("environment {environment}"),
        ("behaviour", ..) => base.to_owned(),
        _ => key.to_owned(),
    };
    match (before.as_u64(), now.as_u64()) {
        (Some(before), Some(now)) => format!("{what} {before}, now {now}"),
        _ => format!("another {what}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn identity() -> Value {
        json!({
            "architecture": { "base": "debate", "settings": {
                "behaviour": 3, "rounds": 2,
                "agents": [{ "engine": 8, "persona": "judge", "persona_digest": "ab" }, { "engine": 8, "persona": "planner", "persona_digest": "cd" }],
            } },
            "artefacts": [],
            "environment": { "behaviour": 1, "name": "cage2", "options": { "horizon": 30 } },
            "roles": { "default": { "model": { "model": "scripted/a", "script": "ef" } } },
        })
    }

    #[test]
    fn versions_are_told_from_settings() {
        let before = identity();
        assert_eq!(other_versions(&before, &before), None);
        let mut now = identity();
        now["architecture"]["settings"]["agents"][0]["engine"] = json!(9);
        now["architecture"]["settings"]["agents"][1]["engine"] = json!(9);
        now["architecture"]["settings"]["behaviour"] = json!(4);
        now["environment"]["behaviour"] = json!(2);
        now["architecture"]["settings"]["agents"][1]["persona_digest"] = json!("gh");
        now["roles"]["default"]["model"]["script"] = json!("ij");
        let words = [
            "engine 8, now 9",
            "another text of persona `planner`",
            "debate 3, now 4",
            "environment cage2 1, now 2",
            "another script of `scripted/a`",
        ];
        assert_eq!(other_versions(&before, &now).unwrap(), words);
        // A newer program may have a setting that the older one had not.
        now["architecture"]["settings"]["agents"][1]["warm"] = json!(false);
        assert!(other_versions(&before, &now).is_some());
        // As soon as a setting differs, the study was changed.
        for (path, value) in [
            ("/architecture/settings/rounds", json!(3)),
            ("/environment/options/horizon", json!(10)),
            ("/artefacts", json!(["library"])),
            ("/roles/default/model/model", json!("scripted/b")),
        ] {
            let mut changed = now.clone();
            *changed.pointer_mut(path).unwrap() = value;
            assert_eq!(other_versions(&before, &changed), None, "{path}");
        }
        now["sessions"] = json!({ "over": "tasks" });
        assert_eq!(other_versions(&before, &now), None);
    }
}
