//! Values that the library reads in another way than Sigma means them, spelled out.
//!
//! `null` means that a field is absent or empty; the library (0.23.0) takes it for absent alone, and for nothing in a list. So it is given as
//! one of two detections: the field is absent, or it has one of the other values or is empty.
//!
//! In Sigma `*` and `?` stand for any character, a line break too. The library (0.23.0) lets them stand for no line break, and takes the wrong
//! end of a value with wildcards under `startswith` and `endswith`. So such values are given to it as expressions that say both.

use rsigma_parser::value::{SigmaString, SpecialChar, StringPart};
use rsigma_parser::{Detection, DetectionItem, Modifier, SigmaValue};

/// Spells out all values of a detection that need it. Words that are looked for in every field are left as they are.
pub fn spell_out(detection: &mut Detection) {
    match detection {
        Detection::AllOf(items) if items.iter().any(is_nullable) => {
            let (nullable, mut others): (Vec<_>, Vec<_>) = std::mem::take(items).into_iter().partition(is_nullable);
            others.iter_mut().for_each(spell_out_item);
            let mut parts: Vec<Detection> = nullable.into_iter().map(absent_or).collect();
            if !others.is_empty() {
                parts.push(Detection::AllOf(others));
            }
            *detection = Detection::And(parts);
        }
        Detection::AllOf(items) => items.iter_mut().for_each(spell_out_item),
        Detection::AnyOf(parts) | Detection::And(parts) => parts.iter_mut().for_each(spell_out),
        Detection::Keywords(_) => {}
        Detection::ArrayMatch { body, .. } => spell_out(body),
        Detection::Conditional { named, .. } => named.values_mut().for_each(spell_out),
    }
}

/// Whether a field may be absent or empty, by a list of values that are compared as they are.
fn is_nullable(item: &DetectionItem) -> bool {
    item.field.name.is_some() && item.field.modifiers.is_empty() && item.values.contains(&SigmaValue::Null)
}

/// The field is absent, or it has one of the other values or is empty.
fn absent_or(item: DetectionItem) -> Detection {
    let absent = DetectionItem { field: item.field.clone(), values: vec![SigmaValue::Null] };
    let mut others = item;
    others.values.retain(|value| *value != SigmaValue::Null);
    others.values.push(SigmaValue::String(SigmaString::new("")));
    spell_out_item(&mut others);
    Detection::AnyOf(vec![Detection::AllOf(vec![absent]), Detection::AllOf(vec![others])])
}

fn spell_out_item(item: &mut DetectionItem) {
    let has = |modifier: Modifier| item.field.modifiers.contains(&modifier);
    let is_plain_text = |modifier: &Modifier| {
        matches!(
            modifier,
            Modifier::Contains | Modifier::StartsWith | Modifier::EndsWith | Modifier::All | Modifier::Cased
        )
    };
    let texts: Option<Vec<&SigmaString>> = item
        .values
        .iter()
        .map(|value| match value {
            SigmaValue::String(text) => Some(text),
            _ => None,
        })
        .collect();
    let Some(texts) = texts else { return };
    if !item.field.modifiers.iter().all(is_plain_text) || texts.iter().all(|text| text.is_plain()) {
        return;
    }
    let at_start = !has(Modifier::Contains) && !has(Modifier::EndsWith);
    let at_end = !has(Modifier::Contains) && !has(Modifier::StartsWith);
    let mut modifiers = vec![Modifier::Re, Modifier::DotAll];
    if !has(Modifier::Cased) {
        modifiers.push(Modifier::IgnoreCase);
    }
    if has(Modifier::All) {
        modifiers.push(Modifier::All);
    }
    let values = texts
        .iter()
        .map(|text| SigmaValue::String(SigmaString::from_raw(&expression(text, at_start, at_end))))
        .collect();
    item.values = values;
    item.field.modifiers = modifiers;
}

/// The expression that a value means.
fn expression(text: &SigmaString, at_start: bool, at_end: bool) -> String {
    let mut out = String::from(if at_start { r"\A" } else { "" });
    for part in &text.parts {
        match part {
            StringPart::Plain(plain) => {
                for letter in plain.chars() {
                    // `\<` and `\>` are bounds of words.
                    if letter.is_ascii_punctuation() && !matches!(letter, '<' | '>') {
                        out.push('\\');
                    }
                    out.push(letter);
                }
            }
            StringPart::Special(SpecialChar::WildcardMulti) => out.push_str(".*"),
            StringPart::Special(SpecialChar::WildcardSingle) => out.push('.'),
        }
    }
    out.push_str(if at_end { r"\z" } else { "" });
    out
}
