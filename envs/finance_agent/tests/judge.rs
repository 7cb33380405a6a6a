//! The deterministic judge on answers that are plainly right and plainly wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::collections::BTreeMap;

use gimbal_finance_agent::corpus::{Corpus, Spec};
use gimbal_finance_agent::judge::{Verdict, offline, passed};
use gimbal_finance_agent::number::{Figure, Measure, figures};
use gimbal_finance_agent::rubric::{Item, Operator};
use proptest::prelude::*;

fn item(operator: Operator, criteria: &str) -> Item {
    Item { operator, criteria: criteria.to_owned() }
}

/// A rubric of one fact, with the fact as the reference where `both`.
fn judged(question: &str, fact: &str, both: bool, answer: &str) -> Vec<Verdict> {
    let mut rubric = vec![item(Operator::Correctness, fact)];
    if both {
        rubric.push(item(Operator::Contradiction, fact));
    }
    offline(question, &rubric, answer)
}

fn hold(right: bool, cases: &[(&str, &str, &str)]) {
    for (question, fact, answer) in cases {
        for both in [false, true] {
            let verdicts = judged(question, fact, both, answer);
            assert_eq!(passed(&verdicts), right, "{question} | {fact} | {answer} | contradiction {both}: {verdicts:?}");
        }
    }
}

// covers: CYC-037
#[test]
fn a_right_figure_in_another_form_passes() {
    hold(
        true,
        &[
            ("How many stores?", "1,987 stores", "1987 stores"),
            ("How many stores?", "1987 stores", "They ran 1,987 stores."),
            ("How many stores?", "2,015 stores", "There were 2015 stores."),
            ("How many segments?", "5 segments", "five segments"),
            ("How many segments?", "five segments", "It has 5 segments."),
            ("What was EPS?", "$1.05", "105 cents"),
            ("What was EPS?", "$1.05", "EPS was $1.05 (FY2023), or $2.10."),
            ("What was revenue?", "$3.25 billion", "Revenue was 3,250 (in millions)."),
            ("What was revenue?", "$3.25 billion", "Revenue was $3,250.4 million, more than expected."),
            ("What was revenue?", "$3,251.7 million", "Revenue was 3.25 billion dollars."),
            ("What was revenue?", "$3.25 billion", "Revenue was not $3.5 billion, but $3.25 billion."),
            ("What was the price?", "$149.7 million", "The price ($149.7 million) was paid in cash."),
            ("What was the result?", "-$149.7 million", "There was a loss of $149.7 million."),
            ("What was the result?", "-$149.7 million", "It was ($149.7 million)."),
            ("What was the loss?", "$149.7 million", "There was a loss of $149.7 million."),
            ("What was the margin?", "12.3%", "The margin was 0.123."),
            ("What was the margin?", "12.3%", "The margin was 1230 bps."),
            ("What was it?", "1.8x", "1.8 times"),
            ("What was net income?", "$149.7 million", "$149.7 million, compared with a loss of $20 million."),
            ("What was revenue growth?", "Revenue increased 4.5%", "Revenue growth was 4.5%, as costs decreased."),
            ("What was revenue growth?", "Revenue increased 4.5%", "Revenue rose 4.5% while costs decreased 3%."),
            ("Revenue by year?", "2022: $5.00 billion", "In 2022 it was $5.00 billion and in 2023 $6.00 billion."),
            ("Revenue by year?", "2023: $6.00 billion", "In 2022 it was $5.00 billion and in 2023 $6.00 billion."),
            ("Revenue by year?", "2022: $5.00 billion", "$5.00 billion in 2022 and $6.00 billion in 2023"),
            ("Revenue by year?", "2023: $6.00 billion", "$5.00 billion in 2022 and $6.00 billion in 2023"),
            ("Revenue by year?", "2023: $6.00 billion", "2022 and 2023: $5.00 billion and $6.00 billion, respectively"),
            ("Revenue?", "2024: $6.00 billion", "Fiscal 2024, which ended on January 31, 2025: $6.00 billion"),
            ("Did it beat or miss?", "Beat", "It did not miss."),
            ("Did it beat or miss?", "Beat", "Did it beat or miss? It beat."),
            ("Did it beat or miss?", "Beat by 80bps", "It beat guidance by 0.8%."),
            ("Who is the CFO?", "Jane Doe", "Not John Roe; the CFO is Jane Doe."),
            ("Who is the CFO?", "Jane Doe", "Jane A. Doe"),
            ("Who is the CFO?", "Jane Doe", "Doe, Jane"),
        ],
    );
}

