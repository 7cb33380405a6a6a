//! What the layers of a temporal hierarchy record, as a person reads it: proposals, conflicts, commitments, verdicts, messages (CTHA-070 to 119).
//!
//! A line says what the JSON of its record says, but for what the lines around it say already.

use gimbal_core::{Milli, StoryMemory};

use super::{
    Clash, LayerAsked, LayerCommitted, LayerDecided, LayerMapped, LayerMasked, LayerProposed, LayerReleased, LayerSent,
    LayerTrimmed, LayerViolated, StoreRefused, SubgoalReached,
};
use crate::Record as _;

pub(super) fn committed(committed: &LayerCommitted, memory: &mut StoryMemory) -> String {
    let LayerCommitted { number, layer, subject, text, until, .. } = committed;
    let until = until.map_or_else(|| "until it is released".to_owned(), |step| format!("to step {step}"));
    memory.keep(held(*number), format!("{layer} ({subject})"));
    format!("commitment {number}: {layer} holds {subject}: {text} ({until})")
}

pub(super) fn released(released: &LayerReleased, memory: &mut StoryMemory) -> String {
    let LayerReleased { number, by, .. } = released;
    let whose = memory.get(&held(*number)).map(|whose| format!(" of {whose}")).unwrap_or_default();
    format!("commitment {number}{whose} ends: {}", by.replace('_', " "))
}

/// Where the memory of a story holds whose a commitment is, and what it is about.
fn held(number: u64) -> String {
    format!("{} {number}", LayerCommitted::KIND)
}

pub(super) fn masked(masked: &LayerMasked, _memory: &mut StoryMemory) -> String {
    let LayerMasked { layer, left_out, left, .. } = masked;
    format!("{layer} is held to {left} actions; policies deny {left_out} more")
}

pub(super) fn reached(reached: &SubgoalReached, _memory: &mut StoryMemory) -> String {
    let SubgoalReached { subgoal, by, .. } = reached;
    let by = if by == "query" { "the belief state answers so" } else { "Tactical says so" };
    format!("subgoal {subgoal} is met: {by}")
}

pub(super) fn store_refused(refused: &StoreRefused, _memory: &mut StoryMemory) -> String {
    let StoreRefused { store, why, bytes, .. } = refused;
    format!(
        "`{store}` of earlier trials could not be read ({why}); an empty store replaces it, and its {bytes} bytes are kept as `{store}_unreadable`"
    )
}

pub(super) fn mapped(mapped: &LayerMapped, _memory: &mut StoryMemory) -> String {
    let LayerMapped { maps, shares, scores, deviation, .. } = mapped;
    let shares: Vec<String> = shares.iter().map(|share| Milli(i64::from(*share)).to_string()).collect();
    let scores: Vec<String> = scores.iter().map(ToString::to_string).collect();
    format!(
        "maps ({maps}), the fastest layer first: shares of the context {}; scores that ask a layer {}; deviation {deviation}",
        shares.join(", "),
        scores.join(", ")
    )
}

pub(super) fn trimmed(trimmed: &LayerTrimmed, _memory: &mut StoryMemory) -> String {
    let LayerTrimmed { layer, room, before, after, left_out, .. } = trimmed;
    format!("{layer} has room for {room} tokens of context: {left_out} left out ({before} to {after} tokens)")
}

pub(super) fn asked(asked: &LayerAsked, _memory: &mut StoryMemory) -> String {
    let LayerAsked { layer, why, cached, .. } = asked;
    let why = why.replace('_', " ");
    match (*cached, why.as_str()) {
        // That it is due at every so many steps is not news.
        (false, "period") => String::new(),
        (false, _) => format!("{layer} was asked: {why}"),
        (true, _) => format!("{layer} was due ({why}) and not asked: it would have seen the same as last time"),
    }
}

