//! The part of the template language that personas may use: variables, `if`, `for` and the filters below.
//!
//! A persona may come from anywhere, and a template must be filled in within a second and a few megabytes. So nothing
//! that can grow without bound is in the language: no `set`, no blocks that capture text, no joining or repeating of
//! strings by operators. Steps, output and the results of `join` and `replace` are counted.

use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, filters, tests};

/// Steps that filling in one template may take.
pub(crate) const STEPS: u64 = 20_000;

/// Bytes that one template may give.
pub(crate) const OUTPUT: usize = 1 << 19;

/// Bytes that `join` and `replace` may give.
const STRING: usize = 1 << 17;

/// Bytes of one template.
const SOURCE: usize = 1 << 16;

/// Filters one after the other in one expression.
const FILTERS: usize = 8;

/// Numbers in one `range`.
const RANGE: i64 = 1000;

const STATEMENTS: [&str; 7] = ["if", "elif", "else", "endif", "for", "endfor", "raw"];

/// An environment with the language's filters, tests and functions, and no others.
pub(crate) fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_fuel(Some(STEPS));
    environment.add_filter("article", article);
    environment.add_filter("capitalize", filters::capitalize);
    environment.add_filter("default", filters::default);
    environment.add_filter("first", filters::first);
    environment.add_filter("int", filters::int);
    environment.add_filter("items", filters::items);
    environment.add_filter("join", join);
    environment.add_filter("last", filters::last);
    environment.add_filter("length", filters::length);
    environment.add_filter("lower", filters::lower);
    environment.add_filter("plural", plural);
    environment.add_filter("replace", replace);
    environment.add_filter("reverse", filters::reverse);
    environment.add_filter("round", filters::round);
    environment.add_filter("sort", filters::sort);
    environment.add_filter("title", filters::title);
    environment.add_filter("trim", filters::trim);
    environment.add_filter("unique", filters::unique);
    environment.add_filter("upper", filters::upper);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("divisibleby", tests::is_divisibleby);
    environment.add_test("even", tests::is_even);
    environment.add_test("in", tests::is_in);
    environment.add_test("none", tests::is_none);
    environment.add_test("number", tests::is_number);
    environment.add_test("odd", tests::is_odd);
    environment.add_test("sequence", tests::is_sequence);
    environment.add_test("string", tests::is_string);
    environment.add_test("undefined", tests::is_undefined);
    environment.add_function("range", range);
    environment
}

/// Words that begin with a vowel and take `a`, or with a consonant and take `an`, by their first letters.
const AS_CONSONANT: [&str; 7] = ["eu", "one", "ubi", "uni", "use", "usu", "uti"];
const AS_VOWEL: [&str; 4] = ["heir", "honest", "honour", "hour"];
/// Letters whose names begin with a vowel: those of `an IP address` and `an SSH key`.
const SPELT_AS_VOWEL: &str = "AEFHILMNORSX";

/// The indefinite article of a noun: `a` of `host`, `an` of `item`.
fn article(noun: &str) -> &'static str {
    let word = noun.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    let (lower, is_spelt) = (word.to_lowercase(), word.chars().all(char::is_uppercase));
    let begins = |known: &[&str]| known.iter().any(|known| lower.starts_with(known));
    let is_vowel = match word.chars().next() {
        Some(first) if is_spelt => SPELT_AS_VOWEL.contains(first),
        Some(_) if begins(&AS_CONSONANT) => false,
        Some(_) if begins(&AS_VOWEL) => true,
        _ => lower.starts_with(['a', 'e', 'i', 'o', 'u']),
    };
    if is_vowel { "an" } else { "a" }
}

