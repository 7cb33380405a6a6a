//! Where packet and telemetry are, so that a report can say how the raw record behind a fact is opened.

use super::Triage;

/// Packet and telemetry as arguments of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The file that the packet was written to; `None` if it was not kept.
    pub packet: Option<String>,
    /// The telemetry, by files and folders; `-` is standard input.
    pub files: Vec<String>,
}

impl Triage<'_> {
    /// What leads to the raw record behind a fact: a sentence, and the command. `None` if the packet has no fact.
    pub(super) fn raw(&self) -> Option<(&'static str, String)> {
        let fact = self.cited().next().or_else(|| self.packet.facts().first())?;
        let Places { packet, files } = self.places;
        let sentence = match packet {
            Some(_) => "The raw record behind a fact, here",
            None => "The raw record behind a fact: add `--packet packet.json`, then",
        };
        let packet = quoted(packet.as_deref().unwrap_or("packet.json"));
        // What came through a pipe can be read again from a file alone.
        let files = files.iter().map(|file| if file == "-" { "FILE".to_owned() } else { quoted(file) });
        let files = files.collect::<Vec<_>>().join(" ");
        let files = if files.is_empty() { "FILE" } else { &files };
        Some((sentence, format!("gimbal evidence raw {} {packet} {files}", fact.id)))
    }
}

/// A text as one word of a shell's command.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._/+,:=@%-".contains(letter);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let before = if text.starts_with('-') { "./" } else { "" };
    format!("'{before}{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_of_files_are_one_word_of_a_command() {
        assert_eq!(quoted("logs/auth.log"), "logs/auth.log");
        assert_eq!(quoted("my log's"), r"'my log'\''s'");
        assert_eq!((quoted("-x").as_str(), quoted("").as_str()), ("'./-x'", "''"));
    }
}
