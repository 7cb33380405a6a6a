use proptest::prelude::*;

use super::super::{Expects, Input, Protocol, Reply, ReplyContent, ToolUse};
use super::read as read_as;
use crate::protocol::missing::missing;
use gimbal_messages::Tier;
use gimbal_messages::records::engine::ReadingMark;

fn read(text: &str) -> Reply {
    read_as(text, Expects::Action)
}

fn answer(text: &str) -> ReplyContent {
    ReplyContent::Answer(text.to_owned())
}

fn call(name: &str, input: &str) -> ReplyContent {
    ReplyContent::Use(ToolUse { name: name.to_owned(), input: Input::Text(input.to_owned()) })
}

fn raw(text: &str) -> ReplyContent {
    ReplyContent::Raw(text.to_owned())
}

// covers: BOG-041, BOG-042
#[test]
fn reads_the_published_form() {
    let cases = [
        ("Thought: calm\nAnswer: Wait", "calm", answer("Wait"), Tier::Direct),
        ("Thought: odd\nTool: look: lathe\nPAUSE", "odd", call("look", "lathe"), Tier::Direct),
        ("Thought: so\nTool: look: lathe", "so", call("look", "lathe"), Tier::Normalised),
        ("Tool: look: lathe PAUSE", "", call("look", "lathe"), Tier::Normalised),
        ("Tool: look PAUSE", "", call("look", ""), Tier::Normalised),
        ("Tool: look PAUSE: lathe", "", call("look", "lathe"), Tier::Normalised),
        ("Thought: I wait", "", raw("Thought: I wait"), Tier::Raw),
        ("PAUSE", "", raw("PAUSE"), Tier::Raw),
        ("  \n", "", raw(""), Tier::Raw),
    ];
    for (text, thought, content, tier) in cases {
        let reply = read(text);
        assert_eq!((reply.content, reply.thought.as_str(), reply.tier), (content, thought, tier), "{text}");
    }
}

// covers: BOG-042
#[test]
fn the_last_answer_at_the_head_of_a_line_comes_before_any_tool() {
    let cases = [
        ("Tool: look: lathe\nPAUSE\nAnswer: Wait", "Wait"),
        ("Answer: Wait\nTool: look: lathe\nPAUSE", "Wait"),
        ("Answer: Oil machine=lathe\nNo, better:\nAnswer: Wait", "Wait"),
        ("My answer is clear.\nAnswer: Wait", "Wait"),
        ("Answer: Wait\nThought: that is best", "Wait"),
        ("Answer: Wait\nPAUSE", "Wait"),
        ("Answer: Wait\n\nIt is calm.", "Wait\n\nIt is calm."),
        ("Answer:\n\n```\nWait\n```", "Wait"),
        ("```\nThought: t\nAnswer: Wait\n```", "Wait"),
        ("Answer: Wait\nObservation: fine\nThought: on\nAnswer: Oil machine=lathe", "Wait"),
        ("Answer: write note=\"one\nThought: two\"\nThought: three", "write note=\"one\nThought: two\""),
        ("I see. Answer: Wait", "Wait"),
        ("Answer:", ""),
    ];
    for (text, last) in cases {
        assert_eq!(read(text).content, answer(last), "{text}");
    }
}

// covers: BOG-042
#[test]
fn an_answer_within_a_line_or_an_input_is_none() {
    let cases = [
        ("The format is answer: text", raw("The format is answer: text")),
        (
            "If I wrote Answer: Wait, that would be wrong.\nI think on.",
            raw("If I wrote Answer: Wait, that would be wrong.\nI think on."),
        ),
        ("Tool: critique_the_answer: my answer: Wait\nPAUSE", call("critique_the_answer", "my answer: Wait")),
        (
            "Tool: check: I would say\nAnswer: Wait\nas it is calm\nPAUSE",
            call("check", "I would say\nAnswer: Wait\nas it is calm"),
        ),
        ("<think>Answer: Wait</think>", raw("")),
        ("Tool: look: lathe\nPAUSE\nObservation: hot\nAnswer: Oil machine=lathe", call("look", "lathe")),
    ];
    for (text, content) in cases {
        assert_eq!(read(text).content, content, "{text}");
    }
}

