//! Which tests declare that they cover which requirement: `// covers: BOG-041, BOG-042` above a test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Requirement number to the tests that name it, each as `path/of/file.rs::test_name`.
pub type Tags = BTreeMap<String, BTreeSet<String>>;

/// Reads the tags of every Rust file. Complains of tags that no test follows.
pub fn read(root: &Path) -> (Tags, Vec<String>) {
    let mut tags = Tags::new();
    let mut complaints = Vec::new();
    for path in crate::files(root, &[".rs"]) {
        let name = crate::shown(root, &path);
        if name.starts_with("crates/xtask/") {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let mut waiting: Vec<(usize, String)> = Vec::new();
        let mut is_test = false;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(list) = line.trim_start_matches('/').trim().strip_prefix("covers:") {
                if !line.starts_with("//") {
                    continue;
                }
                waiting.extend(list.split(',').map(|id| (index + 1, id.trim().trim_end_matches('.').to_owned())));
            } else if line.starts_with("#[") && (line.contains("test") || line.contains("proptest")) {
                is_test = true;
            } else if let Some(test) = test_name(line) {
                for (_, id) in waiting.drain(..).filter(|_| is_test) {
                    tags.entry(id).or_default().insert(format!("{name}::{test}"));
                }
                is_test = false;
            }
        }
        for (line, id) in waiting {
            complaints.push(format!("{name}:{line}: `covers: {id}` is above no test"));
        }
    }
    (tags, complaints)
}

/// The name of the function that begins on this line.
fn test_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ").unwrap_or(line);
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let rest = rest.strip_prefix("fn ")?;
    Some(rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default())
}