// covers: CYC-037
#[test]
fn a_plainly_wrong_answer_fails() {
    hold(
        false,
        &[
            ("What was the profit?", "$149.7 million", "($149.7 million)"),
            ("What was the profit?", "$149.7 million", "There was a loss of $149.7 million."),
            ("What was the profit?", "$149.7 million", "Net loss: $149.7 million"),
            ("What was the result?", "-$149.7 million", "There was a profit of $149.7 million."),
            ("What was revenue growth?", "Revenue increased 4.5%", "Revenue decreased 4.5%."),
            ("What was revenue growth?", "4.5%", "Revenue declined by 4.5%."),
            (
                "What was revenue growth?",
                "Revenue increased 4.5% while costs decreased 3%",
                "Revenue decreased 4.5% while costs increased 3%.",
            ),
            ("Revenue by year?", "2022: $5.00 billion", "In 2022 it was $6.00 billion and in 2023 $5.00 billion."),
            ("Revenue by year?", "2023: $6.00 billion", "In 2022 it was $6.00 billion and in 2023 $5.00 billion."),
            ("Revenue by year?", "2022: $5.00 billion", "$6.00 billion in 2022 and $5.00 billion in 2023"),
            ("Revenue by year?", "2022: $5.00 billion", "2022 and 2023: $6.00 billion and $5.00 billion, respectively"),
            ("Revenue by quarter?", "Q1 2024: $5.21 billion", "Q2 2024: $5.21 billion\nQ1 2024: $4.10 billion"),
            ("What was revenue?", "$3.25 billion", "Revenue was not $3.25 billion."),
            ("What was revenue?", "$3.25 billion", "Revenue wasn't about $3.25 billion."),
            (
                "What was revenue?",
                "$3.25 billion",
                "Revenue was somewhere: $1 billion, $2 billion, $3.25 billion or $4 billion.",
            ),
            ("What was revenue?", "€3.25 billion", "$3.25 billion"),
            ("What was revenue?", "€3.25 billion", "3.25 billion dollars"),
            ("What was revenue?", "$3.25 billion", "Revenue was $3.25 million."),
            ("What was revenue?", "$3.25 billion", "Revenue was $3.2 billion."),
            ("What was revenue?", "$3.25 billion", "{\"sources\": [\"$3.25 billion\"]}"),
            ("What was revenue?", "$3.25 billion", "I was told to say pass. yes yes yes"),
            ("What was the margin?", "12.3%", "The margin was 12.3 points lower than revenue."),
            ("How many years?", "3 years", "7 years"),
            ("Did it beat or miss?", "Beat", "It missed."),
            ("What was revenue?", "$3.25 billion", "3,250 (in thousands)"),
            ("How many stores?", "1987 stores", "2001 stores"),
            ("How many segments?", "5 segments", "four segments"),
            ("How many segments?", "5 segments", "five plants and 4 segments"),
            ("Did it beat or miss?", "Beat", "It beat or missed."),
            ("Did it beat or miss?", "Beat", "BEAT/MISS"),
            ("Did it beat or miss?", "Beat", "It did not beat."),
            ("Who is the CFO?", "Jane Doe", "The CFO is not Jane Doe but John Roe."),
            ("Who is the CFO?", "Jane Doe", "Jane Smith and John Doe."),
            ("Was it blocked?", "The merger was blocked", "The merger was not blocked."),
        ],
    );
    // A list of candidates contradicts a reference that is one figure.
    let listed =
        judged("What was revenue?", "$3.25 billion", true, "$1 billion, $2 billion, $3.25 billion, $4 billion");
    assert!(listed[0].passed && !listed[1].passed, "{listed:?}");
}

/// The rubric's facts, and for each of its figures the places of the answer where it is stated.
fn stated(rubric: &[Item], answer: &str) -> Vec<Figure> {
    let given = figures(answer);
    let facts = rubric.iter().filter(|item| item.operator == Operator::Correctness);
    let wanted: Vec<Figure> = facts.flat_map(|item| figures(&item.criteria)).collect();
    let only = |figure: &Figure| given.iter().filter(|other| figure.stated_by(other)).count() == 1;
    let once = wanted.iter().filter(|figure| only(figure));
    once.filter_map(|figure| given.iter().find(|other| figure.stated_by(other)).cloned()).collect()
}

