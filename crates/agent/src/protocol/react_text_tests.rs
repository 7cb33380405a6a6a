use proptest::prelude::*;

use super::{Input, Reply, Saying, ToolUse, missing, read};

fn answer(thought: &str, text: &str) -> Reply {
    Reply { thought: thought.to_owned(), saying: Saying::Answer(text.to_owned()) }
}

fn call(thought: &str, name: &str, input: &str) -> Reply {
    let saying = Saying::Use(ToolUse { name: name.to_owned(), input: Input::Text(input.to_owned()) });
    Reply { thought: thought.to_owned(), saying }
}

fn raw(text: &str) -> Reply {
    Reply { thought: String::new(), saying: Saying::Raw(text.to_owned()) }
}

// covers: BOG-041, BOG-042
#[test]
fn reads_the_published_form() {
    let cases = [
        ("Thought: calm\nAnswer: Wait", answer("calm", "Wait")),
        ("Thought: odd\nTool: look: lathe\nPAUSE", call("odd", "look", "lathe")),
        ("Tool: look: lathe PAUSE", call("", "look", "lathe")),
        ("Tool: look PAUSE", call("", "look", "")),
        ("Tool: look PAUSE: lathe", call("", "look", "lathe")),
        ("Thought: I wait", raw("Thought: I wait")),
        ("PAUSE", raw("PAUSE")),
        ("  \n", raw("")),
    ];
    for (text, reply) in cases {
        assert_eq!(read(text), reply, "{text}");
    }
}

// covers: BOG-042
#[test]
fn an_answer_anywhere_comes_before_any_tool() {
    let cases = [
        ("Tool: look: lathe\nPAUSE\nAnswer: Wait", "Tool: look: lathe\nPAUSE", "Wait"),
        ("I think so. Answer: Wait\nTool: look: lathe", "I think so.", "Wait\nTool: look: lathe"),
        ("Answer: Answer: Wait", "", "Answer: Wait"),
        ("My answer is clear.\nAnswer: Wait", "My answer is clear.", "Wait"),
        ("Answer:", "", ""),
    ];
    for (text, thought, last) in cases {
        assert_eq!(read(text), answer(thought, last), "{text}");
    }
}

// covers: BOG-042
#[test]
fn a_tool_call_must_begin_its_line_and_the_first_one_counts() {
    let cases = [
        ("I could use Tool: look: lathe", raw("I could use Tool: look: lathe")),
        ("Tool: a: 1\nTool: b: 2", call("", "a", "1")),
        ("Tool: a: {\"x\":\n 1}\nPAUSE\nObservation: made up", call("", "a", "{\"x\":\n 1}")),
        ("Thought: t\n  Tool: a: 1:2", call("t", "a", "1:2")),
    ];
    for (text, reply) in cases {
        assert_eq!(read(text), reply, "{text}");
    }
}

#[test]
fn tolerates_case_blanks_and_emphasis() {
    for text in [
        "thought: t\nANSWER : Wait ",
        "**Thought:** t\n**Answer:** Wait",
        "**Thought**: t\n\n**Answer**: **Wait**",
        "# Thought: t\nAnswer:\n`Wait`\n",
    ] {
        assert_eq!(read(text), answer("t", "Wait"), "{text}");
    }
    assert_eq!(read("**Tool:** `look`: lathe\npause"), call("", "look", "lathe"));
    assert_eq!(read("tool : look: menopause"), call("", "look", "menopause"));
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
        ("Thought: the answers differ, Toolbox and all", "no \"Answer:\" stands there"),
        ("Answering is hard", "no \"Answer:\" stands there"),
        ("Wait", "no \"Answer:\" stands there"),
        ("", "no \"Answer:\" stands there"),
    ];
    for (text, named) in cases {
        assert!(matches!(read(text).saying, Saying::Raw(_)), "{text}");
        assert!(missing(text).contains(named), "{text}: {}", missing(text));
    }
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC*|(?s).*") {
        let _ = (read(&text), missing(&text));
    }

    #[test]
    fn never_panics_near_the_keywords(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("Answer"), Just("Thought:"), Just("Tool:"), Just("PAUSE"), Just("Observation:"), Just(":"),
                Just(" "), Just("\n"), Just("**"), Just("é"), Just("x"), Just("answer :"),
            ],
            0..40,
        ),
    ) {
        let text = pieces.concat();
        let reply = read(&text);
        let lower = text.to_lowercase();
        if lower.contains("answer:") {
            prop_assert!(matches!(reply.saying, Saying::Answer(_)), "{:?}", reply);
        }
    }

    // covers: BOG-042
    #[test]
    fn finds_the_answer_wherever_it_is(before in "[a-z \n:é]{0,60}", last in "[A-Za-z0-9=_.]{1,20}") {
        prop_assume!(!before.replace([' ', '\n'], "").contains("answer"));
        let reply = read(&format!("{before}Answer: {last}"));
        prop_assert_eq!(reply.saying, Saying::Answer(last));
    }
}

/// Counted, not timed: the input is long enough that quadratic work would not end within a test run.
#[test]
fn reads_long_hostile_texts() {
    for piece in ["answer ", "answer\t*_ ", "Tool ", "\nTool", "**", "Thought", "pause ", "\n\n"] {
        let text = piece.repeat(2_000_000 / piece.len());
        assert!(matches!(read(&text).saying, Saying::Raw(_)), "{piece:?}");
    }
    let many_lines = format!("Tool: a: {}", "x\n".repeat(1_000_000));
    assert!(matches!(read(&many_lines).saying, Saying::Use(_)));
}

// covers: BOG-042
#[test]
fn a_name_that_ends_in_the_keyword_is_no_answer() {
    let saying = read("Thought: t\nTool: critique_the_answer: it is hot\nPAUSE").saying;
    let expected = ToolUse { name: "critique_the_answer".to_owned(), input: Input::Text("it is hot".to_owned()) };
    assert_eq!(saying, Saying::Use(expected));
    assert_eq!(read("so: _Answer_: Wait").saying, Saying::Answer("Wait".to_owned()));
    assert_eq!(read("__answer__: Wait").saying, Saying::Answer("Wait".to_owned()));
}
