//! The help of the program: its commands in groups by task, and the names that only the registry knows.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};

use crate::args::Arguments;
use crate::registry::{catalogue, registry};

/// Groups of commands by task, in the order of the help. A test checks that each command is in exactly one.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Plan and run", &["run", "plan", "matrix"]),
    ("Read results", &["list", "report", "compare", "trace", "rescore"]),
    ("Environments", &["env", "advise"]),
    ("Evidence", &["evidence", "judge"]),
    ("Models, personas and graphs", &["model", "persona", "graph", "schema"]),
    ("Checks", &["verify", "digest", "papers", "coverage", "doctor"]),
];

/// The arguments of the program, with this help.
pub fn command() -> Command {
    let command = Arguments::command();
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}\n{{options}}{{after-help}}",
        groups(&command),
        heading(&command, "Options"),
    );
    let environments: Vec<&str> = registry().environments.iter().map(|family| family.name()).collect();
    let works: Vec<&str> = catalogue().works().map(|work| work.name()).collect();
    let environments = format!("Environment: {}", environments.join(", "));
    let works = format!("Short name of the work: {}", works.join(", "));
    command
        .help_template(template)
        .mut_subcommand("env", |env| env.mut_arg("name", |name| name.help(environments)))
        .mut_subcommand("papers", |papers| papers.mut_arg("work", |work| work.help(works)))
}

fn heading(command: &Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}:{style:#}")
}

/// The commands with one line each, under the headings of their groups.
fn groups(command: &Command) -> String {
    let longest = command.get_subcommands().map(|sub| sub.get_name().len()).max().unwrap_or_default();
    let style = command.get_styles().get_literal();
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{}", heading(command, title));
        for sub in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            let name = sub.get_name();
            let blanks = " ".repeat(longest - name.len());
            let _ = writeln!(text, "  {style}{name}{style:#}{blanks}  {about}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, command, groups};

    #[test]
    fn each_command_is_in_exactly_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = command();
        let mut known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn each_command_has_one_line_of_a_terminal() {
        let text = groups(&command().styles(clap::builder::Styles::plain()));
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    /// One term for one thing: what an agent works on is called an environment, in every help text.
    #[test]
    fn help_speaks_of_environments() {
        fn walk(command: &mut clap::Command, path: &str, read: &mut usize) {
            let help = command.render_long_help().to_string();
            let words = help.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
            let odd: Vec<String> = words.filter(|word| matches!(word.as_str(), "world" | "worlds")).collect();
            assert!(odd.is_empty(), "{path}: {help}");
            *read += 1;
            for sub in command.get_subcommands_mut() {
                let path = format!("{path} {}", sub.get_name());
                walk(sub, &path, read);
            }
        }
        let mut read = 0;
        walk(&mut command(), "gimbal", &mut read);
        assert!(read > 30, "{read}");
    }
}
