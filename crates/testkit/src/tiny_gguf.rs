//! A tiny language model file (GGUF, version 3) made on the fly, so that the embedded model is tested whole with no weights fetched.
//!
//! The architecture is Llama's with a few thousand seeded random weights. The vocabulary holds the 256 bytes in GPT-2's
//! spelling, a few merged pieces (so that several tokenisations of one text exist, as in real models), and the three
//! control tokens of ChatML. The output of such a model is noise: it shows that the path works, never what a model can do.

use std::io;
use std::path::Path;

use gimbal_parity::Fast;

/// Pieces that byte pairs merge into, as (left, right) in plain text. Order is rank.
const MERGES: &[(&str, &str)] = &[
    ("t", "h"),
    ("th", "e"),
    ("a", "n"),
    ("an", "d"),
    ("i", "n"),
    ("e", "r"),
    ("o", "n"),
    ("r", "e"),
    ("{", "\""),
    ("\"", ":"),
    ("\"", "}"),
    ("\":", "\""),
    (" ", "the"),
    (" ", "and"),
    ("s", "t"),
    ("e", "n"),
];

/// The control tokens, in the order of their ids after the plain pieces.
const CONTROL: &[&str] = &["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

/// A ChatML template such as small instruct models carry.
const CHAT_TEMPLATE: &str = "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

/// GGUF's alignment of tensor data in bytes.
const ALIGNMENT: usize = 32;

/// What to generate. Equal fields give equal bytes on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TinyGguf {
    /// Seed of the weights.
    pub seed: u64,
    /// Number of transformer layers.
    pub layers: u32,
    /// Width of the residual stream; a multiple of 32.
    pub width: u32,
    /// Context length in tokens that the file states.
    pub context: u32,
    /// Matrices as 16-bit instead of 32-bit floats.
    pub half: bool,
    /// The chat template of the file; `None` leaves it out.
    pub chat_template: Option<String>,
}

impl Default for TinyGguf {
    fn default() -> Self {
        Self {
            seed: 1,
            layers: 2,
            width: 64,
            context: 4096,
            half: false,
            chat_template: Some(CHAT_TEMPLATE.to_owned()),
        }
    }
}

impl TinyGguf {
    /// The file's bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let pieces = vocabulary();
        let vocabulary_size = pieces.len() as u32;
        let (heads, kv_heads, feed_forward) = (4, 2, self.width * 2);
        let head_width = self.width / heads;
        let kv_width = head_width * kv_heads;

        let mut meta = Metadata::default();
        meta.string("general.architecture", "llama");
        meta.string("general.name", "gimbal tiny test model");
        meta.uint("general.alignment", ALIGNMENT as u32);
        meta.uint("llama.context_length", self.context);
        meta.uint("llama.embedding_length", self.width);
        meta.uint("llama.block_count", self.layers);
        meta.uint("llama.feed_forward_length", feed_forward);
        meta.uint("llama.attention.head_count", heads);
        meta.uint("llama.attention.head_count_kv", kv_heads);
        meta.float("llama.attention.layer_norm_rms_epsilon", 1e-5);
        meta.float("llama.rope.freq_base", 10_000.0);
        meta.uint("llama.rope.dimension_count", head_width);
        meta.uint("llama.vocab_size", vocabulary_size);
        meta.string("tokenizer.ggml.model", "gpt2");
        meta.string("tokenizer.ggml.pre", "smollm");
        let spelled: Vec<String> = pieces.iter().map(|(text, _)| text.clone()).collect();
        meta.strings("tokenizer.ggml.tokens", &spelled);
        let kinds: Vec<i32> = pieces.iter().map(|(_, kind)| *kind).collect();
        meta.ints("tokenizer.ggml.token_type", &kinds);
        let merges: Vec<String> = MERGES.iter().map(|(a, b)| format!("{} {}", spell(a), spell(b))).collect();
        meta.strings("tokenizer.ggml.merges", &merges);
        let first_control = vocabulary_size - CONTROL.len() as u32;
        meta.uint("tokenizer.ggml.bos_token_id", first_control + 1);
        meta.uint("tokenizer.ggml.eos_token_id", first_control + 2);
        meta.uint("tokenizer.ggml.padding_token_id", first_control);
        meta.bool("tokenizer.ggml.add_bos_token", false);
        meta.bool("tokenizer.ggml.add_space_prefix", false);
        if let Some(template) = &self.chat_template {
            meta.string("tokenizer.chat_template", template);
        }

