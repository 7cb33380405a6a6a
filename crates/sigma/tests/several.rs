//! Rules over several records as they are written, beside rules of one record.

use std::collections::BTreeMap;

use gimbal_evidence::{Class, Selection};
use gimbal_sigma::{Condition, Matcher, Record, Remembered, RuleFiles, RuleSet, RuleText, Tables};
use proptest::prelude::*;
use rsigma_eval::{CorrelationAction, CorrelationConfig, CorrelationEngine, JsonEvent};

use crate::support::{data, event, packet};

/// Rules that name events of the Security log by number, and one for records that are not read.
const BASE: &str = "title: Failed logon
id: 11111111-0000-0000-0000-000000000001
name: failed
author: A. Author
level: low
logsource: {product: windows, service: security}
detection: {s: {EventID: 4625}, condition: s}
---
title: Logon
id: 11111111-0000-0000-0000-000000000002
name: logon
author: A. Author
level: low
logsource: {product: windows, service: security}
detection: {s: {EventID: 4624}, condition: s}
---
title: A cloud
id: 11111111-0000-0000-0000-000000000003
name: cloud
logsource: {product: aws, service: cloudtrail}
detection: {s: {a: b}, condition: s}
";

fn several(title: &str, body: &str) -> String {
    format!("title: {title}\nid: {title}\nauthor: C. Author\nlevel: high\ncorrelation: {body}\n")
}

fn set(texts: &[(&str, String)]) -> RuleSet {
    let base = RuleText { path: "base.yml".to_owned(), text: BASE.to_owned() };
    // Read first: what a rule names may be in a file that is read later.
    let texts = texts.iter().map(|(path, text)| RuleText { path: (*path).to_owned(), text: text.clone() });
    let files =
        RuleFiles { texts: texts.chain([base]).collect(), licence: Some("DRL-1.1".to_owned()), unread: Vec::new() };
    RuleSet::new(&files, &Tables::windows().unwrap())
}

fn logon(id: u32, second: u32, user: &str) -> String {
    let text = event("Security", id, &data(&[("TargetUserName", user)]));
    text.replace("09:00:01.5Z", &format!("09:{:02}:{:02}Z", second / 60, second % 60))
}

const GUESSED: &str = "{type: temporal_ordered, rules: [failed, logon], group-by: [TargetUserName], timespan: 5m}";
const MANY: &str =
    "{type: event_count, rules: [failed], group-by: [TargetUserName], timespan: 1m, condition: {gte: 3}}";
const SPRAYED: &str = "{type: value_count, rules: [failed], timespan: 1m, condition: {field: TargetUserName, gt: 2}}";
const BOTH: &str = "{type: temporal, rules: [failed, 11111111-0000-0000-0000-000000000002], timespan: 1m}";

#[test]
fn each_kind_of_rule_over_several_records_hits_its_own_records() {
    let all = [("guessed", GUESSED), ("many", MANY), ("sprayed", SPRAYED), ("both", BOTH)];
    let texts: Vec<(&str, String)> = all.iter().map(|(title, body)| (*title, several(title, body))).collect();
    let set = set(&texts);
    assert_eq!(set.correlations().len(), 4, "{:?}", set.unused());
    assert!(set.unused().is_empty());
    let titles = |events: &[String]| {
        let xml = format!("<Events>{}</Events>", events.concat());
        let (packet, _) = packet(&xml, Some(&set), &Selection::default());
        let hits = packet.facts().iter().filter(|fact| fact.class == Class::RuleHit);
        assert!(hits.clone().all(|hit| hit.attributes["rule_author"] == "C. Author" && hit.aggregate.is_some()));
        hits.map(|hit| hit.attributes["rule_title"].clone())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    };
    let failed = |second, user: &str| logon(4625, second, user);
    assert_eq!(titles(&[failed(0, "a"), failed(10, "a"), failed(20, "a")]), ["many"]);
    assert_eq!(titles(&[failed(0, "a"), failed(10, "b"), failed(20, "c")]), ["sprayed"]);
    assert_eq!(titles(&[failed(0, "a"), logon(4624, 200, "a")]), ["guessed"]);
    assert_eq!(titles(&[logon(4624, 0, "a"), failed(30, "b")]), ["both"]);
    assert!(titles(&[logon(4624, 0, "a"), failed(100, "a")]).is_empty());
}

