//! The options of the original's configuration, as the documentation and messages list them.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_yawning_titan::config::Value;
use gimbal_yawning_titan::facts::modes::MODES;
use gimbal_yawning_titan::facts::networks::NETWORKS;
use gimbal_yawning_titan::facts::options::OPTIONS;
use gimbal_yawning_titan::{Config, config::ConfigError};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/yawning_titan.md");

/// The table of the documentation.
fn table() -> String {
    let default = Config::default();
    let mut out = String::from("| option | takes | in `default` |\n| --- | --- | --- |\n");
    for (option, (name, value)) in OPTIONS.iter().zip(default.values()) {
        assert_eq!(option.name, name);
        out.push_str(&format!("| `{name}` | {} | {} |\n", option.takes(), value.to_json()));
    }
    out
}

/// Every option, mode and network is in the documentation. `GIMBAL_WRITE_DOCS=1` writes the table anew.
#[test]
fn the_documentation_lists_every_option() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (head, rest) = page.split_once("| option | takes | in `default` |").expect("a table of options");
    let rest = rest.split_once("\n\n").expect("something after the table").1;
    let fresh = format!("{head}{}\n{rest}", table());
    if std::env::var_os("GIMBAL_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, &fresh).unwrap();
    } else {
        assert!(page == fresh, "{PAGE} is out of date: run this test with GIMBAL_WRITE_DOCS=1");
    }
    for name in MODES.iter().map(|mode| mode.name).chain(NETWORKS.iter().map(|network| network.name)) {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn a_wrong_option_is_answered_with_those_that_begin_alike() {
    let wrong = |name: &str| Config::default().set(name, &true.into()).unwrap_err();
    let text = wrong("red.agent_attack.skill.us").to_string();
    assert_eq!(
        text,
        "there is no option `red.agent_attack.skill.us`; did you mean `red.agent_attack.skill.use`? (known under \
         `red.agent_attack.skill`: red.agent_attack.skill.use, red.agent_attack.skill.value; docs/yawning_titan.md says \
         what each takes)"
    );
    assert!(wrong("rewards").to_string().contains("(known under `rewards`: rewards.for_loss, "));
    let ConfigError::Option { known, .. } = wrong("foo") else { panic!("another error") };
    assert!(OPTIONS.iter().all(|option| known.contains(option.name)), "{known}");
}

#[test]
fn what_an_option_takes_is_what_it_accepts() {
    for option in OPTIONS.iter() {
        let takes = option.takes();
        assert_eq!(takes.ends_with("; or null"), option.accepts(&Value::Null), "{}: {takes}", option.name);
        if let Some(least) = option.least {
            assert_eq!(takes.contains(&format!("above {least}")), !option.accepts(&Value::Real(least)), "{takes}");
            assert!(!option.accepts(&Value::Real(least - 1.0)), "{takes}");
        }
    }
}
