//! The stream of verdicts over runs.

use gimbal_analysis::episode::{Episode, EpisodeFold as _};
use gimbal_ares::history::{Entry, Filter, Finished, Found, History, OfRun};
use gimbal_core::event::{Body, EVENT_VERSION, Event, MaterialUsed, Started, ToolCalled};
use gimbal_core::{Digest, Milli, TextRef};
use gimbal_evidence::Utc;
use gimbal_evidence::judge::Verdict;
use proptest::prelude::*;

fn entry(number: u8, verdict: Verdict) -> Entry {
    Entry {
        architecture: "single".to_owned(),
        chain: Digest::of(&[number]),
        confidence: Milli(i64::from(number) * 3),
        corpus: number.is_multiple_of(2).then(|| Digest::of(b"scenario")),
        key: Digest::of(&[number, 1]),
        model: "reader/triage".to_owned(),
        packet: Digest::of(&[number % 3]),
        run: format!("run{}", number % 2),
        task: format!("SC-{number:03}"),
        time: Utc::from_micros(1_000_000 * i64::from(number)).unwrap(),
        verdict,
    }
}

/// A stream as it is kept: every line ends.
fn kept(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn entries() -> Vec<Entry> {
    (0..9).map(|number| entry(number, Verdict::ALL[usize::from(number) % 3])).collect()
}

// covers: ARES-090
#[test]
fn a_stream_is_in_order_of_time_whatever_order_its_verdicts_come_in() {
    let forth = History::of(entries(), Filter::default());
    let back = History::of(entries().into_iter().rev().collect(), Filter::default());
    assert_eq!(forth, back);
    let tasks: Vec<&str> = forth.rows.iter().map(|row| row.entry.task.as_str()).collect();
    assert_eq!(tasks[..3], ["SC-000", "SC-001", "SC-002"]);
    insta::assert_snapshot!(forth.table().to_text(160));
}

#[test]
fn filters_choose_and_are_part_of_the_chain() {
    let all = History::of(entries(), Filter::default());
    let confirmed = Filter { verdict: Some(Verdict::ThreatConfirmed), ..Filter::default() };
    let some = History::of(entries(), confirmed.clone());
    assert_eq!((all.rows.len(), some.rows.len()), (9, 3));
    // The same rows under another filter are another stream.
    let only: Vec<Entry> = some.rows.iter().map(|row| row.entry.clone()).collect();
    assert_ne!(History::of(only.clone(), Filter::default()).head, some.head);
    assert_eq!(History::of(only, confirmed).head, some.head);
    let since = Filter { since: Utc::from_micros(6_000_000), ..Filter::default() };
    assert_eq!(History::of(entries(), since).rows.len(), 3);
    let head = Digest::of(&[1]).to_string()[..10].to_owned();
    assert_eq!(History::of(entries(), Filter { packet: Some(head), ..Filter::default() }).rows.len(), 3);
}

#[test]
fn a_verdict_that_is_there_already_is_a_duplicate() {
    let mut twice = entries();
    twice.push(Entry {
        run: "copy".to_owned(),
        time: Utc::from_micros(90_000_000).unwrap(),
        ..entry(4, Verdict::Inconclusive)
    });
    let history = History::of(twice, Filter::default());
    assert_eq!((history.rows.len(), history.duplicates.len(), history.duplicates[0].of), (9, 1, 5));
    assert_eq!(history.head, History::of(entries(), Filter::default()).head);
    let kept = kept(&history.json_lines());
    assert_eq!(History::verify(&kept), Ok(history));
    let cut = History::verify(kept.trim_end()).unwrap_err();
    assert!(cut.line == 12 && cut.what.contains("line feed"), "{cut}");
    for wrong in [kept.replace('\n', "\r\n"), format!("{kept}\n"), kept.replace("\n{", "\n {"), String::new()] {
        assert!(History::verify(&wrong).is_err(), "{wrong}");
    }
}

/// A copy that sorts before its original, and one of the same time.
#[test]
fn the_run_with_its_own_name_takes_the_row_and_a_packet_is_found_by_its_id() {
    let original = Found { packet_id: Some("P-0123456789ab".to_owned()), ..entry(1, Verdict::Inconclusive).into() };
    let renamed = Entry { run: "a copy".to_owned(), ..original.entry.clone() };
    let copy = Found { entry: renamed, is_renamed: true, ..original.clone() };
    let history = History::of(vec![copy, original.clone()], Filter::default());
    assert_eq!((history.rows.len(), &history.rows[0].entry), (1, &original.entry));
    assert_eq!(history.duplicates[0].entry.run, "a copy");
    let by_id = |id: &str| {
        History::of(vec![original.clone()], Filter { packet: Some(id.to_owned()), ..Filter::default() }).rows.len()
    };
    assert_eq!((by_id("P-0123456789ab"), by_id("P-0123456789ac")), (1, 0));
}

/// An episode over a packet, with a verdict if `concluded`.
fn over_a_packet(concluded: bool) -> Vec<Event> {
    let text = |text: &str| TextRef::inline(text);
    let digest = Digest::of(b"head");
    let started = Body::Started(Started {
        key: digest,
        materials: vec![MaterialUsed {
            digest,
            kind: "packet".to_owned(),
            name: "packet".to_owned(),
            text: text("{}"),
        }],
        observation: text(""),
        seed: "00ff".to_owned(),
        state: digest,
        task: "SC-001".to_owned(),
        tools: text(""),
        trial: 0,
        version: EVENT_VERSION,
    });
    let call = Body::ToolCalled(ToolCalled {
        arguments: text(r#"{"confidence":80,"verdict":"THREAT_CONFIRMED"}"#),
        justification: text(""),
        tool: "conclude".to_owned(),
    });
    let bodies = std::iter::once(started).chain(concluded.then_some(call));
    bodies.map(|body| Event { body, lane: 0, step: 1 }).collect()
}

#[test]
fn a_run_gives_its_verdicts_and_counts_what_is_open_or_has_no_time() {
    let row = |ended| Finished {
        key: Digest::of(b"key"),
        chain: Digest::of(b"chain"),
        architecture: "single".to_owned(),
        models: vec!["b".to_owned(), "a".to_owned(), "b".to_owned()],
        ended,
    };
    let (with, without) = (over_a_packet(true), over_a_packet(false));
    let mut rows = vec![row(Some(2)), row(Some(1)), row(None)].into_iter();
    let mut fold = OfRun::new("copy".to_owned(), "study", false, || rows.next());
    let mut texts = |reference: &TextRef| Ok::<_, String>(reference.as_inline().unwrap_or_default().to_owned());
    for (run, events) in [(0, &with), (1, &without), (2, &with)] {
        let episode = Episode { cell: "c1", task: "SC-001", run, events, ..Episode::default() };
        fold.add(&episode, &mut texts).unwrap();
    }
    assert!(fold.over_packet);
    assert_eq!((fold.open, fold.untimed.as_deref()), (1, Some("c1/SC-001/2")));
    let [Found { entry, is_renamed: true, packet_id: None }] = &fold.found[..] else { panic!("{:?}", fold.found) };
    assert_eq!((entry.model.as_str(), entry.run.as_str(), entry.task.as_str()), ("a, b", "copy", "SC-001"));
    assert_eq!(
        (entry.verdict, entry.confidence, entry.time),
        (Verdict::ThreatConfirmed, Milli(800), Utc::from_micros(2000).unwrap())
    );
}

proptest! {
    // covers: ARES-090
    #[test]
    fn any_changed_line_of_a_kept_stream_is_found(at in any::<prop::sample::Index>(), byte: u8) {
        let history = History::of(entries(), Filter::default());
        let kept = kept(&history.json_lines());
        prop_assert_eq!(History::verify(&kept), Ok(history));
        let mut changed = kept.clone().into_bytes();
        let at = at.index(changed.len());
        prop_assume!(changed[at] != byte);
        changed[at] = byte;
        if let Ok(changed) = String::from_utf8(changed) {
            prop_assert!(History::verify(&changed).is_err(), "{}", changed);
        }
    }

    #[test]
    fn dropped_and_moved_lines_are_found(one in 0..11_usize, other in 0..11_usize) {
        let mut lines = History::of(entries(), Filter::default()).json_lines();
        prop_assert_eq!(lines.len(), 11);
        prop_assume!(one != other);
        lines.swap(one, other);
        prop_assert!(History::verify(&kept(&lines)).is_err());
        lines.swap(one, other);
        lines.remove(one);
        prop_assert!(History::verify(&kept(&lines)).is_err());
    }

    #[test]
    fn no_text_is_too_strange(text in "(\\{\"record\":\"[a-z]{4,8}\"[^\\n]{0,40}\\}?\\n?){0,3}") {
        let _ = History::verify(&text);
    }
}
