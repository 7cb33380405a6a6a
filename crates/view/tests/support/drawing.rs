//! What is wrong with a drawing.

use gimbal_view::Output;

/// The value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

fn number(tag: &str, name: &str) -> Option<f64> {
    attribute(tag, name)?.parse().ok()
}

/// What a text takes in the widest of the usual fonts (DejaVu Sans), about 0.6 of its size a letter.
fn width(words: &str, size: f64) -> f64 {
    let plain = words
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'");
    let ems: f64 = plain
        .chars()
        .map(|letter| match letter {
            'i' | 'j' | 'l' | 'I' | 'J' | '\'' => 0.28,
            '.' | ',' | ':' | ';' | ' ' | '·' | '|' | 'f' | '/' | '\\' => 0.33,
            't' | 'r' | '(' | ')' | '[' | ']' | '-' | '!' => 0.39,
            's' | 'z' | 'c' | '_' | '*' | '`' | '"' | '?' => 0.5,
            'm' | 'W' | '%' | '…' => 0.96,
            'w' | 'M' | '+' | '=' | '<' | '>' | '±' | '×' | '\u{2212}' => 0.83,
            'A'..='Z' => 0.68,
            _ => 0.61,
        })
        .sum();
    ems * size
}

/// The attributes of a tag, names and values.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut parts = tag.split('"');
    std::iter::from_fn(move || {
        let name = parts.next()?.trim_end_matches('=').rsplit(' ').next()?;
        Some((name, parts.next()?))
    })
}

/// What is written in place of a number that is not finite, is negative zero, or is missing.
pub const UNWRITTEN: [&str; 5] = ["NaN", "inf", "-inf", "-0", "null"];

/// The first place of a picture where one of [`UNWRITTEN`] was drawn as a number. A name may hold the same letters (`RoNaNo`), so
/// that attributes of words are passed over, and a text counts only as a whole.
fn unwritten(svg: &str) -> Option<String> {
    const NAMES: [&str; 3] = ["aria-label", "class", "font-family"];
    svg.split('<').skip(1).filter_map(|part| part.split_once('>')).find_map(|(tag, text)| {
        let numbers = attributes(tag).filter(|(name, _)| !NAMES.contains(name));
        let mut words =
            numbers.flat_map(|(_, value)| value.split([' ', ',', '(', ')', 'M', 'L', 'H', 'V', 'C', 'Q', 'A', 'Z']));
        let drawn = words.find(|word| UNWRITTEN.contains(word));
        let written = Some(text.trim_end_matches('%').trim()).filter(|text| UNWRITTEN.contains(text));
        drawn.or(written).map(|word| format!("holds `{word}`: <{tag}>{text}"))
    })
}

/// What is wrong with a picture, if anything: numbers that are none, tags that do not close, marks outside the frame.
pub fn wrong(svg: &str) -> Option<String> {
    if let Some(found) = unwritten(svg) {
        return Some(found);
    }
    let root = svg.split('>').next()?;
    let (right, bottom) = (number(root, "width")?, number(root, "height")?);
    let slack = 1.0;
    let outside = |x: f64, y: f64| x < -slack || y < -slack || x > right + slack || y > bottom + slack;
    let (mut depth, mut hidden) = (0_i32, 0_i32);
    for part in svg.split('<').skip(1) {
        let (tag, after) = part.split_once('>')?;
        let closed = tag.ends_with('/');
        if tag.starts_with('/') {
            depth -= 1;
            hidden -= i32::from(tag == "/defs");
            continue;
        }
        depth += i32::from(!closed);
        hidden += i32::from(tag == "defs");
        if hidden > 0 {
            continue;
        }
        let name = tag.split([' ', '/']).next()?;
        let corner = |x: &str, y: &str| Some((number(tag, x)?, number(tag, y)?));
        let corners: Vec<(f64, f64)> = match name {
            "line" => [corner("x1", "y1"), corner("x2", "y2")].into_iter().flatten().collect(),
            "circle" => {
                let ((x, y), r) = (corner("cx", "cy")?, number(tag, "r")?);
                vec![(x - r, y - r), (x + r, y + r)]
            }
            "rect" => {
                let (x, y) = corner("x", "y").unwrap_or((0.0, 0.0));
                let (w, h) = corner("width", "height")?;
                if w < 0.0 || h < 0.0 {
                    return Some(format!("a negative size: {tag}"));
                }
                vec![(x, y), (x + w, y + h)]
            }
            "polygon" | "polyline" => attribute(tag, "points")?
                .split(' ')
                .filter_map(|pair| pair.split_once(','))
                .filter_map(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)))
                .collect(),
            _ => Vec::new(),
        };
        if let Some((x, y)) = corners.into_iter().find(|(x, y)| outside(*x, *y)) {
            return Some(format!("({x}, {y}) lies outside {right} x {bottom}: <{tag}>{after}"));
        }
    }
    if depth != 0 {
        return Some(format!("{depth} tags stay open"));
    }
    let leaves = |label: &Label| outside(label.left, label.top) || outside(label.right, label.bottom);
    labels(svg).into_iter().find(leaves).map(|label| format!("{label:?} leaves {right} x {bottom}"))
}

