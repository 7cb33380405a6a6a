//! Which file uses which, and the circles among them.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Source;

/// How many imports of one another are followed before a path is given up: `use` can refer to itself.
const MOST_HOPS: usize = 16;

/// One use: the line of the file that makes it, and the path as written.
pub type Uses = BTreeMap<(usize, usize), (usize, String)>;

/// Files that depend on one another, by index, in order.
pub type Circle = Vec<usize>;

impl Source {
    /// The first use of each file by each other file.
    ///
    /// A file may use what its ancestors define, so these uses are left out. What a parent uses of its children counts:
    /// a circle through a child is one.
    pub fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for mention in &self.mentions {
            let Some(target) = self.resolve(mention.module, &mention.path, MOST_HOPS) else { continue };
            let (from, to) = (self.modules[mention.module].file, self.modules[target].file);
            if from != to && !self.is_ancestor(to, from) {
                let use_here = (mention.line, mention.path.join("::"));
                uses.entry((from, to))
                    .and_modify(|first| {
                        if use_here.0 < first.0 {
                            first.clone_from(&use_here);
                        }
                    })
                    .or_insert(use_here);
            }
        }
        uses
    }

    /// Whether `above` declares `file`, or declares what declares it.
    fn is_ancestor(&self, above: usize, file: usize) -> bool {
        std::iter::successors(self.files[file].parent, |&file| self.files[file].parent).any(|file| file == above)
    }

    /// The module that defines what a path names; `None` for a path out of the crate.
    fn resolve(&self, from: usize, path: &[String], hops: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.descend(0, rest, hops),
            "self" => self.descend(from, rest, hops),
            "super" => {
                let mut at = self.modules[from].parent?;
                let mut rest = rest;
                while rest.first().is_some_and(|segment| segment == "super") {
                    at = self.modules[at].parent?;
                    rest = &rest[1..];
                }
                self.descend(at, rest, hops)
            }
            name if self.knows(from, name, hops) => self.descend(from, path, hops),
            _ => None,
        }
    }

    /// The same from a module downwards. A name that no token defines (a macro made it) is of the module itself.
    fn descend(&self, mut at: usize, mut path: &[String], hops: usize) -> Option<usize> {
        let hops = hops.checked_sub(1)?;
        while let Some((name, rest)) = path.split_first() {
            let module = &self.modules[at];
            if let Some(&child) = module.children.get(name) {
                at = child;
                path = rest;
                continue;
            }
            if module.items.contains(name) {
                break;
            }
            if let Some(import) = module.imports.get(name) {
                let whole: Vec<String> = import.iter().chain(rest).cloned().collect();
                return self.resolve(at, &whole, hops);
            }
            let source = module.globs.iter().find_map(|glob| {
                self.resolve(at, glob, hops).filter(|&source| source != at && self.knows(source, name, hops))
            });
            match source {
                Some(source) => return self.descend(source, path, hops),
                None => break,
            }
        }
        Some(at)
    }

    /// Whether a module defines a name or brings it in.
    fn knows(&self, at: usize, name: &str, hops: usize) -> bool {
        let module = &self.modules[at];
        let Some(hops) = hops.checked_sub(1) else { return false };
        module.children.contains_key(name)
            || module.items.contains(name)
            || module.imports.contains_key(name)
            || module.globs.iter().any(|glob| {
                self.resolve(at, glob, hops).is_some_and(|source| source != at && self.knows(source, name, hops))
            })
    }
}

/// The strongly connected components of two or more files.
pub fn circles(files: usize, uses: &Uses) -> Vec<Circle> {
    let reached: Vec<BTreeSet<usize>> = (0..files).map(|file| reach(file, uses)).collect();
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let mut found = Vec::new();
    for file in 0..files {
        if seen.contains(&file) || !reached[file].contains(&file) {
            continue;
        }
        let circle: Circle = reached[file].iter().copied().filter(|&other| reached[other].contains(&file)).collect();
        seen.extend(&circle);
        found.push(circle);
    }
    found
}

/// Everything that a file uses, directly or not.
fn reach(file: usize, uses: &Uses) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![file];
    while let Some(at) = open.pop() {
        for &(_, to) in uses.range((at, 0)..=(at, usize::MAX)).map(|(pair, _)| pair) {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}
