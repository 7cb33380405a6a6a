//! The modules of a crate, their names and their paths, read from the sources.
//!
//! The sources are split into tokens, not parsed: paths in macro calls count too. Code under `#[cfg(test)]` is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::tokens::{attribute, end_of_item, is_for_tests, is_punct};

/// Words before the name of an item.
const ITEM_WORDS: [&str; 9] = ["struct", "enum", "fn", "trait", "type", "const", "static", "union", "macro"];

/// A module: a file, or a block `mod name { ... }` in a file.
#[derive(Debug, Default)]
pub struct Module {
    /// Index of the file in [`Source::files`].
    pub file: usize,
    /// The module that declares this one.
    pub parent: Option<usize>,
    /// Modules that it declares.
    pub children: BTreeMap<String, usize>,
    /// Names of items that it defines.
    pub items: BTreeSet<String>,
    /// Names that `use` brings in, with the path as written.
    pub imports: BTreeMap<String, Vec<String>>,
    /// Paths before `::*`.
    pub globs: Vec<Vec<String>>,
}

/// A file with the name of its module (`crate` for the root).
#[derive(Debug)]
pub struct File {
    /// Where it is.
    pub path: PathBuf,
    /// Module name such as `plan::cells`.
    pub name: String,
    /// The file whose module declares this one.
    pub parent: Option<usize>,
}

/// A path with two or more segments, as a module writes it.
#[derive(Debug)]
pub struct Mention {
    /// Index of the module in [`Source::modules`].
    pub module: usize,
    /// Segments.
    pub path: Vec<String>,
    /// Line, from 1.
    pub line: usize,
}

/// One crate.
#[derive(Debug, Default)]
pub struct Source {
    /// Its modules; the root is the first.
    pub modules: Vec<Module>,
    /// Its files; the root is the first.
    pub files: Vec<File>,
    /// The paths that its modules use. A re-export (`pub use`) does not count as a use; naming the re-exported item does.
    pub mentions: Vec<Mention>,
}

impl Source {
    /// Reads the crate with this root file (`lib.rs` or `main.rs`).
    ///
    /// # Errors
    /// A declared file that is missing, or that cannot be split into tokens.
    pub fn read(root: &Path) -> Result<Self, String> {
        let mut source = Self::default();
        let folder = root.parent().unwrap_or(Path::new(".")).to_path_buf();
        source.file(root.to_path_buf(), &folder, "crate", None)?;
        Ok(source)
    }

    /// Reads a file whose child modules are in `folder`.
    fn file(&mut self, path: PathBuf, folder: &Path, name: &str, parent: Option<usize>) -> Result<usize, String> {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let tokens: TokenStream = text.parse().map_err(|error| format!("{}: {error}", path.display()))?;
        let parent_file = parent.map(|parent| self.modules[parent].file);
        self.files.push(File { path, name: name.to_owned(), parent: parent_file });
        let module = self.module(self.files.len() - 1, parent);
        self.tokens(tokens, &Place { module, folder: folder.to_path_buf(), name: name.to_owned(), is_body: false })?;
        Ok(module)
    }

    fn module(&mut self, file: usize, parent: Option<usize>) -> usize {
        self.modules.push(Module { file, parent, ..Module::default() });
        self.modules.len() - 1
    }

