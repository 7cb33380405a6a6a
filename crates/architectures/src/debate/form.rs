//! The forms of messages under constrained decoding: the predicates and the ids of one packet, so that a mask lets no made-up citation
//! through. What they let through follows the contracts, whose bounds they have: a prompt states one number for a list, masked or not.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use gimbal_evidence::claim::{Assertion, AssertionKind};
use gimbal_evidence::{Class, EntityKind, Fact, Packet, records};
use gimbal_messages::range::whole_numbers;
use gimbal_messages::{Form, Member, escape};
use serde_json::json;

/// Most assertions, and most facts of one.
pub(super) const BOUNDS: (usize, usize) = (6, 12);
/// Most changes of confidence: one for each assertion, and that of the side.
const CHANGES: usize = BOUNDS.0 + 1;
/// Longest text of a predicate, of an interpretation, and of an unknown, in characters.
pub(super) const TEXTS: (usize, usize, usize) = (80, 160, 120);
/// Longest name of a field that can be written: a value has room behind it.
const FIELD: usize = 32;
/// Largest number of records that can be written.
const RECORDS: u64 = 999_999;
/// Printable ASCII without what JSON must escape.
const SAFE: &str = r"[ !#-\[\]-~]";
/// The same with backslashes, as JSON writes them: names of Windows have them. And as a schema means them.
const NAME: [&str; 2] = [r"([ !#-\[\]-~]|\\\\)", r"[ !#-~]"];
/// What a value begins with: no blank, which a reading would take away.
const FIRST: [&str; 2] = [r"([!#-\[\]-~]|\\\\)", r"[!#-~]"];

/// The forms of positions over the packet of an episode, made when the first side is asked: they name every field of every fact, and each turn
/// asks for the same.
#[derive(Default)]
pub(super) struct Positions {
    plain: OnceLock<Form>,
    anchored: OnceLock<Form>,
}

impl Positions {
    /// The form over this packet, which is the same for all calls.
    pub(super) fn get(&self, packet: &Packet, anchored: bool) -> Form {
        let kept = if anchored { &self.anchored } else { &self.plain };
        kept.get_or_init(|| position(packet, anchored)).clone()
    }
}

/// The form of a position over a packet; with confidences of claims where it is `anchored`.
fn position(packet: &Packet, anchored: bool) -> Form {
    let (items, facts) = BOUNDS;
    let (_, interpretation, unknown) = TEXTS;
    let kinds = [AssertionKind::Assert, AssertionKind::Link, AssertionKind::Alt].map(AssertionKind::name);
    let cited = Form::array(&fact(packet), 1, facts);
    let mut members = vec![("kind", Form::word(&kinds)), ("predicate", predicate(packet)), ("facts", cited)];
    if anchored {
        members.push(("confidence", Form::share()));
    }
    members.push(("interpretation", Form::text(0, interpretation)));
    let assertion = Form::object(&members);
    let mut message =
        vec![needed("assertions", Form::array(&assertion, 0, items)), needed("confidence", Form::share())];
    if anchored {
        let claim = quoted("(overall|[AS][1-6])", 9);
        let change = Form::object(&[
            ("claim", claim),
            ("facts", Form::array(&fact(packet), 0, facts)),
            ("reason", Form::text(0, interpretation)),
        ]);
        message.push(needed("changes", Form::array(&change, 0, CHANGES)));
        message.push(needed("conceded", Form::array(&quoted("[AS][1-6]", 4), 0, items)));
    }
    message.push(optional("unknowns", Form::array(&Form::text(1, unknown), 0, 3)));
    Form::members(&message)
}

/// The form of an audit of these claims: each has an answer.
pub(super) fn audit(packet: &Packet, claims: &[String]) -> Form {
    let answer = Form::object(&[
        ("claim", Form::word(claims)),
        ("answer", Form::word(&["accept", "rebut", "no_contest"])),
        ("facts", Form::array(&fact(packet), 0, BOUNDS.1)),
        ("reason", Form::text(0, TEXTS.1)),
    ]);
    Form::object(&[("answers", Form::array(&answer, 1, claims.len().max(1)))])
}

