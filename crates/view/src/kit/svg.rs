//! A small writer of SVG.

use std::fmt::Write;

use gimbal_analysis::Interval;

use super::scale::Scale;
use crate::escape::html;

/// Width of every figure in its own units; text of 12 units is 7 points when it fills a text column of 160 mm.
pub const WIDTH: f64 = 760.0;

/// Where a text is held.
#[derive(Clone, Copy)]
pub enum Anchor {
    /// The text begins at the place.
    Start,
    /// The place is the middle of the text.
    Middle,
    /// The text ends at the place.
    End,
}

/// How a text looks.
#[derive(Clone, Copy)]
pub struct Type {
    /// Size in pixels.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
    /// CSS class.
    pub class: &'static str,
    /// Colour where no style sheet applies.
    pub fill: &'static str,
}

impl Type {
    /// The size for measuring: bold letters are wider.
    pub fn wide(self) -> f64 {
        if self.bold { 1.1 * self.size } else { self.size }
    }
}

/// Colour of text and axes.
pub const INK: &str = "#16181d";
/// Colour of secondary text.
pub const MUTED: &str = "#5b6270";
/// Colour of rules.
pub const RULE: &str = "#c9ced6";
/// Colour of grid lines.
pub const GRID: &str = "#e8ebef";
/// Colour of the background.
pub const PAPER: &str = "#ffffff";

/// Names and axis titles.
pub const LABEL: Type = Type { size: 12.0, bold: false, class: "ink", fill: INK };
/// Headings inside a figure.
pub const HEAD: Type = Type { size: 12.5, bold: true, class: "ink", fill: INK };
/// Ticks and remarks.
pub const SMALL: Type = Type { size: 11.0, bold: false, class: "muted", fill: MUTED };

/// Names beneath narrow bars.
pub const NOTE_SMALL: Type = Type { size: 10.0, bold: false, class: "ink", fill: INK };

/// Words as they are shown, and the whole of them where they were cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    shown: String,
    whole: Option<String>,
}

impl Words {
    /// The content of a text element: what is shown, after a `<title>` with the whole where that is more.
    pub fn markup(&self) -> String {
        let shown = html(&self.shown);
        match &self.whole {
            Some(whole) => format!("<title>{}</title>{shown}", html(whole)),
            None => shown,
        }
    }
}

impl std::ops::Deref for Words {
    type Target = str;

    fn deref(&self) -> &str {
        &self.shown
    }
}

impl From<String> for Words {
    fn from(shown: String) -> Self {
        Self { shown, whole: None }
    }
}

/// What can be written: words as they are, or as they were cut.
pub trait Label {
    /// The words, with a title where they were cut.
    fn words(&self) -> Words;
}

impl Label for Words {
    fn words(&self) -> Words {
        self.clone()
    }
}

impl Label for String {
    fn words(&self) -> Words {
        self.clone().into()
    }
}

impl Label for str {
    fn words(&self) -> Words {
        self.to_owned().into()
    }
}

/// A picture in the making.
#[derive(Default)]
pub struct Svg {
    body: String,
}

impl Svg {
    /// An empty drawing.
    pub fn new() -> Self {
        Self { body: String::new() }
    }

    /// Anything; the caller escapes.
    pub fn raw(&mut self, markup: &str) {
        self.body.push_str(markup);
        self.body.push('\n');
    }

