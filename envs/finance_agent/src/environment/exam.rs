//! Judging stored answers again, and following what an episode found, from what journals keep.

use std::collections::BTreeSet;

use gimbal_core::questions::AtPlay;
use gimbal_core::{Ask, EnvError, Exam, Follower, Questions, RecordError, TaskId, ToolCall};
use gimbal_messages::records::filings::{EpisodeRecord, Judged};
use serde_json::Value;

use super::catalogue::FinanceAgent;
use super::session::Session;
use super::settings::{JudgeBy, Settings};
use super::task::{Asked, question};
use crate::audit::Trail;
use crate::judge;
use crate::tools::FINAL_ANSWER;

impl Questions for FinanceAgent {
    fn exam(&self, task: &TaskId, options: &Value) -> Result<Box<dyn Exam>, EnvError> {
        Ok(Box::new(Paper(question(task, options)?, Settings::read(options)?.judge)))
    }

    fn answer_of<'a>(&self, call: &'a ToolCall) -> Option<&'a str> {
        (call.tool == FINAL_ANSWER).then(|| call.string("answer")).flatten()
    }

    fn follower(&self) -> Box<dyn Follower> {
        Box::new(Trail::default())
    }
}

/// A question with its rubric, and who decided at play.
struct Paper(Asked, JudgeBy);

impl Exam for Paper {
    fn items(&self) -> Vec<String> {
        self.0.rubric.iter().map(|item| format!("{}: {}", item.operator.name(), item.criteria)).collect()
    }

    fn offline(&self, answer: &str) -> Vec<bool> {
        judge::offline(&self.0.text, &self.0.rubric, answer).into_iter().map(|verdict| verdict.passed).collect()
    }

    fn ask(&self, item: usize, answer: &str) -> Option<Ask> {
        let item = self.0.rubric.get(item)?;
        Some(Ask {
            role: "judge".to_owned(),
            messages: judge::model::messages(&self.0.text, item, answer),
            grammar: Some(judge::model::grammar()),
        })
    }

    fn read(&self, reply: &str) -> Option<bool> {
        judge::model::read(reply)
    }

    fn unanswered(&self, evidence: &BTreeSet<String>) -> Option<String> {
        let session = Session { trail: Trail::of_names(evidence), ..Session::default() };
        Some(session.record(&self.0, None, Vec::new(), false).behind(""))
    }

    fn at_play(&self, last: &str) -> Result<Option<AtPlay>, RecordError> {
        let Some(record) = EpisodeRecord::read(last)? else { return Ok(None) };
        let decided = |judged: &Judged| match self.1 {
            JudgeBy::Offline | JudgeBy::Both => Some(judged.offline),
            JudgeBy::Model => judged.model,
        };
        Ok(Some(AtPlay { passed: record.passed, items: record.verdicts.iter().map(decided).collect() }))
    }
}

impl Follower for Trail {
    fn follow(&mut self, call: &ToolCall, seen: &str) {
        Self::follow(self, call, EpisodeRecord::before(seen));
    }

    fn evidence(&self) -> BTreeSet<String> {
        self.names()
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Catalogue, TaskId, ToolCall};
    use gimbal_messages::records::filings::EpisodeRecord;
    use serde_json::json;

    use super::FinanceAgent;

    #[test]
    fn answers_are_judged_again_and_what_was_found_is_followed() {
        let questions = Catalogue::questions(&FinanceAgent).unwrap();
        let options = FinanceAgent.resolve(&json!({})).unwrap();
        let exam = questions.exam(&TaskId("s01".to_owned()), &options).unwrap();
        let right = super::question(&TaskId("s01".to_owned()), &options).unwrap().answer;
        assert!(!exam.items().is_empty() && exam.offline(&right).iter().all(|passed| *passed));
        assert_eq!(exam.offline("Nobody knows.").len(), exam.items().len());
        let ask = exam.ask(0, &right).unwrap();
        assert!(ask.role == "judge" && ask.messages[1].text.contains(&right) && ask.grammar.is_some());
        assert!(exam.ask(exam.items().len(), &right).is_none());
        assert!(questions.exam(&TaskId("s99".to_owned()), &options).is_err());
        let mut follower = questions.follower();
        let row = json!([{ "filingUrl": "https://www.sec.example/a", "accessionNo": "1" }]).to_string();
        let search = ToolCall::with("finance_agent_edgar_search", &[("query", "x")]);
        follower.follow(&search, &row);
        let first = follower.evidence();
        follower.follow(&search, &row);
        assert!(first.len() == 1 && follower.evidence() == first, "the same again changes nothing");
        let open =
            ToolCall::with("finance_agent_parse_html_page", &[("url", "https://www.sec.example/a"), ("key", "k")]);
        follower.follow(&open, "SUCCESS: stored");
        assert_eq!(follower.evidence().len(), 2);
        // An episode that ends before its answer tells how far it came.
        let gold = super::question(&TaskId("s01".to_owned()), &options).unwrap().gold;
        let told = |names: &[String]| {
            let evidence = names.iter().cloned().collect();
            let record = EpisodeRecord::read(&exam.unanswered(&evidence).unwrap()).unwrap().unwrap();
            record.bottleneck.unwrap().name()
        };
        let of = |what: &str| -> Vec<String> { gold.iter().map(|gold| format!("{what} {}", gold.url)).collect() };
        assert_eq!(told(&[]), "not_matched");
        assert_eq!(told(&of("found")), "not_opened");
        assert_eq!(told(&of("stored")), "not_read");
        assert_eq!(told(&[of("stored"), of("read")].concat()), "rubric_failed");
        // Verdicts at play: those of the record, none without one, and an error for one that does not read.
        let last = exam.unanswered(&std::collections::BTreeSet::new()).unwrap();
        assert_eq!(exam.at_play(&last).map(|play| play.map(|play| play.passed)), Ok(Some(false)));
        assert_eq!(exam.at_play("The last call."), Ok(None));
        assert!(exam.at_play(&last.replace("\"passed\"", "\"pass\"")).is_err());
    }
}
