//! Prices: dated, sourced, exact.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use gimbal_core::{Usage, yaml};
use schemars::JsonSchema;
use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_saphyr::{Location, Spanned};

use crate::error::SetupError;

/// The price table that comes with the program.
const BUILTIN: &str = include_str!("../../../prices.yaml");

/// Tokens that a price is for.
const PER: u128 = 1_000_000;

/// Prices by model name. Money is held in micro-dollars (millionths of a US dollar), so that all sums are exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Prices", deny_unknown_fields)]
pub struct PriceTable {
    /// Day on which the table was last looked over, `YYYY-MM-DD`.
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    pub date: String,
    /// Prices by model name, e.g. `openai/gpt-4o-mini`.
    pub models: BTreeMap<String, Price>,
}

/// What a model costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Where the price was published.
    #[schemars(length(min = 1))]
    pub source: String,
    /// Day on which it was seen there, `YYYY-MM-DD`.
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    pub seen: String,
    /// Bands by size of the prompt, smallest bound first; the last one has no bound.
    #[schemars(length(min = 1))]
    pub bands: Vec<Band>,
}

/// Prices for prompts up to a size. In micro-dollars for a million tokens: 2500000 is $2.50 for a million.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// Largest number of input tokens of a call in this band, cached ones included; none in the last band.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<u64>,
    /// Input tokens that were not cached.
    #[serde(deserialize_with = "money")]
    pub input: u64,
    /// Input tokens that the provider had cached; the price of other input where none is published.
    #[serde(default, deserialize_with = "some_money", skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Output tokens, reasoning included.
    #[serde(deserialize_with = "money")]
    pub output: u64,
}

/// Reads a price; errors name its unit, because dollars are the likely mistake.
fn money<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    struct Reader;
    impl Visitor<'_> for Reader {
        type Value = u64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number of micro-dollars for a million tokens (2500000 is $2.50)")
        }

        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<u64, E> {
            Ok(number)
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<u64, E> {
            u64::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
        }
    }
    deserializer.deserialize_any(Reader)
}

fn some_money<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    money(deserializer).map(Some)
}

impl Price {
    /// The price of models of our own: nothing.
    #[must_use]
    pub fn free() -> Self {
        Self {
            source: "computed on this machine".to_owned(),
            seen: String::new(),
            bands: vec![Band { up_to: None, input: 0, cached: Some(0), output: 0 }],
        }
    }

    /// Whether calls cost nothing.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.bands
            .iter()
            .all(|band| band.input == 0 && band.output == 0 && band.cached.is_none_or(|cached| cached == 0))
    }

    /// What a call costs, in micro-dollars, rounded up; 0 for usage that is missing: its cost is unknown.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> u64 {
        self.cost_exact(usage).div_ceil(PER).try_into().unwrap_or(u64::MAX)
    }

    /// What a call costs in millionths of a micro-dollar, exactly: for sums over many calls.
    #[must_use]
    pub fn cost_exact(&self, usage: &Usage) -> u128 {
        let fits = |band: &&Band| band.up_to.is_none_or(|bound| usage.input <= bound);
        let Some(band) = self.bands.iter().find(fits).or_else(|| self.bands.last()) else { return 0 };
        let cached = usage.cached_input.min(usage.input);
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        part(usage.input - cached, band.input)
            .saturating_add(part(cached, band.cached.unwrap_or(band.input)))
            .saturating_add(part(usage.output, band.output))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    date: Spanned<String>,
    models: BTreeMap<String, Spanned<Price>>,
}

impl PriceTable {
    /// Reads a table; `origin` is named in errors.
    ///
    /// # Errors
    /// [`SetupError::Prices`] with line and column.
    pub fn parse(text: &str, origin: &str) -> Result<Self, SetupError> {
        let fail =
            |at: Location, why: &str| SetupError::Prices(format!("{origin}:{}:{}: {why}", at.line(), at.column()));
        let file: TableFile = yaml::read(text, origin).map_err(|error| SetupError::Prices(error.to_string()))?;
        if !is_date(&file.date.value) {
            return Err(fail(file.date.referenced, "`date` must be written YYYY-MM-DD"));
        }
        let mut models = BTreeMap::new();
        for (name, price) in file.models {
            check(&price.value).map_err(|why| fail(price.referenced, &format!("price of `{name}`: {why}")))?;
            models.insert(name, price.value);
        }
        Ok(Self { date: file.date.value, models })
    }

    /// The price of a model; `None` if the table does not hold it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Price> {
        self.models.get(name)
    }

    /// JSON Schema of price tables, for editors.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(PriceTable).to_value()
    }
}