// covers: BOG-042
#[test]
fn a_tool_call_must_begin_its_line_and_the_first_one_counts() {
    let cases = [
        ("I could use Tool: look: lathe", raw("I could use Tool: look: lathe"), false),
        ("Tool: a: 1\nTool: b: 2", call("a", "1"), true),
        ("Tool: a: {\"x\":\n 1}\nPAUSE\nObservation: made up", call("a", "{\"x\":\n 1}"), false),
        ("Thought: t\n  Tool: a: 1:2", call("a", "1:2"), false),
        ("Tool: look(machine=\"a:b\")\nPAUSE", call("look", "machine=\"a:b\""), false),
        ("Tool: look\nInput: lathe\nPAUSE", call("look", "lathe"), false),
        ("Input: lathe\nTool: look\nPAUSE", call("look", "lathe"), false),
        ("Tool: look lathe", call("look", "lathe"), false),
        ("Action: look\nAction Input: lathe", call("look", "lathe"), false),
        ("Action: look: lathe\nPAUSE", call("look", "lathe"), false),
        ("Tool: {\"name\": \"look\", \"input\": \"lathe\"}", call("look", "lathe"), false),
        ("Answer: Tool: look: lathe", call("look", "lathe"), false),
        ("Tool: look: lathe\nThought: to see", call("look", "lathe"), false),
    ];
    for (text, content, more) in cases {
        let reply = read(text);
        assert_eq!((reply.content, reply.more), (content, more), "{text}");
    }
}

#[test]
fn other_forms_of_an_answer_are_read() {
    for text in [
        "thought: t\nANSWER : Wait ",
        "**Thought:** t\n**Answer:** Wait",
        "**Thought**: t\n\n**Answer**: **Wait**",
        "# Thought: t\nAnswer:\n`Wait`\n",
        "Thought: t\nAction: Wait",
        "Thought: t\n- Final Answer: Wait",
        "Thought: t\n\u{7b54}\u{6848}\u{ff1a}Wait",
        "<think>Answer: no</think>Thought: t\nAnswer: <answer>Wait</answer>",
        "<answer>Wait</answer>",
        "{\"thought\": \"t\", \"action\": \"Wait\"}",
        "Answer: {\"action\": \"Wait\"}",
        "so \\boxed{Wait}",
    ] {
        assert_eq!(read(text).content, answer("Wait"), "{text}");
    }
    for text in ["Action: Wait\nAction: Oil machine=lathe", "<answer>Wait</answer> or <answer>Oil</answer>"] {
        assert!(matches!(read(text).content, ReplyContent::Raw(_)), "{text}");
    }
}

// covers: BOG-033
#[test]
fn a_lost_marker_colon_or_place_is_named() {
    let cases = [
        ("Thought: calm\nAnswer Wait", "\"Answer\" stands there without its colon"),
        ("Thought: calm\n**Answer** Wait", "\"Answer\" stands there without its colon"),
        ("Final Answer\nWait", "\"Answer\" stands there without its colon"),
        ("answer - Wait", "\"Answer\" stands there without its colon"),
        ("Tool look lathe\nPAUSE", "\"Tool\" stands there without its colon"),
        ("I could use Tool: look: lathe", "\"Tool:\" does not begin its line"),
        ("so my answer: Wait", "\"Answer:\" does not begin its line"),
        ("<think>on and on", "ended before your thought did"),
        ("Thought: the answers differ, Toolbox and all", "no line that begins with \"Answer:\""),
        ("Answering is hard", "no line that begins with \"Answer:\""),
        ("Wait", "no line that begins with \"Answer:\""),
        ("", "no line that begins with \"Answer:\""),
    ];
    for (text, named) in cases {
        assert!(matches!(read(text).content, ReplyContent::Raw(_)), "{text}");
        assert!(missing(text, false).contains(named), "{text}: {}", missing(text, false));
    }
}

