//! From the bytes of a page to its text: charset, markup, lines.
//!
//! The tokenizer is that of a browser's parser. No tree is built: the text of a page is its character data in order, as
//! the tool of the work takes it, and a page nested a million deep costs no more than any other.

use std::cell::RefCell;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

/// Bytes at the start of a page in which its own word on its charset is looked for.
const PRESCAN: usize = 1024;

/// A page as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Its characters; what could not be read is U+FFFD.
    pub text: String,
    /// The charset that it was read with.
    pub charset: &'static str,
    /// Whether something could not be read, or another charset than the declared one was taken.
    pub mended: bool,
}

/// Reads bytes in the charset of a byte order mark, else the one that the server declares, else the page's own, else
/// UTF-8. Where the bytes do not fit that charset and are whole UTF-8, they are read as UTF-8: a wrong word of the server
/// must not spoil every figure.
#[must_use]
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> Decoded {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let declared = marked
        .or_else(|| content_type.and_then(charset_of).and_then(|label| Encoding::for_label(label.as_bytes())))
        .or_else(|| own_charset(bytes));
    let wanted = declared.unwrap_or(UTF_8);
    let (text, charset, errors) = wanted.decode(bytes);
    if !errors {
        return Decoded { text: text.into_owned(), charset: charset.name(), mended: false };
    }
    let other = if charset == UTF_8 { WINDOWS_1252 } else { UTF_8 };
    // A declared UTF-8 with a few broken bytes stays UTF-8; undeclared bytes that are none are the web's old default.
    let may_change = other == UTF_8 || declared.is_none();
    let (second, second_charset, second_errors) = other.decode(bytes);
    if may_change && !second_errors {
        return Decoded { text: second.into_owned(), charset: second_charset.name(), mended: true };
    }
    Decoded { text: text.into_owned(), charset: charset.name(), mended: true }
}

/// The label in `text/html; charset=...`.
fn charset_of(content_type: &str) -> Option<&str> {
    let at = content_type.to_ascii_lowercase().find("charset=")? + "charset=".len();
    let rest = content_type.get(at..)?;
    let rest = rest.trim_start_matches(['"', '\'', ' ']);
    let end = rest.find(['"', '\'', ';', ' ', '>', '/']).unwrap_or(rest.len());
    Some(&rest[..end])
}

fn own_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(bytes.get(..PRESCAN.min(bytes.len()))?);
    let label = charset_of(&head)?;
    Encoding::for_label(label.as_bytes())
}

/// Collects character data outside of scripts and styles.
#[derive(Default)]
struct Collector(RefCell<Collected>);

#[derive(Default)]
struct Collected {
    text: String,
    /// Inside of an element whose text is left out.
    hidden: bool,
}