/// A text as a reader sees it: its words, and the box that they take.
#[derive(Clone, Debug)]
pub struct Label {
    pub words: String,
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
    /// Whether the whole of it is told where its words are cut.
    pub titled: bool,
}

impl Label {
    /// Whether two texts cover one another by more than a hair.
    fn covers(&self, other: &Self) -> bool {
        const HAIR: f64 = 1.0;
        let across = self.right.min(other.right) - self.left.max(other.left);
        let down = self.bottom.min(other.bottom) - self.top.max(other.top);
        across > HAIR && down > HAIR
    }
}

/// The texts of a picture, halos left out. A box is as wide as the letters are in the fonts that a reader has (bold ones
/// a little wider), from the height of capitals to the depth of descenders; turned where the text is turned.
pub fn labels(svg: &str) -> Vec<Label> {
    let mut labels = Vec::new();
    for part in svg.split("<text ").skip(1) {
        let Some((tag, rest)) = part.split_once('>') else { continue };
        let tag = format!(" {tag}");
        let inner = rest.split("</text>").next().unwrap_or_default();
        let (titled, words) = match inner.split_once("</title>") {
            Some((_, shown)) => (true, shown),
            None => (false, inner),
        };
        if attribute(&tag, "class") == Some("halo") || words.is_empty() {
            continue;
        }
        let size = number(&tag, "font-size").expect("every text has a size");
        let bold = if attribute(&tag, "font-weight").is_some() { 1.09 } else { 1.0 };
        let long = bold * width(words, size);
        let from = match attribute(&tag, "text-anchor") {
            Some("middle") => -long / 2.0,
            Some("end") => -long,
            _ => 0.0,
        };
        let (up, down) = (0.72 * size, 0.2 * size);
        let (left, top, right, bottom) = match attribute(&tag, "transform") {
            None => {
                let (x, y) = (number(&tag, "x").expect("a place"), number(&tag, "y").expect("a place"));
                (x + from, y - up, x + from + long, y + down)
            }
            Some(turned) => {
                assert!(turned.ends_with("rotate(-90)"), "texts are turned upwards or not at all: {turned}");
                let place = turned.trim_start_matches("translate(").split(')').next().unwrap_or_default();
                let (x, y) = place.split_once(' ').expect("two coordinates");
                let (x, y): (f64, f64) = (x.parse().expect("a number"), y.parse().expect("a number"));
                (x - up, y - from - long, x + down, y - from)
            }
        };
        labels.push(Label { words: words.to_owned(), left, top, right, bottom, titled });
    }
    labels
}

/// What is wrong among the texts of a picture, if anything: two that cover one another, one that is cut without telling the
/// whole.
pub fn crowded(svg: &str) -> Vec<String> {
    let labels = labels(svg);
    let mut wrong = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        if label.words.contains('…') && !label.titled {
            wrong.push(format!("is cut and has no title: {label:?}"));
        }
        for other in labels[..place].iter().filter(|other| other.covers(label)) {
            wrong.push(format!("{label:?} covers {other:?}"));
        }
    }
    wrong
}

/// Panics where a drawing is not whole, its texts cover one another, or its caption is not a sentence.
pub fn check(outputs: &[Output], what: &str) {
    let mut all = Vec::new();
    for output in outputs {
        for (svg, kind) in [(&output.figure.svg, ""), (&output.figure.alone, " alone")] {
            let found = wrong(svg).into_iter().chain(crowded(svg));
            all.extend(found.map(|wrong| format!("{what}, {}{kind}: {wrong}", output.file)));
        }
        assert!(output.figure.caption.ends_with('.'), "{what}, {}: {}", output.file, output.figure.caption);
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// A picture without what is only told on hovering.
pub fn untitled(svg: &str) -> String {
    let parts = svg.split("<title>");
    parts.map(|part| part.split_once("</title>").map_or(part, |(_, shown)| shown)).collect()
}

/// The words of a picture, one text after the other.
pub fn words(svg: &str) -> String {
    let texts = svg.split("<text ").skip(1).filter_map(|text| text.split_once('>')?.1.split("</text>").next());
    // What is only told on hovering is not shown.
    let shown = texts.map(|text| text.split_once("</title>").map_or(text, |(_, shown)| shown));
    shown.collect::<Vec<_>>().join(" ")
}
