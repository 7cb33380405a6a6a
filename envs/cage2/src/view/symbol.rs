//! Members of enumerations.

/// A member of one of CybORG's enumerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The enumeration.
    pub class: &'static str,
    /// The member.
    pub name: &'static str,
    /// Its number; 0 where CybORG's own text is never asked for (red's process types).
    pub value: u8,
}

impl Symbol {
    /// A member.
    #[must_use]
    pub const fn new(class: &'static str, name: &'static str, value: u8) -> Self {
        Self { class, name, value }
    }
}
