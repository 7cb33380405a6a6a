//! What facts are about: hosts, accounts, processes and so on, each with a name.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::text::as_text;

/// Longest name of an entity, in bytes.
pub const MAX_NAME: usize = 512;

/// What an entity is: the nodes of the evidence graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// A machine, by name.
    Host,
    /// A user or service account.
    Account,
    /// A process, by image and number.
    Process,
    /// A file or folder.
    File,
    /// A network address, with a port where the fact is about one.
    Address,
    /// A service of an operating system.
    Service,
    /// A scheduled task.
    Task,
    /// A logon or login session.
    Session,
}

impl EntityKind {
    /// All kinds.
    pub const ALL: [Self; 8] =
        [Self::Host, Self::Account, Self::Process, Self::File, Self::Address, Self::Service, Self::Task, Self::Session];

    /// The word in packets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Account => "account",
            Self::Process => "process",
            Self::File => "file",
            Self::Address => "address",
            Self::Service => "service",
            Self::Task => "task",
            Self::Session => "session",
        }
    }
}

/// Something that a fact is about. Written `kind:name`, such as `host:ws01`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity {
    kind: EntityKind,
    name: String,
}

/// A text that names no entity.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` names no entity: expected KIND:NAME, with KIND one of host, account, process, file, address, service, task, \
     session and a name of 1 to 512 bytes without control characters"
)]
pub struct NotAnEntity(pub String);

impl Entity {
    /// An entity, if the name has 1 to 512 bytes and no control character.
    ///
    /// # Errors
    /// [`NotAnEntity`] otherwise.
    pub fn new(kind: EntityKind, name: impl Into<String>) -> Result<Self, NotAnEntity> {
        let name = name.into();
        if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(NotAnEntity(format!("{}:{name}", kind.name())));
        }
        Ok(Self { kind, name })
    }

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> EntityKind {
        self.kind
    }

    /// Its name, as observed.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), self.name)
    }
}

impl FromStr for Entity {
    type Err = NotAnEntity;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotAnEntity(text.to_owned());
        let (kind, name) = text.split_once(':').ok_or_else(wrong)?;
        let kind = EntityKind::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(wrong)?;
        Self::new(kind, name).map_err(|_| wrong())
    }
}

as_text!(Entity);

#[cfg(test)]
mod tests {
    use super::{Entity, EntityKind};

    #[test]
    fn entities_are_read_as_they_are_written() {
        let address = Entity::new(EntityKind::Address, "2001:db8::1").unwrap();
        assert_eq!(address.to_string(), "address:2001:db8::1");
        assert_eq!(address.to_string().parse(), Ok(address));
        for text in ["", "host", "host:", "planet:mars", "host:a\nb"] {
            assert!(text.parse::<Entity>().is_err(), "{text}");
        }
        assert!(Entity::new(EntityKind::File, "x".repeat(513)).is_err());
    }
}
