//! The JSON form, in which others keep their recipes.

use gimbal_core::nearest;
use gimbal_parity::Json;

use super::{Fact, MOST_OF_ONE, Needed, check_inputs, name};

const KEYS: [&str; 6] = ["file", "shaped", "in", "out", "count", "group"];

const INPUT: &str = "an input is a list of a name and an amount, such as [\"minecraft:stick\", 2]";

/// Reads a line.
pub(super) fn read(line: &str) -> Result<Fact, String> {
    let members = match Json::parse(line) {
        Ok(Json::Map(members)) => members,
        Ok(_) => return Err("expected an object `{...}`".to_owned()),
        Err(error) => return Err(format!("not JSON ({error}); the line may be cut short")),
    };
    for (at, (key, _)) in members.iter().enumerate() {
        if !KEYS.contains(&key.as_str()) {
            let hint = nearest::hint(key, KEYS);
            return Err(format!("unknown key `{key}`{hint} (known: {})", KEYS.join(", ")));
        }
        if members[..at].iter().any(|(earlier, _)| earlier == key) {
            return Err(format!("the key `{key}` is given twice; keep one of them"));
        }
    }
    let find = |wanted: &str| members.iter().find(|(key, _)| key == wanted).map(|(_, value)| value);
    if find("file").is_some_and(|file| file.as_text().is_none()) {
        return Err("`file` must be a text".to_owned());
    }
    let shaped = match find("shaped") {
        None => false,
        Some(Json::Bool(shaped)) => *shaped,
        Some(_) => return Err("`shaped` must be true or false".to_owned()),
    };
    let output = find("out").ok_or("`out` is missing: the item that the recipe makes")?;
    let output = output.as_text().ok_or("`out` must be the name of an item")?;
    if output.starts_with('#') {
        return Err(format!("a recipe makes an item, and `{output}` is a tag; leave out the `#`"));
    }
    let output = name(output)?.to_owned();
    let count = find("count").map_or(Ok(1), |count| amount("count", count))?;
    let group = match find("group") {
        None | Some(Json::Null) => None,
        Some(group) => Some(name(group.as_text().ok_or("`group` must be a name")?)?.to_owned()),
    };
    let listed = find("in").ok_or("`in` is missing: the list of what the recipe takes")?;
    let listed = listed.as_list().ok_or_else(|| format!("`in` must be a list; {INPUT}"))?;
    let mut inputs: Vec<Needed> = Vec::with_capacity(listed.len());
    for entry in listed {
        let Some([written, count]) = entry.as_list() else { return Err(format!("`in`: {INPUT}")) };
        let written = written.as_text().ok_or_else(|| format!("`in`: {INPUT}"))?;
        let (bare, tag) = written.strip_prefix('#').map_or((written, false), |bare| (bare, true));
        let needed = Needed { name: name(bare)?.to_owned(), tag, count: amount("in", count)? };
        let known = inputs.iter_mut().find(|known| !shaped && known.name == needed.name && known.tag == tag);
        match known {
            Some(known) => {
                known.count = known
                    .count
                    .checked_add(needed.count)
                    .filter(|sum| *sum <= MOST_OF_ONE)
                    .ok_or_else(|| format!("`in`: there are more than {MOST_OF_ONE} of `{written}`; give fewer"))?;
            }
            None => inputs.push(needed),
        }
    }
    check_inputs(&inputs)?;
    Ok(Fact { output, count, inputs, group, line: 0 })
}

fn amount(key: &str, value: &Json) -> Result<u32, String> {
    let count = value.as_whole().and_then(|count| u32::try_from(count).ok());
    count
        .filter(|count| (1..=MOST_OF_ONE).contains(count))
        .ok_or_else(|| format!("`{key}`: an amount must be a whole number from 1 to {MOST_OF_ONE}"))
}