/// The form of the Oracle's number.
pub(super) fn estimate() -> Form {
    Form::object(&[("confidence", Form::share()), ("reason", Form::text(0, 240))])
}

/// The form of a narration.
pub(super) fn narration() -> Form {
    Form::object(&[("text", Form::text(1, 480))])
}

fn needed(key: &str, form: Form) -> Member {
    Member { key: key.to_owned(), form, optional: false }
}

fn optional(key: &str, form: Form) -> Member {
    Member { optional: true, ..needed(key, form) }
}

/// A JSON string of this expression.
fn quoted(inner: &str, longest: usize) -> Form {
    let schema = json!({ "type": "string", "pattern": format!("^{inner}$") });
    Form::closed(format!("\"{inner}\""), schema, longest)
}

/// The id of a fact of the packet: at least three digits.
fn fact(packet: &Packet) -> Form {
    let last = packet.facts().len() as u64;
    let padded = [("00", 1, last.min(9)), ("0", 10, last.min(99)), ("", 100, last)];
    let parts = padded.into_iter().filter(|(_, first, last)| first <= last);
    let parts = parts.filter_map(|(zeros, first, last)| Some(format!("{zeros}{}", whole_numbers(first, last)?)));
    quoted(&format!("F({})", parts.collect::<Vec<_>>().join("|")), last.to_string().len().max(3) + 3)
}

/// The names of fields that facts of the packet have, as [`Fact::field`] knows them; without those that a predicate cannot name.
fn fields(packet: &Packet) -> Vec<&str> {
    const BESIDE: [&str; 6] = ["class", "action", "actor", "object", "time", "count"];
    let is_written = |name: &str| {
        (1..=FIELD).contains(&name.len())
            && name.trim() == name
            && name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && !matches!(byte, b'=' | b'"' | b'\\'))
    };
    let of = |fact: &'_ Fact, name: &str| fact.field(name).is_some();
    let beside = BESIDE.into_iter().filter(|name| packet.facts().iter().any(|fact| of(fact, name)));
    let attributes = packet.facts().iter().flat_map(|fact| fact.attributes.keys().map(String::as_str));
    let names: BTreeSet<&str> = beside.chain(attributes).filter(|name| is_written(name)).collect();
    names.into_iter().collect()
}

/// A predicate over the packet: its classes, its fields, at most as many records as it represents. An absence is stated of any class.
fn predicate(packet: &Packet) -> Form {
    let present: BTreeSet<&str> = packet.facts().iter().map(|fact| fact.class.name()).collect();
    let present: Vec<String> = present.into_iter().map(escape).collect();
    let all: Vec<String> =
        Class::ALL.iter().filter(|class| !class.is_opinion()).map(|class| escape(class.name())).collect();
    let kinds = EntityKind::ALL.map(EntityKind::name).join("|");
    let fields: Vec<String> = fields(packet).into_iter().map(escape).collect();
    let all_records = records(&packet.facts().iter().collect::<Vec<_>>()).min(RECORDS);
    // Names and values as facts show them: paths and accounts of Windows.
    let [raw, meant] = [0, 1].map(|way| {
        let (name, first) = (NAME[way], FIRST[way]);
        let mut forms = vec![
            "same_actor".to_owned(),
            "same_object".to_owned(),
            "in_order".to_owned(),
            "within [1-9][0-9]{0,5}".to_owned(),
            "explained".to_owned(),
            format!("absent ({})", all.join("|")),
            format!("mentions {first}{name}{{1,60}}"),
            format!("about ({kinds}):{first}{name}{{0,59}}"),
            format!("means [!#-\\[\\]-~]{SAFE}{{1,60}}"),
        ];
        forms.extend(whole_numbers(1, all_records).map(|numbers| format!("count {numbers}")));
        if !present.is_empty() {
            forms.push(format!("class ({})", present.join("|")));
        }
        if !fields.is_empty() {
            forms.push(format!("field ({})={first}{name}{{0,39}}", fields.join("|")));
        }
        format!("({})", forms.join("|"))
    });
    // A backslash is two characters in JSON.
    let schema = json!({ "type": "string", "pattern": format!("^{meant}$") });
    Form::closed(format!("\"{raw}\""), schema, 2 * TEXTS.0)
}