impl TokenSink for Collector {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut collected = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) if !collected.hidden => collected.text.push_str(&text),
            Token::TagToken(tag) => {
                let raw = match &*tag.name {
                    "script" => Some(RawKind::ScriptData),
                    "style" => Some(RawKind::Rawtext),
                    // Markup inside of these is text.
                    "title" | "textarea" if tag.kind == TagKind::StartTag => {
                        return TokenSinkResult::RawData(RawKind::Rcdata);
                    }
                    _ => None,
                };
                if let Some(raw) = raw {
                    collected.hidden = tag.kind == TagKind::StartTag;
                    if collected.hidden {
                        return TokenSinkResult::RawData(raw);
                    }
                }
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// The text of a page: character data without scripts and styles; lines are stripped and split at double blanks, empty
/// parts dropped, the rest joined by line breaks.
///
/// # Examples
/// ```
/// use gimbal_finance_agent::html::text_of;
///
/// assert_eq!(text_of("<p>Net  sales</p>\n<script>x</script><b> 1 &amp; 2 </b>"), "Net\nsales\n1 & 2");
/// ```
#[must_use]
pub fn text_of(page: &str) -> String {
    let tokenizer = Tokenizer::new(Collector::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    let mut rest = page;
    // In parts: one buffer holds at most 4 GiB, and a queue of small ones is freed as it is read.
    while !rest.is_empty() {
        let mut end = rest.len().min(1 << 16);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (part, after) = rest.split_at(end);
        queue.push_back(StrTendril::from(part));
        let _ = tokenizer.feed(&queue);
        rest = after;
    }
    tokenizer.end();
    let collected = tokenizer.sink.0.into_inner();
    lines_of(&collected.text)
}

/// The lines of a text as the tool keeps them.
fn lines_of(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in text.split(is_line_end).flat_map(|line| line.trim_matches(is_blank).split("  ")) {
        let part = part.trim_matches(is_blank);
        if !part.is_empty() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(part);
        }
    }
    out
}

/// Where Python's `splitlines` ends a line.
const fn is_line_end(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What Python's `strip` takes away.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{1c}'..='\u{1f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markup_scripts_and_styles_go_and_entities_are_read() {
        let page = "<!DOCTYPE html><html><head><title>A & B</title><style>p { color: red }</style></head><body>\
            <!-- no --><script>if (a < b) { document.write('<p>no</p>'); }</script><p>Net&nbsp;sales &#36;5</p>\
            <table><tr>\n<td>Revenue</td>\n<td>$1,234.5</td>\n</tr></table><textarea><b>kept</b></textarea></body>";
        assert_eq!(text_of(page), "A & BNet\u{a0}sales $5\nRevenue\n$1,234.5\n<b>kept</b>");
        assert_eq!(text_of("<SCRIPT>x</SCRIPT><p>a<br>b"), "ab");
        assert_eq!(text_of("<script>never closed <p>x"), "");
        assert_eq!(text_of(""), "");
    }

    #[test]
    fn lines_are_split_as_the_tool_splits_them() {
        assert_eq!(lines_of("  a b   c  \u{2028}\u{1c}d\u{85}\r\n \u{a0} \n e   "), "a b\nc\nd\ne");
    }

    #[test]
    fn charsets_are_those_of_mark_server_page_or_utf_8() {
        let read = |bytes: &[u8], server: Option<&str>| {
            let decoded = decode(bytes, server);
            (decoded.text, decoded.charset, decoded.mended)
        };
        let latin = b"caf\xe9 \x80 5";
        assert_eq!(
            read(latin, Some("text/html; charset=windows-1252")),
            ("café € 5".to_owned(), "windows-1252", false)
        );
        assert_eq!(read(latin, None), ("café € 5".to_owned(), "windows-1252", true));
        assert_eq!(read("café".as_bytes(), None), ("café".to_owned(), "UTF-8", false));
        // A server that says otherwise than its bytes.
        assert_eq!(read("5 €".as_bytes(), Some("text/html; charset=iso-2022-jp")), ("5 €".to_owned(), "UTF-8", true));
        assert_eq!(read(latin, Some("text/html; charset=utf-8")), ("caf\u{fffd} \u{fffd} 5".to_owned(), "UTF-8", true));
        assert_eq!(read(b"a", Some("text/html; charset=nonsense")), ("a".to_owned(), "UTF-8", false));
        let meta = b"<html><head><meta charset='iso-8859-1'></head>\xe9";
        assert!(read(meta, None).0.ends_with('é'));
        assert_eq!(read(b"\xff\xfea\0", Some("text/html; charset=utf-8")), ("a".to_owned(), "UTF-16LE", false));
    }

    #[test]
    fn megabytes_and_depth_cost_what_their_length_costs() {
        let deep = "<div><b><p>x".repeat(200_000);
        assert_eq!(text_of(&deep).len(), 200_000);
        let wide = format!("<table>{}</table>", "<tr><td>1,234.5</td>\n<td>x</td></tr>\n".repeat(100_000));
        assert_eq!(text_of(&wide).lines().count(), 200_000);
    }

    proptest! {
        #[test]
        fn no_page_breaks_it_and_text_alone_is_kept(page in "[<>/a-z &;=\"'!-]{0,200}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let text = text_of(&page);
            prop_assert!(text.lines().all(|line| !line.trim().is_empty()));
            let _ = text_of(&decode(&bytes, None).text);
        }
    }
}
