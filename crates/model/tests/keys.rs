//! The key template names what the program reads, and holds no key.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeSet;
use std::path::Path;

use gimbal_model::remote::Provider;

// covers: BOG-148, BOG-151
#[test]
fn the_key_template_names_every_variable_and_holds_no_value() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../keys.example.env");
    let text = std::fs::read_to_string(path).unwrap();
    let mut named = BTreeSet::new();
    for line in text.lines() {
        let line = line.strip_prefix('#').unwrap_or(line);
        // Sentences hold blanks; a variable does not.
        if let Some((name, value)) = line.split_once('=').filter(|(name, _)| !name.contains(' ')) {
            assert_eq!(value, "", "{name} must be empty in the template");
            assert!(named.insert(name.to_owned()), "{name} is named twice");
        }
    }
    let read: BTreeSet<String> = Provider::ALL
        .iter()
        .flat_map(|provider| [provider.key_variable(), provider.base_variable()])
        // Services of environments, which are not models.
        .chain(["SEC_API_KEY", "SERPAPI_API_KEY", "SEC_CONTACT"])
        .map(str::to_owned)
        .collect();
    assert_eq!(named, read);
}

fn root_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

// covers: BOG-151
#[test]
fn the_container_file_has_the_pinned_toolchain_and_no_key() {
    let (container, toolchain) = (root_file("Containerfile"), root_file("rust-toolchain.toml"));
    let channel = toolchain.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap().trim_matches('"');
    let images: Vec<&str> = container.lines().filter_map(|line| line.strip_prefix("FROM ")).collect();
    assert!(images[0].contains(&format!("rust:{channel}-")), "{images:?} and the toolchain {channel}");
    assert!(container.contains("--locked"), "the versions of the lock file");
    assert!(container.lines().any(|line| line == "ENTRYPOINT [\"gimbal\"]"), "the program is the entry point");
    // Keys are given when a container is started.
    for line in container.lines().filter(|line| !line.starts_with('#')) {
        assert!(!line.contains("_KEY") && !line.contains("keys.env"), "{line}");
    }
    assert!(root_file(".containerignore").lines().any(|line| line == "keys.env"), "no file with keys is copied");
}
