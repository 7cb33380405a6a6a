//! Placeholders in the texts of steps.

use std::collections::BTreeMap;

use gimbal_core::seed::Rng;

/// What placeholders stand for in one record.
pub(super) struct Placeholders<'s> {
    pub index: u32,
    pub each: &'s BTreeMap<String, Vec<String>>,
}

impl Placeholders<'_> {
    /// The text with its placeholders replaced: `{i}` and `{i+5}` for the number of the record in its step, `{port}`, `{pid}`,
    /// `{hex6}` and so on, `{20-90}` for a number of a range, and the names of the step's lists. `{{` and `}}` are braces.
    ///
    /// # Errors
    /// A placeholder that is none of these.
    pub fn fill(&self, text: &str, rng: &mut Rng) -> Result<String, String> {
        if !text.contains(['{', '}']) {
            return Ok(text.to_owned());
        }
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            filled.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            let after = &rest[at + 1..];
            if let Some(after) = after.strip_prefix(brace) {
                filled.push_str(brace);
                rest = after;
                continue;
            }
            let (name, after) =
                after.split_once('}').ok_or_else(|| format!("`{text}`: a brace that does not close"))?;
            filled.push_str(&self.value(name, rng).ok_or_else(|| {
                format!("`{text}`: `{{{name}}}` is not a placeholder; known are i, i+N, port, pid, hexN, A-B and the lists of `each`")
            })?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn value(&self, name: &str, rng: &mut Rng) -> Option<String> {
        if let Some(values) = self.each.get(name).filter(|values| !values.is_empty()) {
            return values.get(self.index as usize % values.len()).cloned();
        }
        if let Some(plus) = name.strip_prefix("i+") {
            return plus.parse::<u32>().ok().map(|plus| (self.index + plus).to_string());
        }
        if let Some(digits) = name.strip_prefix("hex").and_then(|digits| digits.parse::<usize>().ok()) {
            return Some(
                (0..digits.min(64)).map(|_| char::from(b"0123456789abcdef"[rng.below(16) as usize])).collect(),
            );
        }
        match name {
            "i" => Some(self.index.to_string()),
            "port" => Some((49_152 + rng.below(16_000)).to_string()),
            "pid" => Some((600 + 4 * rng.below(7_000)).to_string()),
            _ => between(name, rng).map(|number| number.to_string()),
        }
    }
}

/// A number of a text such as `40` or `40-90`.
pub(super) fn number(text: &str, rng: &mut Rng) -> Result<u64, String> {
    text.trim()
        .parse()
        .ok()
        .or_else(|| between(text, rng))
        .ok_or_else(|| format!("`{text}` is not a number; expected one such as 40 or a range such as 40-90"))
}

fn between(text: &str, rng: &mut Rng) -> Option<u64> {
    let (least, most) = text.split_once('-')?;
    let (least, most): (u64, u64) = (least.trim().parse().ok()?, most.trim().parse().ok()?);
    let width = most.checked_sub(least)?.checked_add(1)?;
    Some(least + rng.below(width))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gimbal_core::seed::Rng;

    use super::{Placeholders, number};

    #[test]
    fn placeholders_are_filled_and_unknown_ones_are_told() {
        let each = BTreeMap::from([("user".to_owned(), vec!["ada".to_owned(), "bob".to_owned()])]);
        let values = Placeholders { index: 3, each: &each };
        let mut rng = Rng::stream(1, "text");
        assert_eq!(values.fill("{user} {i+1} {{x}} {7-7}", &mut rng).as_deref(), Ok("bob 4 {x} 7"));
        assert!(values.fill("{nobody}", &mut rng).unwrap_err().contains("nobody"));
        assert!(values.fill("{i", &mut rng).is_err());
        assert!((40..=90).contains(&number("40-90", &mut rng).unwrap()));
        assert!(number("90-40", &mut rng).is_err());
    }
}