        let mut tensors =
            Tensors { noise: Fast::new(self.seed), half: self.half, infos: Vec::new(), data: Vec::new(), count: 0 };
        let (w, ff, kv) = (self.width, feed_forward, kv_width);
        tensors.matrix("token_embd.weight", w, vocabulary_size, 1.0);
        for layer in 0..self.layers {
            let name = |part: &str| format!("blk.{layer}.{part}.weight");
            tensors.ones(&name("attn_norm"), w);
            tensors.matrix(&name("attn_q"), w, w, spread(w));
            tensors.matrix(&name("attn_k"), w, kv, spread(w));
            tensors.matrix(&name("attn_v"), w, kv, spread(w));
            tensors.matrix(&name("attn_output"), w, w, spread(w));
            tensors.ones(&name("ffn_norm"), w);
            tensors.matrix(&name("ffn_gate"), w, ff, spread(w));
            tensors.matrix(&name("ffn_up"), w, ff, spread(w));
            tensors.matrix(&name("ffn_down"), ff, w, spread(ff));
        }
        tensors.ones("output_norm.weight", w);
        // A head of its own: with a tied one an untrained model repeats its last token forever.
        tensors.matrix("output.weight", w, vocabulary_size, 0.6);

        let mut file = Vec::new();
        file.extend_from_slice(b"GGUF");
        file.extend_from_slice(&3u32.to_le_bytes());
        file.extend_from_slice(&tensors.count.to_le_bytes());
        file.extend_from_slice(&meta.count.to_le_bytes());
        file.extend_from_slice(&meta.bytes);
        file.extend_from_slice(&tensors.infos);
        pad(&mut file);
        file.extend_from_slice(&tensors.data);
        file
    }

    /// Writes the file.
    ///
    /// # Errors
    /// The error of the file system.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        std::fs::write(path, self.bytes())
    }
}

/// Every token as (GPT-2 spelling, GGUF token type).
fn vocabulary() -> Vec<(String, i32)> {
    const NORMAL: i32 = 1;
    const CONTROL_TYPE: i32 = 3;
    let mut pieces: Vec<(String, i32)> = (0..=255u8).map(|byte| (byte_char(byte).to_string(), NORMAL)).collect();
    pieces.extend(MERGES.iter().map(|(a, b)| (format!("{}{}", spell(a), spell(b)), NORMAL)));
    pieces.extend(CONTROL.iter().map(|text| ((*text).to_owned(), CONTROL_TYPE)));
    pieces
}

