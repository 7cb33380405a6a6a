//! What each room must not know, checked on manifests and sources. Environments and works are found by their folders.

use std::path::Path;

/// A room, the crates it must not depend on (tests may), and words that its sources must not hold.
struct Room {
    folder: &'static str,
    forbidden_crates: &'static [&'static str],
    forbidden_words: &'static [&'static str],
}

/// What no environment may depend on; none may depend on another one either.
const ENVIRONMENT: [&str; 5] = ["gimbal-model", "gimbal-agent", "gimbal-architectures", "gimbal-study", "tokio"];
/// The same of an environment that fetches.
const FETCHING_ENVIRONMENT: [&str; 4] = ["gimbal-model", "gimbal-agent", "gimbal-architectures", "gimbal-study"];

/// Environments whose tools fetch: they may wait, and speak to servers.
const FETCHING: [&str; 1] = ["envs/finance_agent"];
/// A work makes tables and figures of folded data; it opens no run and knows no environment.
const WORK: [&str; 6] =
    ["gimbal-model", "gimbal-agent", "gimbal-architectures", "gimbal-study", "gimbal-report", "tokio"];

/// What rooms of plain code never name: files, the network, clocks, models, environments.
const PURE: &[&str] = &[
    "std::fs",
    "std::net",
    "std::env",
    "std::time",
    "ChatModel",
    "cage2",
    "yawning_titan",
    "textcraft",
    "alfworld",
    "finance_agent",
];

const ROOMS: &[Room] = &[
    Room {
        folder: "crates/report",
        forbidden_crates: &["gimbal-agent", "gimbal-architectures", "tokio"],
        forbidden_words: &["std::net", "println!"],
    },
    Room {
        folder: "crates/core",
        forbidden_crates: &["tokio", "rusqlite", "genai", "reqwest", "gimbal-"],
        forbidden_words: &["std::fs", "std::net", "std::env", "std::time", "println!"],
    },
    Room {
        folder: "crates/model",
        forbidden_crates: &["gimbal-agent", "gimbal-architectures", "gimbal-study", "gimbal-cage2"],
        forbidden_words: &["cage2", "yawning_titan", "textcraft", "alfworld", "finance_agent"],
    },
    // Players that see requests only: they may know the words of every environment's prompts, and none of its code.
    Room {
        folder: "crates/readers",
        forbidden_crates: &["gimbal-agent", "gimbal-architectures", "gimbal-study", "tokio"],
        forbidden_words: &["std::fs", "std::net", "std::env", "CallContext", "Hint", "Stage"],
    },
    Room {
        folder: "crates/messages",
        forbidden_crates: &[
            "gimbal-model",
            "gimbal-agent",
            "gimbal-architectures",
            "gimbal-study",
            "gimbal-analysis",
            "gimbal-view",
            "tokio",
        ],
        forbidden_words: &["cage2", "yawning_titan", "textcraft", "alfworld", "finance_agent", "std::fs"],
    },
    Room {
        folder: "crates/agent",
        forbidden_crates: &["gimbal-model", "gimbal-study", "gimbal-architectures", "gimbal-cage2"],
        forbidden_words: &["cage2", "CybORG", "yawning_titan", "textcraft", "alfworld", "finance_agent", "std::fs"],
    },
    Room {
        folder: "crates/architectures",
        forbidden_crates: &["gimbal-model", "gimbal-study", "gimbal-cage2", "genai", "reqwest", "rusqlite"],
        forbidden_words: &[
            "cage2",
            "CybORG",
            "yawning_titan",
            "textcraft",
            "alfworld",
            "finance_agent",
            "std::fs",
            "std::net",
            "openai",
        ],
    },
    Room {
        folder: "crates/study",
        forbidden_crates: &["gimbal-cage2", "gimbal-architectures", "gimbal-view"],
        forbidden_words: &[],
    },
    Room {
        folder: "crates/analysis",
        forbidden_crates: &[
            "gimbal-model",
            "gimbal-agent",
            "gimbal-architectures",
            "gimbal-study",
            "gimbal-view",
            "tokio",
            "rusqlite",
        ],
        forbidden_words: &["cage2", "yawning_titan", "textcraft", "alfworld", "finance_agent", "std::fs"],
    },
    Room {
        folder: "crates/view",
        forbidden_crates: &["gimbal-cage2", "gimbal-model", "gimbal-architectures", "reqwest"],
        forbidden_words: &["cage2", "yawning_titan", "textcraft", "alfworld", "finance_agent"],
    },
    // Facts, packets and judges: no input or output, no clock, no model. Extractors of telemetry get their bytes from their caller.
    Room {
        folder: "crates/evidence",
        forbidden_crates: &[
            "gimbal-model",
            "gimbal-agent",
            "gimbal-architectures",
            "gimbal-study",
            "gimbal-analysis",
            "tokio",
        ],
        forbidden_words: &["std::fs", "std::net::Tcp", "std::net::Udp", "std::env", "std::time", "ChatModel"],
    },
    // Rules of others: it reads folders of rules, and does not know what is made of hits.
    Room {
        folder: "crates/sigma",
        forbidden_crates: &[
            "gimbal-model",
            "gimbal-agent",
            "gimbal-architectures",
            "gimbal-study",
            "gimbal-report",
            "tokio",
        ],
        forbidden_words: &["std::net", "std::env", "std::time", "ChatModel", "println!"],
    },
    // The temporal hierarchy without models: no input or output, no clock, and of the other rooms core and messages alone.
    Room {
        folder: "crates/temporal",
        forbidden_crates: &[
            "gimbal-model",
            "gimbal-agent",
            "gimbal-architectures",
            "gimbal-study",
            "gimbal-analysis",
            "gimbal-view",
            "gimbal-evidence",
            "tokio",
        ],
        forbidden_words: PURE,
    },
    // Small networks: of the other rooms core and the layers' names alone. Files are read and written by who calls it.
    Room {
        folder: "crates/neural",
        forbidden_crates: &[
            "gimbal-model",
            "gimbal-agent",
            "gimbal-architectures",
            "gimbal-study",
            "gimbal-analysis",
            "gimbal-view",
            "tokio",
        ],
        forbidden_words: PURE,
    },
    Room {
        folder: "crates/parity",
        forbidden_crates: &["gimbal-", "tokio"],
        forbidden_words: &["cage2", "yawning_titan", "textcraft", "alfworld", "finance_agent"],
    },
    Room {
        folder: "crates/env-kit",
        forbidden_crates: &["gimbal-model", "gimbal-agent", "gimbal-architectures", "gimbal-study", "tokio"],
        forbidden_words: &["cage2", "yawning_titan", "textcraft", "alfworld", "finance_agent", "std::fs"],
    },
];