    /// A text. Where its words were cut to their room, the whole of them is its `<title>`, which a page shows on hovering.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, style: Type, words: &(impl Label + ?Sized)) {
        let words = words.words();
        let held = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if style.bold { " font-weight=\"600\"" } else { "" };
        self.raw(&format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" class=\"{}\" fill=\"{}\"{held}{weight}>{}</text>",
            n(x),
            n(y),
            n(style.size),
            style.class,
            style.fill,
            words.markup()
        ));
    }

    /// A straight line.
    pub fn line(
        &mut self,
        (x1, y1): (f64, f64),
        (x2, y2): (f64, f64),
        class: &str,
        colour: &str,
        width: f64,
        dash: &str,
    ) {
        let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        self.raw(&format!(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{class}\" stroke=\"{colour}\" stroke-width=\"{}\"{dash}/>",
            n(x1), n(y1), n(x2), n(y2), n(width)
        ));
    }

    /// A horizontal interval; an end beyond the axis becomes an arrow head, another a cap where `cap` is above zero.
    pub fn whisker(
        &mut self,
        scale: &Scale,
        ends: Interval,
        y: f64,
        (class, colour, width, cap): (&str, &str, f64, f64),
    ) {
        self.line((scale.at(ends.low), y), (scale.at(ends.high), y), class, colour, width, "");
        for (end, turn) in [(ends.low, 1.0), (ends.high, -1.0)] {
            let x = scale.at(end);
            if scale.beyond(end) {
                for side in [-4.0, 4.0] {
                    self.line((x, y), (x + turn * 5.0, y + side), class, colour, width, "");
                }
            } else if cap > 0.0 {
                self.line((x, y - cap), (x, y + cap), class, colour, width, "");
            }
        }
    }

    /// The same, upright.
    pub fn upright_whisker(
        &mut self,
        scale: &Scale,
        ends: Interval,
        x: f64,
        (class, colour, width, cap): (&str, &str, f64, f64),
    ) {
        self.line((x, scale.at(ends.low)), (x, scale.at(ends.high)), class, colour, width, "");
        for (end, turn) in [(ends.low, -1.0), (ends.high, 1.0)] {
            if scale.beyond(end) {
                let y = scale.at(end);
                for side in [-4.0, 4.0] {
                    self.line((x, y), (x + side, y + turn * 5.0), class, colour, width, "");
                }
            } else if cap > 0.0 {
                let y = scale.at(end);
                self.line((x - cap, y), (x + cap, y), class, colour, width, "");
            }
        }
    }

    /// The picture with its title and how to read it beneath: a file on its own names its intervals itself.
    pub fn finish_alone(&self, height: f64, title: &str, words: &str) -> String {
        const LINE: f64 = 15.0;
        let mut alone = Self { body: self.body.clone() };
        let mut y = height + 20.0;
        alone.line((0.0, height + 4.0), (WIDTH, height + 4.0), "rule", RULE, 1.0, "");
        for (style, text) in [(HEAD, title), (SMALL, words)] {
            for line in lines(text, style.wide(), WIDTH - 8.0) {
                alone.text(0.0, y, Anchor::Start, style, &line);
                y += LINE;
            }
        }
        alone.finish(y - LINE + 8.0, title)
    }

    /// The finished drawing for a page, with a title for screen readers.
    pub fn finish(&self, height: f64, title: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
             aria-label=\"{}\" font-family=\"Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif\">\n\
             <rect width=\"{w}\" height=\"{h}\" class=\"paper\" fill=\"{PAPER}\"/>\n{}</svg>\n",
            html(title),
            self.body,
            w = n(WIDTH),
            h = n(height),
        )
    }
}

/// A coordinate: at most two digits after the point, no trailing zeros, no minus zero.
pub fn n(value: f64) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Width of a text in the widest of the fonts that a reader may have (the last one of the list is often DejaVu Sans, whose
/// letters are wider than those of the others): there is no font at hand to ask. For bold text see [`Type::wide`].
pub fn width_of(text: &str, size: f64) -> f64 {
    let ems: f64 = text
        .chars()
        .map(|character| match character {
            'i' | 'j' | 'l' | 'I' | 'J' | '\'' => 0.3,
            '.' | ',' | ' ' | '·' | ':' | ';' | '|' | '/' | '\\' | 'f' => 0.36,
            '(' | ')' | '[' | ']' | '-' | 't' | 'r' | '!' => 0.42,
            's' | 'z' | 'c' | '?' | '*' | '_' | '"' | '\u{2013}' => 0.56,
            'L' | 'F' | 'k' | 'v' | 'x' | 'y' | 'P' | 'T' | 'Y' | 'a' | 'o' => 0.62,
            'A' | 'B' | 'C' | 'K' | 'R' | 'U' | 'V' | 'X' | 'Z' => 0.73,
            'D' | 'G' | 'H' | 'N' | 'O' | 'Q' | '&' => 0.8,
            'w' | 'M' | '+' | '=' | '<' | '>' | '#' | '~' | '±' | '×' | '\u{2212}' => 0.86,
            'm' | 'W' | '@' | '%' | '…' | '\u{1100}'..='\u{ffff}' => 1.0,
            _ => 0.64,
        })
        .sum();
    ems * size
}

/// The text in lines of at most so wide, broken between words; a word that is wider by itself is cut.
pub fn lines(text: &str, size: f64, room: f64) -> Vec<Words> {
    let mut lines: Vec<Words> = Vec::new();
    for word in gimbal_analysis::printable(text).split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(line, size) + width_of(" ", size) + width_of(word, size) <= room => {
                line.shown.push(' ');
                line.shown.push_str(word);
            }
            _ => lines.push(fit(word, size, room)),
        }
    }
    lines
}

