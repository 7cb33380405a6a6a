//! Bodies that are not pages of text: documents, archives and pictures, by their first bytes and by what the server calls
//! them.

/// First bytes and what they begin.
const MAGIC: [(&[u8], &str); 9] = [
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "an archive or an office document"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"\x1f\x8b", "a packed file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"RIFF", "a picture or a recording"),
    (b"\x7fELF", "a program"),
];

/// How the servers' names for such bodies begin.
const TYPES: [(&str, &str); 8] = [
    ("application/pdf", "a PDF document"),
    ("application/zip", "an archive"),
    ("application/msword", "an office document"),
    ("application/vnd.", "an office document"),
    ("image/", "a picture"),
    ("audio/", "a recording"),
    ("video/", "a recording"),
    ("font/", "a font"),
];

/// Bytes that are looked at.
const LOOKED: usize = 4096;

/// What a body is, where it is not a text; none for text.
///
/// # Examples
/// ```
/// use gimbal_finance_agent::binary::kind;
///
/// assert_eq!(kind(b"%PDF-1.7 ...", Some("text/html")), Some("a PDF document"));
/// assert_eq!(kind(b"<p>text</p>", Some("application/pdf")), None);
/// ```
#[must_use]
pub fn kind(bytes: &[u8], content_type: Option<&str>) -> Option<&'static str> {
    let start = bytes.trim_ascii_start();
    // A page that its server calls something else is a page.
    if start.starts_with(b"<") {
        return None;
    }
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(what);
    }
    let named = content_type.unwrap_or_default().trim().to_ascii_lowercase();
    if let Some((_, what)) = TYPES.iter().find(|(begin, _)| named.starts_with(begin) && !named.contains("xml")) {
        return Some(what);
    }
    let marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let wide = marked || named.contains("utf-16") || named.contains("utf-32");
    (!wide && bytes.iter().take(LOOKED).any(|byte| *byte == 0)).then_some("a binary file")
}
