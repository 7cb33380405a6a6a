//! Records of the same class, action, actor and object, counted together. A group is made for almost every record of some sources, such as
//! flows between many pairs of addresses: it holds a key, a count, two times and a few hashes, and its fact is made at the end.

use std::collections::HashMap;

use gimbal_core::Digest;

use super::Observed;
use super::agreed::Agreed;
use super::fill::{about, put};
use crate::packet::NewFact;
use crate::{
    Aggregate, Class, Counter, Entity, EntityKind, Interval, SUM_OF, SourceClock, SourceId, Stamp, Utc, entity, merkle,
};

/// Most groups that are told apart; what comes after is one group, `other_groups`.
pub const MAX_GROUPS: usize = 65_536;

/// How an aggregate is computed.
const FORMULA: &str = "records with the same class, action, actor and object";
/// How the aggregate of what finds no place among the groups is computed.
const OTHER_FORMULA: &str = "records whose group is beyond the table of 65536 groups";
/// Most members that wait for their tree: groups as small as most are never counted in a fact, and their tree is then never made.
const MAX_WAITING: u64 = 8;

/// All groups of an extraction, at most [`MAX_GROUPS`], and one for the rest.
#[derive(Debug)]
pub(super) struct Groups {
    /// Groups with more members than this give a fact, and those with a member that was repeated.
    above: u64,
    /// The place of each group, by its key.
    places: HashMap<Box<[u8]>, u32>,
    groups: Vec<Group>,
    other: Group,
    /// The key of the last record; kept, so that a record of a known group allocates nothing.
    key: Vec<u8>,
    /// Where what a record says is put together; kept too.
    scratch: Vec<u8>,
}

/// Records of one class, action, actor and object.
#[derive(Debug)]
struct Group {
    times: Times,
    host: Shared,
    agreed: Agreed,
    /// The sum of an attribute, where every member has it.
    sum: Option<(Box<str>, u64)>,
    members: Members,
    /// Whether a member represents several records.
    has_repeated: bool,
}

/// The first and the last time of members, as long as all of them have times of one clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    /// No member yet.
    Nothing,
    /// All of one clock: UTC, or that of a source that names no year.
    Of(Interval),
    /// Some have no time, or times of another clock: nothing is known of all.
    Unknown,
}

impl Times {
    fn with(self, time: Option<Interval>) -> Self {
        match (self, time) {
            (Self::Nothing, Some(time)) => Self::Of(time),
            (Self::Of(known), Some(time)) if known.clock == time.clock => {
                Self::Of(Interval { first: known.first.min(time.first), last: known.last.max(time.last), ..known })
            }
            _ => Self::Unknown,
        }
    }
}

/// The host of members, as long as all of them have the same.
#[derive(Debug)]
enum Shared {
    /// No member yet.
    Nothing,
    /// All have this one.
    Host(Box<str>),
    /// Some have another one, or none.
    Different,
}

impl Shared {
    #[inline]
    fn add(&mut self, host: Option<&str>) {
        match (&*self, host) {
            (Self::Host(known), Some(host)) if **known == *host => {}
            (Self::Nothing, Some(host)) => *self = Self::Host(host.into()),
            (Self::Different, _) => {}
            _ => *self = Self::Different,
        }
    }
}

/// The members of a group.
#[derive(Debug)]
enum Members {
    /// So few that they need no tree yet.
    Waiting(Vec<Digest>),
    Tree(merkle::Frontier),
}

