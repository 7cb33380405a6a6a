//! Messages as types: one struct for each contract, read from the value that came out of it, and held together with its schema by a test.

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Error as _, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use serde_json::Value;

/// Reads a message that follows its contract as its type. A message that does not read although it follows the contract is a fault of the
/// program: the type and the schema differ ([`fields`]). Whoever asked for it then treats it like one that does not follow the contract.
///
/// # Errors
/// The key at which the value differs from the type, what was found and what was expected.
///
/// # Examples
/// ```
/// #[derive(Debug, PartialEq, serde::Deserialize)]
/// struct Note {
///     text: String,
/// }
///
/// let note: Note = gimbal_messages::typed(serde_json::json!({ "text": "lit" }))?;
/// assert_eq!(note.text, "lit");
/// assert!(gimbal_messages::typed::<Note>(serde_json::json!({ "text": 1 })).is_err_and(|why| why.starts_with("/text: ")));
/// # Ok::<(), String>(())
/// ```
pub fn typed<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { "/".to_owned() } else { format!("/{path}") };
        format!("{place}: {}", error.inner())
    })
}

/// The names of the members that a struct reads, in the order of its fields; empty for a type that is not a struct. Tests compare them with
/// the properties of a schema.
#[must_use]
pub fn fields<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut probe = Probe(&[]);
    // The probe holds no value: what counts is what the type asked for.
    let _ = T::deserialize(&mut probe);
    probe.0
}

/// Notes which fields a type asks for, and gives none.
struct Probe(&'static [&'static str]);

impl<'de> Deserializer<'de> for &mut Probe {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("not a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        self.0 = fields;
        Err(Error::custom("only the fields are asked for"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::fields;

    #[derive(Deserialize)]
    struct Reported {
        #[serde(rename = "layer_id")]
        layer: u32,
        #[serde(default)]
        seen: Vec<String>,
    }

    #[test]
    fn the_fields_of_a_struct_are_its_stored_names() {
        let read: Reported = super::typed(serde_json::json!({ "layer_id": 2 })).unwrap();
        assert!(read.layer == 2 && read.seen.is_empty());
        assert_eq!(fields::<Reported>(), ["layer_id", "seen"]);
        assert!(fields::<Vec<Reported>>().is_empty());
    }
}