// covers: BOG-059, BOG-067
#[test]
fn a_message_keeps_its_lines() {
    let list = "[\n  {\"action\": \"Wait\",\n  reason: \"calm\", \"confidence\": 0.5}\n]";
    let message = |text: &str| read_as(text, Expects::Message).content;
    assert_eq!(message(&format!("Thought: t\nAnswer: {list}")), answer(list));
    // Fences are for the reader of the message to take off: it counts such a message as normalised, with a marker before it and without.
    let fenced = format!("```json\n{list}\n```");
    assert_eq!(message(&format!("Answer:\n{fenced}")), answer(&fenced));
    assert_eq!(message(&fenced), raw(&fenced));
    let line = "```[{\"action\": \"Wait\", \"confidence\": 0.5}]```";
    assert_eq!(message(&format!("Thought: t\nAnswer: {line}")), answer(line));
    assert_eq!(message(list), raw(list));
    assert_eq!(message("Action: Wait"), raw("Action: Wait"));
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC*|(?s).*") {
        for protocol in [Protocol::ReactText, Protocol::Json, Protocol::NativeTools] {
            let _ = (protocol.read(&text), protocol.read_message(&text), protocol.missing(&text, true));
        }
    }

    #[test]
    fn what_comes_out_stands_in_the_text(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("Answer"), Just("Thought:"), Just("Tool:"), Just("PAUSE"), Just("Observation:"), Just(":"),
                Just(" "), Just("\n"), Just("**"), Just("é"), Just("x"), Just("answer :"), Just("```"), Just("<think>"),
                Just("</think>"), Just("{\"action\": \""), Just("\"}"), Just("<answer>"), Just("</answer>"), Just("Input:"),
                Just("Action:"), Just("("), Just(")"),
            ],
            0..40,
        ),
    ) {
        let text = pieces.concat();
        for protocol in [Protocol::ReactText, Protocol::Json] {
            match protocol.read(&text).content {
                ReplyContent::Answer(answer) => {
                    // Lines with a fence may have gone from within.
                    prop_assert!(answer.lines().all(|line| text.contains(line.trim())), "{}", answer);
                }
                ReplyContent::Use(used) => prop_assert!(text.contains(&used.name)),
                ReplyContent::Raw(_) => {}
            }
        }
    }

    // covers: BOG-042
    #[test]
    fn a_thought_may_hold_anything_and_the_answer_is_read_to_the_letter(thought in "[ -~]{0,60}", last in "[A-Za-z][A-Za-z0-9=. ]{0,20}[A-Za-z0-9]") {
        let reply = read(&format!("Thought: {thought}\nAnswer: {last}"));
        prop_assert_eq!((reply.content, reply.tier), (ReplyContent::Answer(last), Tier::Direct));
    }
}

/// Counted, not timed: the input is long enough that quadratic work would not end within a test run.
#[test]
fn reads_long_hostile_texts() {
    for piece in [
        "answer ",
        "answer\t*_ ",
        "Tool ",
        "\nTool",
        "**",
        "Thought",
        "pause ",
        "\n\n",
        "Answer",
        "<think>",
        "{",
        "{\"a\":",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        for protocol in [Protocol::ReactText, Protocol::Json] {
            assert!(matches!(protocol.read(&text).content, ReplyContent::Raw(_)), "{piece:?}");
        }
    }
    for piece in ["\nAnswer: \"", "\nTool: x", "Action: y\n", "\nInput:", "\nThought:"] {
        let _ = read(&piece.repeat(200_000 / piece.len()));
    }
    let many_lines = format!("Tool: a: {}", "x\n".repeat(500_000));
    assert!(matches!(read(&many_lines).content, ReplyContent::Use(_)));
}

// covers: BOG-042
#[test]
fn a_name_that_ends_in_the_keyword_is_no_answer() {
    let content = read("Thought: t\nTool: critique_the_answer: it is hot\nPAUSE").content;
    assert_eq!(content, call("critique_the_answer", "it is hot"));
    assert_eq!(read("so:\n_Answer_: Wait").content, answer("Wait"));
    assert_eq!(read("__answer__: Wait").content, answer("Wait"));
}

/// What follows an answer may take it back. It is carried out all the same, and the reply is marked.
#[test]
fn text_behind_an_answer_changes_nothing_and_is_marked() {
    let taken_back = [
        "Thought: so\nAnswer: Oil machine=lathe\nWait, no, I take that back. I will wait instead.",
        "Answer: Oil machine=lathe\n(Ignore the line above.)",
        "Answer: Oil machine=lathe\nPAUSE\nThought: perhaps not",
    ];
    for text in taken_back {
        let reply = read(text);
        let ReplyContent::Answer(answer) = &reply.content else { panic!("{text}: {reply:?}") };
        assert!(answer.starts_with("Oil machine=lathe"), "{text}: {answer}");
        assert_eq!(
            (reply.marks.as_slice(), reply.tier),
            (&[ReadingMark::FollowedByText][..], Tier::Normalised),
            "{text}"
        );
    }
    let plain = [
        "Thought: so\nAnswer: Oil machine=lathe",
        "Answer: Oil machine=lathe\nPAUSE",
        "```\nAnswer: Oil machine=lathe\n```",
        "Answer: Wait\nor not\nAnswer: Oil machine=lathe",
        "Answer: Oil machine=lathe\nObservation: it is oiled",
    ];
    for text in plain {
        assert_eq!(read(text).marks, [], "{text}");
    }
    let message = read_as("Answer: [\n\"a\"\n]\nand more", Expects::Message);
    assert_eq!(message.marks, [], "a message may have any number of lines");
}
