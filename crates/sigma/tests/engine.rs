//! Rules written for these tests, asked about events made here.

use gimbal_evidence::{Class, Selection};
use gimbal_sigma::{Matcher, Record, RuleFiles, RuleSet, RuleText, Tables};
use proptest::prelude::*;

use crate::support::{event, packet, record, started, started_4688};

fn rule(title: &str, source: &str, detection: &str) -> RuleText {
    let text = format!(
        "title: {title}\nid: 00000000-0000-0000-0000-{:012}\nauthor: A. Author\nlevel: high\nlogsource:\n{source}\
         detection:\n{detection}",
        title.len()
    );
    RuleText { path: format!("{title}.yml"), text }
}

const STARTS: &str = "    category: process_creation\n    product: windows\n";
const SECURITY: &str = "    product: windows\n    service: security\n";

fn set(texts: Vec<RuleText>) -> RuleSet {
    let files = RuleFiles { texts, unread: Vec::new(), licence: Some("DRL-1.1".to_owned()) };
    RuleSet::new(&files, &Tables::windows().unwrap())
}

fn titles<'s>(set: &'s RuleSet, record: &Record) -> Vec<&'s str> {
    set.matches(record).into_iter().map(|index| set.rules()[index].title.as_str()).collect()
}

#[test]
fn a_rule_is_asked_about_records_of_its_log_source_only() {
    let detection = "    selection:\n        CommandLine|contains: whoami\n    condition: selection\n";
    let set = set(vec![rule("a", STARTS, detection), rule("bb", SECURITY, detection)]);
    assert_eq!(titles(&set, &record(&started("C:\\a.exe", "WHOAMI /all"))), ["a"]);
    assert_eq!(titles(&set, &record(&started_4688("C:\\a.exe", "whoami"))), ["a", "bb"]);
    let other = event("System", 1, "<EventData><Data Name='CommandLine'>whoami</Data></EventData>");
    assert!(titles(&set, &record(&other)).is_empty());
}

#[test]
fn values_match_as_the_language_says() {
    let hit = |detection: &str, command: &str| {
        let set = set(vec![rule("a", STARTS, &format!("    s:\n        {detection}\n    condition: s\n"))]);
        assert_eq!(set.rules().len(), 1, "{:?}", set.unused());
        !set.matches(&record(&started("C:\\Windows\\a.exe", command))).is_empty()
    };
    // Without regard to case, except under `cased`.
    assert!(hit("CommandLine: NET USER", "net user"));
    assert!(!hit("CommandLine|cased: NET USER", "net user"));
    // Wildcards, across lines too.
    assert!(hit("CommandLine: 'net*add'", "net user\nx /add"), "across lines");
    assert!(hit("CommandLine: 'ne? use?'", "net user"));
    assert!(!hit("CommandLine: 'net?user'", "netuser") && !hit("CommandLine: 'net*x'", "net user"));
    assert!(hit("CommandLine: 'a?b'", "a\nb") && hit("CommandLine|contains: 'u*a'", "net user\nx /add"));
    assert!(hit("CommandLine|endswith: 'u?er'", "net user") && !hit("CommandLine|endswith: 'n?t'", "net user"));
    assert!(hit("CommandLine|startswith: 'n?t'", "net user") && !hit("CommandLine|startswith: 'u?er'", "net user"));
    assert!(
        hit("CommandLine|contains|all: ['n?t', 'user']", "net user")
            && !hit("CommandLine|contains|all: ['n?t', 'x']", "net user")
    );
    assert!(
        hit("CommandLine|contains: '<(a.b)[*]>|^$'", "x <(a.b)[c]>|^$ y")
            && !hit("CommandLine|contains: 'a.b*d'", "aXb d")
    );
    assert!(hit("CommandLine|contains|cased: 'N?t'", "x Net") && !hit("CommandLine|contains|cased: 'N?t'", "x net"));
    assert!(hit("CommandLine: 'a\\*b'", "a*b") && !hit("CommandLine: 'a\\*b'", "axb"));
    // Regular expressions regard case unless flagged.
    assert!(!hit("CommandLine|re: 'NET\\s+user'", "net  user") && hit("CommandLine|re|i: 'NET\\s+user'", "net  user"));
    // A number matches a field written as text; absent and empty fields are null.
    assert!(hit("ProcessId: 4711", "x") && !hit("ProcessId: 471", "x"));
    assert!(hit("NoSuchField: null", "x") && !hit("CommandLine: null", "x"));
    assert!(hit("CommandLine: null", ""), "an empty field is null too");
    let list = "[null, 'y*', 7]";
    assert!(hit(&format!("NoSuchField: {list}"), "x") && hit(&format!("CommandLine: {list}"), ""));
    assert!(hit(&format!("CommandLine: {list}"), "yes") && hit(&format!("CommandLine: {list}"), "7"));
    assert!(!hit(&format!("CommandLine: {list}"), "x"));
    assert!(
        hit("NoSuchField: null\n        CommandLine: x", "x") && !hit("NoSuchField: null\n        CommandLine: y", "x")
    );
    assert!(hit("CommandLine: ''", "") && !hit("CommandLine: ''", "x") && !hit("NoSuchField: ''", "x"));
    assert!(hit("Image|endswith: '\\A.EXE'", "x") && hit("Image|startswith: 'c:\\windows'", "x"));
    assert!(
        hit("CommandLine|windash|contains: ' -add'", "net /add /x")
            && !hit("CommandLine|contains: ' -add'", "net /add")
    );
    assert!(hit("CommandLine|base64offset|contains: 'secret'", "x c2VjcmV0 y"));
}

