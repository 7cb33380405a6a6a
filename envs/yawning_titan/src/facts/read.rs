//! Reads the files of facts: sections `[name] title | id` with lines below them. The files are built in, so that a mistake in
//! one is found by the tests.

/// A section of a file of facts.
pub(super) struct Section {
    pub name: &'static str,
    pub title: &'static str,
    /// What follows the title.
    pub mark: &'static str,
    pub lines: Vec<&'static str>,
}

/// The sections of a file, in order; lines that begin with `#` are left out.
///
/// # Errors
/// The first line that is neither a section nor in one.
pub(super) fn sections(text: &'static str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let wrong = || format!("`{line}`: expected a section `[name] title | id`, or a line of one");
        if let Some((name, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
            let (title, mark) = rest.split_once(" | ").ok_or_else(wrong)?;
            sections.push(Section { name, title, mark, lines: Vec::new() });
        } else {
            sections.last_mut().ok_or_else(wrong)?.lines.push(line);
        }
    }
    Ok(sections)
}
