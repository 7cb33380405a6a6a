//! Decisions in words, labelled by the scopes of the layers (Tab. 10): what the classifier learns from and is tested on. The work has 50,000 labelled
//! triples of its own and does not print them; these are made from phrases, and say what phrases can say.

use gimbal_core::Rng;
use gimbal_temporal::Layer;
use gimbal_temporal::authority::{Authority, Category, Decision, Permission};

/// A decision in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The words.
    pub words: String,
    /// What kind of decision they describe.
    pub category: Category,
    /// Whether its verbs and subjects are those that are kept for tests.
    pub unseen: bool,
}

/// Ways to say a decision of each kind. `{v}` and `{w}` are tools, `{s}` a subject, `{n}` a number.
const PHRASES: [(Category, [&str; 4]); 16] = [
    (Category::ToolInvocation, ["{v} {s}", "call {v} on {s}", "{v} {s} {n}", "use {v} with {s}"]),
    (
        Category::ParameterSelection,
        [
            "choose {s} as the argument of {v}",
            "argument {n} for {v}",
            "take {s} rather than another subject for {v}",
            "parameter of {v}: {s}",
        ],
    ),
    (
        Category::ErrorRetry,
        [
            "try {v} {s} again",
            "repeat the failed {v} of {s}",
            "{v} {s} once more because it was refused",
            "retry {v} up to {n} times",
        ],
    ),
    (
        Category::ImmediateResponse,
        [
            "answer the alarm on {s} at once",
            "react now: {v} {s}",
            "respond to what was just seen on {s}",
            "at once {v} {s}",
        ],
    ),
    (
        Category::StepOrdering,
        [
            "first {v} {s}, then {w} it",
            "{v} before {w} in the next {n} steps",
            "order of steps: {v}, {w}",
            "after {v} comes {w} on {s}",
        ],
    ),
    (
        Category::LocalOptimisation,
        [
            "shorten the sequence by leaving out {v}",
            "join {v} and {w} into one step",
            "save {n} steps on the way to {s}",
            "a shorter way: {w} instead of {v}",
        ],
    ),
    (
        Category::WorkingMemoryUpdate,
        [
            "remember that {s} was seen",
            "note: {v} of {s} worked",
            "keep in working memory: {s}",
            "forget what was noted of {s}",
        ],
    ),
    (
        Category::SubtaskSplit,
        [
            "split the subtask {s} into {n} parts",
            "two smaller subtasks: {v} and {w}",
            "divide this subtask at {s}",
            "subtask {s} becomes {v}, then {w}",
        ],
    ),
    (
        Category::PlanRevision,
        [
            "revise the plan: {s} comes later",
            "new plan with {v} for {s}",
            "change the plan because {s} is lost",
            "drop subgoal {n} from the plan",
        ],
    ),
    (
        Category::GoalDecomposition,
        [
            "divide the goal into {n} subgoals",
            "the goal has subgoals {v} {s} and {w}",
            "subgoals towards the goal: {s}",
            "break the goal down by {s}",
        ],
    ),
    (
        Category::ResourceAllocation,
        [
            "give {n} calls to the subgoal {s}",
            "half of the budget is for {s}",
            "reserve {s} for the subgoal {v}",
            "allocate {n} tokens to {v}",
        ],
    ),
    (
        Category::DeadlineSetting,
        [
            "the subgoal {s} is due by step {n}",
            "set the deadline of {v} to {n}",
            "move the deadline of {s} by {n} steps",
            "finish {s} before step {n}",
        ],
    ),
    (
        Category::PolicyUpdate,
        [
            "policy: deny {v} on {s}",
            "new rule that always allows {v}",
            "update the policy for {s}",
            "rule {n}: escalate every {v}",
        ],
    ),
    (
        Category::ThresholdTuning,
        [
            "raise the threshold of {s} to {n}",
            "lower the limit for {v} to {n}",
            "threshold {n} for alarms on {s}",
            "tune the limit of calls to {n}",
        ],
    ),
    (
        Category::ConstraintModification,
        [
            "remove the constraint on {s}",
            "constraint: never {v} {s}",
            "loosen the constraint that forbids {v}",
            "add a constraint for all of {s}",
        ],
    ),
    (
        Category::MetaLearning,
        [
            "in later sessions prefer {v} to {w}",
            "lesson of this session: {v} {s} early",
            "for the next session learn that {s} matters",
            "across sessions {v} has worked {n} times",
        ],
    ),
];

const VERBS: [&str; 12] =
    ["restore", "scan", "open", "fetch", "craft", "take", "block", "isolate", "read", "clean", "heat", "analyse"];
const UNSEEN_VERBS: [&str; 6] = ["patch", "unlock", "query", "quarantine", "inspect", "smelt"];
const SUBJECTS: [&str; 12] = [
    "user1",
    "the web server",
    "drawer 2",
    "page 14",
    "the iron sword",
    "host op3",
    "the annual report",
    "node 7",
    "the mug",
    "port 22",
    "the log of logons",
    "the fridge",
];
const UNSEEN_SUBJECTS: [&str; 6] =
    ["the mail gateway", "cabinet 9", "gold helmet", "node 31", "filing of 2019", "the kettle"];

/// So many decisions, kinds in turn. With `unseen`, tools and subjects are those that examples without it never have.
#[must_use]
pub fn examples(count: usize, unseen: bool, seed: u64) -> Vec<Example> {
    let mut rng = Rng::stream(seed, if unseen { "neural/authority/unseen" } else { "neural/authority/seen" });
    let (verbs, subjects): (&[&str], &[&str]) =
        if unseen { (&UNSEEN_VERBS, &UNSEEN_SUBJECTS) } else { (&VERBS, &SUBJECTS) };
    let mut made = Vec::with_capacity(count);
    for index in 0..count {
        let (category, phrases) = &PHRASES[index % PHRASES.len()];
        let mut pick = |words: &[&'static str]| rng.choose(words).copied().unwrap_or_default();
        let (phrase, verb, other, subject) = (pick(phrases), pick(verbs), pick(verbs), pick(subjects));
        let number = (1 + rng.below(90)).to_string();
        let words = phrase.replace("{v}", verb).replace("{w}", other).replace("{s}", subject).replace("{n}", &number);
        made.push(Example { words, category: *category, unseen });
    }
    made
}

/// Whether each layer may take a decision of a kind, by the scopes, from the fastest layer on.
#[must_use]
pub fn labels(authority: &Authority, example: &Example) -> [bool; Layer::ALL.len()] {
    let decision = Decision::new(example.category, &example.words);
    Layer::ALL.map(|layer| authority.permission(layer, &decision) == Permission::Permitted)
}
