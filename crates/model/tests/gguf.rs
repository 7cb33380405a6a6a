//! Headers of model files: sound ones pass, damaged ones are refused with a reason, and none is read at length.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use gimbal_model::gguf::{GgufError, Header, check, check_bytes};
use gimbal_model::weights::{Cache, known_models};
use gimbal_testkit::tiny_gguf::TinyGguf;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Result<Header, GgufError> {
    check_bytes(bytes, bytes.len() as u64)
}

fn tiny() -> Vec<u8> {
    TinyGguf { layers: 1, width: 32, ..TinyGguf::default() }.bytes()
}

/// Where the value of a key begins, its type left out.
fn value_of(bytes: &[u8], key: &str) -> usize {
    let mut wanted = (key.len() as u64).to_le_bytes().to_vec();
    wanted.extend_from_slice(key.as_bytes());
    bytes.windows(wanted.len()).position(|window| window == wanted).unwrap() + wanted.len() + 4
}

fn with_u32(key: &str, value: u32) -> Vec<u8> {
    let mut bytes = tiny();
    let at = value_of(&bytes, key);
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

#[test]
fn sound_files_pass() {
    for tiny in [
        TinyGguf::default(),
        TinyGguf { half: true, ..TinyGguf::default() },
        TinyGguf { chat_template: None, layers: 3, width: 96, ..TinyGguf::default() },
    ] {
        let header = read(&tiny.bytes()).unwrap();
        assert_eq!((header.architecture.as_str(), header.tokens), ("llama", 275));
        assert_eq!(header.tensors.len() as u32, 3 + 9 * tiny.layers);
    }
    let Ok(cache) = Cache::from_environment() else { return };
    for known in known_models() {
        match cache.checked(known) {
            Ok(path) => drop(check(&path).unwrap()),
            Err(_) => println!("skipped: {} is not cached", known.name),
        }
    }
}

#[test]
fn every_cut_is_refused() {
    let bytes = tiny();
    let header = bytes.len() - read(&bytes).unwrap().tensors.iter().map(|tensor| tensor.bytes as usize).sum::<usize>();
    let lengths = (0..header.min(12_000)).chain((12_000..bytes.len()).step_by(997)).chain([bytes.len() - 1]);
    for length in lengths {
        assert!(read(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
}

#[test]
fn numbers_that_no_model_has_are_refused_by_key() {
    for (key, value, said) in [
        ("llama.attention.head_count", 0, "head_count` is 0"),
        ("llama.attention.head_count", 5, "do not divide a width"),
        ("llama.attention.head_count_kv", 0, "head_count_kv` is 0"),
        ("llama.attention.head_count_kv", 3, "do not divide 4 attention heads"),
        ("llama.embedding_length", 0, "embedding_length` is 0"),
        ("llama.embedding_length", 64, "token_embd.weight"),
        ("llama.block_count", 0, "block_count` is 0"),
        ("llama.block_count", u32::MAX, "block_count` is 4294967295"),
        ("llama.context_length", 0, "context_length` is 0"),
        ("llama.rope.dimension_count", 7, "rope.dimension_count` is 7"),
        ("llama.rope.dimension_count", 4096, "rope.dimension_count` is 4096"),
        ("general.alignment", 0, "general.alignment` is 0"),
        ("general.alignment", 3, "general.alignment` is 3"),
        ("tokenizer.ggml.eos_token_id", 275, "there are 275 tokens"),
        ("llama.attention.layer_norm_rms_epsilon", f32::NAN.to_bits(), "epsilon` is NaN"),
        ("llama.attention.layer_norm_rms_epsilon", (-1.0_f32).to_bits(), "epsilon` is -1"),
    ] {
        let error = read(&with_u32(key, value)).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("damaged"), "{key} = {value}: {error}");
    }
}

/// The library would end the process at these, so the header is refused before it is loaded.
#[test]
fn what_ends_the_process_in_the_library_is_refused_by_key() {
    // The same value under the name that other families have for it; keys of one length take each other's place.
    let mut bytes = with_u32("llama.attention.layer_norm_rms_epsilon", (-0.5_f32).to_bits());
    let key = b"llama.attention.layer_norm_rms_epsilon";
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap();
    bytes[at..at + key.len()].copy_from_slice(b"llama.attention.layer_norm_abc_epsilon");
    assert!(read(&bytes).unwrap_err().what.contains("layer_norm_abc_epsilon` is -0.5"));
    for kind in ["none", "no_vocab"] {
        let bytes = tiny();
        // The text's length, then the text.
        let at = value_of(&bytes, "tokenizer.ggml.model");
        let mut changed = bytes[..at].to_vec();
        changed.extend_from_slice(&(kind.len() as u64).to_le_bytes());
        changed.extend_from_slice(kind.as_bytes());
        changed.extend_from_slice(&bytes[at + 8 + "gpt2".len()..]);
        // The tensors may now begin later.
        changed.extend_from_slice(&[0; 64]);
        let error = read(&changed).unwrap_err().to_string();
        assert!(error.contains(&format!("model` is `{kind}`")), "{kind}: {error}");
    }
}

#[test]
fn great_claims_take_no_memory() {
    let bytes = tiny();
    for (place, said) in [(8, "tensors and"), (16, "keys, which")] {
        let mut bytes = bytes.clone();
        bytes[place..place + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(read(&bytes).unwrap_err().what.contains(said));
    }
    // An array's length follows the type of its items.
    let mut bytes = bytes;
    let at = value_of(&bytes, "tokenizer.ggml.tokens") + 4;
    bytes[at..at + 8].copy_from_slice(&(u64::MAX / 9).to_le_bytes());
    assert!(read(&bytes).unwrap_err().what.contains("more than the file can hold"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..400), mark in any::<bool>()) {
        if mark && bytes.len() > 8 {
            bytes[..8].copy_from_slice(b"GGUF\x03\0\0\0");
        }
        let _ = read(&bytes);
    }

    #[test]
    fn any_damage_is_read_without_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = tiny();
        for (place, value) in changes {
            let place = place.index(9000.min(bytes.len()));
            bytes[place] = value;
        }
        if let Ok(header) = read(&bytes) {
            prop_assert!(header.tensors.iter().all(|tensor| tensor.bytes <= bytes.len() as u64));
        }
    }
}
