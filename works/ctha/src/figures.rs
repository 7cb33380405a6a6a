//! Gains of composite maps against depth: Fig. 2(b) and Fig. 7(b), from drawn maps (CTHA-027, CTHA-030).

use gimbal_temporal::mathematics::{Family, Growth, ITERATIONS, Spread, growth};
use gimbal_view::Output;
use gimbal_view::kit::lines;
use gimbal_view::kit::looks::look;
use gimbal_view::kit::picture::Drawn;
use gimbal_view::kit::svg::Svg;

/// Key of the figure of gains across layers.
pub const ACROSS_LAYERS: &str = "ctha-f2b";
/// Key of the figure of an error's amplification.
pub const AMPLIFICATION: &str = "ctha-f7b";

/// The family that passes a gain of 1,000 at the depth at which the work prints it.
const STRONG: &str = "free, strong (SD 2.5)";

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// Streams of a map: layers of the hierarchy.
    pub layers: usize,
    /// Most maps that are multiplied.
    pub depth: usize,
    /// Draws of each family.
    pub draws: usize,
    /// Seed of the draws.
    pub seed: u64,
    /// Rounds of the projection onto doubly stochastic maps.
    pub iterations: usize,
}

/// A family of maps with its gains at each depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name.
    pub name: &'static str,
    /// Gains from depth 1 on.
    pub growth: Vec<Growth>,
}

impl Default for Asked {
    /// Four layers, as in the work, 100 draws, as its figure has episodes, to a depth of 16.
    fn default() -> Self {
        Self { layers: 4, depth: 16, draws: 100, seed: 1, iterations: ITERATIONS }
    }
}

impl Asked {
    /// The families that are compared.
    #[must_use]
    pub fn families(&self) -> [(&'static str, Family); 4] {
        [
            (STRONG, Family::Normal(2.5)),
            ("free, normal (SD 1)", Family::Normal(1.0)),
            ("free, Eq. 9", Family::Free(1.0)),
            ("doubly stochastic", Family::Stochastic { spread: 1.0, iterations: self.iterations }),
        ]
    }

    /// Gains of all families.
    #[must_use]
    pub fn curves(&self) -> Vec<Curve> {
        let curve = |(name, family)| {
            // Maps that are drawn here fit one another.
            let growth = growth(family, self.layers, self.depth, self.draws, self.seed).unwrap_or_default();
            Curve { name, growth }
        };
        self.families().into_iter().map(curve).collect()
    }
}

/// A figure as a named output.
#[must_use]
pub fn output(key: &'static str, title: &str, asked: &Asked) -> Output {
    Output::of(key, (title.to_owned(), key.to_owned(), String::new()), draw(key, &asked.curves(), asked), "")
}

fn draw(key: &str, curves: &[Curve], asked: &Asked) -> Drawn {
    let depth = if key == AMPLIFICATION { asked.depth.min(asked.layers) } else { asked.depth };
    if depth == 0 || asked.draws == 0 || asked.layers == 0 {
        return Err("no maps were drawn".to_owned());
    }
    let places: Vec<String> = (1..=depth).map(|place| place.to_string()).collect();
    let chosen = |growth: &Growth| if key == AMPLIFICATION { growth.error } else { growth.forward };
    // Drawn to the whole depth, it would leave the others no room.
    let shown = curves.iter().filter(|curve| key == AMPLIFICATION || curve.name != STRONG);
    let series: Vec<lines::Series> = shown
        .enumerate()
        .map(|(number, curve)| {
            let point = |growth: &Growth| {
                let Spread { low, middle, high, .. } = chosen(growth);
                Some((middle, Some(gimbal_analysis::Interval { low, high })))
            };
            let points = curve.growth.iter().take(depth).map(point).collect();
            lines::Series { name: curve.name.to_owned(), look: look(number), points }
        })
        .collect();
    let (axis, what, more) = if key == AMPLIFICATION {
        let what = "Size of an error behind the last map, for an error of size 1 in the first stream before the first";
        ("amplification of an error", what, "")
    } else {
        let more = " The backward gain behaves alike; the table has it, and a stronger family.";
        ("forward gain", "Largest sum of amounts in a row of the product of maps", more)
    };
    let chart = lines::Chart {
        places: &places,
        series: &series,
        axis,
        beneath: "maps multiplied",
        downwards: false,
        amounts: true,
        height: 280.0,
    };
    let caption = format!(
        "{what}, by how many maps of {} streams are multiplied. Median of {} draws, with the range of eight tenths of them. Doubly \
         stochastic maps after {} rounds of the projection.{more} Maps are drawn at random; \
         no run is in it.",
        asked.layers, asked.draws, asked.iterations
    );
    Ok(lines::draw(Svg::new(), &chart, 0.0, caption))
}
