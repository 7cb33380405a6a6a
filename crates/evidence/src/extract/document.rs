//! Documentation beside telemetry: what is passed over in a folder without a record that nobody sees.

use std::io::{self, Read};

/// Longest document, in bytes: a longer file is not looked through, and nobody knows what it holds.
const MOST: usize = 1 << 20;

/// First parts of names of documentation.
const STEMS: [&str; 8] = ["readme", "license", "licence", "copying", "notice", "authors", "changelog", "contributing"];

/// Last parts of names of documentation.
const ENDINGS: [&str; 3] = ["md", "rst", "adoc"];

/// Whether a file that no extractor reads is documentation and no telemetry: by its name (`README`, `LICENSE.txt`, `notes.md`), and because no
/// line of all of it could be a record. Text that has a time of day, a number as long as seconds since 1970, two addresses in a line, or a
/// line that begins as JSON or XML does, could be one. What cannot be told counts as not read.
///
/// # Errors
/// When the input cannot be read.
pub fn is_document(name: &str, input: impl Read) -> io::Result<bool> {
    if !is_named_so(name) {
        return Ok(false);
    }
    let mut text = Vec::new();
    input.take(MOST as u64 + 1).read_to_end(&mut text)?;
    if text.len() > MOST {
        return Ok(false);
    }
    let is_plain = |text: &str| text.chars().all(|letter| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r'));
    Ok(std::str::from_utf8(&text).is_ok_and(|text| is_plain(text) && !text.split(['\n', '\r']).any(could_be_a_record)))
}

fn is_named_so(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    ENDINGS.contains(&ending) || (STEMS.contains(&stem) && matches!(ending, "" | "txt"))
}

fn could_be_a_record(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim_start();
    let words = || line.split(|letter: char| !(letter.is_ascii_digit() || letter == '.' || letter == ':'));
    let is_number =
        |text: &str, most: usize| (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    // `12:00`, and what begins so: seconds, fractions.
    let is_time = |word: &str| {
        let mut parts = word.split(':');
        let two = [parts.next(), parts.next()];
        two.iter().all(|part| part.is_some_and(|part| is_number(part.split('.').next().unwrap_or_default(), 2)))
    };
    let is_epoch = |word: &str| word.split(['.', ':']).any(|part| part.len() >= 10);
    let is_address = |word: &&str| {
        let word = word.split(':').next().unwrap_or_default().trim_end_matches('.');
        word.split('.').count() == 4 && word.split('.').all(|part| is_number(part, 3))
    };
    line.starts_with(['{', '<', '[']) && line.ends_with(['}', '>', ']'])
        || words().any(|word| is_time(word) || is_epoch(word))
        || words().filter(is_address).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::is_document;

    fn is(name: &str, text: &[u8]) -> bool {
        is_document(name, text).unwrap()
    }

    #[test]
    fn documentation_is_told_by_its_name_and_by_every_line() {
        let text =
            b"# Logs of one host\n\nThe gate is 192.0.2.1. See [the plan](plan.md), version 1.2.3, of 2026-03-10.\n";
        for name in ["README", "readme.txt", "README.md", "LICENSE", "notes.md", "Change.RST"] {
            assert!(is(name, text), "{name}");
        }
        for name in ["auth", "auth.log", "notes.txt", "README.log", "README.md.1", "site.yaml", "md", ""] {
            assert!(!is(name, text), "{name}");
        }
        assert!(is("README.md", b""));
    }

    #[test]
    fn what_could_be_a_record_is_no_documentation() {
        let long = "word ".repeat(300_000);
        let cases: [&[u8]; 9] = [
            b"Logs.\nMar 10 02:27:20 gate sshd[2]: Failed password for root\n",
            b"10 Mar 02:27 root logged on",
            b"1773109640.125 10.0.0.1 refused",
            b"10.0.0.1 -> 198.51.100.7:443 refused",
            b"{\"message\": \"Failed password\"}",
            b"<Event><System/></Event>",
            b"text\0text",
            b"\xff\xfet\0e\0",
            long.as_bytes(),
        ];
        for text in cases {
            assert!(!is("README.md", text), "{}", String::from_utf8_lossy(&text[..text.len().min(60)]));
        }
    }
}
