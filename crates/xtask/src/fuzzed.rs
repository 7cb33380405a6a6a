//! Every environment reads actions that a model wrote: each has a target of damaged input, and the checks before a change lands play all targets.

use std::path::Path;

/// The list of targets, from the folder of the workspace.
const TARGETS: &str = "crates/fuzz/src/targets/mod.rs";
/// The checks before a change lands.
const CHECKS: &str = ".ci/run";
/// The program that plays targets.
const PROGRAM: &str = "gimbal-fuzz";

/// Fails where an environment has no target for its actions, or the checks do not play it.
pub fn check(root: &Path) -> Result<String, Vec<String>> {
    let read = |path: &str| {
        std::fs::read_to_string(root.join(path)).map_err(|error| vec![format!("{path}: cannot be read: {error}")])
    };
    let folders =
        std::fs::read_dir(root.join("envs")).map_err(|error| vec![format!("envs: cannot be read: {error}")])?;
    let folders = folders.flatten().filter(|entry| entry.path().join("Cargo.toml").is_file());
    let mut environments: Vec<String> =
        folders.filter_map(|entry| entry.file_name().to_str().map(str::to_owned)).collect();
    environments.sort();
    let complaints = complaints(&environments, &read(TARGETS)?, &read(CHECKS)?);
    if complaints.is_empty() {
        Ok(format!("fuzz targets: the actions of {} environments", environments.len()))
    } else {
        Err(complaints)
    }
}

/// What is missing, given the sources of the list and of the checks.
fn complaints(environments: &[String], targets: &str, checks: &str) -> Vec<String> {
    let played = played(checks);
    let mut complaints = Vec::new();
    if played.is_none() {
        complaints.push(format!(
            "{CHECKS}: no line plays `{PROGRAM}`: add one with a bound of seconds and no targets, which plays all"
        ));
    }
    for environment in environments {
        let name = format!("{}-action", environment.replace('_', "-"));
        if !targets.contains(&format!("name: \"{name}\"")) {
            complaints.push(format!(
                "{TARGETS}: envs/{environment} has no target `{name}`, which reads its actions: add it to `TARGETS`"
            ));
        } else if played.as_ref().is_some_and(|played| !played.is_empty() && !played.contains(&name.as_str())) {
            complaints.push(format!("{CHECKS}: does not play `{name}`: name it, or name no target, which plays all"));
        }
    }
    complaints
}

/// The targets that the checks name; empty if they name none and play all, `None` if they play no target.
fn played(checks: &str) -> Option<Vec<&str>> {
    let is_line = |line: &&str| !line.trim_start().starts_with('#') && line.contains(PROGRAM);
    let line = checks.lines().find(is_line)?;
    let mut words = line.split_once(PROGRAM)?.1.trim_start_matches('"').split_whitespace();
    let mut named = Vec::new();
    while let Some(word) = words.next() {
        if matches!(word, "--seconds" | "--seed" | "--input") {
            words.next();
        } else {
            named.push(word);
        }
    }
    Some(named)
}

#[cfg(test)]
mod tests {
    use super::complaints;

    const LIST: &str = "Target { name: \"lake-action\" },\nTarget {\n    name: \"deep-sea-action\",\n}";
    const ALL: &str = "phase fuzz \"target/debug/gimbal-fuzz\" --seconds 120\n";

    fn missing(environments: &[&str], checks: &str) -> Vec<String> {
        complaints(&environments.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), LIST, checks)
    }

    #[test]
    fn every_environment_has_a_target_for_its_actions() {
        assert_eq!(missing(&["deep_sea", "lake"], ALL), Vec::<String>::new());
        let found = missing(&["lake", "pond"], ALL);
        assert!(found.len() == 1 && found[0].contains("envs/pond has no target `pond-action`"), "{found:?}");
    }

    #[test]
    fn the_checks_play_every_target() {
        let some = "phase fuzz target/debug/gimbal-fuzz --seconds 120 lake-action\n";
        assert_eq!(missing(&["lake"], some), Vec::<String>::new());
        let found = missing(&["deep_sea", "lake"], some);
        assert!(found.len() == 1 && found[0].contains("does not play `deep-sea-action`"), "{found:?}");
        for none in ["phase test\n", "# phase fuzz gimbal-fuzz --seconds 1\n"] {
            let found = missing(&["lake"], none);
            assert!(found.len() == 1 && found[0].contains("no line plays"), "{found:?}");
        }
    }
}
