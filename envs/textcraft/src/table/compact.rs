//! The compact form: `4 oak_planks = 1 #oak_logs + 2 stick [planks]`.

use std::fmt::Write as _;

use super::{Fact, Needed, amount, check_inputs, name};

const FORM: &str = "write `<amount> <item> = <amount> <item> + <amount> #<tag> [<group>]`";

/// Reads a line.
pub(super) fn read(line: &str) -> Result<Fact, String> {
    let Some((made, taken)) = line.split_once('=') else {
        return Err(format!("there is no `=`, the line may be cut short; {FORM}"));
    };
    let (count, output, tag) = part(made)?;
    if tag {
        return Err(format!("a recipe makes an item, and `#{output}` is a tag; leave out the `#`"));
    }
    let taken = taken.trim();
    let (taken, group) = match taken.strip_suffix(']') {
        Some(open) => match open.rsplit_once('[') {
            Some((taken, group)) => (taken, Some(name(group.trim())?.to_owned())),
            None => return Err(format!("there is a `]` without a `[`; {FORM}")),
        },
        None if taken.contains('[') => return Err(format!("the `]` is missing, the line may be cut short; {FORM}")),
        None => (taken, None),
    };
    let mut inputs = Vec::new();
    for written in taken.split('+') {
        let (count, name, tag) = part(written)?;
        inputs.push(Needed { name, tag, count });
    }
    check_inputs(&inputs)?;
    Ok(Fact { output, count, inputs, group, line: 0 })
}

/// An amount and a name, and whether the name is a tag.
fn part(written: &str) -> Result<(u32, String, bool), String> {
    let mut words = written.split_whitespace();
    let (Some(count), Some(named), None) = (words.next(), words.next(), words.next()) else {
        let written = written.trim();
        return Err(format!("`{written}` is not an amount and a name, the line may be cut short; {FORM}"));
    };
    let (named, tag) = named.strip_prefix('#').map_or((named, false), |named| (named, true));
    Ok((amount(count)?, name(named)?.to_owned(), tag))
}

/// Writes a line with its end.
pub(super) fn write(fact: &Fact) -> String {
    let mut out = format!("{} {} =", fact.count, fact.output);
    for (at, needed) in fact.inputs.iter().enumerate() {
        let (plus, hash) = (if at == 0 { "" } else { " +" }, if needed.tag { "#" } else { "" });
        // Writing to a string cannot fail.
        let _ = write!(out, "{plus} {} {hash}{}", needed.count, needed.name);
    }
    if let Some(group) = &fact.group {
        let _ = write!(out, " [{group}]");
    }
    out.push('\n');
    out
}
