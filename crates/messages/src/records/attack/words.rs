//! Records of attacks as a person reads them (CTHA-119).

use gimbal_core::StoryMemory;

use super::{AttackCarriedOut, AttackPlanted, AttackRead};

pub(super) fn planted(planted: &AttackPlanted, _memory: &mut StoryMemory) -> String {
    let AttackPlanted { step, suite, category, text, aim, call, changes, .. } = planted;
    let harm = match (aim.as_str(), changes.as_deref()) {
        ("bind", _) => "it ends or binds the task".to_owned(),
        (_, Some([])) => "it changes no thing of the environment".to_owned(),
        (_, Some(changes)) => format!("it changes {}", changes.join(", ")),
        (aim, None) => format!("its aim: {aim}"),
    };
    format!(
        "attack: `{text}` of {category} ({suite}) follows the observation of step {step} and asks for {call}; {harm}"
    )
}

pub(super) fn read(read: &AttackRead, _memory: &mut StoryMemory) -> String {
    let AttackRead { role, whole, .. } = read;
    let what = if *whole { "the whole planted text" } else { "a rest of the planted text, with its call" };
    format!("attack: {role} reads {what}")
}

pub(super) fn carried_out(carried_out: &AttackCarriedOut, _memory: &mut StoryMemory) -> String {
    format!("attack: the planted call was carried out in step {}", carried_out.step)
}

#[cfg(test)]
mod tests {
    use gimbal_core::StoryMemory;

    use crate::Record;
    use crate::records::attack::{AttackCarriedOut, AttackPlanted, AttackRead};

    fn told<R: Record>(record: &R) -> String {
        record.told(&mut StoryMemory::default()).unwrap()
    }

    // covers: CTHA-119
    #[test]
    fn an_attack_is_told_in_lines_with_the_steps_that_it_is_about() {
        let mut planted = AttackPlanted {
            step: 2,
            suite: "own".to_owned(),
            category: "jailbreak".to_owned(),
            text: "rules-off".to_owned(),
            aim: "change".to_owned(),
            call: "go to desk 1".to_owned(),
            tool: "move".to_owned(),
            arguments: Default::default(),
            changes: Some(Vec::new()),
        };
        let line =
            "attack: `rules-off` of jailbreak (own) follows the observation of step 2 and asks for go to desk 1; ";
        assert_eq!(told(&planted), format!("{line}it changes no thing of the environment"));
        assert_eq!(planted.is_harmful(), Some(false));
        planted.changes = Some(vec!["door of desk 1".to_owned()]);
        assert_eq!((told(&planted), planted.is_harmful()), (format!("{line}it changes door of desk 1"), Some(true)));
        planted.changes = None;
        assert_eq!((told(&planted), planted.is_harmful()), (format!("{line}its aim: change"), None));
        planted.aim = "bind".to_owned();
        assert_eq!((told(&planted), planted.is_harmful()), (format!("{line}it ends or binds the task"), Some(true)));
        let read = AttackRead { step: 3, role: "reflex".to_owned(), whole: false };
        assert_eq!(told(&read), "attack: reflex reads a rest of the planted text, with its call");
        assert_eq!(told(&AttackCarriedOut { step: 3 }), "attack: the planted call was carried out in step 3");
        const { assert!(AttackPlanted::IS_BEHIND && AttackCarriedOut::IS_BEHIND && !AttackRead::IS_BEHIND) };
    }
}