impl Groups {
    /// No groups yet. Those with more than `above` members will give a fact.
    pub fn new(above: u64) -> Self {
        Self {
            above,
            places: HashMap::new(),
            groups: Vec::new(),
            other: Group::new(),
            key: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Counts a record in its group, as often as it was repeated, and returns how many members the group has with the first of them.
    #[inline]
    pub fn count(&mut self, source: SourceId, time: Option<Utc>, leaf: Digest, observed: &Observed<'_>) -> u64 {
        let waiting = self.above.min(MAX_WAITING);
        let at = |at, clock| Interval { clock, first: at, last: at };
        let time = match time {
            Some(time) => Some(at(time, None)),
            None => observed.details.clock().map(|time| at(time, Some(source))),
        };
        write_key(&mut self.key, observed);
        // Most records are of a group that is there: one look, and nothing is made for them.
        if let Some(place) = self.places.get(self.key.as_slice())
            && let Some(group) = usize::try_from(*place).ok().and_then(|place| self.groups.get_mut(place))
        {
            return group.add(time, leaf, waiting, observed, &mut self.scratch);
        }
        if self.groups.len() >= MAX_GROUPS {
            return self.other.add(time, leaf, waiting, observed, &mut self.scratch);
        }
        let mut group = Group::new();
        let count = group.add(time, leaf, waiting, observed, &mut self.scratch);
        self.places.insert(self.key.as_slice().into(), u32::try_from(self.groups.len()).unwrap_or(u32::MAX));
        self.groups.push(group);
        count
    }

    /// The facts of the groups that have enough members, and of the rest where there is one; in no order.
    pub fn into_facts(self) -> impl Iterator<Item = NewFact> {
        let Self { above, places, groups, other, .. } = self;
        let mut keys: Vec<(u32, Box<[u8]>)> = places.into_iter().map(|(key, place)| (place, key)).collect();
        // The order in which they were met: facts that have equal places in a packet's order keep it.
        keys.sort_unstable_by_key(|(place, _)| *place);
        let counted = keys.into_iter().zip(groups).filter_map(move |((_, key), group)| {
            let like = (group.members.count() > above || group.has_repeated).then(|| read_key(&key))?;
            (!like.class.is_context()).then(|| group.fact(like, FORMULA))
        });
        let rest = (other.members.count() > 0)
            .then(|| other.fact(NewFact::new(Class::Other, "records of other groups"), OTHER_FORMULA));
        counted.chain(rest)
    }
}

/// Writes what a record is counted by: class, lengths and kinds, then the texts. Names that no entity can have are of any length, and
/// stand as their hash.
#[inline]
fn write_key(key: &mut Vec<u8>, observed: &Observed<'_>) {
    key.clear();
    key.push(observed.class as u8);
    write_text(key, observed.action.as_bytes());
    for named in [observed.actor, observed.object] {
        match named {
            None => key.push(NOBODY),
            Some((kind, name)) if name.len() <= entity::MAX_NAME => {
                key.push(kind as u8);
                write_text(key, name.as_bytes());
            }
            Some((kind, name)) => {
                key.push(TOO_LONG | kind as u8);
                key.extend_from_slice(&Digest::of(name.as_bytes()).0);
            }
        }
    }
}

/// Nobody, in the place of a kind.
const NOBODY: u8 = 0x7f;
/// Marks the kind of a name that is written as its hash.
const TOO_LONG: u8 = 0x80;

fn write_text(key: &mut Vec<u8>, text: &[u8]) {
    key.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    key.extend_from_slice(text);
}

/// The fact that all records of a key are like, without what is a record's own.
fn read_key(key: &[u8]) -> NewFact {
    let (class, mut rest) = key.split_first().map_or((Class::Other, key), |(class, rest)| {
        (Class::ALL.get(usize::from(*class)).copied().unwrap_or(Class::Other), rest)
    });
    let action = read_text(&mut rest).unwrap_or_default();
    let actor = read_entity(&mut rest);
    let object = read_entity(&mut rest);
    NewFact { actor, object, ..NewFact::new(class, action) }
}

/// An entity, unless its name breaks a rule: then the records of the group have it among their attributes, as found.
fn read_entity(rest: &mut &[u8]) -> Option<Entity> {
    let (kind, after) = rest.split_first()?;
    *rest = after;
    if kind & TOO_LONG != 0 {
        *rest = after.get(size_of::<Digest>()..).unwrap_or_default();
        return None;
    }
    let kind = EntityKind::ALL.get(usize::from(*kind))?;
    Entity::new(*kind, read_text(rest)?).ok()
}

fn read_text<'k>(rest: &mut &'k [u8]) -> Option<&'k str> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (text, after) = after.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    *rest = after;
    std::str::from_utf8(text).ok()
}

