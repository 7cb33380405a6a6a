//! What is wrong with a drawing.

use gimbal_view::figure::bog::Output;

/// The value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

fn number(tag: &str, name: &str) -> Option<f64> {
    attribute(tag, name)?.parse().ok()
}

/// A little more than a text takes in the fonts that a reader has.
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
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ' ' | '\'' | '|' => 0.28,
            'f' | 't' | 'r' | '(' | ')' | '-' | '/' => 0.34,
            'm' | 'w' | 'M' | 'W' | '%' => 0.83,
            'A'..='Z' => 0.67,
            _ => 0.55,
        })
        .sum();
    ems * size
}

/// What is wrong with a picture, if anything: numbers that are none, tags that do not close, marks outside the frame.
pub fn wrong(svg: &str) -> Option<String> {
    for word in ["NaN", "inf", "-0\"", "null"] {
        if svg.contains(word) {
            return Some(format!("holds `{word}`"));
        }
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
            "text" => match corner("x", "y") {
                None => Vec::new(),
                Some((x, y)) => {
                    let size = number(tag, "font-size")?;
                    let long = width(after, size);
                    let left = match attribute(tag, "text-anchor") {
                        Some("middle") => x - long / 2.0,
                        Some("end") => x - long,
                        _ => x,
                    };
                    vec![(left, y - size * 0.75), (left + long, y + size * 0.2)]
                }
            },
            _ => Vec::new(),
        };
        if let Some((x, y)) = corners.into_iter().find(|(x, y)| outside(*x, *y)) {
            return Some(format!("({x}, {y}) lies outside {right} x {bottom}: <{tag}>{after}"));
        }
    }
    (depth != 0).then(|| format!("{depth} tags stay open"))
}

/// Panics where a drawing is not whole, or its caption no sentence.
pub fn check(outputs: &[Output], what: &str) {
    for output in outputs {
        if let Some(wrong) = wrong(&output.figure.svg) {
            panic!("{what}, {}: {wrong}", output.file);
        }
        assert!(output.figure.caption.ends_with('.'), "{what}, {}: {}", output.file, output.figure.caption);
        if let Some(wrong) = wrong(&output.figure.alone) {
            panic!("{what}, {} alone: {wrong}", output.file);
        }
    }
}

/// The words of a picture, one text after the other.
pub fn words(svg: &str) -> String {
    let texts = svg.split("<text ").skip(1).filter_map(|text| text.split_once('>')?.1.split("</text>").next());
    texts.collect::<Vec<_>>().join(" ")
}