impl Default for PriceTable {
    /// The table that comes with the program, read once.
    fn default() -> Self {
        static READ: LazyLock<PriceTable> = LazyLock::new(|| {
            // A test reads the built-in table, so that it cannot be broken in a release.
            PriceTable::parse(BUILTIN, "built-in price table")
                .unwrap_or_else(|_| PriceTable { date: String::new(), models: BTreeMap::new() })
        });
        READ.clone()
    }
}

fn check(price: &Price) -> Result<(), String> {
    if !is_date(&price.seen) {
        return Err("`seen` must be written YYYY-MM-DD".to_owned());
    }
    if price.source.trim().is_empty() {
        return Err("`source` must name where the price was published".to_owned());
    }
    let Some((last, others)) = price.bands.split_last() else {
        return Err("`bands` needs at least one band".to_owned());
    };
    if last.up_to.is_some() {
        return Err("the last band must have no `up_to`, so that every prompt has a price".to_owned());
    }
    let bounds: Vec<Option<u64>> = others.iter().map(|band| band.up_to).collect();
    if bounds.contains(&None) || !bounds.is_sorted_by(|left, right| left < right) {
        return Err("every band but the last needs an `up_to`, each larger than the one before".to_owned());
    }
    Ok(())
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Usage, UsageSource};

    use super::{BUILTIN, PriceTable};

    const TABLE: &str = "
date: 2026-01-02
models:
  a/banded:
    source: https://example.org/prices
    seen: 2026-01-01
    bands:
      - { up_to: 200000, input: 1250000, cached: 310000, output: 10000000 }
      - { input: 2500000, output: 15000000 }
";

    fn usage(input: u64, cached_input: u64, output: u64) -> Usage {
        Usage { input, cached_input, output, reasoning: 0, source: UsageSource::Reported }
    }

    // covers: SH-01
    #[test]
    fn costs_are_exact_and_banded() {
        let table = PriceTable::parse(TABLE, "prices.yaml").unwrap();
        let price = table.get("a/banded").unwrap();
        // 900 x 1.25 + 100 x 0.31 + 10 x 10 micro-dollars.
        assert_eq!(price.cost(&usage(1000, 100, 10)), 1125 + 31 + 100);
        assert_eq!(price.cost(&usage(1, 0, 0)), 2, "1.25 micro-dollars are rounded up");
        assert_eq!(price.cost_exact(&usage(1, 0, 0)), 1_250_000);
        assert_eq!(price.cost(&usage(200_000, 0, 0)), 250_000);
        assert_eq!(price.cost(&usage(200_001, 0, 0)), 500_003);
        // The upper band publishes no price for cached tokens.
        assert_eq!(price.cost(&usage(400_000, 400_000, 0)), 1_000_000);
        assert_eq!(price.cost(&Usage::default()), 0);
        assert_eq!(price.cost(&usage(u64::MAX, 0, u64::MAX)), u64::MAX);
        assert!(table.get("a/unknown").is_none());
    }

    #[test]
    fn the_built_in_table_is_sound() {
        let table = PriceTable::parse(BUILTIN, "prices.yaml").unwrap();
        assert_eq!(table, PriceTable::default());
        assert!(!table.models.is_empty());
        for (name, price) in &table.models {
            assert!(price.source.starts_with("https://"), "{name}");
            assert!(crate::name::ModelName::parse(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn every_model_of_the_shipped_protocol_has_a_price() {
        let table = PriceTable::default();
        let study = include_str!("../../../studies/bog.yaml");
        let named = study.lines().filter_map(|line| line.trim().strip_prefix("- default: { model: "));
        let models: Vec<&str> = named.filter_map(|rest| rest.split(',').next()).collect();
        assert_eq!(models.len(), 6);
        for model in models {
            assert!(table.get(model).is_some(), "{model}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (from, to, line, part) in [
            ("seen: 2026-01-01", "seen: yesterday", 5, "`seen`"),
            ("2026-01-02", "soon", 2, "`date`"),
            ("input: 2500000,", "up_to: 5, input: 1,", 5, "last band"),
            ("up_to: 200000, ", "", 5, "up_to"),
            ("output: 15000000", "ouput: 15000000", 9, "did you mean `output`"),
            ("input: 1250000", "input: 1.25", 8, "micro-dollars"),
        ] {
            let message = PriceTable::parse(&TABLE.replacen(from, to, 1), "prices.yaml").unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("prices.yaml:{line}:")) && message.contains(part),
                "{part}: {message}"
            );
        }
    }

    #[test]
    fn the_schema_is_recorded() {
        insta::assert_json_snapshot!(PriceTable::schema());
    }
}
