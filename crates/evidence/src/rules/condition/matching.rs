//! Whether a condition holds of a single fact.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Condition, FieldNames, FollowingFact};
use crate::counter::whole;
use crate::{Fact, SUM_OF};

/// Names of fields, each with the texts of which one must fit.
type Fields<'a> = Vec<(&'a str, Vec<Cow<'a, str>>)>;

/// A condition about single facts, its texts normalised: made once for all facts of a packet.
pub(super) struct Matcher<'a> {
    condition: &'a Condition,
    names: &'a FieldNames,
    is: Fields<'a>,
    is_not: Fields<'a>,
    ends: Fields<'a>,
    contains: Fields<'a>,
    without: Fields<'a>,
}

impl<'a> Matcher<'a> {
    pub(super) fn of(condition: &'a Condition, names: &'a FieldNames) -> Self {
        let Condition { is, is_not, ends, contains, without, .. } = condition;
        Self {
            condition,
            names,
            is: fields(is),
            is_not: fields(is_not),
            ends: fields(ends),
            contains: fields(contains),
            without: fields(without),
        }
    }

    pub(super) fn takes(&self, fact: &Fact) -> bool {
        let Condition { class, at_least, lacks, .. } = self.condition;
        let fits = |one, test| any_fits(fact, self.names, one, test);
        !fact.class.is_context()
            && !fact.class.is_opinion()
            && (class.is_empty() || class.contains(&fact.class))
            && self.is.iter().all(|one| fits(one, equals))
            && self.ends.iter().all(|one| fits(one, ends_with))
            && self.contains.iter().all(|one| fits(one, contains))
            && at_least.iter().all(|(name, least)| number(fact, self.names, name).is_some_and(|value| value >= *least))
            && !lacks.iter().any(|name| value(fact, self.names, name).is_some())
            && !self.is_not.iter().any(|one| fits(one, equals))
            && !self.without.iter().any(|one| fits(one, contains))
    }
}

/// What is known of a test over records that are only counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Holds,
    Fails,
    /// The records differ in the field.
    Open,
}

/// Names for the ports of a flow. What both sides say to one another goes to the port of a service and comes from it, so that one port in
/// which counted flows agree tells the service, and the other is a number of no meaning.
const PORTS: [&str; 2] = ["source_port", "destination_port"];

impl Matcher<'_> {
    /// See [`Condition::could_hold_of_counted`].
    pub(super) fn could_take_counted(&self, counted: &Fact, shown: &[&Fact]) -> bool {
        let tests = |fields: &Fields<'_>, test: fn(&str, &str) -> bool| -> Vec<Known> {
            fields.iter().map(|one| self.known(one, test, counted, shown)).collect()
        };
        let mut known =
            [tests(&self.is, equals), tests(&self.ends, ends_with), tests(&self.contains, contains)].concat();
        known.extend(self.condition.at_least.iter().map(|(name, least)| match number(counted, self.names, name) {
            Some(value) if value >= *least => Known::Holds,
            Some(_) => Known::Fails,
            None if amount(counted, self.names, name).is_some_and(|sum| sum < *least) => Known::Fails,
            None => self.open(name, counted, shown),
        }));
        known.extend(self.condition.distinct.iter().map(|distinct| {
            let differ = value(counted, self.names, &distinct.field).is_none()
                && shown.iter().any(|fact| value(fact, self.names, &distinct.field).is_some());
            if differ { Known::Open } else { Known::Holds }
        }));
        let spoken_against =
            |fields: &Fields<'_>, test| fields.iter().any(|one| any_fits(counted, self.names, one, test));
        known.contains(&Known::Open)
            && !known.contains(&Known::Fails)
            && !spoken_against(&self.is_not, equals)
            && !spoken_against(&self.without, contains)
    }

    fn known(
        &self,
        one: &(&str, Vec<Cow<'_, str>>),
        test: fn(&str, &str) -> bool,
        counted: &Fact,
        shown: &[&Fact],
    ) -> Known {
        let (name, _) = one;
        if any_fits(counted, self.names, one, test) {
            return Known::Holds;
        }
        if *name != "any" && value(counted, self.names, name).is_some() {
            return Known::Fails;
        }
        self.open(name, counted, shown)
    }

    /// Open if records that are shown have the field, or none is shown; else no record of the group has it.
    fn open(&self, name: &str, counted: &Fact, shown: &[&Fact]) -> Known {
        let tells_service = || PORTS.iter().any(|port| value(counted, self.names, port).is_some());
        // A rule that looks for a text in any attribute looks for words, and a number has none.
        let differs = |fact: &&Fact| {
            let is_word = |text: &str| text.bytes().any(|byte| byte.is_ascii_alphabetic());
            fact.attributes.iter().any(|(name, text)| !counted.attributes.contains_key(name) && is_word(text))
        };
        let is_open = match name {
            "any" => shown.iter().any(differs),
            port if PORTS.contains(&port) && tells_service() => false,
            name => shown.iter().any(|fact| value(fact, self.names, name).is_some()),
        };
        if is_open || shown.is_empty() { Known::Open } else { Known::Fails }
    }
}

/// Tests of the fact that follows.
pub(super) struct Follower<'a> {
    then: &'a FollowingFact,
    names: &'a FieldNames,
    is: Fields<'a>,
    contains: Fields<'a>,
}

