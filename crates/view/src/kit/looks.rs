//! What the named figures have in common: looks of series, legends, axes, bars.

use gimbal_analysis::Interval;

use super::colour::Shape;
use super::scale::{Scale, tick_label};
use super::svg::{
    Anchor, GRID, INK, LABEL, Label, MUTED, PAPER, RULE, SMALL, Svg, Type, WIDTH, Words, fit_head, lines, n, width_of,
};

/// How a series looks: colour, mark, hatching and dashes all tell it apart, so that grey print does too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// CSS class that colours it on a page.
    pub class: &'static str,
    /// Colour where no style sheet applies.
    pub colour: &'static str,
    /// Shape of marks.
    pub shape: Shape,
    /// Number of the hatching.
    pub hatch: usize,
    /// Dash pattern of lines, as in SVG; empty for a solid line.
    pub dash: &'static str,
}

/// Colours after Okabe and Ito, darkened for white paper.
const LOOKS: [Look; 8] = [
    Look { class: "s0", colour: "#0061a4", shape: Shape::Circle, hatch: 0, dash: "" },
    Look { class: "s1", colour: "#c04a00", shape: Shape::Triangle, hatch: 1, dash: "7 3" },
    Look { class: "s2", colour: "#007a5a", shape: Shape::Square, hatch: 2, dash: "2 3" },
    Look { class: "s3", colour: "#9a3a7b", shape: Shape::Diamond, hatch: 3, dash: "9 3 2 3" },
    Look { class: "s4", colour: "#7a5b00", shape: Shape::Down, hatch: 4, dash: "4 2" },
    Look { class: "s5", colour: "#2b2f3a", shape: Shape::Plus, hatch: 5, dash: "1 2" },
    Look { class: "s6", colour: "#2f87b8", shape: Shape::Cross, hatch: 6, dash: "12 4" },
    Look { class: "s7", colour: "#8a3324", shape: Shape::Bar, hatch: 7, dash: "6 2 1 2 1 2" },
];

/// The look of a series by its place; past the eighth they repeat, and names must tell.
pub fn look(place: usize) -> Look {
    LOOKS[place % LOOKS.len()]
}

/// Quiet grey, for what is there to compare with.
pub const QUIET: Look = Look { class: "quiet", colour: "#8b92a0", shape: Shape::Circle, hatch: 0, dash: "3 3" };

/// Text beside marks.
pub const NOTE: Type = Type { size: 11.0, bold: false, class: "ink", fill: INK };
/// The same, bold.
pub const STRONG: Type = Type { size: 11.0, bold: true, class: "ink", fill: INK };

/// Where a chart is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Left edge of the plot area, in pixels of the drawing.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Bottom edge.
    pub bottom: f64,
}

/// Draws the mark of a look at a place, filled or as an outline.
pub fn mark(svg: &mut Svg, at: (f64, f64), look: Look, solid: bool) {
    let ((x, y), Look { class, colour, shape, .. }) = (at, look);
    let paint = if solid {
        format!("class=\"{class} solid\" fill=\"{colour}\" stroke=\"{PAPER}\" stroke-width=\"1\"")
    } else {
        format!("class=\"{class} open\" fill=\"{PAPER}\" stroke=\"{colour}\" stroke-width=\"1.8\"")
    };
    let path = |points: &[(f64, f64)]| {
        let list: Vec<String> = points.iter().map(|(dx, dy)| format!("{},{}", n(x + dx), n(y + dy))).collect();
        format!("<polygon points=\"{}\" {paint}/>", list.join(" "))
    };
    svg.raw(&match shape {
        Shape::Circle => format!("<circle cx=\"{}\" cy=\"{}\" r=\"5\" {paint}/>", n(x), n(y)),
        Shape::Triangle => path(&[(0.0, -5.8), (5.4, 4.2), (-5.4, 4.2)]),
        Shape::Square => path(&[(-4.6, -4.6), (4.6, -4.6), (4.6, 4.6), (-4.6, 4.6)]),
        Shape::Diamond => path(&[(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)]),
        Shape::Down => path(&[(0.0, 5.8), (5.4, -4.2), (-5.4, -4.2)]),
        Shape::Plus => path(&PLUS),
        Shape::Cross => {
            // The plus, turned by an eighth.
            let turned = PLUS.map(|(dx, dy)| {
                ((dx - dy) * std::f64::consts::FRAC_1_SQRT_2, (dx + dy) * std::f64::consts::FRAC_1_SQRT_2)
            });
            path(&turned)
        }
        Shape::Bar => path(&[(-2.6, -6.0), (2.6, -6.0), (2.6, 6.0), (-2.6, 6.0)]),
    });
}

