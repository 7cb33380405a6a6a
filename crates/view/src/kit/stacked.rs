//! Charts of stacked bars: shares or amounts by part.

use super::looks::{BELOW, Frame, Look, NOTE, STRONG, bar, bottom_axis, haloed, hatchings};
use super::picture::Picture;
use super::scale::Scale;
use super::svg::{Anchor, HEAD, SMALL, Svg, WIDTH, fit_head, width_of};

/// A bar.
pub struct Stack {
    /// Group it belongs to; a heading follows where it changes.
    pub group: String,
    /// Name of the bar.
    pub name: String,
    /// Parts from the left.
    pub parts: Vec<StackPart>,
    /// At the right.
    pub remark: String,
}

/// A part of a bar.
pub struct StackPart {
    /// Its length, in the units of the axis.
    pub size: f64,
    /// How it is filled.
    pub look: Look,
    /// What is written on it where there is room.
    pub words: String,
}

const ROW: f64 = 26.0;
const HEADING: f64 = 21.0;

/// Draws stacks one beneath the other from `top` on.
pub fn draw(mut svg: Svg, stacks: &[Stack], (axis, remarks): (&str, &str), top: f64, caption: String) -> Picture {
    hatchings(&mut svg);
    let grouped = stacks.iter().any(|stack| !stack.group.is_empty());
    let names = stacks.iter().map(|stack| width_of(&stack.name, HEAD.wide())).fold(40.0, f64::max);
    let left = (names + 22.0).clamp(70.0, 240.0);
    let widest =
        stacks.iter().map(|stack| width_of(&stack.remark, NOTE.size)).fold(width_of(remarks, SMALL.size), f64::max);
    let right = WIDTH - (widest + 22.0).clamp(30.0, 260.0);
    let totals: Vec<f64> = stacks.iter().map(|stack| stack.parts.iter().map(|part| part.size).sum()).collect();
    let most = totals.iter().copied().fold(0.0, f64::max);
    let scale = Scale::from_nought(most, left, right);
    let headings = if grouped { stacks.chunk_by(|a, b| a.group == b.group).count() as f64 } else { 0.0 };
    let top = top + if remarks.is_empty() { 4.0 } else { 20.0 };
    let bottom = top + stacks.len() as f64 * ROW + headings * HEADING + 4.0;
    bottom_axis(&mut svg, Frame { left, top: top - 2.0, right, bottom }, &scale, axis);
    if !remarks.is_empty() {
        svg.text(right + 14.0, top - 8.0, Anchor::Start, SMALL, remarks);
    }
    let (mut y, mut heading) = (top, None);
    for stack in stacks {
        if grouped && heading != Some(&stack.group) {
            svg.text(0.0, y + 14.0, Anchor::Start, HEAD, &fit_head(&stack.group, HEAD.wide(), right));
            y += HEADING;
            heading = Some(&stack.group);
        }
        let middle = y + ROW / 2.0;
        let style = if grouped { NOTE } else { HEAD };
        svg.text(left - 12.0, middle + 4.0, Anchor::End, style, &fit_head(&stack.name, style.wide(), left - 14.0));
        let mut from = 0.0;
        if stack.parts.is_empty() {
            svg.text(left + 6.0, middle + 4.0, Anchor::Start, SMALL, "not played");
        }
        for StackPart { size, look, words } in stack.parts.iter().filter(|part| part.size > 0.0) {
            let (begin, end) = (scale.at(from), scale.at(from + size));
            bar(&mut svg, (begin, middle - 9.0), (end - begin, 18.0), *look);
            if width_of(words, STRONG.wide()) + 8.0 <= end - begin {
                haloed(&mut svg, ((begin + end) / 2.0, middle + 4.0), Anchor::Middle, STRONG, words);
            }
            from += size;
        }
        svg.text(
            right + 14.0,
            middle + 4.0,
            Anchor::Start,
            NOTE,
            &fit_head(&stack.remark, NOTE.size, WIDTH - right - 14.0),
        );
        y += ROW;
    }
    Picture { svg, height: bottom + BELOW, caption }
}
