//! What a run leaves beside its tables, and the bill by provider.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_analysis::{AttemptState, Bill, BillLine, BillSum, EpisodeRow, RoleLedger, Rows, TokenUse, bill, tables};

// covers: BOG-146
#[test]
fn instances_and_tokens_of_every_episode_are_told() {
    let used = |role: &str, input| RoleLedger {
        role: role.into(),
        model: "openai/a".into(),
        calls: 2,
        requests: 3,
        called: TokenUse { input, output: 5, ..TokenUse::default() },
        billed: TokenUse { input: 2 * input, output: 5, ..TokenUse::default() },
        cost_exact: Some(1_500_000_000_000),
        ..RoleLedger::default()
    };
    let row = |run, instance, value| EpisodeRow {
        cell: "c".into(),
        task: "t".into(),
        run,
        instance,
        return_thousandths: value,
        steps: 4,
        ledger: vec![used("analyst", 10), used("planner", 20)],
        ..EpisodeRow::default()
    };
    let lost = EpisodeRow { infrastructure: true, ..row(3, 1, 0) };
    let rows = Rows { cells: Vec::new(), episodes: vec![row(1, 0, -3000), row(0, 0, -1000), row(2, 1, 500), lost] };
    let instances = tables::instances(&rows);
    let told: Vec<String> = (0..2).map(|row| instances.shown(row, 3) + " " + &instances.shown(row, 4)).collect();
    assert_eq!(told, ["2 -2.000", "1 0.500"], "what was lost is in no mean");
    let log = tables::token_log(&rows).to_csv();
    assert_eq!(log.lines().count(), 1 + 4 * 2, "one line an episode and role, lost ones too: they were paid for");
    assert!(log.lines().nth(1).unwrap().starts_with("c,t,0,0,"), "{log}");
    assert!(log.contains(",analyst,openai/a,2,3,10,5,20,0,5,1.5"), "{log}");
}

// covers: BOG-150
#[test]
fn the_bill_has_totals_by_provider() {
    let line = |model: &str, requests| BillLine {
        state: AttemptState::Finished,
        cell: Some("c".to_owned()),
        role: "default".to_owned(),
        model: model.to_owned(),
        sum: BillSum { requests, ..BillSum::default() },
    };
    let whole = Bill { lines: vec![line("openai/a", 2), line("openai/b", 3), line("gemini/c", 4)] };
    let sums: Vec<(&str, u64)> = whole.by_provider().into_iter().map(|(name, sum)| (name, sum.requests)).collect();
    assert_eq!(sums, [("gemini", 4), ("openai", 5)]);
    let table = bill::table(&whole).unwrap();
    let shown: Vec<(String, String)> = (3..6).map(|row| (table.shown(row, 3), table.shown(row, 4))).collect();
    let of = |name: &str, requests: &str| (name.to_owned(), requests.to_owned());
    assert_eq!(shown, [of("gemini/*", "4"), of("openai/*", "5"), of("–", "9")]);
    let alone = Bill { lines: vec![line("openai/a", 2)] };
    assert_eq!(bill::table(&alone).unwrap().rows.len(), 2, "one model is its provider's total");
}
