//! The synthetic corpus: what it promises about its own questions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeSet;

use gimbal_finance_agent::corpus::{Corpus, Filter, OF_EACH, Spec};
use gimbal_finance_agent::html::text_of;
use gimbal_finance_agent::judge::{offline, passed};
use gimbal_finance_agent::number::figures;
use gimbal_finance_agent::questions::{self, Kind};
use gimbal_finance_agent::spans::{Numbers, evidence};

fn corpus(seed: u64) -> Corpus {
    Corpus::new(Spec { seed, companies: 12 }).unwrap()
}

// covers: CYC-037
#[test]
fn questions_of_all_nine_kinds_have_gold_and_answers_that_pass() {
    for seed in [2025, 1, 77] {
        let corpus = corpus(seed);
        assert_eq!(corpus.questions().len(), OF_EACH * Kind::ALL.len());
        let kinds: BTreeSet<Kind> = corpus.questions()[..9].iter().map(|asked| asked.question.kind).collect();
        assert_eq!(kinds.len(), 9);
        let texts: BTreeSet<&str> = corpus.questions().iter().map(|asked| asked.question.text.as_str()).collect();
        assert_eq!(texts.len(), corpus.questions().len(), "no question twice");
        for asked in corpus.questions() {
            let question = &asked.question;
            assert!(!asked.gold.is_empty(), "{}", question.text);
            let rubric = question.rubric.as_ref().unwrap();
            let verdicts = offline(&question.text, rubric, &question.answer);
            assert!(passed(&verdicts), "{}\n{}\n{verdicts:#?}", question.text, question.answer);
            let changed = common::with_other_figures(&question.answer);
            let asks = rubric
                .iter()
                .take(rubric.len() - 1)
                .flat_map(|item| figures(&item.criteria))
                .any(|figure| figure.digits() >= 3);
            assert!(!asks || !passed(&offline(&question.text, rubric, &changed)), "{changed}");
            // No answer, and someone else's answer, fail.
            assert!(
                !passed(&offline(&question.text, rubric, "I could not find this in the filings.")),
                "{}",
                question.text
            );
            for other in corpus.questions().iter().filter(|other| other.question.text != question.text) {
                let verdicts = offline(&question.text, rubric, &other.question.answer);
                assert!(
                    !passed(&verdicts) || other.question.answer == question.answer,
                    "{}\n{}",
                    question.text,
                    other.question.answer
                );
            }
            for gold in &asked.gold {
                assert!(corpus.page(&gold.url).is_some(), "{}", gold.url);
            }
        }
    }
}

// covers: CYC-095
#[test]
fn retrieved_figures_stand_in_the_gold_documents() {
    let corpus = corpus(2025);
    for asked in corpus.questions() {
        let texts: Vec<(String, Numbers)> = asked
            .gold
            .iter()
            .map(|gold| text_of(corpus.page(&gold.url).unwrap()))
            .map(|text| (Numbers::of(&text), text))
            .map(|(numbers, text)| (text, numbers))
            .collect();
        let found = evidence(&asked.question.answer, texts.iter().map(|(text, numbers)| ("k", text.as_str(), numbers)));
        let all = found.figures.len();
        if asked.question.kind == Kind::QuantitativeRetrieval {
            assert_eq!(found.stored(), all, "{}\n{found:#?}", asked.question.text);
        }
        // Figures that an answer computes are told apart from those that it read.
        if asked.question.text.contains("CAGR") {
            assert_eq!((found.stored(), all), (2, 3), "{}\n{found:#?}", asked.question.text);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let (one, two, other) = (corpus(5), corpus(5), corpus(6));
    let bytes = |corpus: &Corpus| -> Vec<String> {
        corpus.filings().iter().map(|filed| format!("{}{}", filed.url, filed.html)).collect()
    };
    assert_eq!(bytes(&one), bytes(&two));
    assert_ne!(bytes(&one), bytes(&other));
    let questions_of = |corpus: &Corpus| -> Vec<u8> {
        let questions: Vec<_> = corpus.questions().iter().map(|asked| asked.question.clone()).collect();
        questions::write(&questions)
    };
    assert_eq!(questions_of(&one), questions_of(&two));
    // The table reads back as it was.
    let read = questions::parse(&questions_of(&one), "synthetic.csv").unwrap();
    assert_eq!(read.len(), 54);
    assert!(read.iter().zip(one.questions()).all(|(read, asked)| *read == asked.question));
    let first: Vec<&str> = one.questions().iter().take(9).map(|asked| asked.question.text.as_str()).collect();
    insta::assert_debug_snapshot!("first_questions", first);
}

#[test]
fn search_obeys_words_operators_and_filters() {
    let corpus = corpus(2025);
    let find = |query: &str, filter: &Filter| -> Vec<String> {
        corpus
            .search(query, filter)
            .unwrap()
            .iter()
            .map(|(filed, _)| format!("{} {}", filed.form, filed.kind))
            .collect()
    };
    let all = Filter::default();
    assert_eq!(
        find("subsidiaries registrant*", &all).len()
            + find("-subsidiaries", &all).len()
            + find("subsidiaries -registrant*", &all).len(),
        corpus.filings().len()
    );
    let releases = find("\"press release\" OR guidance", &all);
    assert!(releases.contains(&"8-K EX-99.1".to_owned()) && releases.contains(&"8-K 8-K".to_owned()));
    let both = find("guidance AND \"gross margin\"", &all).len();
    assert_eq!(both, 60, "five releases of each of twelve companies");
    assert_eq!(find("guid* \"gross margin\"", &all).len(), both);
    assert_eq!(find("GUIDANCE \"Gross Margin\"", &all).len(), both);
    assert!(find("\"margin gross\"", &all).is_empty());
    let filed = &corpus.filings()[0];
    let filter = Filter { forms: vec!["10-k".to_owned()], ciks: vec![filed.cik], ..Filter::default() };
    assert_eq!(find("revenue", &filter).len(), 3);
    let filter = Filter { start: Some("2025-01-01".to_owned()), ..filter };
    assert_eq!(find("", &filter).len(), 2, "the report and its exhibit");
    let ordered = corpus.search("", &all).unwrap();
    assert!(ordered.windows(2).all(|pair| pair[0].0.filed >= pair[1].0.filed), "without words the newest come first");
}