#[test]
fn what_cannot_be_asked_over_several_records_is_refused_with_its_name_and_the_reason() {
    let one = |field: &str| format!("{{rules: [failed], timespan: 1m, {field}}}");
    let cases = [
        ("unknown", GUESSED.replace("logon]", "loggon]"), "`loggon`, and no rule here has that id or name"),
        (
            "cloudy",
            GUESSED.replace("logon]", "cloud]"),
            "`cloud`, which is about records that rules are not asked about (aws cloudtrail)",
        ),
        ("chained", GUESSED.replace("logon]", "unknown]"), "`unknown`, which is about several records itself"),
        ("twice", GUESSED.replace("logon]", "failed]"), "`failed` twice"),
        ("rare", one("type: event_count, condition: {lt: 3}"), "a later record can undo it"),
        ("exact", one("type: event_count, condition: {eq: 3}"), "a later record can undo it"),
        ("mean", one("type: value_avg, condition: {field: a, gte: 3}"), "`value_avg` is not computed"),
        ("fieldless", one("type: value_count, condition: {gte: 3}"), "names no field"),
        ("three", one("type: temporal, condition: {gte: 3}"), "asks for 3 rules, and it names 1"),
        (
            "negated",
            GUESSED.replace("_ordered", "").replace("timespan", "condition: failed and not logon, timespan"),
            "`not`",
        ),
        ("empty", "{type: event_count, timespan: 1m, condition: {gte: 3}}".to_owned(), "names no rule"),
        ("session", one("type: event_count, window: session, gap: 1m, condition: {gte: 3}"), "does not slide"),
    ];
    let texts: Vec<(&str, String)> = cases.iter().map(|(title, body, _)| (*title, several(title, body))).collect();
    let filter = "title: a filter\nlogsource: {product: windows, service: security}\nfilter: {rules: [failed], selection: {EventID: 1}, condition: selection}\n";
    let texts: Vec<_> = texts.into_iter().chain([("filter", filter.to_owned())]).collect();
    let set = set(&texts);
    assert!(set.correlations().is_empty());
    assert_eq!(set.rules().len(), 2, "the rules of one record are asked all the same");
    for (title, _, why) in cases {
        let unused = set.unused().iter().find(|unused| unused.path == title).unwrap_or_else(|| panic!("{title}"));
        assert!(unused.why.contains(&format!("`{title}`")) && unused.why.contains(why), "{title}: {}", unused.why);
    }
    let filter = set.unused().iter().find(|unused| unused.path == "filter").unwrap();
    assert!(filter.why.contains("`a filter` changes other rules"), "{}", filter.why);
}

#[test]
fn a_sequence_has_all_rules_and_a_threshold_for_fewer_is_refused() {
    let third = "title: Logoff\nid: logoff\nname: logoff\nauthor: A. Author\nlevel: low\nlogsource: {product: windows, service: security}\ndetection: {s: {EventID: 4634}, condition: s}\n";
    let asked = |condition: &str| {
        format!("{{type: temporal_ordered, rules: [failed, logon, logoff], timespan: 1m{condition}}}")
    };
    let titles = [
        ("whole", ""),
        ("one", ", condition: {gte: 1}"),
        ("two", ", condition: {gte: 2}"),
        ("three", ", condition: {gt: 2}"),
    ];
    let texts = titles.map(|(title, condition)| (title, several(title, &asked(condition))));
    let set = set(&[&texts[..], &[("third", third.to_owned())]].concat());
    assert_eq!(set.correlations().len(), 3, "{:?}", set.unused());
    assert!(
        set.correlations().iter().all(|rule| rule.wanted == Condition::Least(3)),
        "no condition, and `gte: 1`, mean all"
    );
    assert_eq!(set.unused().len(), 1, "{:?}", set.unused());
    let unused = &set.unused()[0];
    assert_eq!(unused.path, "two");
    assert!(unused.why.contains("asks for 2 of 3 rules in order, which is not known here"), "{}", unused.why);
}

#[test]
fn an_alias_names_the_field_of_each_rule() {
    let body = "{type: temporal, rules: [failed, logon], group-by: [who], timespan: 1m, aliases: {who: {failed: TargetUserName, logon: SubjectUserName}}}";
    let set = set(&[("a", several("a", body))]);
    assert_eq!(set.correlations()[0].group_by[0].fields.len(), 2, "{:?}", set.unused());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// The library's own windows, which it computes record by record, match as often as ours.
    #[test]
    fn windows_agree_with_those_of_the_library(
        events in proptest::collection::vec((0_u64..20, 0_usize..2, 0_usize..3), 0..40),
        which in 0_usize..4,
    ) {
        let bodies = [GUESSED, MANY, SPRAYED, &BOTH.replace("timespan", "condition: {gte: 2}, timespan")];
        let text = several("several", bodies[which]);
        let set = set(&[("several", text.clone())]);
        let ours = &set.correlations()[0];
        // Times rise, so that no two are equal and both read records in one order.
        let mut second = 0;
        let mut remembered = Vec::new();
        let mut engine = CorrelationEngine::new(CorrelationConfig { action_on_match: CorrelationAction::Reset, ..CorrelationConfig::default() });
        engine.add_collection(&rsigma_parser::parse_sigma_yaml(&format!("{BASE}---\n{text}")).unwrap()).unwrap();
        let mut theirs = 0;
        for (wait, rule, user) in events {
            second += wait + 1;
            let user = ["a", "b", "c"][user];
            let fields: BTreeMap<&str, String> = BTreeMap::from([("EventID", ["4625", "4624"][rule].to_owned()), ("TargetUserName", user.to_owned())]);
            let json = serde_json::to_value(&fields).unwrap();
            let results = engine.process_event_at(&JsonEvent::borrow(&json), i64::try_from(second).unwrap());
            theirs += results.iter().filter(|result| result.is_correlation()).count();
            let fields: Record = fields.into_iter().collect();
            let time = gimbal_evidence::Utc::from_micros(i64::try_from(second).unwrap() * 1_000_000).unwrap();
            let index = set.rules().iter().position(|known| known.title == ["Failed logon", "Logon"][rule]).unwrap();
            remembered.push(Remembered { time, rules: vec![index], fields });
        }
        prop_assert_eq!(ours.matches(&remembered).len(), theirs);
    }
}
