//! Which records the log source of a rule means, and what rules call their fields. The tables are data: `data/windows.yaml`.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::yaml::{YamlError, read};
use serde::Deserialize;
use thiserror::Error;

use crate::{LogSource, Record};

/// The tables of Windows events.
const WINDOWS: &str = include_str!("../data/windows.yaml");
const PLACE: &str = "crates/sigma/data/windows.yaml";

/// Tables of log sources and of names of fields.
#[derive(Clone, Debug)]
pub struct Tables {
    product: String,
    categories: BTreeMap<String, Gate>,
    services: BTreeMap<String, Gate>,
    maps: Vec<Map>,
    without_spaces: BTreeSet<String>,
}

/// Tables that do not hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TablesError {
    /// They are not in their form.
    #[error(transparent)]
    Form(#[from] YamlError),
    /// A category names a channel that the table does not have.
    #[error("{place}: category `{category}`: there is no channel `{channel}`; add it under `channels`")]
    Channel {
        /// The file.
        place: String,
        /// The category.
        category: String,
        /// The name.
        channel: String,
    },
    /// A map is for a category that the table does not have.
    #[error("{place}: a map is for category `{category}`, which is not under `categories`")]
    Category {
        /// The file.
        place: String,
        /// The category.
        category: String,
    },
}

/// The form of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "sources")]
    _sources: Vec<String>,
    product: String,
    channels: BTreeMap<String, Vec<String>>,
    categories: BTreeMap<String, BTreeMap<String, BTreeSet<u32>>>,
    services: BTreeMap<String, Vec<String>>,
    maps: Vec<Map>,
    without_spaces: BTreeSet<String>,
}

/// Events that are read as those of another category too.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Map {
    category: String,
    channel: String,
    event: u32,
    fields: BTreeMap<String, String>,
}

/// The records that a log source means: by channel, some events or all.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gate {
    channels: BTreeMap<String, Option<BTreeSet<u32>>>,
}

impl Gate {
    fn all(channels: impl IntoIterator<Item = String>) -> Self {
        Self { channels: channels.into_iter().map(|channel| (channel, None)).collect() }
    }

    fn add(&mut self, channel: &str, event: u32) {
        if let Some(events) = self.channels.entry(channel.to_owned()).or_insert_with(|| Some(BTreeSet::new())) {
            events.insert(event);
        }
    }

    /// Whether it lets a record through.
    #[must_use]
    pub fn takes(&self, record: &Record) -> bool {
        match self.channels.get(record.channel()) {
            None => false,
            Some(None) => true,
            Some(Some(events)) => record.event().is_some_and(|event| events.contains(&event)),
        }
    }

    /// The channels that it knows.
    pub fn channels(&self) -> impl Iterator<Item = &str> {
        self.channels.keys().map(String::as_str)
    }
}

impl Tables {
    /// The tables of Windows events that the program carries.
    ///
    /// # Errors
    /// Never, as a test shows.
    pub fn windows() -> Result<Self, TablesError> {
        Self::read(WINDOWS, PLACE)
    }

    /// Reads tables; `place` names the file in messages.
    ///
    /// # Errors
    /// When they are not in their form, or name a channel or a category that they do not have.
    pub fn read(text: &str, place: &str) -> Result<Self, TablesError> {
        let file: File = read(text, place)?;
        let mut categories = BTreeMap::new();
        for (category, events) in &file.categories {
            let mut gate = Gate::default();
            for (short, numbers) in events {
                let channels = file.channels.get(short).ok_or_else(|| TablesError::Channel {
                    place: place.to_owned(),
                    category: category.clone(),
                    channel: short.clone(),
                })?;
                for channel in channels {
                    numbers.iter().for_each(|number| gate.add(channel, *number));
                }
            }
            categories.insert(category.clone(), gate);
        }
        for map in &file.maps {
            let gate = categories
                .get_mut(&map.category)
                .ok_or_else(|| TablesError::Category { place: place.to_owned(), category: map.category.clone() })?;
            gate.add(&map.channel, map.event);
        }
        let services = file.services.into_iter().map(|(service, channels)| (service, Gate::all(channels))).collect();
        Ok(Self { product: file.product, categories, services, maps: file.maps, without_spaces: file.without_spaces })
    }

    /// The same tables, with no event read as one of another category.
    #[must_use]
    pub fn without_maps(mut self) -> Self {
        for map in std::mem::take(&mut self.maps) {
            if let Some(gate) = self.categories.get_mut(&map.category)
                && let Some(Some(events)) = gate.channels.get_mut(&map.channel)
            {
                events.remove(&map.event);
            }
        }
        self
    }

    /// The gate of a log source; `None` where no record that is read can be meant. A category decides alone where there is one.
    #[must_use]
    pub fn gate(&self, source: &LogSource) -> Option<&Gate> {
        if source.product.as_deref() != Some(self.product.as_str()) {
            return None;
        }
        match (&source.category, &source.service) {
            (Some(category), _) => self.categories.get(category),
            (None, Some(service)) => self.services.get(service),
            (None, None) => None,
        }
    }

    /// Adds the names that rules have for the fields of a record, beside those that it has.
    pub fn rename(&self, record: &mut Record) {
        // A name that was added can be one that another name is added for.
        loop {
            let before = record.fields().count();
            self.add_names(record);
            if record.fields().count() == before {
                return;
            }
        }
    }

    fn add_names(&self, record: &mut Record) {
        if self.without_spaces.contains(record.channel()) {
            let spaced: Vec<(String, String)> = record
                .fields()
                .filter(|(name, _)| name.contains(' '))
                .map(|(name, value)| (name.replace(' ', ""), value.to_owned()))
                .collect();
            spaced.iter().for_each(|(name, value)| record.set_missing(name, value));
        }
        for map in &self.maps {
            if map.channel != record.channel() || Some(map.event) != record.event() {
                continue;
            }
            for (from, to) in &map.fields {
                if let Some(value) = record.get(from).map(str::to_owned) {
                    record.set_missing(to, &value);
                }
            }
        }
    }
}