/// The plural of a noun: `hosts` of `host`, `entities` of `entity`, `boxes` of `box`.
fn plural(noun: &str) -> String {
    let sounds = ["s", "x", "z", "ch", "sh"];
    match noun.strip_suffix('y') {
        Some(stem) if !stem.is_empty() && !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if sounds.iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

fn wrong(what: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, what)
}

fn too_long(filter: &str) -> Error {
    wrong(format!("`{filter}` gives more than {STRING} bytes"))
}

fn join(values: &Value, between: Option<&str>) -> Result<String, Error> {
    let between = between.unwrap_or_default();
    let mut text = String::new();
    for (place, value) in values.try_iter()?.enumerate() {
        if place > 0 {
            text.push_str(between);
        }
        match value.as_str() {
            Some(value) => text.push_str(value),
            None => text.push_str(&value.to_string()),
        }
        if text.len() > STRING {
            return Err(too_long("join"));
        }
    }
    Ok(text)
}

fn replace(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let found = text.matches(from).count();
    if found.saturating_mul(to.len()).saturating_add(text.len()) > STRING {
        return Err(too_long("replace"));
    }
    Ok(text.replace(from, to))
}

fn range(first: i64, end: Option<i64>) -> Result<Vec<i64>, Error> {
    let (first, end) = end.map_or((0, first), |end| (first, end));
    if end.saturating_sub(first) > RANGE {
        return Err(wrong(format!("`range` gives more than {RANGE} numbers")));
    }
    Ok((first..end).collect())
}

/// What is in a template and is not in the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// Where, in bytes.
    pub at: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

/// Looks through a template for what is not in the language. What it lets through may still be misspelt.
pub(crate) fn check(text: &str) -> Result<(), Foreign> {
    if text.len() > SOURCE {
        return Err(Foreign { at: 0, what: format!("a template has at most {SOURCE} bytes, this has {}", text.len()) });
    }
    let mut at = 0;
    while let Some(begin) = text[at..].find('{').map(|found| at + found) {
        let rest = &text[begin + 1..];
        at = begin + 1;
        if rest.starts_with('#') {
            at = rest.find("#}").map_or(text.len(), |end| begin + 1 + end + 2);
        } else if rest.starts_with('{') {
            at = expression(text, begin + 2, "}}")?;
        } else if let Some(statement) = rest.strip_prefix('%') {
            let inside = statement.trim_start_matches(['-', '+']).trim_start();
            let word: String = inside.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            if !STATEMENTS.contains(&word.as_str()) {
                let what = format!("templates have no `{word}`; they have variables, `if` and `for`");
                return Err(Foreign { at: begin, what });
            }
            at = expression(text, begin + 2, "%}")?;
            if word == "raw" {
                at = text[at..].find("endraw").map_or(text.len(), |end| at + end + "endraw".len());
            }
        }
    }
    Ok(())
}

/// Checks an expression from byte `from` to its closing mark; returns where it ends.
fn expression(text: &str, from: usize, closing: &str) -> Result<usize, Foreign> {
    let mut filters = 0;
    let mut at = from;
    while let Some(letter) = text[at..].chars().next() {
        if text[at..].starts_with(closing) {
            return Ok(at + closing.len());
        }
        match letter {
            '"' | '\'' => {
                at = string_end(text, at + 1, letter);
                continue;
            }
            // A sign before the closing mark keeps white space.
            '~' | '*' | '+' if !text[at + 1..].starts_with(closing) && (letter != '+' || at != from) => {
                let what = format!("templates have no operator `{letter}`: write the parts one after the other");
                return Err(Foreign { at, what });
            }
            '|' => {
                filters += 1;
                if filters > FILTERS {
                    let what = format!("more than {FILTERS} filters in one expression");
                    return Err(Foreign { at, what });
                }
            }
            _ if letter.is_alphabetic() || letter == '_' => {
                let word: String =
                    text[at..].chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
                if word == "recursive" {
                    return Err(Foreign { at, what: "templates have no `recursive` loops".to_owned() });
                }
                at += word.len();
                continue;
            }
            _ => {}
        }
        at += letter.len_utf8();
    }
    Ok(text.len())
}

/// Where a string ends that began before byte `from`.
fn string_end(text: &str, from: usize, quote: char) -> usize {
    let mut escaped = false;
    for (place, letter) in text[from..].char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return from + place + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Takes output up to [`OUTPUT`] bytes.
#[derive(Default)]
pub(crate) struct Bounded(pub(crate) Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > OUTPUT {
            return Err(std::io::Error::other(format!("the template gives more than {OUTPUT} bytes")));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests_of_language {
    use proptest::prelude::*;

    use super::{article, check, plural};

    #[test]
    fn a_noun_has_the_article_that_its_sound_asks_for() {
        for noun in ["host", "node", "receptacle", "user", "unit", "European bank", "one-time key", "UFO", "<host>", ""]
        {
            assert_eq!(article(noun), "a", "{noun}");
        }
        for noun in ["item", "entity", "Agent", "agent", "order", "IP address", "hour", "unknown host", "SSH key"] {
            assert_eq!(article(noun), "an", "{noun}");
        }
    }

    #[test]
    fn a_noun_has_its_plural() {
        for (noun, many) in [
            ("host", "hosts"),
            ("entity", "entities"),
            ("key", "keys"),
            ("box", "boxes"),
            ("process", "processes"),
            ("branch", "branches"),
        ] {
            assert_eq!(plural(noun), many);
        }
    }

    #[test]
    fn what_is_in_the_language_passes() {
        for text in [
            "no marks at all * ~ +",
            "{{ goal }} and {{- subjects[0] -}}",
            "{% for name in subjects %}{{ loop.index }}. {{ name | upper }}{% if not loop.last %}, {% endif %}{% endfor %}",
            "{%+ if a == \"*~+\" %}x{% elif b is defined and 'it\\'s +' in b %}y{% else %}z{% endif +%}",
            "{# a * b ~ c {% set x = 1 %} #}done",
            "{% raw %}{% set x = a ~ b %}{% endraw %}{{ goal }}",
            "{\"json\": 1 + 2}",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_can_grow_is_refused() {
        for (text, named) in [
            ("{% set a = 'xx' %}", "no `set`"),
            ("{%- set a -%}xx{% endset %}", "no `set`"),
            ("{% filter upper %}x{% endfilter %}", "no `filter`"),
            ("{% with a = b %}x{% endwith %}", "no `with`"),
            ("{% macro m() %}{% endmacro %}", "no `macro`"),
            ("{{ a ~ a }}", "no operator `~`"),
            ("{{ 'x' * 9999999 }}", "no operator `*`"),
            ("{{ a + a }}", "no operator `+`"),
            ("{% for x in [a + a] %}{{ x }}{% endfor %}", "no operator `+`"),
            ("{% for x in a recursive %}{{ loop(x) }}{% endfor %}", "recursive"),
            ("{% raw %}x{% endraw %}{{ a ~ a }}", "no operator `~`"),
            ("{{ 'a\\'' ~ b }}", "no operator `~`"),
            ("{{ a|upper|upper|upper|upper|upper|upper|upper|upper|upper }}", "more than 8 filters"),
        ] {
            let found = check(text).unwrap_err();
            assert!(found.what.contains(named), "{text}: {found:?}");
        }
        assert!(check(&"x".repeat(1 << 17)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_looked_through(text in "[{}%#'\"\\\\ a-z~*+|é-]{0,60}") {
            let _ = check(&text);
        }
    }
}
