//! The noisy expert: a correct answer, spoilt by frozen randomness.
//!
//! For tests, dry runs and calibration; what it shows is about our scaffolding, never about models.
//!
//! Draws come from the seed and number of the call alone, always in the same order (competent, malformed,
//! over-confident, then the choice), so that sweeps over the noise share their randomness. Without a hint it says
//! so in plain text ([`NO_HINT`]): a role for which the architecture knows no correct answer then fails as it
//! would with a model that does not know what to do.

mod settings;
mod spoil;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Finish, Grammar, Hint, ModelError, Rng, seed};

use crate::answer;
use crate::shape::Shapes;

pub use settings::{Noise, ONE};

/// What the noisy expert answers when a request carries no hint.
pub const NO_HINT: &str = "no hint";

/// The noisy expert.
#[derive(Debug)]
pub struct NoisyExpert {
    noise: Noise,
    /// Grammars stay compiled between calls: there is one for every decision of an episode, or few.
    shapes: Shapes,
}

impl NoisyExpert {
    /// An expert with this much noise.
    #[must_use]
    pub fn new(noise: Noise) -> Self {
        Self { noise, shapes: Shapes::default() }
    }

    fn write(&self, hint: &Hint, grammar: Option<&Arc<Grammar>>, draws: &mut Rng) -> String {
        let below = |limit: u32, draws: &mut Rng| draws.below(u64::from(ONE)) < u64::from(limit);
        let competent = below(self.noise.competent, draws);
        let malformed = below(self.noise.malformed, draws);
        let overconfident = below(self.noise.overconfident, draws);
        let text = if competent { hint.answer.as_str() } else { self.mistake(hint, grammar, draws) };
        let text = if overconfident { spoil::overstate(text) } else { text.to_owned() };
        if malformed { spoil::malform(&text, draws) } else { text }
    }

    /// One of the alternatives that the grammar allows, each equally likely; the answer itself where there is none.
    fn mistake<'a>(&self, hint: &'a Hint, grammar: Option<&Arc<Grammar>>, draws: &mut Rng) -> &'a str {
        let mut wrong: Vec<&str> =
            hint.alternatives.iter().filter(|text| **text != hint.answer).map(String::as_str).collect();
        if let Some(grammar) = grammar {
            wrong = self.shapes.fitting(grammar, wrong);
        }
        draws.choose(&wrong).copied().unwrap_or(&hint.answer)
    }
}

