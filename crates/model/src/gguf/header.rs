//! The content of a header, and whether it can be a model's.

use std::collections::BTreeMap;
use std::io::Read;

use super::GgufError;
use super::reader::{Array, Reader, TEXT_KIND, Value};

/// Keys of one file; models have some dozens.
const MOST_KEYS: u64 = 1 << 16;
/// Tensors of one file; the largest models have some thousands.
const MOST_TENSORS: u64 = 1 << 17;
/// Layers, heads and the like of one model.
const MOST_PARTS: i128 = 1 << 16;
/// Tokens, widths and lengths of context.
const MOST_WIDE: i128 = 1 << 28;
/// Longest name of a tensor that the library holds.
const TENSOR_NAME: usize = 63;

/// What is read off a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The architecture, e.g. `llama`.
    pub architecture: String,
    /// Tokens of the vocabulary.
    pub tokens: u64,
    /// The template by which conversations are written; `None` where the file carries none.
    pub chat_template: Option<String>,
    /// The tensors.
    pub tensors: Vec<Tensor>,
}

/// A tensor as the header describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its sizes.
    pub shape: Vec<u64>,
    /// Number of its type.
    pub kind: u32,
    /// Bytes of its data.
    pub bytes: u64,
    /// Where its data begin, after the header.
    pub offset: u64,
}

/// Types of weights: number, items in a block, bytes of a block.
const KINDS: [(u32, u64, u64); 27] = [
    (0, 1, 4),
    (1, 1, 2),
    (2, 32, 18),
    (3, 32, 20),
    (6, 32, 22),
    (7, 32, 24),
    (8, 32, 34),
    (10, 256, 84),
    (11, 256, 110),
    (12, 256, 144),
    (13, 256, 176),
    (14, 256, 210),
    (16, 256, 66),
    (17, 256, 74),
    (18, 256, 98),
    (19, 256, 50),
    (20, 32, 18),
    (21, 256, 110),
    (22, 256, 82),
    (23, 256, 136),
    (29, 256, 56),
    (30, 1, 2),
    (34, 256, 54),
    (35, 256, 66),
    (39, 32, 17),
    // Whole numbers, for tables that are looked up and not multiplied.
    (26, 1, 4),
    (27, 1, 8),
];

type Values = BTreeMap<String, Value>;

pub(super) fn read<R: Read>(reader: &mut Reader<R>) -> Result<Header, GgufError> {
    if &reader.take::<4>("the mark `GGUF`")? != b"GGUF" {
        return reader.wrong("it does not begin with `GGUF`");
    }
    let version = reader.u32("the version")?;
    if !(2..=3).contains(&version) {
        return reader.wrong(format!("GGUF version {version} is not one of those read here (2 and 3)"));
    }
    let tensors = reader.u64("the number of tensors")?;
    let keys = reader.u64("the number of keys")?;
    if tensors == 0 || tensors > MOST_TENSORS || keys > MOST_KEYS {
        return reader.wrong(format!("it claims {tensors} tensors and {keys} keys, which no model has"));
    }
    let mut values = Values::new();
    for _ in 0..keys {
        let key = reader.name("a key")?;
        let value = reader.value(&key)?;
        if values.insert(key.clone(), value).is_some() {
            return reader.wrong(format!("the key `{key}` is there twice"));
        }
    }
    let mut found: Vec<Tensor> = Vec::new();
    for _ in 0..tensors {
        found.push(tensor(reader)?);
    }
    let alignment = match values.get("general.alignment") {
        None => 32,
        Some(Value::Whole(size @ 8..=65_536)) if (*size as u64).is_power_of_two() => *size as u64,
        Some(other) => return reader.wrong(format!("`general.alignment` is {}", shown(other))),
    };
    places(reader, &found, alignment)?;
    let values = Checked { reader, values: &values };
    let architecture = values.model()?;
    let tokens = values.vocabulary()?;
    values.weights(&architecture, tokens, &found)?;
    let chat_template = match values.values.get("tokenizer.chat_template") {
        Some(Value::Text(template)) => Some(template.clone()),
        _ => None,
    };
    Ok(Header { architecture, tokens, chat_template, tensors: found })
}

fn tensor<R: Read>(reader: &mut Reader<R>) -> Result<Tensor, GgufError> {
    let name = reader.name("the name of a tensor")?;
    if name.len() > TENSOR_NAME {
        return reader.wrong(format!("the name of tensor `{name}` has more than {TENSOR_NAME} bytes"));
    }
    let what = format!("tensor `{name}`");
    let dimensions = reader.u32(&what)?;
    if !(1..=4).contains(&dimensions) {
        return reader.wrong(format!("{what} has {dimensions} dimensions, and 1 to 4 are possible"));
    }
    let mut shape = Vec::new();
    for _ in 0..dimensions {
        shape.push(reader.u64(&what)?);
    }
    let items = shape.iter().try_fold(1_u64, |all, size| all.checked_mul(*size).filter(|all| *all < 1 << 40));
    let Some(items) = items.filter(|items| *items > 0) else {
        return reader.wrong(format!("{what} has the sizes {shape:?}"));
    };
    let kind = reader.u32(&what)?;
    let Some((_, block, size)) = KINDS.iter().find(|(known, ..)| *known == kind).copied() else {
        return reader.wrong(format!("{what} is of type {kind}, which is not one of weights"));
    };
    if shape[0] % block != 0 {
        return reader.wrong(format!("{what} has rows of {}, and its type has blocks of {block}", shape[0]));
    }
    let offset = reader.u64(&what)?;
    Ok(Tensor { name, shape, kind, bytes: items / block * size, offset })
}