#[test]
fn keywords_are_looked_for_in_every_field() {
    let set =
        set(vec![rule("a", SECURITY, "    words:\n        - 'lsass'\n        - 'sekurlsa'\n    condition: words\n")]);
    let with = |text: &str| record(&event("Security", 4656, &format!("<EventData><Data>{text}</Data></EventData>")));
    assert_eq!(titles(&set, &with("x LSASS.exe y")), ["a"]);
    assert!(titles(&set, &with("nothing")).is_empty());
}

#[test]
fn what_cannot_be_used_is_named_and_does_not_stop_the_rest() {
    let good = rule("good", STARTS, "    s:\n        Image: x\n    condition: s\n");
    let list = rule("a list", STARTS, "    s:\n        Image|expand: '%known_cdcs%'\n    condition: s\n");
    let regex = rule("a regex", STARTS, "    s:\n        Image|re: '(['\n    condition: s\n");
    let name = rule("bad name", STARTS, "    s:\n        Image: x\n    condition: t\n");
    let cloud =
        rule("a cloud", "    product: aws\n    service: cloudtrail\n", "    s:\n        a: x\n    condition: s\n");
    let broken = RuleText { path: "broken.yml".to_owned(), text: "title: [".to_owned() };
    let empty = RuleText { path: "empty.yml".to_owned(), text: String::new() };
    let info = RuleText { path: "info.yml".to_owned(), text: "rule_metadata: []\n".to_owned() };
    let twin = RuleText { path: "twin.yml".to_owned(), ..good.clone() };
    let several = RuleText {
        path: "several.yml".to_owned(),
        text: "title: many\nid: 1\ncorrelation:\n    type: event_count\n    rules: [good]\n    group-by: [User]\n    \
               timespan: 1m\n    condition:\n        gte: 3\n"
            .to_owned(),
    };
    let set = set(vec![good, list, regex, name, cloud, broken, empty, info, twin, several]);
    let rules: Vec<&str> = set.rules().iter().map(|rule| rule.title.as_str()).collect();
    assert_eq!(rules, ["good"], "{:?}", set.unused());
    assert_eq!(set.elsewhere().iter().collect::<Vec<_>>(), [(&"aws cloudtrail".to_owned(), &1)]);
    let unused: std::collections::BTreeSet<&str> = set.unused().iter().map(|unused| unused.path.as_str()).collect();
    let expected =
        ["a list.yml", "a regex.yml", "bad name.yml", "broken.yml", "empty.yml", "info.yml", "several.yml", "twin.yml"];
    assert_eq!(unused.into_iter().collect::<Vec<_>>(), expected, "{:?}", set.unused());
    let why = |path: &str| &set.unused().iter().find(|unused| unused.path == path).unwrap().why;
    assert!(why("a list.yml").contains("`known_cdcs`") && why("twin.yml").contains("good.yml"), "{:?}", set.unused());
}

#[test]
fn what_is_known_of_a_rule_stands_with_its_hit() {
    let detection = "    s:\n        CommandLine|contains: whoami\n    condition: s\n";
    let set = set(vec![rule("a title", STARTS, detection)]);
    let known = &set.rules()[0];
    assert_eq!(
        (known.author.as_str(), known.licence.as_str(), known.path.as_str()),
        ("A. Author", "DRL-1.1", "a title.yml")
    );
    let (packet, _) = packet(&started("C:\\a.exe", "whoami"), Some(&set), &Selection::default());
    let hit = packet.facts().iter().find(|fact| fact.class == Class::RuleHit).unwrap();
    assert_eq!(hit.attributes["rule_sha256"], known.sha256.to_string());
    assert_eq!(hit.attributes["rule_id"], known.id);
    let bare = RuleText {
        path: "bare.yml".to_owned(),
        text: format!("title: bare\nlogsource:\n{STARTS}detection:\n{detection}"),
    };
    let files = RuleFiles { texts: vec![bare], ..RuleFiles::default() };
    let set = RuleSet::new(&files, &Tables::windows().unwrap());
    let known = &set.rules()[0];
    assert_eq!((known.author.as_str(), known.licence.as_str(), known.id.as_str()), ("not stated", "not stated", ""));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// The order in which files are read changes nothing but the order of the rules.
    #[test]
    fn hits_do_not_depend_on_other_rules(words in proptest::collection::vec("[a-c]{1,3}", 1..6), command in "[a-c ]{0,12}") {
        let one = |index: usize, word: &str| RuleText {
            path: format!("{index}.yml"),
            text: format!(
                "title: r{index}\nid: r{index}\nlogsource:\n{STARTS}detection:\n    s:\n        CommandLine|contains: '{word}'\n    condition: s\n"
            ),
        };
        let all = set(words.iter().enumerate().map(|(index, word)| one(index, word)).collect());
        let record = record(&started("C:\\x.exe", &command));
        let expected: Vec<String> = words.iter().enumerate().filter(|(_, word)| command.contains(*word)).map(|(index, _)| format!("r{index}")).collect();
        prop_assert_eq!(titles(&all, &record), expected);
    }
}
