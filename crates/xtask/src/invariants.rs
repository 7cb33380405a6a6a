//! What each room must not know, checked on manifests and sources. Environments, works and architectures are found by their folders.

use std::path::{Path, PathBuf};

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

/// What rooms of plain code never name: files, the network, clocks, models.
const PURE: &[&str] = &["std::fs", "std::net", "std::env", "std::time", "ChatModel"];

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
        forbidden_crates: &["gimbal-agent", "gimbal-architectures", "gimbal-study"],
        forbidden_words: &[],
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
        forbidden_words: &["std::fs"],
    },
    Room {
        folder: "crates/agent",
        forbidden_crates: &["gimbal-model", "gimbal-study", "gimbal-architectures"],
        forbidden_words: &["CybORG", "std::fs"],
    },
    Room {
        folder: "crates/architectures",
        forbidden_crates: &["gimbal-model", "gimbal-study", "genai", "reqwest", "rusqlite"],
        forbidden_words: &["CybORG", "std::fs", "std::net", "openai"],
    },
    Room { folder: "crates/study", forbidden_crates: &["gimbal-architectures", "gimbal-view"], forbidden_words: &[] },
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
        forbidden_words: &["std::fs"],
    },
    Room {
        folder: "crates/view",
        forbidden_crates: &["gimbal-model", "gimbal-architectures", "reqwest"],
        forbidden_words: &[],
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
    // Files of telemetry: it opens them and gives them to the extractors of evidence. No verdict follows from it, and it prints nothing.
    Room {
        folder: "crates/telemetry",
        forbidden_crates: &[
            "gimbal-model",
            "gimbal-agent",
            "gimbal-architectures",
            "gimbal-study",
            "gimbal-analysis",
            "gimbal-sigma",
            "tokio",
        ],
        forbidden_words: &["std::net", "std::env", "std::time", "ChatModel", "println!"],
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
        forbidden_crates: &[
            "gimbal-model",
            "gimbal-agent",
            "gimbal-architectures",
            "gimbal-study",
            "gimbal-env-kit",
            "tokio",
        ],
        forbidden_words: &[],
    },
    Room {
        folder: "crates/env-kit",
        forbidden_crates: &["gimbal-model", "gimbal-agent", "gimbal-architectures", "gimbal-study", "tokio"],
        forbidden_words: &["std::fs"],
    },
];

/// Where names of environments may be: readers know the words of their prompts, the list names their crates, targets of damaged input
/// name their parsers, and the program has a default environment and commands of one environment.
const MAY_NAME_ENVIRONMENTS: [&str; 4] = ["crates/readers", "crates/environments", "crates/fuzz", "crates/cli"];
/// Where no architecture is named: what every architecture uses, and what reads all of their runs.
const WITHOUT_ARCHITECTURES: [&str; 8] = [
    "crates/core",
    "crates/agent",
    "crates/messages",
    "crates/study",
    "crates/analysis",
    "crates/view",
    "crates/report",
    "crates/env-kit",
];
/// Records that works read are here, each in a file named after the system that writes them.
const RECORDS: &str = "crates/messages/src/records/";
/// An architecture whose name has another meaning too: the cell that others are compared with, and the first state of a subject.
const COMMON_WORD: &str = "baseline";

/// Texts that are the name of an environment and mean something else: file, name. A table's key.
const OTHER_MEANINGS: [(&str, &str); 1] = [("works/ares/src/items.rs", "consensus")];

/// A crate in `envs/` or `works/`: its folder and its name.
struct Found {
    folder: String,
    name: String,
}

impl Found {
    /// The last part of its folder, which is the name that studies use.
    fn short(&self) -> &str {
        self.folder.rsplit('/').next().unwrap_or_default()
    }
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

/// The names of architectures: folders with a file that implements `Family`.
fn architectures(root: &Path) -> Vec<String> {
    let source = root.join("crates/architectures/src");
    let is_family = |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains("impl Family for"));
    let files = crate::files(&source, &[".rs"]).into_iter().filter(is_family);
    let named = files.filter_map(|path| {
        let folder = path.strip_prefix(&source).ok()?.components().next()?;
        folder.as_os_str().to_str().map(str::to_owned)
    });
    let mut names: Vec<String> = named.filter(|name| name != COMMON_WORD && !name.ends_with(".rs")).collect();
    names.dedup();
    names
}

