//! Labels beside points, placed so that none covers another, a point or a whisker.

use super::svg::{Words, width_of};

/// An upright box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box2 {
    /// Left edge, in pixels of the drawing.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Bottom edge.
    pub bottom: f64,
}

impl Box2 {
    /// Whether two boxes share any area.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn inside(&self, frame: &Self) -> bool {
        self.left >= frame.left && self.right <= frame.right && self.top >= frame.top && self.bottom <= frame.bottom
    }
}

/// A label that found its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Left end of the text.
    pub x: f64,
    /// Its base line.
    pub y: f64,
    /// Where a leader starts on the label, when the label is too far off to belong to its point by itself.
    pub leader: Option<(f64, f64)>,
    /// The area that the label takes.
    pub area: Box2,
    /// How far from the point.
    distance: f64,
}

/// What labels must and should keep off.
pub struct Obstacles<'a> {
    /// Points: never covered, never crossed by a leader.
    pub points: &'a [Box2],
    /// Whiskers and lines: a label goes some way to avoid each of them.
    pub lines: &'a [Box2],
}

/// How far, in units of the figure, a label goes to avoid standing on a line.
const DETOUR: f64 = 26.0;

/// A place for each label, or `None` where the frame is too full. Points with most company choose first, since they
/// have the fewest places; among equals the caller's order decides.
pub fn place(
    points: &[(f64, f64)],
    names: &[Words],
    obstacles: &Obstacles<'_>,
    frame: Box2,
    size: f64,
) -> Vec<Option<Placed>> {
    let company = |index: usize| {
        let (x, y) = points[index];
        points.iter().filter(|other| (other.0 - x).abs() < 70.0 && (other.1 - y).abs() < 30.0).count()
    };
    let mut order: Vec<usize> = (0..points.len().min(names.len())).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(company(index)));
    let mut best = in_order(&order, points, names, obstacles, frame, size);
    for _ in 0..RETRIES {
        let left: Vec<usize> = order.iter().copied().filter(|index| best[*index].is_none()).collect();
        if left.is_empty() {
            break;
        }
        // Those that found no place go first.
        order.sort_by_key(|index| !left.contains(index));
        let again = in_order(&order, points, names, obstacles, frame, size);
        if again.iter().flatten().count() > best.iter().flatten().count() {
            best = again;
        }
    }
    best
}

/// How often labels are placed anew where one found no place: those before it may have walled it in.
const RETRIES: usize = 6;

fn in_order(
    order: &[usize],
    points: &[(f64, f64)],
    names: &[Words],
    obstacles: &Obstacles<'_>,
    frame: Box2,
    size: f64,
) -> Vec<Option<Placed>> {
    let mut used: Vec<Box2> = obstacles.points.to_vec();
    let mut leaders: Vec<((f64, f64), (f64, f64))> = Vec::new();
    let mut placed: Vec<Option<Placed>> = vec![None; points.len()];
    for &index in order {
        let point = points[index];
        let free = |candidate: &Placed| {
            candidate.area.inside(&frame)
                && !used.iter().any(|area| area.overlaps(&candidate.area))
                && !leaders.iter().any(|(from, to)| crosses(*from, *to, &candidate.area))
                && candidate.leader.is_none_or(|end| clear(point, end, &used))
        };
        let cost = |candidate: &Placed| {
            let covered = obstacles.lines.iter().filter(|line| line.overlaps(&candidate.area)).count();
            candidate.distance + DETOUR * covered as f64
        };
        let width = width_of(&names[index], size);
        let best = candidates(point, width, size).filter(free).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        if let Some(label) = &best {
            used.push(label.area);
            leaders.extend(label.leader.map(|end| (point, end)));
        }
        placed[index] = best;
    }
    placed
}

/// Points along a line.
fn along(from: (f64, f64), to: (f64, f64)) -> impl Iterator<Item = (f64, f64)> {
    const STEPS: u32 = 24;
    (0..=STEPS).map(move |step| {
        let share = f64::from(step) / f64::from(STEPS);
        (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
    })
}

fn crosses(from: (f64, f64), to: (f64, f64), area: &Box2) -> bool {
    along(from, to).any(|(x, y)| area.left < x && x < area.right && area.top < y && y < area.bottom)
}

/// Whether a leader reaches its label without crossing anything but what lies around its own point.
fn clear(from: (f64, f64), to: (f64, f64), used: &[Box2]) -> bool {
    along(from, to)
        .filter(|(x, y)| (x - from.0).hypot(y - from.1) >= 9.0)
        .all(|(x, y)| !used.iter().any(|area| area.left < x && x < area.right && area.top < y && y < area.bottom))
}

/// Places around a point, nearest first: eight directions on rings that grow.
fn candidates((x, y): (f64, f64), width: f64, size: f64) -> impl Iterator<Item = Placed> {
    const RINGS: [f64; 16] =
        [9.0, 11.5, 14.5, 18.0, 22.0, 27.0, 33.0, 40.0, 50.0, 64.0, 82.0, 104.0, 130.0, 160.0, 195.0, 235.0];
    const TURNS: usize = 16;
    let height = size * 0.95;
    RINGS.into_iter().flat_map(move |ring| {
        (0..TURNS).map(move |turn| {
            // Right first, then alternately up and down around the point.
            let step = turn.div_ceil(2) as f64 * if turn % 2 == 1 { -1.0 } else { 1.0 };
            let angle = step * std::f64::consts::TAU / TURNS as f64;
            let (dx, dy) = (ring * angle.cos(), ring * angle.sin());
            // The text is anchored at its near edge: left edge on the right side, right edge on the left, centre above and below.
            let left = x + dx - width * (1.0 - angle.cos()) / 2.0;
            let middle = y + dy * 1.05;
            let area = Box2 {
                left: left - 2.0,
                top: middle - height / 2.0,
                right: left + width + 2.0,
                bottom: middle + height / 2.0,
            };
            let near = (x.clamp(area.left, area.right), y.clamp(area.top, area.bottom));
            Placed { x: left, y: middle + size * 0.34, leader: (ring > 15.0).then_some(near), area, distance: ring }
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Box2, Obstacles, Words, place};

    proptest! {
        /// No label covers another, a point or the frame's edge, however the points lie.
        // covers: SH-09
        #[test]
        fn labels_keep_apart(points in prop::collection::vec((10.0..320.0_f64, 10.0..250.0_f64), 1..30)) {
            let frame = Box2 { left: 0.0, top: 0.0, right: 330.0, bottom: 260.0 };
            let hard: Vec<Box2> = points.iter().map(|(x, y)| Box2 { left: x - 5.0, top: y - 5.0, right: x + 5.0, bottom: y + 5.0 }).collect();
            let names: Vec<Words> = (0..points.len()).map(|index| format!("configuration {index}").into()).collect();
            let placed = place(&points, &names, &Obstacles { points: &hard, lines: &[] }, frame, 11.0);
            let areas: Vec<Box2> = placed.iter().flatten().map(|label| label.area).collect();
            for (index, area) in areas.iter().enumerate() {
                prop_assert!(area.inside(&frame));
                prop_assert!(!hard.iter().any(|point| point.overlaps(area)));
                prop_assert!(!areas[..index].iter().any(|other| other.overlaps(area)));
            }
            if points.len() <= 6 {
                prop_assert!(placed.iter().all(Option::is_some), "room enough for six");
            }
        }
    }
}