/// Corners of a plus sign.
const PLUS: [(f64, f64); 12] = [
    (-2.0, -6.0),
    (2.0, -6.0),
    (2.0, -2.0),
    (6.0, -2.0),
    (6.0, 2.0),
    (2.0, 2.0),
    (2.0, 6.0),
    (-2.0, 6.0),
    (-2.0, 2.0),
    (-6.0, 2.0),
    (-6.0, -2.0),
    (-2.0, -2.0),
];

/// The hatchings; once a figure that draws bars.
pub fn hatchings(svg: &mut Svg) {
    let mut defs = String::from("<defs>");
    for look in LOOKS.iter().chain([&QUIET]).filter(|look| look.hatch > 0) {
        let (size, turn, lines): (f64, i32, &str) = match look.hatch {
            1 => (
                7.0,
                45,
                "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" class=\"hatch\" stroke=\"#ffffff\" stroke-width=\"2.6\"/>",
            ),
            2 => (6.0, 0, "<circle cx=\"3\" cy=\"3\" r=\"1.3\" class=\"hatch\" fill=\"#ffffff\"/>"),
            3 => (
                7.0,
                -45,
                "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" class=\"hatch\" stroke=\"#ffffff\" stroke-width=\"2.6\"/>",
            ),
            4 => (
                5.0,
                0,
                "<line x1=\"0\" y1=\"2.5\" x2=\"5\" y2=\"2.5\" class=\"hatch\" stroke=\"#ffffff\" stroke-width=\"1.6\"/>",
            ),
            5 => (
                5.0,
                0,
                "<line x1=\"2.5\" y1=\"0\" x2=\"2.5\" y2=\"5\" class=\"hatch\" stroke=\"#ffffff\" stroke-width=\"1.6\"/>",
            ),
            6 => (8.0, 0, "<path d=\"M0 0L8 8M8 0L0 8\" class=\"hatch\" stroke=\"#ffffff\" stroke-width=\"1.4\"/>"),
            _ => (6.0, 0, "<path d=\"M0 3H6M3 0V6\" class=\"hatch\" stroke=\"#ffffff\" stroke-width=\"1.2\"/>"),
        };
        defs.push_str(&format!(
            "<pattern id=\"hatch-{}\" width=\"{size}\" height=\"{size}\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate({turn})\"><rect width=\"{size}\" height=\"{size}\" class=\"{} solid\" fill=\"{}\"/>{lines}</pattern>",
            look.hatch, look.class, look.colour
        ));
    }
    defs.push_str("</defs>");
    svg.raw(&defs);
}

/// A bar between two corners.
pub fn bar(svg: &mut Svg, (x, y): (f64, f64), (width, height): (f64, f64), look: Look) {
    let fill = if look.hatch == 0 { look.colour.to_owned() } else { format!("url(#hatch-{})", look.hatch) };
    let class = if look.hatch == 0 { format!("{} solid", look.class) } else { "hatched".to_owned() };
    svg.raw(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{class}\" fill=\"{fill}\" stroke=\"{}\" stroke-width=\"0.8\"/>",
        n(x),
        n(y),
        n(width.max(0.6)),
        n(height),
        look.colour
    ));
}

/// What comes before a name in a legend.
#[derive(Clone, Copy)]
pub enum Key {
    /// A filled mark.
    Mark,
    /// An outlined mark.
    Open,
    /// A bar.
    Bar,
    /// A line.
    Line,
}

