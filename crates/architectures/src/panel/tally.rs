//! How far members agree, question by question, and what each rule makes of it (ARES-098, ARES-122).

use std::collections::BTreeMap;

use gimbal_core::Milli;
use gimbal_messages::records::panel::{Ruled, Tabulated};

use super::opinion::{Answers, QUESTIONS, folded};
use super::settings::Rule;

/// The answers of all members, in their order; none of a member that gave nothing that could be used.
pub(super) struct Tally<'a>(pub &'a [Option<Answers>]);

/// The answers that most members gave.
struct Plurality {
    /// The answer as the first of them wrote it; `None` if several answers have as many.
    answer: Option<String>,
    votes: usize,
}

impl Tally<'_> {
    /// One row for each question.
    pub(super) fn table(&self) -> Vec<Tabulated> {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (members, answered) = (self.0.len(), self.0.iter().flatten().count());
        let row = |(place, question): (usize, &&str)| {
            let Plurality { answer, votes } = self.most(place);
            Tabulated {
                question: (*question).to_owned(),
                agreement: agreement(votes, members).to_owned(),
                answer,
                votes: count(votes),
                answered: count(answered),
                members: count(members),
            }
        };
        QUESTIONS.iter().enumerate().map(row).collect()
    }

    /// What every rule gives, and the answer of the one that is followed.
    pub(super) fn ruled(&self, rule: Rule) -> Ruled {
        let members = self.0.len();
        let Plurality { answer, votes } = self.most(0);
        let with = |agreements: &[&str]| answer.clone().filter(|_| agreements.contains(&agreement(votes, members)));
        let (unanimous, majority) = (with(&["unanimous"]), with(&["unanimous", "majority"]));
        let single = self.0.first().and_then(Option::as_ref).map(|first| first.answer().to_owned());
        let concluded = match rule {
            Rule::Unanimous => unanimous.clone(),
            Rule::Majority => majority.clone(),
            Rule::Single => single.clone(),
        };
        let backing = concluded
            .as_ref()
            .map_or(0, |answer| self.0.iter().flatten().filter(|one| folded(one.answer()) == folded(answer)).count());
        let certainty = i64::try_from(backing * 1000 / members.max(1)).unwrap_or_default();
        let rule = rule.name().to_owned();
        Ruled { rule, unanimous, majority, single, answer: concluded, certainty: Milli(certainty) }
    }

    /// The findings of the members that gave this answer, each once.
    pub(super) fn findings(&self, answer: &str) -> Vec<String> {
        let mut findings: Vec<String> = Vec::new();
        for one in self.0.iter().flatten().filter(|one| folded(one.answer()) == folded(answer)) {
            let finding = one.finding().to_owned();
            if finding != super::opinion::NONE && !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        findings
    }

    fn most(&self, place: usize) -> Plurality {
        let mut counts: BTreeMap<String, (usize, &str)> = BTreeMap::new();
        for one in self.0.iter().flatten() {
            counts.entry(folded(&one.0[place])).or_insert((0, one.0[place].as_str())).0 += 1;
        }
        let votes = counts.values().map(|(count, _)| *count).max().unwrap_or(0);
        let mut leading = counts.values().filter(|(count, _)| *count == votes).map(|(_, text)| *text);
        let answer = match (leading.next(), leading.next()) {
            (Some(only), None) => Some(only.to_owned()),
            _ => None,
        };
        Plurality { answer, votes }
    }
}

/// How far so many equal answers of so many members are an agreement.
fn agreement(votes: usize, members: usize) -> &'static str {
    match votes {
        0 => "split",
        votes if votes == members => "unanimous",
        votes if 2 * votes > members => "majority",
        _ => "split",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Answers, Milli, Rule, Tally};

    fn said(answer: &str) -> Option<Answers> {
        Some(Answers([answer, "F001", "nothing", "close", "a cat"].map(str::to_owned)))
    }

    fn rules(members: &[Option<Answers>]) -> [Option<String>; 3] {
        let ruled = Tally(members).ruled(Rule::Majority);
        [ruled.unanimous, ruled.majority, ruled.single]
    }

    #[test]
    fn agreement_is_counted_over_all_members_that_were_asked() {
        let yes = || Some("yes".to_owned());
        assert_eq!(rules(&[said("yes"), said("Yes."), said("yes")]), [yes(), yes(), yes()]);
        assert_eq!(rules(&[said("no"), said("yes"), said("yes")]), [None, yes(), Some("no".to_owned())]);
        // A member that gave nothing breaks unanimity, and two of four are not a majority.
        assert_eq!(rules(&[None, said("yes"), said("yes")]), [None, yes(), None]);
        assert_eq!(rules(&[said("yes"), said("yes"), said("no"), None]), [None, None, yes()]);
        assert_eq!(rules(&[None, None]), [None, None, None]);
        let ruled = Tally(&[said("no"), said("yes"), said("yes")]).ruled(Rule::Single);
        assert_eq!((ruled.answer.as_deref(), ruled.certainty), (Some("no"), Milli(333)));
    }

    proptest! {
        #[test]
        fn what_is_unanimous_is_a_majority_and_what_the_first_says(answers in proptest::collection::vec(0_u8..4, 1..9)) {
            let members: Vec<Option<Answers>> =
                answers.iter().map(|answer| if *answer == 3 { None } else { said(&answer.to_string()) }).collect();
            let [unanimous, majority, single] = rules(&members);
            let same = |answer: &String| answers.iter().filter(|one| one.to_string() == *answer).count();
            prop_assert_eq!(unanimous.is_some(), answers[0] != 3 && same(&answers[0].to_string()) == answers.len());
            if unanimous.is_some() {
                prop_assert!(unanimous == majority && majority == single);
            }
            if let Some(majority) = majority {
                prop_assert!(2 * same(&majority) > answers.len());
            }
            let table = Tally(&members).table();
            prop_assert!(table.iter().all(|row| row.votes <= row.answered && row.answered <= row.members));
        }
    }
}