/// How a message was read; nothing where it arrived as it was written.
pub(super) fn read(sent: &LayerSent, _memory: &mut StoryMemory) -> String {
    let LayerSent { from, kind, outcome, changes, refusal, .. } = sent;
    let causes: Vec<String> =
        changes.iter().map(|(cause, count)| format!("{} {count}", cause.replace('_', " "))).collect();
    let causes = if causes.is_empty() { String::new() } else { format!(" ({})", causes.join(", ")) };
    match outcome.as_str() {
        "by_rule" => format!("the {kind} of {from} was brought into shape{causes}"),
        "default" => {
            let why = refusal.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            format!("the {kind} of {from} could not be used, and the default replaces it{why}{causes}")
        }
        "lost" => format!("the {kind} of {from} was lost on its way"),
        _ => String::new(),
    }
}

pub(super) fn proposed(proposed: &LayerProposed, _memory: &mut StoryMemory) -> String {
    let LayerProposed { layer, text, category, urgency, confidence, .. } = proposed;
    format!("{layer} wants: {text} ({}, urgency {urgency}, confidence {confidence})", category.replace('_', " "))
}

fn over(causes: &[String]) -> String {
    causes
        .iter()
        .map(|cause| if cause == "call" { "the one call of the step" } else { cause })
        .collect::<Vec<_>>()
        .join(", ")
}

fn clash(clash: &Clash) -> String {
    let Clash { faster, slower, causes, kept } = clash;
    let kept = match kept {
        Some(kept) => format!("{kept} is kept"),
        None => "nobody is kept against the other".to_owned(),
    };
    format!("conflict: {faster} against {slower} over {}; {kept}", over(causes))
}

pub(super) fn decided(decided: &LayerDecided, _memory: &mut StoryMemory) -> String {
    let LayerDecided { arbiter, parties, conflicts, call, caller, carried_out, .. } = decided;
    let mut lines: Vec<String> = conflicts.iter().map(clash).collect();
    let among = match conflicts.len() {
        0 => format!("{parties} parties, no conflict"),
        1 => format!("{parties} parties, 1 conflict"),
        more => format!("{parties} parties, {more} conflicts"),
    };
    let by = if arbiter == "last" { "no arbiter: the last action written" } else { arbiter };
    lines.push(match caller {
        Some(caller) => format!("verdict ({by}; {among}): {call}, wanted by {caller}"),
        None => format!("verdict ({by}; {among}): {call}, because no layer's action is left"),
    });
    lines.extend(carried_out.iter().map(|clash| {
        let Clash { faster, slower, causes, .. } = clash;
        let other = if caller.as_ref() == Some(faster) { slower } else { faster };
        format!("carried out against {other}, over {}", over(causes))
    }));
    lines.join("\n")
}