/// A legend from `left` on that wraps; returns where the next thing may begin.
pub fn legend(svg: &mut Svg, left: f64, top: f64, entries: &[(Key, Look, String)]) -> f64 {
    let (mut x, mut y) = (left, top);
    for (key, look, name) in entries {
        let name = fit_head(name, LABEL.size, WIDTH - left - 30.0);
        let width = 22.0 + width_of(&name, LABEL.size) + 20.0;
        if x > left && x + width > WIDTH {
            (x, y) = (left, y + 20.0);
        }
        let middle = y + 8.0;
        match key {
            Key::Mark => mark(svg, (x + 8.0, middle), *look, true),
            Key::Open => mark(svg, (x + 8.0, middle), *look, false),
            Key::Bar => bar(svg, (x, middle - 6.0), (16.0, 12.0), *look),
            Key::Line => {
                svg.line((x, middle), (x + 17.0, middle), look.class, look.colour, 2.2, look.dash);
            }
        }
        svg.text(x + 22.0, y + 12.0, Anchor::Start, LABEL, &name);
        x += width;
    }
    if entries.is_empty() { top } else { y + 26.0 }
}

/// The numbers of an axis from the left to the right, those left out that would cover the one before.
pub fn tick_words(svg: &mut Svg, ticks: &[(f64, String)], y: f64) {
    let mut free = f64::NEG_INFINITY;
    for (at, words) in ticks {
        let half = width_of(words, SMALL.size) / 2.0;
        let at = at.clamp(half, (WIDTH - half).max(half));
        if at - half < free {
            continue;
        }
        svg.text(at, y, Anchor::Middle, SMALL, words);
        free = at + half + 4.0;
    }
}

/// Lines of a name beneath one another, about `middle`.
pub fn stand(svg: &mut Svg, x: f64, middle: f64, anchor: Anchor, style: Type, lines: &[Words]) {
    let pitch = style.size + 1.0;
    let first = middle - pitch * (lines.len().saturating_sub(1)) as f64 / 2.0 + 0.34 * style.size;
    for (number, line) in lines.iter().enumerate() {
        svg.text(x, first + pitch * number as f64, anchor, style, line);
    }
}

/// Names that found no room beside their points, beneath a frame and its axis; returns the room that they take.
pub fn name_beneath(svg: &mut Svg, names: &[String], (left, right): (f64, f64), top: f64) -> f64 {
    const LINE: f64 = 14.0;
    if names.is_empty() {
        return 0.0;
    }
    let words = format!(
        "{}: {}",
        if names.len() == 1 { "without room for its name" } else { "without room for their names" },
        names.join(", ")
    );
    let found = lines(&words, SMALL.size, right - left);
    for (index, line) in found.iter().enumerate() {
        svg.text(left, top + LINE * index as f64, Anchor::Start, SMALL, line);
    }
    LINE * found.len() as f64 + 4.0
}

/// Grid lines across, ticks and title beneath.
pub fn bottom_axis(svg: &mut Svg, frame: Frame, x: &Scale, title: &str) {
    let wanted = (((frame.right - frame.left) / 80.0) as usize).clamp(2, 8);
    let ticks = x.ticks(wanted);
    for tick in &ticks {
        svg.line((x.at(*tick), frame.top), (x.at(*tick), frame.bottom), "grid", GRID, 1.0, "");
    }
    let told = ticks.iter().map(|tick| (x.at(*tick), amount(*tick, &ticks, x.is_logarithmic())));
    tick_words(svg, &told.collect::<Vec<_>>(), frame.bottom + 15.0);
    svg.line((frame.left, frame.bottom), (frame.right, frame.bottom), "rule", RULE, 1.0, "");
    let title = fit_head(title, SMALL.size, WIDTH - 8.0);
    let half = width_of(&title, SMALL.size) / 2.0;
    let middle = ((frame.left + frame.right) / 2.0).clamp(half + 2.0, WIDTH - half - 2.0);
    svg.text(middle, frame.bottom + 32.0, Anchor::Middle, SMALL, &title);
}

/// Room that [`bottom_axis`] takes beneath the frame.
pub const BELOW: f64 = 42.0;

/// Grid lines along, ticks and an upright title at the left.
pub fn left_axis(svg: &mut Svg, frame: Frame, y: &Scale, title: &str) {
    let ticks = y.ticks((((frame.bottom - frame.top) / 44.0) as usize).clamp(2, 8));
    for tick in &ticks {
        let at = y.at(*tick);
        svg.line((frame.left, at), (frame.right, at), "grid", GRID, 1.0, "");
        svg.text(frame.left - 7.0, at + 4.0, Anchor::End, SMALL, &amount(*tick, &ticks, y.is_logarithmic()));
    }
    svg.line((frame.left, frame.top), (frame.left, frame.bottom), "rule", RULE, 1.0, "");
    upright(svg, (12.0, (frame.top + frame.bottom) / 2.0), title, frame.bottom - frame.top);
}