/// Whether the tensors lie one behind the other and within the file.
fn places<R: Read>(reader: &Reader<R>, tensors: &[Tensor], alignment: u64) -> Result<(), GgufError> {
    let start = reader.at().next_multiple_of(alignment);
    let mut expected = 0_u64;
    let mut names = std::collections::BTreeSet::new();
    for tensor in tensors {
        let name = &tensor.name;
        if !names.insert(name.as_str()) {
            return reader.wrong(format!("tensor `{name}` is there twice"));
        }
        if tensor.offset != expected {
            return reader.wrong(format!("tensor `{name}` lies at {} and should lie at {expected}", tensor.offset));
        }
        let end = start.checked_add(tensor.offset).and_then(|begin| begin.checked_add(tensor.bytes));
        if end.is_none_or(|end| end > reader.length()) {
            return reader.wrong(format!("tensor `{name}` lies beyond the end of the file"));
        }
        expected = (tensor.offset + tensor.bytes).next_multiple_of(alignment);
    }
    Ok(())
}

struct Checked<'a, R> {
    reader: &'a Reader<R>,
    values: &'a Values,
}

impl<R: Read> Checked<'_, R> {
    fn wrong<T>(&self, what: impl Into<String>) -> Result<T, GgufError> {
        self.reader.wrong(what)
    }

    /// The numbers of the model. Gives the architecture.
    fn model(&self) -> Result<String, GgufError> {
        let name = match self.values.get("general.architecture") {
            Some(Value::Text(name)) if !name.is_empty() && name.len() < 64 => name.clone(),
            Some(other) => return self.wrong(format!("`general.architecture` is {}", shown(other))),
            None => return self.wrong("the key `general.architecture` is missing"),
        };
        if let Some(Value::Whole(parts)) = self.values.get("split.count")
            && *parts > 1
        {
            return self.wrong(format!("it is one of {parts} parts of a model: join them to one file"));
        }
        for (key, value) in self.values {
            let bad = match value {
                // The library ends the process at a negative epsilon of a norm.
                Value::Float(number) => !number.is_finite() || (key.ends_with("epsilon") && *number < 0.0),
                // Sizes beyond these are the work of damage, and memory is taken by them.
                Value::Whole(number) if key.starts_with(&name) => !(-1..=MOST_WIDE).contains(number),
                _ => false,
            };
            if bad {
                return self.wrong(format!("`{key}` is {}", shown(value)));
            }
        }
        let key = |part: &str| format!("{name}.{part}");
        let width = self.whole(&key("embedding_length"), MOST_WIDE, true)?;
        self.whole(&key("block_count"), MOST_PARTS, true)?;
        self.whole(&key("context_length"), MOST_WIDE, true)?;
        // These two families have no attention, and say so with zeros.
        if ["mamba", "rwkv"].iter().any(|family| name.starts_with(family)) {
            return Ok(name);
        }
        self.whole(&key("feed_forward_length"), MOST_WIDE, false)?;
        let heads = self.whole(&key("attention.head_count"), MOST_PARTS, false)?;
        let shared = self.whole(&key("attention.head_count_kv"), MOST_PARTS, false)?;
        if let (Some(width), Some(heads)) = (width, heads) {
            let own = self.values.contains_key(&key("attention.key_length"));
            if !own && width % heads != 0 {
                return self.wrong(format!("{heads} attention heads do not divide a width of {width}"));
            }
            if let Some(shared) = shared
                && heads % shared != 0
            {
                return self.wrong(format!("{shared} heads of keys and values do not divide {heads} attention heads"));
            }
            let turned = self.whole(&key("rope.dimension_count"), MOST_WIDE, false)?;
            if let Some(turned) = turned
                && (turned % 2 != 0 || (!own && turned > width / heads))
            {
                return self.wrong(format!(
                    "`{}` is {turned}, and a head has {}",
                    key("rope.dimension_count"),
                    width / heads
                ));
            }
        }
        for part in
            ["attention.key_length", "attention.value_length", "expert_count", "expert_used_count", "vocab_size"]
        {
            if part.starts_with("expert") && self.values.get(&key(part)) == Some(&Value::Whole(0)) {
                continue;
            }
            self.whole(&key(part), MOST_WIDE, false)?;
        }
        Ok(name)
    }

    /// A number from 1 to `most`; it may also be a list of numbers, one for each layer.
    fn whole(&self, key: &str, most: i128, needed: bool) -> Result<Option<i128>, GgufError> {
        match self.values.get(key) {
            None if needed => self.wrong(format!("the key `{key}` is missing")),
            None => Ok(None),
            Some(Value::Whole(number)) if (1..=most).contains(number) => Ok(Some(*number)),
            Some(Value::Array(Array { range: Some((least, greatest)), .. })) if *least >= 0 && *greatest <= most => {
                Ok(None)
            }
            Some(other) => self.wrong(format!("`{key}` is {}, and 1 to {most} are possible", shown(other))),
        }
    }

    /// The vocabulary. Gives the number of tokens.
    fn vocabulary(&self) -> Result<u64, GgufError> {
        let list = |part: &str| match self.values.get(&format!("tokenizer.ggml.{part}")) {
            None => Ok(None),
            Some(Value::Array(array)) => Ok(Some(array)),
            Some(other) => self.wrong(format!("`tokenizer.ggml.{part}` is {} and no list", shown(other))),
        };
        let Some(tokens) = list("tokens")?.filter(|tokens| tokens.kind == TEXT_KIND && tokens.length > 0) else {
            return self.wrong("`tokenizer.ggml.tokens` is not a list of texts");
        };
        if !tokens.distinct {
            return self.wrong("`tokenizer.ggml.tokens` names a token twice");
        }
        for (part, kind) in [("token_type", 5), ("scores", 6)] {
            if let Some(other) = list(part)?.filter(|other| other.kind != kind || other.length != tokens.length) {
                let what = format!("`tokenizer.ggml.{part}` has {} items of type {}", other.length, other.kind);
                return self.wrong(format!("{what} for {} tokens", tokens.length));
            }
        }
        if list("merges")?.is_some_and(|merges| merges.kind != TEXT_KIND || !merges.pairs || !merges.texts) {
            return self.wrong("`tokenizer.ggml.merges` contains an entry that is not a pair of pieces");
        }
        match self.values.get("tokenizer.ggml.model") {
            Some(Value::Text(kind)) if kind == "gpt2" && list("merges")?.is_none() => {
                return self.wrong("`tokenizer.ggml.merges` is missing, which a vocabulary of kind `gpt2` needs");
            }
            // The library reads both as a model without a vocabulary, and ends the process at the first text.
            Some(Value::Text(kind)) if kind == "none" || kind == "no_vocab" => {
                return self.wrong(format!(
                    "`tokenizer.ggml.model` is `{kind}`, and a model without a vocabulary reads no text"
                ));
            }
            Some(Value::Text(_)) => {}
            _ => return self.wrong("`tokenizer.ggml.model` is not a text"),
        }
        for (key, value) in self.values.iter().filter(|(key, _)| key.ends_with("_token_id")) {
            let held = matches!(value, Value::Whole(id) if (0..i128::from(tokens.length)).contains(id))
                // "None" in files of some makers.
                || matches!(value, Value::Whole(id) if *id == i128::from(u32::MAX));
            if !held {
                return self.wrong(format!("`{key}` is {}, and there are {} tokens", shown(value), tokens.length));
            }
        }
        for (key, value) in self.values.iter().filter(|(key, _)| key.starts_with("tokenizer.chat_template")) {
            if !matches!(value, Value::Text(_) | Value::Array(_)) {
                return self.wrong(format!("`{key}` is {}", shown(value)));
            }
        }
        Ok(tokens.length)
    }

    /// The tensors that every model has.
    fn weights(&self, architecture: &str, tokens: u64, tensors: &[Tensor]) -> Result<(), GgufError> {
        let width = self.whole(&format!("{architecture}.embedding_length"), MOST_WIDE, true)?.unwrap_or_default();
        let blocks = self.whole(&format!("{architecture}.block_count"), MOST_PARTS, true)?.unwrap_or_default();
        match tensors.iter().find(|tensor| tensor.name == "token_embd.weight") {
            None => return self.wrong("the tensor `token_embd.weight` is missing"),
            Some(found) if found.shape.iter().map(|size| i128::from(*size)).ne([width, i128::from(tokens)]) => {
                let sizes = &found.shape;
                return self
                    .wrong(format!("`token_embd.weight` has the sizes {sizes:?} for {tokens} tokens of {width}"));
            }
            Some(_) => {}
        }
        for tensor in tensors {
            // Norms and biases are added and multiplied item by item.
            if tensor.shape.len() == 1 && !matches!(tensor.kind, 0 | 1 | 30) {
                return self.wrong(format!("tensor `{}` is a row of blocks; norms are floats", tensor.name));
            }
            if tensor.shape.len() > 1 && matches!(tensor.kind, 26 | 27) && tensor.name.ends_with(".weight") {
                return self.wrong(format!("tensor `{}` holds whole numbers where weights should be", tensor.name));
            }
            let block = tensor.name.strip_prefix("blk.").and_then(|rest| rest.split('.').next()?.parse::<i128>().ok());
            if block.is_some_and(|block| block >= blocks) {
                return self.wrong(format!("tensor `{}` is of no layer: there are {blocks}", tensor.name));
            }
        }
        Ok(())
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Whole(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Text(text) => format!("`{}`", text.chars().take(40).collect::<String>()),
        Value::Array(array) => format!("a list of {}", array.length),
    }
}
