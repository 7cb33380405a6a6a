//! Rows of flows in text: which column holds what, by the names that tools give their columns.

use std::net::IpAddr;

use super::super::direction::direction;
use super::super::fill::{Name, machine, put, put_some};
use super::super::run::Run;
use super::super::{AttributeValue, Details, Issue, IssueKind, Observed, clock};
use super::address::{action, protocol};
use crate::counter::whole;
use crate::{Class, NewFact, Utc};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Start,
    End,
    Source,
    SourcePort,
    Target,
    TargetPort,
    Protocol,
    Bytes,
    /// What someone thinks of the row. It is not an observation, and would give the verdict away.
    Label,
}

/// The role of a column by its name, without regard to case, blanks, dots and underscores.
pub(super) fn role(name: &str) -> Option<Role> {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect();
    Some(match plain.as_str() {
        "ts" | "start" | "starttime" | "first" | "firstseen" | "datefirstseen" | "timestamp" | "flowstart" => {
            Role::Start
        }
        "te" | "end" | "endtime" | "last" | "lastseen" | "datelastseen" | "flowend" => Role::End,
        "sa" | "src" | "srcaddr" | "srcip" | "srcipaddr" | "source" | "sourceaddress" | "sourceip" | "idorigh" => {
            Role::Source
        }
        "sp" | "sport" | "srcport" | "srcpt" | "sourceport" | "idorigp" => Role::SourcePort,
        "da" | "dst" | "dstaddr" | "dstip" | "dstipaddr" | "destination" | "destinationaddress" | "destinationip"
        | "idresph" => Role::Target,
        "dp" | "dport" | "dstport" | "dstpt" | "destinationport" | "idrespp" => Role::TargetPort,
        "pr" | "proto" | "protocol" => Role::Protocol,
        "ibyt" | "bytes" | "byt" | "srcbytes" | "origbytes" | "inbytes" => Role::Bytes,
        "label" | "labels" | "detailedlabel" | "class" | "attack" | "attackcat" => Role::Label,
        _ => return None,
    })
}

/// The columns of a table.
#[derive(Debug)]
pub(super) struct Columns {
    names: Vec<String>,
    is_label: Vec<bool>,
    start: Option<usize>,
    end: Option<usize>,
    source: usize,
    target: usize,
    protocol: Option<usize>,
    source_port: Option<usize>,
    target_port: Option<usize>,
    bytes: Option<usize>,
}

impl Columns {
    /// The columns of these names; `None` where no two of them are the addresses.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>) -> Option<Self> {
        let names: Vec<String> = names.map(|name| name.trim().trim_matches('"').to_owned()).collect();
        let roles: Vec<Option<Role>> = names.iter().map(|name| role(name)).collect();
        let of = |wanted| roles.iter().position(|role| *role == Some(wanted));
        Some(Self {
            start: of(Role::Start),
            end: of(Role::End),
            source: of(Role::Source)?,
            target: of(Role::Target)?,
            protocol: of(Role::Protocol),
            source_port: of(Role::SourcePort),
            target_port: of(Role::TargetPort),
            bytes: of(Role::Bytes),
            is_label: roles.iter().map(|role| *role == Some(Role::Label)).collect(),
            names,
        })
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }
}

/// A row: its cells are pieces of its line.
pub(super) struct Row<'a> {
    pub line: u64,
    pub columns: &'a Columns,
    pub text: &'a str,
    pub cells: &'a [(usize, usize)],
    /// What the tool writes for a value that it does not have.
    pub unset: &'a str,
    /// The zone of times without one, in minutes east of UTC.
    pub zone_minutes: i16,
}

/// Cuts a line at a separator, into `cells` that are kept from line to line.
pub(super) fn cut(line: &str, separator: u8, cells: &mut Vec<(usize, usize)>) {
    cells.clear();
    let mut from = 0;
    for at in memchr::memchr_iter(separator, line.as_bytes()) {
        cells.push((from, at));
        from = at + 1;
    }
    cells.push((from, line.len()));
}