/// GPT-2's printable character for a byte: itself where it prints, else the next free code point from 256 on.
fn byte_char(byte: u8) -> char {
    let prints = |b: u8| matches!(b, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    if prints(byte) {
        return char::from(byte);
    }
    let rank = (0..byte).filter(|b| !prints(*b)).count() as u32;
    char::from_u32(256 + rank).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// A plain text in GPT-2's spelling.
fn spell(text: &str) -> String {
    text.bytes().map(byte_char).collect()
}

/// Half-width of a uniform distribution that keeps the variance of a signal through `inputs` weights.
fn spread(inputs: u32) -> f32 {
    (3.0 / inputs as f32).sqrt()
}

/// Uniform in [-1, 1).
fn signed(noise: &mut Fast) -> f32 {
    (noise.next_u64() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
}

/// Key-value section under construction.
#[derive(Default)]
struct Metadata {
    bytes: Vec<u8>,
    count: u64,
}

impl Metadata {
    fn key(&mut self, key: &str, kind: u32) {
        put_string(&mut self.bytes, key);
        self.bytes.extend_from_slice(&kind.to_le_bytes());
        self.count += 1;
    }

    fn uint(&mut self, key: &str, value: u32) {
        self.key(key, 4);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn float(&mut self, key: &str, value: f32) {
        self.key(key, 6);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn bool(&mut self, key: &str, value: bool) {
        self.key(key, 7);
        self.bytes.push(u8::from(value));
    }

    fn string(&mut self, key: &str, value: &str) {
        self.key(key, 8);
        put_string(&mut self.bytes, value);
    }

    fn array(&mut self, key: &str, kind: u32, length: usize) {
        self.key(key, 9);
        self.bytes.extend_from_slice(&kind.to_le_bytes());
        self.bytes.extend_from_slice(&(length as u64).to_le_bytes());
    }

    fn strings(&mut self, key: &str, values: &[String]) {
        self.array(key, 8, values.len());
        for value in values {
            put_string(&mut self.bytes, value);
        }
    }

    fn ints(&mut self, key: &str, values: &[i32]) {
        self.array(key, 5, values.len());
        for value in values {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    }
}

fn put_string(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}

/// Tensor section under construction.
struct Tensors {
    noise: Fast,
    half: bool,
    infos: Vec<u8>,
    data: Vec<u8>,
    count: u64,
}

impl Tensors {
    fn info(&mut self, name: &str, shape: &[u32], kind: u32) {
        pad(&mut self.data);
        put_string(&mut self.infos, name);
        self.infos.extend_from_slice(&(shape.len() as u32).to_le_bytes());
        for size in shape {
            self.infos.extend_from_slice(&u64::from(*size).to_le_bytes());
        }
        self.infos.extend_from_slice(&kind.to_le_bytes());
        self.infos.extend_from_slice(&(self.data.len() as u64).to_le_bytes());
        self.count += 1;
    }

    /// A norm's weights: ones, always as 32-bit floats.
    fn ones(&mut self, name: &str, width: u32) {
        self.info(name, &[width], 0);
        for _ in 0..width {
            self.data.extend_from_slice(&1f32.to_le_bytes());
        }
    }

    fn matrix(&mut self, name: &str, columns: u32, rows: u32, scale: f32) {
        self.info(name, &[columns, rows], u32::from(self.half));
        for _ in 0..columns * rows {
            let value = signed(&mut self.noise) * scale;
            if self.half {
                self.data.extend_from_slice(&half_bits(value).to_le_bytes());
            } else {
                self.data.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
}

/// A 32-bit float's nearest 16-bit float below it in magnitude; too small becomes zero. Enough for noise.
fn half_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let exponent = ((bits >> 23) & 0xFF) as i32 - 127 + 15;
    if exponent <= 0 {
        return sign;
    }
    if exponent >= 31 {
        return sign | 0x7BFF;
    }
    sign | ((exponent as u16) << 10) | ((bits >> 13) & 0x3FF) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_fields_give_equal_bytes_and_another_seed_others() {
        let tiny = TinyGguf::default();
        assert_eq!(tiny.bytes(), tiny.bytes());
        assert_ne!(tiny.bytes(), TinyGguf { seed: 2, ..tiny.clone() }.bytes());
        assert!(tiny.bytes().len() < 2 << 20, "{} bytes", tiny.bytes().len());
    }

    #[test]
    fn bytes_are_spelled_as_gpt2_spells_them() {
        assert_eq!(byte_char(b'A'), 'A');
        assert_eq!(byte_char(b' '), 'Ġ');
        assert_eq!(byte_char(b'\n'), 'Ċ');
        let all: std::collections::BTreeSet<char> = (0..=255).map(byte_char).collect();
        assert_eq!(all.len(), 256);
    }

    #[test]
    fn halves_are_right_for_exact_values() {
        assert_eq!(half_bits(1.0), 0x3C00);
        assert_eq!(half_bits(-0.5), 0xB800);
        assert_eq!(half_bits(0.0), 0);
    }
}