    /// Reads the tokens of a module, or of a group inside it.
    fn tokens(&mut self, tokens: TokenStream, place: &Place) -> Result<(), String> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        let mut declared_path = None;
        while let Some(token) = tokens.get(at) {
            if let Some((attribute, next)) = attribute(&tokens, at) {
                at = if is_for_tests(&attribute) { end_of_item(&tokens, next, place.is_body) } else { next };
                declared_path = path_attribute(&attribute).or(declared_path);
                continue;
            }
            match token {
                TokenTree::Group(group) => {
                    self.tokens(group.stream(), &Place { is_body: true, ..place.clone() })?;
                    at += 1;
                }
                TokenTree::Ident(ident) if !follows_a_path(&tokens, at) => {
                    let word = ident.to_string();
                    match (word.as_str(), tokens.get(at + 1)) {
                        ("mod", Some(TokenTree::Ident(name))) => {
                            self.declare(&name.to_string(), tokens.get(at + 2), declared_path.take(), place)?;
                            at += 3;
                        }
                        ("use", Some(next)) if !is_punct(Some(next), '<') => {
                            let end = (at..tokens.len()).find(|&end| is_punct(tokens.get(end), ';'));
                            let end = end.unwrap_or(tokens.len());
                            self.import(&tokens[at + 1..end], &[], is_public(&tokens, at), place.module);
                            at = end;
                        }
                        (word, Some(TokenTree::Ident(name))) if ITEM_WORDS.contains(&word) => {
                            if !place.is_body {
                                self.modules[place.module].items.insert(name.to_string());
                            }
                            at += 1;
                        }
                        _ => {
                            let (path, next) = path(&tokens, at);
                            if path.len() > 1 {
                                let line = ident.span().start().line;
                                self.mentions.push(Mention { module: place.module, path, line });
                            }
                            at = next;
                        }
                    }
                }
                _ => at += 1,
            }
        }
        Ok(())
    }

    /// Reads the module of `mod name;` or `mod name { ... }`.
    fn declare(
        &mut self,
        name: &str,
        body: Option<&TokenTree>,
        declared_path: Option<String>,
        place: &Place,
    ) -> Result<(), String> {
        let full = if place.name == "crate" { name.to_owned() } else { format!("{}::{name}", place.name) };
        let folder = place.folder.join(name);
        let child = match body {
            Some(TokenTree::Group(group)) => {
                let module = self.module(self.modules[place.module].file, Some(place.module));
                self.modules[place.module].children.insert(name.to_owned(), module);
                self.tokens(group.stream(), &Place { module, folder, name: full, is_body: false })?;
                module
            }
            _ => {
                let parent = self.files[self.modules[place.module].file].path.clone();
                let path = match declared_path {
                    Some(path) => parent.with_file_name(path),
                    None => {
                        let file = place.folder.join(format!("{name}.rs"));
                        if file.is_file() { file } else { folder.join("mod.rs") }
                    }
                };
                self.file(path, &folder, &full, Some(place.module))?
            }
        };
        self.modules[place.module].children.insert(name.to_owned(), child);
        Ok(())
    }

    /// Reads one tree of a `use`, the tokens before `;`, below the segments of `prefix`.
    fn import(&mut self, tokens: &[TokenTree], prefix: &[String], is_public: bool, module: usize) {
        let mut path = prefix.to_vec();
        let mut alias = None;
        let mut line = 0;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    alias = tokens.get(at + 1).map(ToString::to_string);
                    break;
                }
                TokenTree::Ident(word) => {
                    line = word.span().start().line;
                    path.push(word.to_string());
                }
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    for tree in inner.split(|token| is_punct(Some(token), ',')).filter(|tree| !tree.is_empty()) {
                        self.import(tree, &path, is_public, module);
                    }
                    return;
                }
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    line = punct.span().start().line;
                    self.modules[module].globs.push(path.clone());
                    alias = Some("_".to_owned());
                }
                _ => {}
            }
            at += 1;
        }
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        if let Some(name) = alias.or_else(|| path.last().cloned()).filter(|name| name != "_") {
            self.modules[module].imports.insert(name, path.clone());
        }
        if !is_public && !path.is_empty() {
            self.mentions.push(Mention { module, path, line });
        }
    }
}

/// Where tokens are read.
#[derive(Clone)]
struct Place {
    module: usize,
    /// Where files of child modules are.
    folder: PathBuf,
    name: String,
    /// Inside a group of a module: items there are not names of the module.
    is_body: bool,
}

/// Whether `::` is at this place.
fn is_path_sign(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
        && is_punct(tokens.get(at + 1), ':')
}

/// Whether this word belongs to something before it: a field, a method, an associated name or a path from outside.
fn follows_a_path(tokens: &[TokenTree], at: usize) -> bool {
    let is_field = at > 0 && is_punct(tokens.get(at - 1), '.') && !(at > 1 && is_punct(tokens.get(at - 2), '.'));
    is_field || (at > 1 && is_path_sign(tokens, at - 2))
}

/// The segments of the path that begins here, and the place after it.
fn path(tokens: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut segments = vec![tokens[at].to_string()];
    at += 1;
    while is_path_sign(tokens, at) {
        let Some(TokenTree::Ident(segment)) = tokens.get(at + 2) else { break };
        segments.push(segment.to_string());
        at += 3;
    }
    (segments, at)
}

/// The file of `#[path = "file"]`.
fn path_attribute(attribute: &str) -> Option<String> {
    Some(attribute.strip_prefix("path=\"")?.strip_suffix('"')?.to_owned())
}

/// Whether `pub` or `pub(...)` is before this place.
fn is_public(tokens: &[TokenTree], at: usize) -> bool {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| matches!(token, TokenTree::Ident(word) if word == "pub"))
    };
    let has_scope = at > 0
        && matches!(tokens.get(at - 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    is_word(at.checked_sub(1)) || (has_scope && is_word(at.checked_sub(2)))
}
