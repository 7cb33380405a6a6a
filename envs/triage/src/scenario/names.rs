//! Names that a scenario gives once and uses in sources, matchers and statements.

use std::collections::BTreeMap;

/// Names by key; texts refer to them as `$key`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    pub fn new(names: &BTreeMap<String, String>) -> Self {
        Self(names.clone())
    }

    /// The names with others that replace or follow them.
    pub fn with(&self, more: &BTreeMap<String, String>) -> Self {
        let mut names = self.0.clone();
        names.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
        Self(names)
    }

    /// The text with every `$key` replaced; `$$` is a dollar sign.
    ///
    /// # Errors
    /// The first key that is not a name.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, after) = rest.split_at(at);
            filled.push_str(before);
            let after = after.get(1..).unwrap_or_default();
            if let Some(after) = after.strip_prefix('$') {
                filled.push('$');
                rest = after;
                continue;
            }
            let length = after.bytes().take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()).count();
            let (key, after) = after.split_at(length);
            filled.push_str(self.0.get(key).ok_or_else(|| key.to_owned())?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_filled_in_and_unknown_ones_are_told() {
        let names = Names([("host".to_owned(), "web01".to_owned())].into());
        assert_eq!(names.fill("host:$host, ADMIN$$").as_deref(), Ok("host:web01, ADMIN$"));
        assert_eq!(names.fill("$user").unwrap_err(), "user");
    }
}