/// An assertion cut to what the forms let through.
pub(super) fn bounded(assertion: &Assertion) -> Assertion {
    let safe = |text: &str, most: usize| -> String {
        text.chars()
            .map(|letter| if matches!(letter, '"' | '\\') { '\'' } else { letter })
            .filter(|letter| (' '..='~').contains(letter))
            .take(most)
            .collect()
    };
    let mut facts = assertion.facts.clone();
    facts.truncate(BOUNDS.1);
    Assertion { facts, interpretation: safe(&assertion.interpretation, TEXTS.1), ..assertion.clone() }
}

#[cfg(test)]
mod tests {
    use gimbal_evidence::{Class, Draft, NewFact, Packet, Selection};

    use super::{Positions, fact, position, predicate};

    fn packet(facts: usize) -> Packet {
        let mut draft = Draft::new(Vec::new(), Selection::default());
        for index in 0..facts {
            draft.add(counted(NewFact::new(Class::Inventory, &format!("entry {index}")))).unwrap();
        }
        draft.freeze()
    }

    /// One fact of a class with these fields, and one that counts 40 records.
    fn with_fields(names: &[&str]) -> Packet {
        let mut draft = Draft::new(Vec::new(), Selection::default());
        let attributes = names.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect();
        draft.add(counted(NewFact { attributes, ..NewFact::new(Class::Inventory, "entry") })).unwrap();
        let mut many = counted(NewFact::new(Class::Inventory, "entries"));
        if let Some(aggregate) = &mut many.aggregate {
            aggregate.count = gimbal_evidence::Counter(40);
        }
        draft.add(many).unwrap();
        draft.freeze()
    }

    fn counted(fact: NewFact) -> NewFact {
        NewFact {
            aggregate: Some(gimbal_evidence::Aggregate {
                count: gimbal_evidence::Counter(1),
                first: None,
                formula: "same class".to_owned(),
                last: None,
                root: gimbal_core::Digest::of(b"x"),
            }),
            ..fact
        }
    }

    #[test]
    fn the_ids_of_a_packet_are_those_of_its_form_and_no_others() {
        for facts in [1, 2, 9, 10, 11, 99, 100, 101, 110, 199, 200, 999, 1000, 1001, 1234] {
            let packet = packet(facts);
            assert_eq!(packet.facts().len(), facts);
            let regex = regex::Regex::new(&format!("^{}$", fact(&packet).regex)).unwrap();
            for number in 0..=1300_usize {
                let id = format!("\"F{number:03}\"");
                assert_eq!(regex.is_match(&id), (1..=facts).contains(&number), "{id} of {facts}: {regex}");
            }
            assert!(!regex.is_match("\"F0001\"") && !regex.is_match("\"F1\"") && !regex.is_match("\"F00\""));
        }
    }

    #[test]
    fn a_form_that_is_kept_is_the_one_of_the_packet() {
        let (packet, kept) = (with_fields(&["LogonType"]), Positions::default());
        for anchored in [false, true, false, true] {
            assert_eq!(kept.get(&packet, anchored), position(&packet, anchored), "{anchored}");
        }
        assert_ne!(kept.get(&packet, false), kept.get(&packet, true));
    }

