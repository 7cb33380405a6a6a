//! The graph of a packet.

use gimbal_evidence::graph::{EdgeKind, Graph};
use gimbal_evidence::{Class, Entity, NewFact};
use proptest::prelude::*;

use crate::support::{packet, seen as observed};

fn seen(class: Class, actor: &str, object: &str, second: i64) -> NewFact {
    NewFact { entities: vec![named("host:gate")], ..observed(class, actor, object, Some(second), &[]) }
}

fn named(text: &str) -> Entity {
    text.parse().unwrap()
}

fn case() -> Graph {
    Graph::of(&packet(vec![
        seen(Class::Logon, "address:192.0.2.7", "account:root", 1),
        seen(Class::ProcessStarted, "account:root", "process:sh (7)", 2),
        seen(Class::Flow, "process:sh (7)", "address:198.51.100.9", 3),
        seen(Class::Logon, "address:203.0.113.5", "account:ann", 4),
    ]))
}

// covers: ARES-015
#[test]
fn actors_and_objects_are_joined_in_time_by_what_was_done() {
    let graph = case();
    let kinds: Vec<(EdgeKind, String)> = graph
        .edges()
        .iter()
        .filter(|edge| edge.kind != EdgeKind::Hosts)
        .map(|edge| (edge.kind, format!("{} -> {} by {}", edge.from, edge.to, edge.fact)))
        .collect();
    assert_eq!(
        kinds,
        [
            (EdgeKind::Authenticates, "address:192.0.2.7 -> account:root by F001".to_owned()),
            (EdgeKind::Executes, "account:root -> process:sh (7) by F002".to_owned()),
            (EdgeKind::Communicates, "process:sh (7) -> address:198.51.100.9 by F003".to_owned()),
            (EdgeKind::Authenticates, "address:203.0.113.5 -> account:ann by F004".to_owned()),
        ]
    );
    assert_eq!(graph.nodes().count(), 7);
    assert_eq!(graph.at(&named("account:root")).count(), 4, "two edges of its own and two of its host");
}

// covers: ARES-015
#[test]
fn paths_and_neighbourhoods_follow_edges_both_ways() {
    let graph = case();
    let path = graph.path(&named("address:192.0.2.7"), &named("address:198.51.100.9")).unwrap();
    let facts: Vec<String> = path.iter().map(|edge| edge.fact.to_string()).collect();
    // By the host that logged both.
    assert_eq!(facts, ["F001", "F003"]);
    assert!(graph.path(&named("account:root"), &named("host:elsewhere")).is_none());
    assert_eq!(graph.path(&named("account:root"), &named("account:root")), Some(Vec::new()));
    let near = graph.around(&named("account:ann"), 1);
    let names: Vec<String> = near.nodes().map(ToString::to_string).collect();
    assert_eq!(names, ["host:gate", "account:ann", "address:203.0.113.5"]);
    assert_eq!(graph.around(&named("account:nobody"), 3), Graph::default());
}

#[test]
fn a_drawing_names_entities_and_facts_and_lets_no_markup_through() {
    let text = Graph::of(&packet(vec![seen(Class::Logon, "account:\"<b>#", "host:ws", 1)])).mermaid();
    assert!(text.starts_with("flowchart LR\n") && text.contains("account:#quot;#lt;b#gt;#35;"), "{text}");
    assert!(text.contains("authenticates F001"), "{text}");
}

// covers: ARES-015
#[test]
fn each_class_has_a_kind_and_each_kind_a_published_word() {
    for class in Class::ALL {
        let kind = EdgeKind::of(*class);
        assert!(EdgeKind::ALL.contains(&kind) && kind != EdgeKind::Hosts, "{class}");
        assert!(!kind.published().is_empty());
    }
}

proptest! {
    #[test]
    fn every_path_leads_where_it_is_said_to(edges in proptest::collection::vec((0..6_u8, 0..6_u8), 1..20), from in 0..6_u8, to in 0..6_u8) {
        let name = |number: u8| format!("account:{number}");
        let facts = (0..).zip(&edges).map(|(second, (from, to))| seen(Class::Logon, &name(*from), &name(*to), second));
        let graph = Graph::of(&packet(facts.map(|fact| NewFact { entities: Vec::new(), ..fact }).collect()));
        let (from, to) = (named(&name(from)), named(&name(to)));
        if let Some(path) = graph.path(&from, &to) {
            let mut at = from.clone();
            for edge in &path {
                prop_assert!(edge.from == at || edge.to == at);
                at = if edge.from == at { edge.to.clone() } else { edge.from.clone() };
            }
            prop_assert_eq!(at, to.clone());
            let near = graph.around(&from, path.len());
            prop_assert!(near.nodes().any(|node| *node == to));
        } else {
            let near = graph.around(&from, 100);
            prop_assert!(near.nodes().all(|node| *node != to));
        }
    }
}
