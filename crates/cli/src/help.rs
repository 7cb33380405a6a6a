//! The help of the program: its commands in groups by task, and the names that only the registry knows.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};
use gimbal_env_kit::workbench::{self, Flag, VERBS, Verb, Workbench};

use crate::args::{Arguments, OptionFlags};
use crate::exit::Failure;
use crate::registry::{catalogue, environment, registry};

/// Groups of commands by task, in the order of the help. A test checks that each command is in exactly one.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Plan and run", &["run", "plan", "matrix"]),
    ("Read results", &["list", "report", "compare", "trace", "rescore"]),
    ("Environments", &["env", "advise"]),
    ("Evidence", &["triage", "evidence", "judge"]),
    ("Models, personas and graphs", &["model", "persona", "graph", "schema"]),
    ("Temporal hierarchy", &["temporal", "arbiter"]),
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
        .mut_subcommand("env", |env| {
            env.mut_arg("name", |name| name.help(environments))
                .after_help("An environment's own options are flags too: `gimbal env NAME VERB --help` lists them.")
        })
        .mut_subcommand("papers", |papers| papers.mut_arg("work", |work| work.help(works)))
}

/// [`command`], with the verbs of the environment that the arguments of `gimbal env` name, and flags for its options.
///
/// # Errors
/// When the arguments name a verb that this environment does not have.
pub fn command_for(arguments: impl Iterator<Item = OsString>) -> Result<Command, Failure> {
    let mut named = arguments.skip_while(|argument| argument != "env").skip(1);
    let Some(family) = named.find_map(|argument| environment(argument.to_str()?).ok()) else { return Ok(command()) };
    let verb = named.find(|argument| VERBS.iter().any(|verb| argument == verb));
    if let Some(absent) = Verb::ALL.into_iter().find(|absent| verb.as_ref().is_some_and(|verb| verb == absent.name()))
        && !family.written().contains(&absent)
    {
        return Err(Failure::environment(family.absent(absent)));
    }
    Ok(command().mut_subcommand("env", |env| with_options(with_verbs(&env, &*family), &*family)))
}

/// The command with the verbs of one environment alone.
fn with_verbs(env: &Command, family: &dyn Workbench) -> Command {
    let verbs = family.verbs();
    let has = |verb: &&Command| verbs.contains(&verb.get_name());
    Command::new("env")
        .about(env.get_about().cloned().unwrap_or_default())
        .after_help(env.get_after_help().cloned().unwrap_or_default())
        .args(env.get_arguments().cloned())
        .subcommands(env.get_subcommands().filter(has).cloned())
        .subcommand_required(env.is_subcommand_required_set())
        .arg_required_else_help(env.is_arg_required_else_help_set())
}

/// The verbs of an environment, each with flags for the options that it takes.
fn with_options(env: Command, family: &dyn Workbench) -> Command {
    let flags = workbench::flags(family);
    env.mut_subcommands(|verb| {
        let name = verb.get_name().to_owned();
        let takes = |flag: &&Flag| match name.as_str() {
            "replay" => family.replay_options().contains(&flag.name.as_str()),
            "serve" => family.serve_options().contains(&flag.name.as_str()),
            "evaluate" => family.evaluate_options().contains(&flag.name.as_str()),
            _ => true,
        };
        // Verbs that take a setup have `--set`.
        let has = |verb: &Command, id: &str| verb.get_arguments().any(|argument| argument.get_id() == id);
        if !has(&verb, "set") && !matches!(name.as_str(), "replay" | "serve" | "evaluate") {
            return verb;
        }
        let verb = if has(&verb, "policy") { with_policies(verb, family) } else { verb };
        // A flag that this environment does not take is not in its help.
        let whole = name == "evaluate" && !family.evaluate_options().contains(&"split");
        let verb = if whole { verb.mut_arg("split", |split| split.hide(true)) } else { verb };
        let has_actions = has(&verb, "actions");
        flags.iter().filter(takes).fold(verb, |verb, flag| {
            if verb.get_arguments().any(|argument| argument.get_long() == Some(flag.name.as_str())) {
                return verb;
            }
            let argument = Arg::new(format!("{}{}", OptionFlags::ID, flag.name))
                .long(flag.name.clone())
                .value_name("VALUE")
                .help(flag.about.clone())
                .help_heading(format!("Options of {}", family.name()))
                .allow_negative_numbers(true);
            verb.arg(if has_actions { argument.conflicts_with("actions") } else { argument })
        })
    })
}

/// The verb, whose flag for a policy says which there are.
fn with_policies(verb: Command, family: &dyn Workbench) -> Command {
    let policies = family.offers().policies;
    if policies.is_empty() {
        return verb;
    }
    let names = policies.join(", ");
    verb.mut_arg("policy", |policy| {
        let about = policy.get_help().map(ToString::to_string).unwrap_or_default();
        let about = about.replace("; `show` lists them)", ")").replace(" (`show` lists them)", "");
        policy.help(format!("{about}: {names}"))
    })
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
    use gimbal_env_kit::workbench::{
        BenchRequest, EvaluateRequest, ReplayRequest, SaveRequest, ServeRequest, Setup, Verb, Workbench,
    };

    use super::{GROUPS, command, groups};

    /// A verb that is written and not listed would never be offered.
    #[test]
    fn each_environment_lists_the_verbs_that_it_writes() {
        for family in gimbal_environments::all() {
            let unlisted = Verb::ALL.into_iter().filter(|verb| !family.written().contains(verb));
            for verb in unlisted {
                assert_eq!(attempted(&*family, verb), Some(family.absent(verb).to_string()), "{}", family.name());
            }
        }
    }

    /// Why an environment does not do what a verb asks.
    fn attempted(family: &dyn Workbench, verb: Verb) -> Option<String> {
        let (setup, file) = (Setup::default(), std::path::PathBuf::new());
        let done = match verb {
            Verb::Replay => family.replay(&ReplayRequest::default()),
            Verb::Bench => family.bench(&BenchRequest { setup, steps: 1, ..BenchRequest::default() }),
            Verb::Evaluate => {
                family.evaluate(&EvaluateRequest { setup, policy: None, episodes: 1, seed: 0, interval: |_, _| None })
            }
            Verb::Serve => family.serve(&ServeRequest { port: 0, setup, questions: None }),
            Verb::Save => family.save(&SaveRequest { setup, file, seed: 0 }),
        };
        done.err().map(|error| error.to_string())
    }

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