pub(super) fn violated(violated: &LayerViolated, _memory: &mut StoryMemory) -> String {
    let LayerViolated { layer, kind, text, carried_out, over, instead, .. } = violated;
    let over = over.as_deref().unwrap_or("a slower layer");
    let what = match kind.as_str() {
        "authority" => format!("{layer} wants {text}, which is not for it to decide"),
        "policy" if *carried_out => format!("{layer} gets {text}, which {over} excludes"),
        "policy" => format!("{layer} wants {text}, which the policy of {over} denies"),
        "escalated" => format!("{layer} wants {text}, which a rule gives {over} to look at"),
        "untimely" => format!("{layer} wants {text}, which is on the time scale of {over}"),
        "binding" => format!("{layer} wants {text}, which binds the task, and no plan of {over} names it"),
        other => format!("{layer} wants {text} ({other})"),
    };
    let then = match (*carried_out, instead.as_str()) {
        (true, _) => "it is carried out",
        (false, "escalation") => "the call is held back",
        (false, "idle" | "") => "it is refused",
        (false, "dropped") => "the rest of its sequence is dropped",
        (false, other) => return format!("violation: {what}; instead: {other}"),
    };
    format!("violation: {what}; {then}")
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Milli, RecordKinds, StoryMemory};

    use crate::Record;
    use crate::records::temporal::{Clash, KINDS, LayerCommitted, LayerDecided, LayerProposed, LayerReleased};

    fn told<R: Record>(memory: &mut StoryMemory, record: &R) -> String {
        record.told(memory).unwrap()
    }

    // covers: CTHA-070
    #[test]
    fn a_step_of_layers_is_told_in_lines() {
        let mut layers = StoryMemory::default();
        let proposed = LayerProposed {
            step: 3,
            layer: "reflex".to_owned(),
            kind: "call".to_owned(),
            text: "Light lamp=lamp_1".to_owned(),
            category: "tool_invocation".to_owned(),
            urgency: Milli(900),
            confidence: Milli(800),
        };
        let line = "reflex wants: Light lamp=lamp_1 (tool invocation, urgency 0.9, confidence 0.8)";
        assert_eq!(told(&mut layers, &proposed), line);
        let committed = LayerCommitted {
            step: 3,
            number: 7,
            layer: "strategic".to_owned(),
            subject: "plan/a".to_owned(),
            text: "only Wait".to_owned(),
            until: Some(9),
        };
        assert_eq!(told(&mut layers, &committed), "commitment 7: strategic holds plan/a: only Wait (to step 9)");
        let over = Clash {
            faster: "reflex".to_owned(),
            slower: "strategic".to_owned(),
            causes: vec!["directive plan/a".to_owned(), "call".to_owned()],
            kept: Some("strategic".to_owned()),
        };
        let decided = LayerDecided {
            step: 3,
            arbiter: "greedy".to_owned(),
            parties: 2,
            conflicts: vec![over.clone()],
            comparisons: 1,
            early: false,
            call: "Wait".to_owned(),
            caller: None,
            carried_out: Vec::new(),
            active: vec!["reflex".to_owned()],
        };
        let lines = "conflict: reflex against strategic over directive plan/a, the one call of the step; strategic is kept\n\
                     verdict (greedy; 2 parties, 1 conflict): Wait, because no layer's action is left";
        assert_eq!(told(&mut layers, &decided), lines);
        let last = LayerDecided {
            arbiter: "last".to_owned(),
            conflicts: vec![Clash { kept: None, ..over.clone() }],
            caller: Some("reflex".to_owned()),
            carried_out: vec![over],
            ..decided
        };
        assert!(told(&mut layers, &last).ends_with(
            "Wait, wanted by reflex\ncarried out against strategic, over directive plan/a, the one call of the step"
        ));
        let released = LayerReleased { step: 4, number: 7, by: "rolled_back".to_owned() };
        assert_eq!(told(&mut layers, &released), "commitment 7 of strategic (plan/a) ends: rolled back");
        assert!(RecordKinds::new(KINDS.iter().copied()).tell("layer_decided", "{}", &mut layers).is_err());
    }

    #[test]
    fn what_the_maps_did_is_told_in_lines() {
        let kinds = RecordKinds::new(KINDS.iter().copied());
        let mut memory = StoryMemory::default();
        let mut told = |kind: &str, data: &str| kinds.tell(kind, data, &mut memory).unwrap();
        let mapped = r#"{"deviation":12,"maps":"projected","scores":[523,-1000],"shares":[600,400],"step":3}"#;
        assert_eq!(
            told("layer_mapped", mapped).as_deref(),
            Some(
                "maps (projected), the fastest layer first: shares of the context 0.6, 0.4; scores that ask a layer 0.523, -1.0; deviation 0.012"
            )
        );
        let trimmed = r#"{"after":90,"before":140,"layer":"tactical","left_out":2,"room":100,"step":3}"#;
        assert_eq!(
            told("layer_trimmed", trimmed).as_deref(),
            Some("tactical has room for 100 tokens of context: 2 left out (140 to 90 tokens)")
        );
    }
}
