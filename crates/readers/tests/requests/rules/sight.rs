//! What an agent must see: the goal, the environment, the packet, and what may be done now.

use gimbal_core::Message;
use gimbal_readers::kit::between;

use super::super::letter::{Kind, Letter};
use super::{Found, Scene, short};

/// What an agent must see: the goal, the environment as it is now, the packet.
pub fn check(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    let seen =
        scene.first.is_empty() || letter.opening.contains(&scene.first) || scene.brief.goal.contains(&scene.first);
    let afresh = letter.kind == Kind::Decides && told_once(scene);
    if (afresh || matches!(letter.kind, Kind::Works | Kind::Routes | Kind::Guides))
        && !seen
        && !begins(letter.opening, &scene.first)
    {
        found.push(("the first observation is out of sight", short(letter.opening)));
    }
    if wants_goal(scene, letter.kind) && !letter.says(&scene.brief.goal) {
        found.push(("the goal is out of sight", short(letter.system)));
    }
    // Each block that was made for this request. Where a task says all that is to be seen, there may be none.
    if letter.looks_afresh() {
        let told = scene.first.is_empty() || scene.brief.goal.contains(&scene.first);
        let lost = letter.now.blocks.iter().find(|block| !letter.told.contains(block.trim()));
        let blind = letter.now.blocks.is_empty() && !told && !letter.told.contains(&scene.first);
        if blind || lost.is_some() {
            found.push(("what is known now is out of sight", short(lost.map_or(letter.opening, |block| block))));
        }
    }
    // In a conversation the result of the latest call is in it, at its beginning or as a result; who decides afresh is shown it.
    if (afresh || letter.kind == Kind::Works)
        && let Some(latest) = letter.now.latest.as_deref().map(str::trim)
        && !letter.told.contains(&latest.chars().take(RESULT).collect::<String>())
    {
        found.push(("the latest result is out of sight", short(latest)));
    }
    if letter.kind == Kind::Works {
        counted(letter, found);
    }
    // Words of a belief state that no reader knows without being told.
    let unexplained =
        |key: &&str| letter.told.contains(&format!("\"{key}\":")) && !letter.told.contains(&format!("\n- {key}: "));
    if let Some(key) =
        STATUS_KEYS.iter().find(|key| !scene.published && letter.kind != Kind::Repairs && unexplained(key))
    {
        found.push(("a key of the status that nothing explains", (*key).to_owned()));
    }
    if letter.kind == Kind::Weighs {
        let lost = scene.facts.iter().filter(|id| !letter.told.contains(id.as_str())).count();
        if lost > 0 || scene.facts.is_empty() {
            found.push(("facts of the packet are out of sight", format!("{lost} of {}", scene.facts.len())));
        }
    }
}

/// Who acts many times reads behind each result how many of its actions are left, counted down one by one.
fn counted(letter: &Letter<'_>, found: &mut Found) {
    let left = |message: &Message| -> Option<u32> {
        let told = between(&message.text, "actions_left")?.strip_prefix("You have ")?.strip_suffix(" actions left.")?;
        told.split_once(" of your ")?.0.parse().ok()
    };
    let results = || letter.request.messages.iter().skip(2);
    let latest = letter.now.latest.as_deref().map(|latest| latest.trim().chars().take(RESULT).collect::<String>());
    let told = results().find(|message| latest.as_ref().is_some_and(|latest| message.text.contains(latest)));
    let counts: Vec<u32> = results().filter_map(|message| left(message)).collect();
    if told.is_some_and(|message| left(message).is_none()) || counts.windows(2).any(|pair| pair[0] != pair[1] + 1) {
        found.push(("the number of actions that are left", format!("{counts:?}")));
    }
}

/// Whether an environment tells something once that its belief state does not hold. In all others the first observation and the latest one are what the
/// contexts of those who decide differ in (BOG-130).
fn told_once(scene: &Scene) -> bool {
    scene.brief.literals_change || scene.brief.free_arguments
}

/// Keys of belief states whose values are words of their own.
const STATUS_KEYS: [&str; 3] = ["current_status", "time_of_update", "compared_with_baseline"];

/// How much of a result must be in sight, in characters: long ones are cut.
const RESULT: usize = 200;

/// Whose work has the goal as its measure. Those who weigh a packet answer one fixed question; records for a summary or a look back have
/// the task in them; a verifier has the answer to check. The advisers of a published preset are told what their work tells them.
fn wants_goal(scene: &Scene, kind: Kind) -> bool {
    match kind {
        Kind::Advises => !scene.published,
        Kind::Decides
        | Kind::Works
        | Kind::Plans
        | Kind::Routes
        | Kind::Guides
        | Kind::Orders
        | Kind::Governs
        | Kind::Proposes
        | Kind::Values
        | Kind::Reflects
        | Kind::Verifies
        | Kind::Votes
        | Kind::Answers
        | Kind::SumsUp => true,
        Kind::Weighs | Kind::Repairs | Kind::Serves => false,
    }
}

/// Whether the beginning of a long observation is in a text, as far as a bound lets it, with the mark of the cut behind it.
fn begins(text: &str, first: &str) -> bool {
    const LEAST: usize = 16_000;
    let kept = between(text, "first_observation").and_then(|shown| shown.trim().strip_suffix(" [...]"));
    kept.is_some_and(|kept| kept.chars().count() >= LEAST && first.starts_with(kept))
}

/// What may be done now is where an agent that works looks for it.
pub fn literals(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    let advised =
        scene.brief.tool_names.get("suggest_action").is_some_and(|name| letter.offered().contains(&name.as_str()));
    let listed = letter.system.contains("<available_actions_list>\n");
    let afresh = letter.kind == Kind::Decides && scene.brief.literals_change && !advised && !listed;
    if letter.kind != Kind::Works && !afresh {
        return;
    }
    let messages = &letter.request.messages;
    if scene.protocol == "native-tools" {
        let closed = |tool: &gimbal_core::ToolSpec| {
            scene.tools.contains(&tool.name) && tool.parameters.to_string().contains("\"enum\"")
        };
        let open = |tool: &gimbal_core::ToolSpec| {
            scene.tools.contains(&tool.name) && tool.required().all(|name| name == "reasoning")
        };
        // Where arguments are free, their values are in what was shown.
        let free = scene.brief.free_arguments;
        if !letter.request.tools.iter().any(|tool| closed(tool) || open(tool)) && !free {
            found.push(("no values for any call", short(letter.opening)));
        }
        return;
    }
    let shown = |message: &Message| message.text.matches("<possible_actions>\n").count();
    let all: usize = messages.iter().map(|message| shown(message)).sum();
    let last = messages.last().map_or(0, |message| shown(message));
    let opening = messages.get(1).map_or(0, |message| shown(message));
    // Where every value of the agent's own tools is open there is nothing to list.
    let own = letter.own_tools();
    let mine = |tool: &&String| own.as_ref().is_none_or(|own| own.contains(tool));
    let closed: Vec<&String> = scene.closed.iter().filter(mine).collect();
    if all != usize::from(!closed.is_empty()) || last + opening < all {
        let what = format!("{all} lists, {last} of them in the last message, {opening} in the first, for {closed:?}");
        found.push(("possible actions", what));
    }
    for message in messages.iter().filter(|message| shown(message) > 0) {
        if between(&message.text, "possible_actions").is_none_or(|list| list.trim().lines().count() < 2) {
            found.push(("an empty list of possible actions", short(&message.text)));
        }
    }
}