/// A crate in `envs/` or `works/`: its folder and its name.
struct Found {
    folder: String,
    name: String,
}

/// The crates below a folder of the workspace, in order of name.
fn crates(root: &Path, below: &str) -> Vec<Found> {
    let entries = std::fs::read_dir(root.join(below)).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let manifest = std::fs::read_to_string(entry.path().join("Cargo.toml")).ok()?;
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = "))?.trim_matches('"').to_owned();
        Some(Found { folder: format!("{below}/{}", entry.file_name().to_str()?), name })
    });
    let mut found: Vec<Found> = found.collect();
    found.sort_by(|one, other| one.folder.cmp(&other.folder));
    found
}

/// Fails when a room knows what it must not know.
pub fn check(root: &Path) -> Result<String, Vec<String>> {
    let (environments, works) = (crates(root, "envs"), crates(root, "works"));
    let named = |all: &[Found], name: &str| all.iter().any(|one| one.name == name);
    let mut rooms: Vec<(&str, &[&str], &[&str])> =
        ROOMS.iter().map(|room| (room.folder, room.forbidden_crates, room.forbidden_words)).collect();
    for found in &environments {
        let folder = found.folder.as_str();
        let crates: &[&str] = if FETCHING.contains(&folder) { &FETCHING_ENVIRONMENT } else { &ENVIRONMENT };
        rooms.push((folder, crates, &["ChatModel"]));
    }
    for found in &works {
        rooms.push((&found.folder, &WORK, &["std::fs", "std::net", "std::env"]));
    }
    let mut complaints = Vec::new();
    for (room, forbidden_crates, forbidden_words) in &rooms {
        let folder = root.join(room);
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        for name in dependencies(&manifest) {
            let bad = forbidden_crates.iter().any(|bad| name == *bad || (bad.ends_with('-') && name.starts_with(bad)));
            // The program alone registers environments and works.
            if bad || named(&environments, name) || named(&works, name) {
                complaints.push(format!("{room}/Cargo.toml: this room must not depend on `{name}`"));
            }
        }
        for path in crate::files(&folder.join("src"), &[".rs"]) {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for (index, line) in code_of(&text) {
                for word in forbidden_words.iter().filter(|word| line.contains(**word)) {
                    complaints.push(format!("{}:{index}: this room must not know `{word}`", crate::shown(root, &path)));
                }
            }
        }
    }
    if complaints.is_empty() { Ok(format!("invariants: {} rooms hold", rooms.len())) } else { Err(complaints) }
}

/// Names under `[dependencies]` and `[build-dependencies]`.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = matches!(line.trim(), "[dependencies]" | "[build-dependencies]");
        } else if inside && let Some((name, _)) = line.split_once('=') {
            names.push(name.trim());
        }
    }
    names
}

/// Lines of code before the unit tests, without comments, numbered from 1.
fn code_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}
