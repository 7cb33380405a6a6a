//! The task of a household in words.

use super::household::{Household, HouseholdTask, TaskKind};
use crate::words::article;

impl Household {
    /// What to do, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let HouseholdTask { kind, thing, to } = &self.task;
        let (one, place) = (format!("{} {thing}", article(thing)), format!("{} {to}", article(to)));
        match kind {
            TaskKind::Place => format!("bring {one} to {place}."),
            TaskKind::Clean => format!("wash {one}, then bring it to {place}."),
            TaskKind::Heat => format!("heat {one}, then bring it to {place}."),
            TaskKind::Cool => format!("cool {one}, then bring it to {place}."),
            TaskKind::Two => format!("bring two of the {thing} kind to one {to}."),
            TaskKind::Light => format!("hold {one} beside {place} that is lit."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dials, TASK_KINDS};
    use super::Household;
    use crate::engine::Play;

    /// Not always in the published game, whose words are its own.
    #[test]
    fn a_name_in_our_own_words_has_the_article_that_it_asks_for() {
        let mut told = String::new();
        for (seed, kind) in (0..40).flat_map(|seed| TASK_KINDS.map(|kind| (seed, kind))) {
            let household = Household::generate(&Dials { task: Some(kind), ..Dials::default() }, seed).unwrap();
            let mut play = Play::new(std::sync::Arc::new(household.game().unwrap()));
            told.push_str(play.observation());
            for place in &household.furniture {
                for command in ["go to", "open", "examine"] {
                    play.step(&format!("{command} {}", place.name));
                    told.push_str(play.observation());
                }
                play.step("look");
                told.push_str(play.observation());
            }
        }
        let words: Vec<&str> = told.split([' ', '\n']).collect();
        for pair in words.windows(2) {
            let vowel = pair[1].starts_with(['a', 'e', 'i', 'o', 'u']);
            assert!(!matches!((pair[0], vowel), ("a" | "A", true) | ("an" | "An", false)), "{pair:?}");
        }
        for text in ["wash an apple, then bring it to a ", "there is an armchair 1", " an egg "] {
            assert!(told.contains(text), "{text}");
        }
    }
}
