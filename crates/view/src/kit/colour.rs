//! Colours that survive colour blindness and a grey printer.

/// Anchors of the sequential scale, low to high: dark blue over grey to yellow, with lightness rising all the way, so
/// that order shows without colour too.
const SEQUENTIAL: [(f64, f64, f64); 6] = [
    (16.0, 42.0, 92.0),
    (58.0, 78.0, 112.0),
    (104.0, 112.0, 124.0),
    (150.0, 146.0, 124.0),
    (203.0, 186.0, 107.0),
    (253.0, 231.0, 92.0),
];

/// Straight pieces of the scale.
pub const STOPS: usize = SEQUENTIAL.len() - 1;

/// Colour of a share in [0, 1] on the sequential scale, and the ink that is legible on it.
pub fn sequential(share: f64) -> (String, &'static str) {
    let position = share.clamp(0.0, 1.0) * (SEQUENTIAL.len() - 1) as f64;
    let below = (position.floor() as usize).min(SEQUENTIAL.len() - 2);
    let part = position - below as f64;
    let (a, b) = (SEQUENTIAL[below], SEQUENTIAL[below + 1]);
    let mix = |a: f64, b: f64| a + (b - a) * part;
    let (red, green, blue) = (mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2));
    let ground = luminance(red, green, blue);
    let dark = luminance(11.0, 13.0, 16.0);
    let ink = if contrast(ground, 1.0) > contrast(ground, dark) { "#ffffff" } else { "#0b0d10" };
    (format!("#{:02x}{:02x}{:02x}", red.round() as u8, green.round() as u8, blue.round() as u8), ink)
}

/// Relative luminance after WCAG 2.
fn luminance(red: f64, green: f64, blue: f64) -> f64 {
    let linear = |part: f64| {
        let part = part / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

fn contrast(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Marks by axis: colour (of Okabe and Ito's set, darkened where white paper asks for it), class and shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A filled circle.
    Circle,
    /// A triangle on its base.
    Triangle,
    /// A square.
    Square,
    /// A diamond.
    Diamond,
    /// A triangle on its tip.
    Down,
    /// A plus sign.
    Plus,
    /// A diagonal cross.
    Cross,
    /// A horizontal bar.
    Bar,
}

#[cfg(test)]
mod tests {
    use super::{SEQUENTIAL, contrast, luminance, sequential};

    #[test]
    fn lightness_rises_along_the_scale_and_ink_is_legible_everywhere() {
        let light: Vec<f64> = SEQUENTIAL.iter().map(|colour| luminance(colour.0, colour.1, colour.2)).collect();
        assert!(light.windows(2).all(|pair| pair[0] < pair[1]), "{light:?}");
        for step in 0..=100 {
            let (colour, ink) = sequential(f64::from(step) / 100.0);
            let part = |from: usize| f64::from(u8::from_str_radix(&colour[from..from + 2], 16).unwrap());
            let ground = luminance(part(1), part(3), part(5));
            let ink = if ink == "#ffffff" { 1.0 } else { luminance(11.0, 13.0, 16.0) };
            assert!(contrast(ground, ink) >= 4.2, "{step}: {}", contrast(ground, ink));
        }
    }
}