    #[test]
    fn every_predicate_is_in_the_form_and_reads() {
        let packet = with_fields(&["LogonType"]);
        let regex = regex::Regex::new(&format!("^{}$", predicate(&packet).regex)).unwrap();
        let said = [
            "class inventory",
            "count 12",
            "field LogonType=3",
            "mentions root",
            "about host:ws01",
            "same_actor",
            "same_object",
            "in_order",
            "within 60",
            "absent logon",
            "explained",
            "means the host is known",
        ];
        assert_eq!(said.len(), gimbal_evidence::claim::Predicate::FORMS.len());
        for one in said {
            assert!(regex.is_match(&format!("\"{one}\"")), "{one}");
            assert!(one.parse::<gimbal_evidence::claim::Predicate>().is_ok(), "{one}");
        }
        assert!(!regex.is_match("\"class logon\"") && !regex.is_match("\"guilty\""));
    }

    /// What lines of facts show can be named under a mask too: accounts and paths of Windows, and fields with digits and blanks.
    #[test]
    fn names_as_facts_show_them_are_in_the_form_and_come_back() {
        let form = predicate(&with_fields(&["param1", "Threat Name", "ServiceFileName"]));
        let regex = regex::Regex::new(&format!("^{}$", form.regex)).unwrap();
        let schema = regex::Regex::new(form.schema["pattern"].as_str().unwrap()).unwrap();
        for said in [
            r"about account:CLINIC\\reception2",
            r"about process:C:\\Program Files\\MediDesk\\MediDesk.exe (10912)",
            r"about file:\\\\*\\Scans",
            "field param1=running",
            "field Threat Name=x",
            r"field ServiceFileName=C:\\a b\\c.exe",
            r"mentions C:\\Users",
        ] {
            let text = format!("\"{said}\"");
            assert!(regex.is_match(&text), "{said}");
            let meant: String = serde_json::from_str(&text).unwrap();
            assert!(schema.is_match(&meant), "{meant}");
            assert_eq!(meant.parse::<gimbal_evidence::claim::Predicate>().unwrap().to_string(), meant);
        }
        for wrong in [r#""about host:a"b""#, r#""about host:a\b""#, "\"about host: a\"", "\"field 1=x\""] {
            assert!(!regex.is_match(wrong), "{wrong}");
        }
    }

    /// A small model wrote sentences as names of fields, and its facts contradicted each of them.
    #[test]
    fn only_fields_that_facts_have_and_counts_that_they_reach_can_be_stated() {
        let packet = with_fields(&["LogonType", "Threat Name", "a=b", "q\"", "Task.Name+", &"n".repeat(33)]);
        let form = predicate(&packet);
        for pattern in [format!("^{}$", form.regex), form.schema["pattern"].as_str().unwrap().to_owned()] {
            let regex = regex::Regex::new(&pattern).unwrap();
            let quote = if pattern.starts_with("^\"") { "\"" } else { "" };
            let is_written = |text: &str| regex.is_match(&format!("{quote}{text}{quote}"));
            for right in [
                "field LogonType=3",
                "field Threat Name=x y",
                "field Task.Name+=1",
                "field class=inventory",
                "field action=entry",
                "field count=40",
                "count 1",
                "count 41",
            ] {
                assert!(is_written(right), "{right}");
            }
            for wrong in [
                "field in the list of facts of the IP=172.20.3.21",
                "field logontype=3",
                "field LogonType =3",
                "field actor=host:a",
                "field time=2026-03-10T02:20:00Z",
                "field a=b=c",
                "field Task.Name=1",
                "count 0",
                "count 42",
                "count 400",
                "absent logons",
                "absent rule_hit",
                "class logon",
            ] {
                assert!(!is_written(wrong), "{wrong}");
            }
            for class in Class::ALL.iter().filter(|class| !class.is_opinion()) {
                assert!(is_written(&format!("absent {class}")), "{class}");
            }
        }
        // A packet without facts has no predicate over fields, classes or counts.
        let empty = regex::Regex::new(&format!(
            "^{}$",
            predicate(&Draft::new(Vec::new(), Selection::default()).freeze()).regex
        ));
        assert!(!empty.unwrap().is_match("\"field x=1\""));
    }
}