impl<'a> Follower<'a> {
    pub(super) fn of(then: &'a FollowingFact, names: &'a FieldNames) -> Self {
        Self { then, names, is: fields(&then.is), contains: fields(&then.contains) }
    }

    pub(super) fn takes(&self, fact: &Fact) -> bool {
        let fits = |one, test| any_fits(fact, self.names, one, test);
        !fact.class.is_opinion()
            && self.then.class.contains(&fact.class)
            && self.is.iter().all(|one| fits(one, equals))
            && self.contains.iter().all(|one| fits(one, contains))
    }
}

/// A field as a whole number: that of the first attribute of the name that is one.
pub(super) fn number(fact: &Fact, names: &FieldNames, name: &str) -> Option<u64> {
    match names.get(name) {
        Some(attributes) => attributes.iter().find_map(|name| whole(fact.attributes.get(name)?)),
        None => whole(&fact.field(name)?),
    }
}

/// What a fact adds to the sum of a field: its number, or the sum over the records that it counts.
pub(super) fn amount(fact: &Fact, names: &FieldNames, name: &str) -> Option<u64> {
    if fact.aggregate.is_none() {
        return number(fact, names, name);
    }
    let own = [name.to_owned()];
    let attributes = names.get(name).map_or(own.as_slice(), Vec::as_slice);
    attributes.iter().find_map(|name| fact.attributes.get(&format!("{SUM_OF}{name}"))?.parse().ok())
}

/// The value of a field: that of the first attribute of the name that the fact has.
pub(super) fn value(fact: &Fact, names: &FieldNames, name: &str) -> Option<String> {
    match names.get(name) {
        Some(attributes) => attributes.iter().find_map(|name| fact.attributes.get(name).cloned()),
        None => fact.field(name),
    }
}

fn fields(fields: &BTreeMap<String, Vec<String>>) -> Fields<'_> {
    let texts = |texts: &'_ [String]| texts.iter().map(|text| Cow::Owned(normalised(text).into_owned())).collect();
    fields.iter().map(|(name, all)| (name.as_str(), texts(all))).collect()
}

/// Whether a value of a field passes the test with one of the texts.
fn any_fits(
    fact: &Fact,
    names: &FieldNames,
    (name, texts): &(&str, Vec<Cow<'_, str>>),
    test: fn(&str, &str) -> bool,
) -> bool {
    let fits = |value: &str| {
        let value = normalised(value);
        texts.iter().any(|text| test(&value, text))
            || without_marks(&value).is_some_and(|value| texts.iter().any(|text| test(&value, text)))
    };
    if *name == "any" {
        return fact.attributes.values().any(|value| fits(value));
    }
    match names.get(*name) {
        Some(attributes) => attributes.iter().filter_map(|name| fact.attributes.get(name)).any(|value| fits(value)),
        None => fact.field(name).is_some_and(|value| fits(&value)),
    }
}

fn equals(value: &str, text: &str) -> bool {
    value == text
}

fn ends_with(value: &str, text: &str) -> bool {
    value.ends_with(text)
}

/// Whether a value contains a text, in which `*` matches anything. The value counts as one between blanks.
fn contains(value: &str, text: &str) -> bool {
    if !text.contains('*') && !text.starts_with(' ') && !text.ends_with(' ') {
        return value.contains(text);
    }
    let padded = format!(" {value} ");
    let mut rest = padded.as_str();
    text.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// A text in small letters, each run of blanks as one; most texts of rules and many of facts are written so.
fn normalised(text: &str) -> Cow<'_, str> {
    let is_low = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase() && byte != b'\t');
    if is_low && !text.contains("  ") {
        return Cow::Borrowed(text);
    }
    let mut normal = String::with_capacity(text.len());
    for letter in text.chars().flat_map(char::to_lowercase) {
        let letter = if letter == '\t' { ' ' } else { letter };
        if letter != ' ' || !normal.ends_with(' ') {
            normal.push(letter);
        }
    }
    Cow::Owned(normal)
}

/// A text without the marks that shells take out of a command before they run it, such as `p^ower^shell` and `vssadmin "delete" shadows`.
/// `None` if it has none.
fn without_marks(text: &str) -> Option<String> {
    const MARKS: [char; 4] = ['^', '`', '"', '\''];
    text.contains(MARKS).then(|| text.replace(MARKS, ""))
}

#[cfg(test)]
mod tests {
    use super::{contains, normalised, without_marks};

    #[test]
    fn runs_of_blanks_count_as_one_and_letters_are_small() {
        assert_eq!(normalised("vssadmin  Delete\t shadows"), "vssadmin delete shadows");
        assert_eq!(normalised("a b"), "a b");
    }

    #[test]
    fn marks_of_shells_are_taken_out() {
        assert_eq!(without_marks("p^ow`er^shell -e 'abc'").as_deref(), Some("powershell -e abc"));
        assert_eq!(without_marks("powershell -e abc"), None);
    }

    #[test]
    fn an_asterisk_stands_for_anything_and_a_blank_for_an_edge() {
        assert!(contains("net user mallory secret /add", "net user * /add"));
        assert!(!contains("net user mallory", "net user * /add"));
        assert!(contains("nc -e /bin/sh", " nc -e"));
        assert!(!contains("rsync -e ssh", " nc -e"));
        assert!(contains("powershell.exe -e", "powershell* -e "));
        // Parts must follow one another, not overlap.
        assert!(!contains("abc", "ab*bc"));
    }
}