impl Group {
    const fn new() -> Self {
        Self {
            times: Times::Nothing,
            host: Shared::Nothing,
            agreed: Agreed::Nothing,
            sum: None,
            members: Members::Waiting(Vec::new()),
            has_repeated: false,
        }
    }

    /// Counts a member, and returns how many there were with the first time that it counts.
    #[inline]
    fn add(
        &mut self,
        time: Option<Interval>,
        leaf: Digest,
        waiting: u64,
        observed: &Observed<'_>,
        scratch: &mut Vec<u8>,
    ) -> u64 {
        self.times = self.times.with(time);
        if !matches!(self.host, Shared::Different) {
            self.host.add(observed.details.host().as_deref());
        }
        let times = observed.details.repeated();
        self.has_repeated |= times > 1;
        let is_first = matches!(self.agreed, Agreed::Nothing);
        self.agreed.add(observed.details, scratch);
        let amount = observed.details.amount().map(|(name, amount)| (name, amount.saturating_mul(times)));
        match (&mut self.sum, amount) {
            (sum @ None, Some((name, amount))) if is_first => *sum = Some((name.into(), amount)),
            (Some((known, sum)), Some((name, amount))) if **known == *name => *sum = sum.saturating_add(amount),
            (sum, _) => *sum = None,
        }
        (self.members.add(leaf, times, waiting) + 1).saturating_sub(times)
    }

    fn fact(self, like: NewFact, formula: &str) -> NewFact {
        let (utc, clock) = match self.times {
            Times::Of(Interval { clock: None, first, last }) => (Some((first, last)), None),
            Times::Of(Interval { clock: Some(source), first, last }) => {
                (None, Some(SourceClock { first, last, source }))
            }
            Times::Nothing | Times::Unknown => (None, None),
        };
        let aggregate = Aggregate {
            count: Counter(self.members.count()),
            first: utc.map(|(first, _)| first),
            formula: formula.to_owned(),
            last: utc.map(|(_, last)| last),
            root: self.members.root(),
        };
        let time = utc.map(|(utc, _)| Stamp { found: format!("first of {}", self.members.count()), utc });
        let mut fact = NewFact { aggregate: Some(aggregate), time, clock, ..like };
        if let Shared::Host(host) = &self.host {
            about(&mut fact, EntityKind::Host, host);
        }
        self.agreed.fill(&mut fact);
        if let Some((name, sum)) = &self.sum {
            put(&mut fact, &format!("{SUM_OF}{name}"), &sum.to_string());
        }
        fact
    }
}

impl Members {
    fn count(&self) -> u64 {
        match self {
            Self::Waiting(leaves) => leaves.len() as u64,
            Self::Tree(tree) => tree.size(),
        }
    }

    fn root(&self) -> Digest {
        match self {
            Self::Waiting(leaves) => merkle::root(leaves),
            Self::Tree(tree) => tree.root(),
        }
    }

    #[inline]
    fn add(&mut self, leaf: Digest, times: u64, waiting: u64) -> u64 {
        match self {
            Self::Waiting(leaves) if times == 1 && (leaves.len() as u64) < waiting => leaves.push(leaf),
            Self::Waiting(leaves) => {
                let mut tree = merkle::Frontier::default();
                leaves.iter().for_each(|leaf| tree.push(*leaf));
                tree.push_repeated(leaf, times);
                *self = Self::Tree(tree);
            }
            Self::Tree(tree) => tree.push_repeated(leaf, times),
        }
        self.count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Groups, read_key, write_key};
    use crate::extract::{Details, Observed};
    use crate::{Class, Entity, EntityKind, NewFact, SourceId, merkle};