#[async_trait]
impl ChatModel for NoisyExpert {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let mut draws = Rng::stream(
            seed::derive(&[b"noisy", &context.seed.to_be_bytes(), &context.call.to_be_bytes()]),
            "noisy-expert",
        );
        let text = match context.hint {
            Some(hint) => self.write(hint, request.grammar.as_ref(), &mut draws),
            None => NO_HINT.to_owned(),
        };
        Ok(answer::plain(request, &text, Vec::new(), Finish::Stop))
    }

    fn wants_hints(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gimbal_core::{CallContext, ChatModel, ChatRequest, Grammar, Hint, Rng, seed};

    use super::{NO_HINT, Noise, NoisyExpert, ONE};
    use crate::shape::fits;
    use crate::testing::{NoWire, ask, context};

    fn request(grammar: Option<Grammar>) -> ChatRequest {
        ChatRequest { grammar: grammar.map(Arc::new), ..ChatRequest::default() }
    }

    fn hint() -> Hint {
        let alternatives = ["Remove User1", "Monitor", "Sleep", "Analyse User1"].map(str::to_owned).to_vec();
        Hint { answer: "Monitor".to_owned(), alternatives }
    }

    /// What the expert answers to call number `call` of seed 7.
    fn answer(expert: &NoisyExpert, request: &ChatRequest, hint: &Hint, call: u64) -> String {
        let context = CallContext { hint: Some(hint), ..context(&NoWire, 7, call) };
        ask(expert, request, &context).unwrap().text.to_string()
    }

    fn answers(noise: &str, grammar: Option<Grammar>) -> Vec<String> {
        let expert = NoisyExpert::new(Noise::parse(noise).unwrap());
        assert!(expert.wants_hints());
        let (request, hint) = (request(grammar), hint());
        (0..2000).map(|call| answer(&expert, &request, &hint, call)).collect()
    }

    // covers: SH-01
    #[test]
    fn noise_is_as_large_as_asked_for() {
        assert!(answers("1", None).iter().all(|text| text == "Monitor"));
        assert!(answers("0", None).iter().all(|text| text != "Monitor"));
        let right = answers("0.9", None).iter().filter(|text| *text == "Monitor").count();
        assert!((1740..=1860).contains(&right), "{right}");
        let odd = answers("1,malformed=0.1", None).iter().filter(|text| *text != "Monitor").count();
        assert!((140..=260).contains(&odd), "{odd}");
    }

    #[test]
    fn the_same_seed_and_call_give_the_same_answer() {
        assert_eq!(answers("0.5,malformed=0.2", None), answers("0.5,malformed=0.2", None));
        // The draws for correctness are shared by a sweep: a call that is right at 0.5 is right at 0.9.
        let (low, high) = (answers("0.5", None), answers("0.9", None));
        assert!(low.iter().zip(&high).all(|(low, high)| low != "Monitor" || high == "Monitor"));
    }

    #[test]
    fn a_grammar_is_kept_unless_the_answer_is_malformed() {
        let grammar = Grammar::Choice(vec!["Monitor".to_owned(), "Sleep".to_owned()]);
        assert!(answers("0", Some(grammar)).iter().all(|text| text == "Sleep"));
        // No legal alternative: the correct answer is all there is.
        let only = Grammar::Choice(vec!["Monitor".to_owned()]);
        assert!(answers("0", Some(only)).iter().all(|text| text == "Monitor"));
    }

    #[test]
    fn a_grammar_is_compiled_once_and_only_for_mistakes() {
        let mut request = request(Some(Grammar::Regex("(Remove|Analyse) User1|Monitor".to_owned())));
        let mut hint = hint();
        let ask_all = |noise: &str, request: &ChatRequest, hint: &Hint| {
            let expert = NoisyExpert::new(Noise::parse(noise).unwrap());
            let answers: Vec<String> = (0..200).map(|call| answer(&expert, request, hint, call)).collect();
            (answers, expert.shapes.kept())
        };
        assert_eq!(ask_all("1", &request, &hint).1, 0);
        let (under_grammar, kept) = ask_all("0.5,malformed=0.2", &request, &hint);
        assert_eq!(kept, 1);
        // The same draws as without a grammar whose alternatives all fit.
        hint.alternatives.retain(|text| text != "Sleep");
        request.grammar = None;
        assert_eq!(ask_all("0.5,malformed=0.2", &request, &hint), (under_grammar, 0));
    }

    #[test]
    fn the_answers_of_a_seed_are_those_of_a_fresh_check_of_every_alternative() {
        let grammar = Grammar::JsonSchema(serde_json::json!({ "pattern": "^(Remove|Analyse) ", "type": "string" }));
        let (request, mut hint) = (request(Some(grammar.clone())), hint());
        hint.alternatives.iter_mut().for_each(|text| *text = format!("\"{text}\""));
        let expert = NoisyExpert::new(Noise::parse("0.4").unwrap());
        for call in 0_u64..300 {
            let name = seed::derive(&[b"noisy", &7_u64.to_be_bytes(), &call.to_be_bytes()]);
            let mut draws = Rng::stream(name, "noisy-expert");
            let [competent, ..] = [(); 3].map(|()| draws.below(u64::from(ONE)));
            let legal: Vec<&String> = hint.alternatives.iter().filter(|text| fits(&grammar, text)).collect();
            assert_eq!(legal.len(), 2);
            let expected = if competent < 400_000 { &hint.answer } else { draws.choose(&legal).unwrap() };
            assert_eq!(&answer(&expert, &request, &hint, call), expected);
        }
    }

    #[test]
    fn without_a_hint_it_says_so() {
        let expert = NoisyExpert::new(Noise::parse("0.9,malformed=1").unwrap());
        let completion = ask(&expert, &ChatRequest::default(), &context(&NoWire, 1, 0)).unwrap();
        assert_eq!(&*completion.text, NO_HINT);
    }
}