/// A name in at most so many lines of at most so much room, broken where its parts end: after a blank, comma, slash, hyphen
/// or the like, before a plus or a bracket. What does not fit even so is cut in its middle, see [`fit_head`].
pub fn wrapped(name: &str, size: f64, room: f64, most: usize) -> Vec<Words> {
    let whole = gimbal_analysis::printable(name);
    let mut told = whole.clone();
    let mut budget = room * most as f64;
    let mut lines = broken(&told, size, room);
    while lines.len() > most.max(1) && budget > room / 4.0 {
        told = fit_head(&whole, size, budget).shown;
        lines = broken(&told, size, room);
        budget -= size / 2.0;
    }
    lines.truncate(most.max(1));
    let is_whole = told == whole && lines.iter().all(|line| line.whole.is_none());
    if !is_whole {
        lines.iter_mut().for_each(|line| line.whole = Some(whole.clone()));
    }
    lines
}

/// A text in lines of whole parts; a part that is wider by itself is cut.
fn broken(text: &str, size: f64, room: f64) -> Vec<Words> {
    let mut parts: Vec<String> = Vec::new();
    let mut ended = true;
    for letter in text.chars() {
        match parts.last_mut() {
            Some(part) if !ended && !matches!(letter, '+' | '(') => part.push(letter),
            _ => parts.push(letter.to_string()),
        }
        ended = matches!(letter, ' ' | ',' | '/' | '-' | '_' | ':' | ';' | '|' | '·' | '…');
    }
    let mut lines: Vec<Words> = Vec::new();
    let mut open = String::new();
    for part in parts {
        if !open.is_empty() && width_of(format!("{open}{part}").trim_end(), size) > room {
            lines.push(fit_head(open.trim(), size, room));
            open.clear();
        }
        open.push_str(&part);
    }
    lines.push(fit_head(open.trim(), size, room));
    lines
}

/// The text, cut with an ellipsis so that it is at most so wide.
pub fn fit(text: &str, size: f64, room: f64) -> Words {
    let whole = gimbal_analysis::printable(text);
    cut(&whole, cut_end(&whole, size, room))
}

/// Like [`fit`], but a name is cut in its middle, since long names of models differ at their ends; and what follows the
/// last ` · ` (a decoding, a mark) stays whole: it is what a reader must not miss.
pub fn fit_head(text: &str, size: f64, room: f64) -> Words {
    let whole = gimbal_analysis::printable(text);
    let shown = match whole.rsplit_once(" · ") {
        Some((head, tail)) if width_of(&whole, size) > room && width_of(tail, size) < 0.6 * room => {
            let tail = format!(" · {tail}");
            format!("{}{tail}", cut_middle(head, size, room - width_of(&tail, size)))
        }
        _ => cut_middle(&whole, size, room),
    };
    cut(&whole, shown)
}

fn cut(whole: &str, shown: String) -> Words {
    let whole = (shown != whole).then(|| whole.to_owned());
    Words { shown, whole }
}

fn cut_end(text: &str, size: f64, room: f64) -> String {
    if width_of(text, size) <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    for character in text.chars() {
        if width_of(&cut, size) + width_of("…", size) + width_of(&character.to_string(), size) > room {
            break;
        }
        cut.push(character);
    }
    format!("{}…", cut.trim_end())
}

/// The text, cut in its middle so that it is at most so wide: both ends stay, the last third of the room for the end.
fn cut_middle(text: &str, size: f64, room: f64) -> String {
    if width_of(text, size) <= room {
        return text.to_owned();
    }
    let mut end = String::new();
    for character in text.chars().rev() {
        if width_of(&end, size) + width_of(&character.to_string(), size) > 0.4 * room {
            break;
        }
        end.insert(0, character);
    }
    let start = cut_end(text, size, room - width_of(&end, size));
    format!("{start}{end}")
}