    struct Nothing;

    impl Details for Nothing {
        fn place(&self) -> String {
            String::new()
        }

        fn time_found(&self) -> String {
            String::new()
        }

        fn fill(&self, _: &mut NewFact) {}
    }

    fn observed<'a>(action: &'a str, actor: Option<&'a str>, object: Option<&'a str>) -> Observed<'a> {
        let named = |name| (EntityKind::Session, name);
        let (actor, object) = (actor.map(named), object.map(named));
        Observed { class: Class::Damaged, action, actor, object, time: None, raw: b"", details: &Nothing }
    }

    #[test]
    fn kinds_and_classes_fit_into_the_bytes_of_a_key() {
        assert!(Class::ALL.len() <= 0x100 && EntityKind::ALL.len() < 0x7f);
        assert!(Class::ALL.iter().enumerate().all(|(index, class)| *class as usize == index));
        assert!(EntityKind::ALL.iter().enumerate().all(|(index, kind)| *kind as usize == index));
    }

    proptest! {
        #[test]
        fn a_key_reads_back_as_what_it_was_written_of(
            action in ".{0,20}", actor in proptest::option::of(".{0,8}"), object in proptest::option::of(".{0,600}"),
        ) {
            let mut key = Vec::new();
            write_key(&mut key, &observed(&action, actor.as_deref(), object.as_deref()));
            let like = read_key(&key);
            let entity = |name: Option<String>| name.and_then(|name| Entity::new(EntityKind::Session, name).ok());
            prop_assert_eq!((like.class, like.action), (Class::Damaged, action));
            prop_assert_eq!((like.actor, like.object), (entity(actor), entity(object)));
        }

        #[test]
        fn other_records_have_other_keys(
            one in (".{0,3}", proptest::option::of(".{0,3}"), proptest::option::of(".{0,3}")),
            two in (".{0,3}", proptest::option::of(".{0,3}"), proptest::option::of(".{0,3}")),
        ) {
            let key = |(action, actor, object): &(String, Option<String>, Option<String>)| {
                let mut key = Vec::new();
                write_key(&mut key, &observed(action, actor.as_deref(), object.as_deref()));
                key
            };
            prop_assert_eq!(key(&one) == key(&two), one == two);
        }

        /// Whether members wait or not, the fact of a group has their number and the root of their tree.
        #[test]
        fn the_root_of_a_group_is_that_of_its_members(number in 1_usize..40, above in 0_u64..12) {
            let mut groups = Groups::new(above);
            let leaves: Vec<_> = (0..number).map(|index| gimbal_core::chain::leaf(&index.to_be_bytes())).collect();
            for (index, leaf) in leaves.iter().enumerate() {
                let count = groups.count(SourceId::at(0), None, *leaf, &observed("x", Some("a"), None));
                prop_assert_eq!(count, index as u64 + 1);
            }
            let facts: Vec<NewFact> = groups.into_facts().collect();
            prop_assert_eq!(facts.len(), usize::from(number as u64 > above));
            for fact in facts {
                let aggregate = fact.aggregate.unwrap();
                prop_assert_eq!((aggregate.count.0, aggregate.root), (number as u64, merkle::root(&leaves)));
            }
        }
    }

    #[test]
    fn a_long_name_stands_as_its_hash_and_no_key_grows_with_the_data() {
        let mut key = Vec::new();
        let (long, longer) = ("x".repeat(1 << 20), "x".repeat((1 << 20) + 1));
        write_key(&mut key, &observed("x", Some(&long), None));
        assert!(key.len() < 100);
        let first = key.clone();
        write_key(&mut key, &observed("x", Some(&longer), None));
        assert_ne!(first, key);
    }
}