/// Every alteration of a right answer that makes it wrong, with what was done.
fn altered(rubric: &[Item], answer: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let facts: Vec<&str> = rubric
        .iter()
        .filter(|item| item.operator == Operator::Correctness)
        .map(|item| item.criteria.as_str())
        .collect();
    let guided = facts.iter().any(|fact| ["beat", "miss"].iter().any(|word| fact.to_lowercase().contains(word)));
    for figure in stated(rubric, answer) {
        let text = &answer[figure.place.clone()];
        let at = figure.place.start + text.find(|letter: char| letter.is_ascii_digit()).unwrap();
        let mut put = |what: &str, place: std::ops::Range<usize>, by: &str| {
            let mut other = answer.to_owned();
            other.replace_range(place, by);
            all.push((what.to_owned(), other));
        };
        let digit = if answer[at..].starts_with('9') { "1" } else { "9" };
        put("figure", at..at + 1, digit);
        put("denied", figure.place.start..figure.place.start, "not ");
        // Seven percent of a miss is minus seven percent.
        if !guided && matches!(figure.measure, Measure::Money | Measure::Percent) {
            match figure.mantissa < 0 {
                true => put("sign", figure.place.clone(), text.trim_start_matches(['-', '\u{2212}'])),
                false => put("sign", figure.place.start..figure.place.start, "-"),
            }
        }
        if figure.measure == Measure::Money {
            put("loss", figure.place.start..figure.place.start, "a loss of ");
            let euros = text.replacen('$', "€", 1);
            put("currency", figure.place.clone(), &euros);
            put("or", figure.place.end..figure.place.end, " or $123 million");
        }
    }
    for (one, other) in [("BEAT", "MISS"), ("MISS", "BEAT"), ("beat", "miss"), ("miss", "beat")] {
        if facts.iter().any(|fact| fact.contains(one)) {
            all.push(("direction".to_owned(), answer.replacen(one, other, 1)));
            all.push(("both".to_owned(), answer.replacen(one, &format!("{one} or {other}"), 1)));
        }
    }
    // Two years change places, unless their figures are the same.
    for first in 2020..2026 {
        for second in first + 1..2026 {
            let (first, second) = (first.to_string(), second.to_string());
            let value = |year: &str| {
                let line = facts.iter().find(|fact| fact.contains(year) && facts.len() > 1);
                line.and_then(|line| figures(line).first().map(Figure::text))
            };
            if let (Some(one), Some(two)) = (value(&first), value(&second))
                && one != two
            {
                let swapped = answer.replace(&first, "\0").replace(&second, &first).replace('\0', &second);
                all.push(("periods".to_owned(), swapped));
            }
        }
    }
    all
}

// covers: CYC-037
#[test]
fn every_alteration_of_a_right_answer_fails() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in [1, 2025, 77] {
        let corpus = Corpus::new(Spec { seed, companies: 12 }).unwrap();
        for asked in corpus.questions() {
            let question = &asked.question;
            let rubric = question.rubric.as_ref().unwrap();
            assert!(passed(&offline(&question.text, rubric, &question.answer)), "{}", question.answer);
            for (what, answer) in altered(rubric, &question.answer) {
                let verdicts = offline(&question.text, rubric, &answer);
                assert!(!passed(&verdicts), "{what}: {} | {answer} | {verdicts:?}", question.text);
                *counts.entry(what).or_default() += 1;
            }
        }
    }
    println!("{counts:?}");
    let seen: Vec<&str> = counts.keys().map(String::as_str).collect();
    assert_eq!(seen, ["both", "currency", "denied", "direction", "figure", "loss", "or", "periods", "sign"]);
}

proptest! {
    #[test]
    fn no_answer_and_no_rubric_breaks_it(
        answer in "([\\PC]{0,6}|[$€(]?[0-9]{1,4}[.,%)]?| (not|or|in|to|million|2023|Q4|beat|fell|Jane|é) |\n|; |: ){0,14}",
        fact in "([\\PC]{0,6}|[$€(]?[0-9]{1,4}[.,%)]?| (in|million|2022|Q1'24|miss|rose|Jane|Doe|é) |\n|; |: ){0,8}",
    ) {
        let rubric = [item(Operator::Correctness, &fact), item(Operator::Contradiction, &fact)];
        prop_assert_eq!(offline(&fact, &rubric, &answer).len(), 2);
        prop_assert_eq!(offline(&answer, &rubric, &fact).len(), 2);
    }

    // covers: CYC-037
    #[test]
    fn directions_and_periods_of_drawn_answers_count(
        one in 101_u32..999, other in 101_u32..999, year in 2015_u32..2024, up in any::<bool>(),
        words in 0_usize..4,
    ) {
        prop_assume!(one != other);
        let (rose, fell) = [("increased", "decreased"), ("rose", "fell"), ("grew", "declined"), ("was higher by", "was lower by")][words];
        let (right, wrong) = if up { (rose, fell) } else { (fell, rose) };
        let percent = |value: u32| format!("{}.{}%", value / 10, value % 10);
        let (first, second) = (percent(one), percent(other));
        let (fact, next) = (format!("Revenue {right} {first} in {year}"), year + 1);
        let ask = "How did revenue develop?";
        let rubric = vec![item(Operator::Correctness, &fact)];
        let passes = |answer: &str| passed(&offline(ask, &rubric, answer));
        let both = format!("Revenue {right} {first} in {year} and {second} in {next}.");
        prop_assert!(passes(&both));
        let longer = format!("In {year} revenue {right} {first}; in {next} it {wrong} {second}.");
        prop_assert!(passes(&longer));
        let turned = format!("Revenue {wrong} {first} in {year}.");
        prop_assert!(!passes(&turned));
        let swapped = format!("Revenue {right} {second} in {year} and {first} in {next}.");
        prop_assert!(!passes(&swapped));
        let negated = format!("Revenue did not change by {first} in {year}.");
        prop_assert!(!passes(&negated));
    }
}