impl Row<'_> {
    fn cell(&self, index: usize) -> &str {
        let piece = self.cells.get(index).and_then(|(from, to)| self.text.get(*from..*to)).unwrap_or_default();
        // Nearly all cells begin and end with a plain character: nothing to trim, and no quotation marks.
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric();
        if !piece.as_bytes().first().is_some_and(is_plain) || !piece.as_bytes().last().is_some_and(is_plain) {
            let piece = piece.trim();
            let piece = piece.strip_prefix('"').and_then(|piece| piece.strip_suffix('"')).unwrap_or(piece);
            return if piece == self.unset { "" } else { piece };
        }
        if piece == self.unset { "" } else { piece }
    }

    fn time(&self, text: &str) -> Option<Utc> {
        clock::epoch(text).or_else(|| clock::date_time(text, self.zone_minutes))
    }

    /// Gives the fact of the row.
    pub fn observe(&self, run: &mut Run<'_>, raw: &[u8]) {
        let found = self.columns.start.map_or("", |index| self.cell(index));
        let start = self.time(found);
        if start.is_none() && !found.is_empty() {
            run.note(Issue::new(
                format!("line {}", self.line),
                IssueKind::Time,
                format!("`{found}` is not a time"),
                raw,
            ));
        }
        let number = self.columns.protocol.and_then(|index| protocol(self.cell(index)));
        let (source, target) = (machine(self.cell(self.columns.source)), machine(self.cell(self.columns.target)));
        run.parsed(1);
        give(run, number, source, target, start, raw, self);
    }
}

/// Gives the fact of a flow between two machines.
pub(super) fn give(
    run: &mut Run<'_>,
    protocol: Option<u8>,
    source: Name<'_>,
    target: Name<'_>,
    time: Option<Utc>,
    raw: &[u8],
    details: &dyn Details,
) {
    run.emit(&Observed {
        class: Class::Flow,
        action: action(protocol),
        actor: source.as_ref().map(|(kind, name)| (*kind, name.as_ref())),
        object: target.as_ref().map(|(kind, name)| (*kind, name.as_ref())),
        time,
        raw,
        details,
    });
}

/// Adds the direction of a flow between two addresses.
pub(super) fn put_direction(fact: &mut NewFact, source: &str, target: &str) {
    if let (Ok(source), Ok(target)) = (source.parse::<IpAddr>(), target.parse::<IpAddr>()) {
        put(fact, "direction", direction(source, target));
    }
}

impl Details for Row<'_> {
    fn place(&self) -> String {
        format!("line {}", self.line)
    }

    fn time_found(&self) -> String {
        self.columns.start.map_or("", |index| self.cell(index)).to_owned()
    }

    fn telling(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        for index in [self.columns.source_port, self.columns.target_port].into_iter().flatten() {
            if let Some(name) = self.columns.names.get(index) {
                each(name, AttributeValue::Text(self.cell(index)));
            }
        }
    }

    fn of_key(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        let (source, target) = (self.cell(self.columns.source), self.cell(self.columns.target));
        if let (Ok(source), Ok(target)) = (source.parse(), target.parse()) {
            each("direction", AttributeValue::Text(direction(source, target)));
        }
    }

    fn amount(&self) -> Option<(&str, u64)> {
        let index = self.columns.bytes?;
        Some((self.columns.names.get(index)?, whole(self.cell(index))?))
    }

    fn fill(&self, fact: &mut NewFact) {
        for (index, (name, is_label)) in self.columns.names.iter().zip(&self.columns.is_label).enumerate() {
            if !is_label {
                put_some(fact, name, self.cell(index));
            }
        }
        if let Some(end) = self.columns.end.and_then(|index| self.time(self.cell(index))) {
            put(fact, "ended", &end.to_string());
        }
        put_direction(fact, self.cell(self.columns.source), self.cell(self.columns.target));
    }
}

#[cfg(test)]
mod tests {
    use super::{Columns, Role, role};

    // covers: ARES-013
    #[test]
    fn columns_are_known_by_the_names_that_tools_give_them() {
        for name in ["id.orig_h", "id_orig_h", "SrcAddr", "sa", "Src IP Addr", "source_address"] {
            assert_eq!(role(name), Some(Role::Source), "{name}");
        }
        assert_eq!(role("detailedlabel"), Some(Role::Label));
        assert!(Columns::new(["ts", "proto"].into_iter()).is_none());
    }
}
