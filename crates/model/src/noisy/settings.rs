//! How much an answer is spoilt.

use serde_json::{Value, json};

/// Probabilities are held in millionths, so that names, keys and draws are exact.
pub const ONE: u32 = 1_000_000;

/// Settings of the noisy expert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Noise {
    /// Probability of the correct answer, in millionths.
    pub competent: u32,
    /// Probability of an answer without the right form, in millionths.
    pub malformed: u32,
    /// Probability that a stated confidence is raised, in millionths.
    pub overconfident: u32,
}

impl Noise {
    /// Reads `<p>[,malformed=<q>][,overconfident=<r>]`.
    ///
    /// # Errors
    /// What is wrong, as half a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let mut noise =
            Self { competent: probability(parts.next().unwrap_or_default())?, malformed: 0, overconfident: 0 };
        let mut seen: Vec<&str> = Vec::new();
        for part in parts {
            let Some((key, value)) = part.split_once('=') else {
                return Err(format!("`{part}` is not written as key=probability"));
            };
            if seen.contains(&key) {
                return Err(format!("`{key}` is given twice"));
            }
            seen.push(key);
            match key {
                "malformed" => noise.malformed = probability(value)?,
                "overconfident" => noise.overconfident = probability(value)?,
                _ => {
                    let hint = gimbal_core::nearest::hint(key, ["malformed", "overconfident"]);
                    return Err(format!("there is no setting `{key}`{hint} (known: malformed, overconfident)"));
                }
            }
        }
        Ok(noise)
    }

    /// What goes into the episode key.
    #[must_use]
    pub fn identity(&self) -> Value {
        json!({ "competent": self.competent, "malformed": self.malformed, "overconfident": self.overconfident })
    }
}

/// A decimal from 0 to 1 with at most six digits after the point, in millionths.
fn probability(text: &str) -> Result<u32, String> {
    let wrong =
        || format!("`{text}` is not a probability: a decimal from 0 to 1 with at most six digits after the point");
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 6 || whole.len() > 1 {
        return Err(wrong());
    }
    let value = format!("{whole}{fraction:0<6}").parse::<u32>().map_err(|_| wrong())?;
    if value > ONE { Err(wrong()) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::Noise;

    #[test]
    fn reads_exactly() {
        let noise = Noise::parse("0.9,malformed=0.02,overconfident=1").unwrap();
        assert_eq!((noise.competent, noise.malformed, noise.overconfident), (900_000, 20_000, 1_000_000));
        assert_eq!(Noise::parse("1.0").unwrap(), Noise { competent: 1_000_000, malformed: 0, overconfident: 0 });
        for bad in
            ["", ".5", "1.1", "-0.1", "0.1234567", "nan", "0.5,malfromed=0", "0.5,malformed=0,malformed=0", "0.5,x"]
        {
            assert!(Noise::parse(bad).is_err(), "{bad}");
        }
        assert!(Noise::parse("0.5,malfromed=0").unwrap_err().contains("did you mean `malformed`"));
    }
}
