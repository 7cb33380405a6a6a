//! Numbers of messages, for `deserialize_with`: JSON has one kind of number, so that a share may be written `1` and a whole number `4.0`.

use gimbal_core::Milli;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Number;

/// A number in thousandths.
///
/// # Errors
/// When it is not a number.
pub fn milli<'de, D: Deserializer<'de>>(from: D) -> Result<Milli, D::Error> {
    f64::deserialize(from).map(Milli::from_f64)
}

/// A number in thousandths, or `null`. With `default`, it may be missing.
///
/// # Errors
/// When it is neither.
pub fn milli_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Milli>, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.map(Milli::from_f64))
}

/// A whole number, as JSON Schema understands `integer`; one that is beyond the bounds of the type is the nearest bound.
///
/// # Errors
/// When it is not a whole number.
pub fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    of(&Number::deserialize(from)?)
}

/// A whole number, or `null`. With `default`, it may be missing.
///
/// # Errors
/// When it is neither.
pub fn whole_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    Option::<Number>::deserialize(from)?.as_ref().map(of).transpose()
}

fn of<E: Error>(number: &Number) -> Result<i64, E> {
    if let Some(whole) = number.as_i64() {
        return Ok(whole);
    }
    match number.as_f64() {
        Some(number) if number.fract() == 0.0 => Ok(number as i64),
        _ => Err(E::custom(format!("found the number {number}, expected a whole number"))),
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::Milli;
    use serde::Deserialize;
    use serde_json::{Value, json};

    #[derive(Debug, PartialEq, Deserialize)]
    struct Numbers {
        #[serde(deserialize_with = "super::milli")]
        share: Milli,
        #[serde(default, deserialize_with = "super::milli_or_none")]
        until: Option<Milli>,
        #[serde(deserialize_with = "super::whole")]
        count: i64,
        #[serde(default, deserialize_with = "super::whole_or_none")]
        deadline: Option<i64>,
    }

    fn read(value: Value) -> Result<Numbers, String> {
        crate::typed(value)
    }

    #[test]
    fn numbers_read_as_schemas_understand_them() {
        let few = Numbers { share: Milli(1000), until: None, count: 4, deadline: None };
        assert_eq!(read(json!({ "share": 1, "count": 4.0, "deadline": null })), Ok(few));
        let all = Numbers { share: Milli(125), until: Some(Milli(9500)), count: i64::MIN, deadline: Some(i64::MAX) };
        assert_eq!(read(json!({ "share": 0.125, "until": 9.5, "count": -1e300, "deadline": u64::MAX })), Ok(all));
        let half = read(json!({ "share": 0.5, "count": 2.5 })).unwrap_err();
        assert_eq!(half, "/count: found the number 2.5, expected a whole number");
        assert!(read(json!({ "share": "0.5", "count": 2 })).is_err());
        assert!(read(json!({ "count": 2 })).is_err());
    }
}
