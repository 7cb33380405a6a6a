//! What may be done: the kinds of action that a page describes, and the calls that it lists as possible.

use serde_json::{Map, Value};

use super::{Act, Form, Sheet, between, json};

/// A kind of action as the page describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionKind {
    /// Name of the tool.
    pub name: String,
    /// What it does.
    pub description: String,
    /// How it is written, with placeholders such as `<item>`.
    pub usage: Usage,
}

/// How a call is written: a text with placeholders between `<` and `>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage(pub String);

impl Usage {
    /// Names of the placeholders, in order.
    #[must_use]
    pub fn placeholders(&self) -> Vec<&str> {
        self.0.split('<').skip(1).filter_map(|part| part.split_once('>').map(|(name, _)| name)).collect()
    }

    /// The text with its placeholders replaced in order; `None` where there are not as many values.
    #[must_use]
    pub fn fill(&self, values: &[&str]) -> Option<String> {
        let names = self.placeholders();
        if names.len() != values.len() {
            return None;
        }
        let mut text = String::new();
        let mut rest = self.0.as_str();
        for (name, value) in names.iter().zip(values) {
            let (before, after) = rest.split_once(&format!("<{name}>"))?;
            text.push_str(before);
            text.push_str(value);
            rest = after;
        }
        text.push_str(rest);
        Some(text)
    }
}

/// A call that is possible now.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is chosen: the literal of the call (a command, a name), or the whole action where it has none.
    pub literal: String,
    /// The call.
    pub act: Act,
}

impl Sheet<'_> {
    /// The kinds of action that the system message describes: a JSON object with the key `actions`. Under native calls
    /// the tools describe themselves.
    #[must_use]
    pub fn kinds(&self) -> Vec<ActionKind> {
        let described =
            json::embedded(&self.system).find_map(|value| value.get("actions").and_then(Value::as_array).cloned());
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let described = described.unwrap_or_default();
        let kinds = described.iter().filter(|value| value.get("name").is_some()).map(|value| ActionKind {
            name: text(value, "name"),
            description: text(value, "description"),
            usage: Usage(text(value, "usage")),
        });
        kinds.collect()
    }

    /// The calls that the page lists as possible now: the lines between `<possible_actions>` tags (or the list between
    /// `<available_actions_list>` tags), or under native calls the tools with one closed parameter or none.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        if self.form == Form::Native && !self.page.tools.is_empty() {
            return self.native_choices();
        }
        let listed = self.section("possible_actions").map(|body| body.lines().map(str::to_owned).collect::<Vec<_>>());
        let lines = listed.unwrap_or_else(|| {
            let list = between(&self.system, "available_actions_list").and_then(|body| serde_json::from_str(body).ok());
            list.unwrap_or_default()
        });
        let names: Vec<String> = self.kinds().into_iter().map(|kind| kind.name).collect();
        lines
            .iter()
            .map(|line| line.trim().trim_start_matches("- "))
            .filter(|line| !line.is_empty() && !line.contains('<'))
            .map(|line| Choice { literal: literal(line).to_owned(), act: text_act(line, &names) })
            .collect()
    }

    fn native_choices(&self) -> Vec<Choice> {
        let informing = between(&self.system, "tools").unwrap_or_default();
        let mut choices = Vec::new();
        for tool in self.page.tools.iter().filter(|tool| !informing.lines().any(|line| line.trim() == tool.name)) {
            let properties = tool.parameters.get("properties").and_then(Value::as_object);
            let own: Vec<(&String, &Value)> =
                properties.into_iter().flatten().filter(|(name, _)| *name != "reasoning").collect();
            match own.as_slice() {
                [] => choices.push(Choice { literal: tool.name.clone(), act: Act::native(&tool.name, Map::new()) }),
                [(name, schema)] => {
                    for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
                        let Some(text) = value.as_str() else { continue };
                        let arguments = Map::from_iter([((*name).clone(), value.clone())]);
                        choices.push(Choice { literal: text.to_owned(), act: Act::native(&tool.name, arguments) });
                    }
                }
                _ => {}
            }
        }
        choices
    }
}

/// The value in quotation marks or behind an equals sign, where the line is a call with one argument; else the line.
fn literal(line: &str) -> &str {
    match line.split_once('=') {
        Some((_, value)) if !value.contains('=') => value.trim().trim_matches('"'),
        _ => line,
    }
}

/// The call of a line of text.
fn text_act(line: &str, names: &[String]) -> Act {
    let tool = line.split([' ', '(']).next().unwrap_or_default();
    let tool = if names.iter().any(|name| name == tool) { tool } else { "" };
    Act { text: line.to_owned(), tool: tool.to_owned(), arguments: Map::new() }
}

#[cfg(test)]
mod tests {
    use super::{Usage, literal};

    #[test]
    fn usages_are_filled_in_order() {
        let usage = Usage("craft <number> <item> using <number> <item>".to_owned());
        assert_eq!(usage.placeholders(), ["number", "item", "number", "item"]);
        assert_eq!(usage.fill(&["4", "planks", "1", "logs"]).as_deref(), Some("craft 4 planks using 1 logs"));
        assert_eq!(usage.fill(&["4"]), None);
    }

    #[test]
    fn the_literal_of_a_call_is_found() {
        assert_eq!(literal("explore command=\"go to bed 1\""), "go to bed 1");
        assert_eq!(literal("Restore hostname=User1"), "User1");
        assert_eq!(literal("inventory"), "inventory");
    }
}
