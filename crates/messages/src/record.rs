//! Records: one type for each kind, written through the stage and read from stored data.

use async_trait::async_trait;
use gimbal_core::record::{RecordError, RecordKind, StoryMemory};
use gimbal_core::{LaneId, Stage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What a controller or an engine writes to the journal about itself.
///
/// The members of the type are the keys of the stored JSON: a member that is renamed in one place does not compile in the
/// other. Stored keys and kinds never change; a member that some writers leave out is an `Option`.
pub trait Record: Serialize + DeserializeOwned + Send + Sync {
    /// Name of the kind in the journal.
    const KIND: &'static str;
    /// Whether it is about what was done before it: the step that is over, or the whole episode.
    const IS_BEHIND: bool = false;
    /// Whether its words leave things out: a story with whole texts shows the record as it is stored.
    const IS_SHORT: bool = false;

    /// The data as the journal keeps them.
    fn data(&self) -> Value {
        // Records hold texts, numbers and lists: nothing in them can fail to become JSON.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The record as a person reads it in the story of an episode (`gimbal trace`); empty where the lines around it say the same. Without words
    /// of its own a kind is shown as it is stored.
    fn told(&self, _memory: &mut StoryMemory) -> Option<String> {
        None
    }

    /// Reads stored data.
    ///
    /// # Errors
    /// The key at which the data differ from the form, what was found and what was expected.
    fn read(data: &str) -> Result<Self, RecordError> {
        read_as(Self::KIND, data)
    }
}

/// Reads stored data of a kind; `kind` is what an error calls them.
pub(crate) fn read_as<T: DeserializeOwned>(kind: &'static str, data: &str) -> Result<T, RecordError> {
    let mut json = serde_json::Deserializer::from_str(data);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        RecordError { kind, key: if path == "." { String::new() } else { path }, why: error.inner().to_string() }
    })?;
    json.end().map_err(|error| RecordError { kind, key: String::new(), why: error.to_string() })?;
    Ok(read)
}

/// The kind of a record, for a list of kinds.
#[must_use]
pub const fn kind<R: Record>() -> RecordKind {
    RecordKind {
        name: R::KIND,
        check: |data| R::read(data).map(|_| ()),
        tell: |data, memory| R::read(data).map(|record| record.told(memory)),
        is_short: R::IS_SHORT,
        is_behind: R::IS_BEHIND,
    }
}

/// Typed writing through the stage.
#[async_trait]
pub trait StageExt {
    /// Writes a record to the journal.
    async fn record<R: Record>(&self, lane: LaneId, record: &R);
}

#[async_trait]
impl<S: Stage + ?Sized> StageExt for S {
    async fn record<R: Record>(&self, lane: LaneId, record: &R) {
        self.note(lane, R::KIND, record.data()).await;
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::record::{RecordError, RecordKinds, StoryMemory};
    use serde::{Deserialize, Serialize};

    use super::{Record, kind};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Weighed {
        object: Object,
        scale: String,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Object {
        grams: u32,
    }

    impl Record for Weighed {
        const KIND: &'static str = "weighed";

        fn told(&self, memory: &mut StoryMemory) -> Option<String> {
            let before = memory.get("weighed").map(|before| format!(", {before} before")).unwrap_or_default();
            let words = format!("{} grams{before}", self.object.grams);
            memory.keep("weighed", self.object.grams.to_string());
            Some(words)
        }
    }

    #[test]
    fn a_record_that_does_not_read_names_its_key() {
        let error = Weighed::read(r#"{"object":{"grams":"7"},"scale":"left"}"#).unwrap_err();
        assert_eq!((error.kind, error.key.as_str()), ("weighed", "object.grams"));
        assert!(error.why.contains("expected u32"), "{error}");
        let error = Weighed::read(r#"{"object":{"grams":7}}"#).unwrap_err();
        assert!(error.to_string().contains("missing field `scale`"), "{error}");
        assert!(Weighed::read(r#"{"object":{"grams":7},"scale":"left"} and more"#).is_err());
        assert!(Weighed::read("no JSON").is_err());
    }

    #[test]
    fn known_kinds_are_checked_and_others_left_alone() {
        let kinds = RecordKinds::new([kind::<Weighed>(), kind::<Weighed>()]);
        assert_eq!(kinds.check("weighed", r#"{"object":{"grams":7},"scale":"left"}"#), Ok(()));
        assert!(matches!(kinds.check("weighed", "{}"), Err(RecordError { kind: "weighed", .. })));
        assert_eq!(kinds.check("counted", "{}"), Ok(()));
    }

    #[test]
    fn a_record_is_told_in_its_own_words_which_may_depend_on_earlier_ones() {
        let kinds = RecordKinds::new([kind::<Weighed>()]);
        let mut memory = StoryMemory::default();
        let mut tell = |data: &str| kinds.tell("weighed", data, &mut memory);
        assert_eq!(tell(r#"{"object":{"grams":7},"scale":"left"}"#), Ok(Some("7 grams".to_owned())));
        assert_eq!(tell(r#"{"object":{"grams":9},"scale":"left"}"#), Ok(Some("9 grams, 7 before".to_owned())));
        assert!(tell("{}").is_err(), "a known kind that does not read is an error");
        assert_eq!(kinds.tell("counted", "{}", &mut StoryMemory::default()), Ok(None));
    }
}