/// Room for ticks and title at the left.
pub const BESIDE: f64 = 62.0;

/// A tick; on a logarithmic axis each in as few digits as it needs.
fn amount(tick: f64, ticks: &[f64], logarithmic: bool) -> String {
    if logarithmic { tick_label(tick, &[tick]) } else { tick_label(tick, ticks) }
}

/// A text that runs upwards, centred.
pub fn upright(svg: &mut Svg, (x, y): (f64, f64), words: &str, room: f64) {
    svg.raw(&format!(
        "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" font-size=\"{}\" class=\"muted\" fill=\"{MUTED}\">{}</text>",
        n(x),
        n(y),
        n(SMALL.size),
        fit_head(words, SMALL.size, room.max(40.0)).markup()
    ));
}

/// Positions as near to the wanted ones as can be with so much between neighbours, within the range where it has room.
pub fn apart(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let gap = if wanted.len() > 1 { gap.min((high - low) / (wanted.len() - 1) as f64) } else { gap };
    let mut placed = vec![0.0; wanted.len()];
    let mut last = low - gap;
    for &index in &order {
        last = wanted[index].clamp(low, high).max(last + gap);
        placed[index] = last;
    }
    let mut next = high + gap;
    for &index in order.iter().rev() {
        next = placed[index].min(next - gap);
        placed[index] = next;
    }
    placed
}

/// A text on a halo of paper, so that lines do not run through its letters.
pub fn haloed(svg: &mut Svg, (x, y): (f64, f64), anchor: Anchor, style: Type, words: &(impl Label + ?Sized)) {
    let words = words.words();
    let held = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    svg.raw(&format!(
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{held}\" class=\"halo\" fill=\"none\" stroke=\"{PAPER}\" stroke-width=\"3.4\" stroke-linejoin=\"round\"{}>{}</text>",
        n(x),
        n(y),
        n(style.size),
        if style.bold { " font-weight=\"600\"" } else { "" },
        crate::escape::html(&words)
    ));
    svg.text(x, y, anchor, style, &words);
}

/// A value with a sign, for differences.
pub fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    let plain = text.trim_start_matches(['+', '-', '0', '.']);
    if plain.is_empty() { format!("{:.digits$}", 0.0) } else { crate::escape::minus(&text) }
}

/// A value without the noise of a minus zero.
pub fn plain(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.trim_start_matches(['-', '0', '.']).is_empty() {
        format!("{:.digits$}", 0.0)
    } else {
        crate::escape::minus(&text)
    }
}

/// Half the width of an interval as ` ± 3.1`, or nothing.
pub fn half(interval: Option<Interval>, digits: usize) -> String {
    interval.map(|ends| format!(" ± {}", plain(ends.width() / 2.0, digits))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_apart_and_stay_near() {
        assert_eq!(apart(&[10.0, 50.0], 12.0, (0.0, 100.0)), [10.0, 50.0]);
        assert_eq!(apart(&[50.0, 50.0, 50.0], 10.0, (0.0, 100.0)), [50.0, 60.0, 70.0]);
        assert_eq!(apart(&[99.0, 99.0], 10.0, (0.0, 100.0)), [90.0, 100.0]);
        let many = apart(&[5.0; 30], 12.0, (0.0, 100.0));
        assert!(many.iter().all(|at| (-1e-9..=100.0 + 1e-9).contains(at)));
        assert!(apart(&[], 12.0, (0.0, 100.0)).is_empty());
    }

    #[test]
    fn numbers_have_no_minus_zero() {
        assert_eq!(plain(-0.04, 1), "0.0");
        assert_eq!(signed(-0.04, 1), "0.0");
        assert_eq!(signed(3.25, 1), "+3.2");
        assert_eq!(plain(-12.0, 0), "−12");
        assert_eq!(plain(-0.26, 1), "−0.3");
    }
}
