//! The file of summaries of won episodes, as planners read it.

use std::collections::BTreeMap;

use serde_json::Value;

/// The text of a file with these summaries of episodes of an environment; `made` says who wrote them, and of what.
#[must_use]
pub fn write_shots(texts: &[String], environment: &str, made: &BTreeMap<&str, String>) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let items: Vec<String> = texts.iter().map(|text| format!("  - {}\n", quoted(text))).collect();
    let mut text = format!(
        "# Summaries of {} won episodes of {environment}, tasks for training and no faults, for a planner alone (CYC-023).\n\
         shots:\n{}",
        texts.len(),
        items.concat()
    );
    if !made.is_empty() {
        text.push_str("made:\n");
        text.extend(made.iter().map(|(key, value)| format!("  {}: {}\n", quoted(key), quoted(value))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_summaries_is_yaml_whatever_they_hold() {
        let made = BTreeMap::from([("model", "a: \"b\"".to_owned())]);
        let text = write_shots(&["Task: \"x\": y\n#".to_owned()], "maze", &made);
        let read: Value = gimbal_core::yaml::read(&text, "shots/x.yaml").unwrap();
        assert_eq!(read["shots"][0], "Task: \"x\": y\n#");
        assert_eq!(read["made"]["model"], "a: \"b\"");
        assert!(!write_shots(&[], "maze", &BTreeMap::new()).contains("made"));
    }
}
