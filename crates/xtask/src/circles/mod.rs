//! No circle of modules: two files of a crate must not depend on each other, directly or through others.
//!
//! A file uses another by a path that it writes. *Limit*: a call of an inherent method (`self.step()`) writes no path, so that files
//! which hold parts of one type, and depend on one another by such calls alone, are not seen as a circle. Files of one type belong in the
//! folder of the module that defines it.
//!
//! A child may use what its ancestors define. Circles that are known are listed in `known-circles.txt`; a new one is an
//! error, and so is a listed one that is gone: the list only gets shorter.

mod graph;
mod source;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use source::Source;

/// The list, from the folder of the workspace.
const KNOWN: &str = "crates/xtask/known-circles.txt";

const HEADER: &str = "\
# Circles of modules that are not cut yet: the crate's root file, then the modules of one circle.
# `cargo xtask circles` shows the lines that close each. Cut one, then run `cargo xtask circles --write`.
";

/// A circle of one crate.
#[derive(Debug)]
struct Found {
    /// Root file and modules, as the list writes them.
    name: String,
    /// Each use that closes it, with file and line.
    uses: Vec<String>,
}

/// Complains of circles that are not listed, and of listed circles that are gone.
pub fn check(root: &Path) -> Result<String, Vec<String>> {
    let found = all(root)?;
    let text = std::fs::read_to_string(root.join(KNOWN)).unwrap_or_default();
    let known: BTreeSet<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let complaints = compare(&found, &known);
    if complaints.is_empty() { Ok(format!("circles: {} known, no other", known.len())) } else { Err(complaints) }
}

fn compare(found: &[Found], known: &BTreeSet<&str>) -> Vec<String> {
    let new = found
        .iter()
        .filter(|circle| !known.contains(circle.name.as_str()))
        .map(|circle| format!("circle of modules in {}\n    {}", circle.name, circle.uses.join("\n    ")));
    let gone = known
        .iter()
        .filter(|name| !found.iter().any(|circle| circle.name == **name))
        .map(|name| format!("{KNOWN}: this circle is gone: `{name}`; run `cargo xtask circles --write`"));
    new.chain(gone).collect()
}

/// Every circle with the lines that close it, and the count for each crate.
pub fn show(root: &Path) -> Result<String, Vec<String>> {
    let found = all(root)?;
    let mut out = String::new();
    for circle in &found {
        let _ = writeln!(out, "{}\n    {}", circle.name, circle.uses.join("\n    "));
    }
    for crate_root in crate_roots(root) {
        let name = crate::shown(root, &crate_root);
        let begin = format!("{name}: ");
        let count = found.iter().filter(|circle| circle.name.starts_with(&begin)).count();
        let _ = writeln!(out, "{count:>3}  {name}");
    }
    let _ = write!(out, "{:>3}  circle(s) in all", found.len());
    Ok(out)
}

/// Writes the list of the circles that exist now.
pub fn write(root: &Path) -> Result<String, Vec<String>> {
    let found = all(root)?;
    let mut text = String::from(HEADER);
    for circle in &found {
        let _ = writeln!(text, "{}", circle.name);
    }
    std::fs::write(root.join(KNOWN), text).map_err(|error| vec![format!("{KNOWN}: {error}")])?;
    Ok(format!("{KNOWN}: {} circle(s)", found.len()))
}

fn all(root: &Path) -> Result<Vec<Found>, Vec<String>> {
    let mut found = Vec::new();
    let mut complaints = Vec::new();
    for crate_root in crate_roots(root) {
        match Source::read(&crate_root) {
            Ok(source) => found.extend(of_crate(root, &crate_root, &source)),
            Err(error) => complaints.push(error),
        }
    }
    if complaints.is_empty() { Ok(found) } else { Err(complaints) }
}

/// `lib.rs` and `main.rs` of every crate.
fn crate_roots(root: &Path) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for folder in ["crates", "envs", "works"] {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        for package in entries.map(|entry| entry.path()) {
            roots.extend(
                ["src/lib.rs", "src/main.rs"].map(|file| package.join(file)).into_iter().filter(|file| file.is_file()),
            );
        }
    }
    roots.sort();
    roots
}

fn of_crate(root: &Path, crate_root: &Path, source: &Source) -> Vec<Found> {
    let uses = source.uses();
    let name_of = |file: usize| source.files[file].name.as_str();
    graph::circles(source.files.len(), &uses)
        .into_iter()
        .map(|circle| {
            let mut modules: Vec<&str> = circle.iter().map(|&file| name_of(file)).collect();
            modules.sort_unstable();
            let inside = uses.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
            Found {
                name: format!("{}: {}", crate::shown(root, crate_root), modules.join(", ")),
                uses: inside
                    .map(|(&(from, to), (line, path))| {
                        let file = crate::shown(root, &source.files[from].path);
                        format!("{file}:{line}: {} uses {} (`{path}`)", name_of(from), name_of(to))
                    })
                    .collect(),
            }
        })
        .collect()
}
