//! The tutorial shows what the program prints.

use crate::common::Place;

const PAGE: &str = include_str!("../../../docs/tutorial.md");

/// The fenced block that follows these words of the page.
fn block_after(words: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(words).unwrap_or_else(|| panic!("the tutorial has no `{words}`"));
    let (_, rest) = rest.split_once("```").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    rest.split_once("```").unwrap().0
}

/// Checks that a block is the output; a line `...` means any lines that are left out.
fn check(command: &str, shown: &str, printed: &str) {
    let mut printed_lines = printed.lines().map(str::trim_end);
    let mut may_skip = false;
    for line in shown.lines().map(str::trim_end) {
        if line == "..." {
            may_skip = true;
            continue;
        }
        let found = if may_skip { printed_lines.find(|printed| *printed == line) } else { printed_lines.next() };
        let renew = "renew docs/tutorial.md from what the program prints";
        assert_eq!(found, Some(line), "`{command}` prints something else; {renew}:\n{printed}");
        may_skip = false;
    }
    assert!(may_skip || printed_lines.next().is_none(), "`{command}` prints more:\n{printed}");
}

#[test]
fn the_tutorial_shows_what_the_program_prints() {
    let place = Place::new();
    place.write("my-first.yaml", block_after("Save this as `my-first.yaml`:"));
    place.gimbal(&["run", "my-first.yaml", "--dry-run"]).good();
    place.gimbal(&["run", "my-first.yaml"]).good();
    let printed = |arguments: &[&str]| place.gimbal(arguments).good().out;
    let report = printed(&["report", "my-first"]);
    check("gimbal report my-first", block_after("`gimbal report my-first` prints:"), &report);
    let paired = printed(&["report", "my-first", "--table", "paired"]);
    check(
        "gimbal report my-first --table paired",
        block_after("`gimbal report my-first --table paired` (the notes below the table are left out here):"),
        &paired,
    );
    let list = printed(&["trace", "my-first"]);
    check("gimbal trace my-first", block_after("The list (some lines are left out here):"), &list);
    for arguments in
        [&["plan", "my-first.yaml"][..], &["trace", "my-first", "20"], &["trace", "my-first", "20", "--call", "2"]]
    {
        assert!(!printed(arguments).is_empty(), "{arguments:?}");
    }
}