/// Whether a line has this name as a text or a code word.
fn is_quoted(line: &str, name: &str) -> bool {
    line.contains(&format!("\"{name}\"")) || line.contains(&format!("`{name}`"))
}

/// Lines that name an environment or an architecture where it must not be named.
fn names(root: &Path, environments: &[Found]) -> Vec<String> {
    let architectures = architectures(root);
    let rooms = ["crates", "envs", "works"].into_iter().flat_map(|below| crates(root, below));
    let mut complaints = Vec::new();
    for room in rooms.filter(|room| room.folder != "crates/xtask") {
        let may_name = MAY_NAME_ENVIRONMENTS.contains(&room.folder.as_str());
        let others: Vec<&Found> =
            environments.iter().filter(|known| !may_name && known.folder != room.folder).collect();
        let hides_architectures = WITHOUT_ARCHITECTURES.contains(&room.folder.as_str());
        for path in crate::files(&root.join(&room.folder).join("src"), &[".rs"]) {
            let shown = crate::shown(root, &path);
            // Tests in files of their own may name what they test with.
            if shown.contains("/tests/") || shown.ends_with("/tests.rs") {
                continue;
            }
            let hidden: &[String] =
                if hides_architectures && !shown.starts_with(RECORDS) { &architectures } else { &[] };
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for (index, line) in code_of(&text) {
                let of_crate = |known: &Found| line.contains(&known.name.replace('-', "_"));
                let known = others.iter().filter(|known| is_quoted(line, known.short()) || of_crate(known));
                let known = known.filter(|known| !OTHER_MEANINGS.contains(&(shown.as_str(), known.short())));
                complaints.extend(known.map(|known| {
                    format!("{shown}:{index}: this room must not name the environment `{}`", known.short())
                }));
                let known = hidden.iter().filter(|name| is_quoted(line, name));
                complaints.extend(
                    known.map(|name| format!("{shown}:{index}: this room must not name the architecture `{name}`")),
                );
            }
        }
    }
    complaints
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
    let mut complaints = names(root, &environments);
    for (room, forbidden_crates, forbidden_words) in &rooms {
        let folder = root.join(room);
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        for name in dependencies(&manifest) {
            let bad = forbidden_crates.iter().any(|bad| name == *bad || (bad.ends_with('-') && name.starts_with(bad)));
            // Environments and works are in lists: `crates/environments`, and the program's.
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{architectures, check};

    /// A workspace with two environments, an architecture, a work and a room of what all use.
    fn planted(folder: &Path, core: &str, work: &str, environment: &str) -> Vec<String> {
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for (room, name) in [
            ("envs/lake", "gimbal-lake"),
            ("envs/sea", "gimbal-sea"),
            ("crates/core", "gimbal-core"),
            ("crates/architectures", "gimbal-architectures"),
            ("works/essay", "gimbal-essay"),
        ] {
            write(&format!("{room}/Cargo.toml"), &format!("[package]\nname = \"{name}\"\n"));
        }
        write("crates/architectures/src/duet/family.rs", "impl Family for Duet {}\n");
        write("crates/architectures/src/gate/mod.rs", "fn gate() {}\n");
        write("crates/core/src/lib.rs", core);
        write("works/essay/src/lib.rs", work);
        write("envs/lake/src/lib.rs", environment);
        assert_eq!(architectures(folder), ["duet"]);
        check(folder).err().unwrap_or_default()
    }

    #[test]
    fn names_of_environments_and_architectures_are_found_by_their_folders() {
        let place = tempfile::tempdir().unwrap();
        let own = "const NAME: &str = \"lake\";\n// as \"sea\" has\n";
        let tests = "fn a() {}\n#[cfg(test)]\nmod tests { const A: &str = \"lake duet\"; const B: &str = \"lake\"; }\n";
        assert_eq!(planted(place.path(), tests, "const AT_THE_LAKE: &str = \"lakes\";\n", own), Vec::<String>::new());
        let found = planted(
            place.path(),
            "const A: &str = \"duet\";\n",
            "const A: &str = \"lake\";\nuse gimbal_sea::Sea;\n",
            "const A: &str = \"like `sea`\";\n",
        );
        let expected = [
            "crates/core/src/lib.rs:1: this room must not name the architecture `duet`",
            "envs/lake/src/lib.rs:1: this room must not name the environment `sea`",
            "works/essay/src/lib.rs:1: this room must not name the environment `lake`",
            "works/essay/src/lib.rs:2: this room must not name the environment `sea`",
        ];
        assert_eq!(found, expected);
    }
}
