//! The store of texts: packs of records keyed by SHA-256.
//!
//! A record: hash, form (0 whole, 1 change), length, checksum, payload. A change names its sources by their distance in
//! the same pack, then follows the form of [`gimbal_core::delta`].

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gimbal_core::{Digest, delta};

use super::error::RunError;
use crate::stage::SimilarText;

const HEAD: usize = 41;

/// Texts longer than this are not believed when they are read.
pub const LONGEST: usize = 1 << 28;

/// Hashes remembered before the older half is forgotten. A forgotten text that comes again is stored again.
const REMEMBERED: usize = 1 << 14;

/// Bytes held back before they are written.
const BUFFER: usize = 1 << 18;

/// Bytes that a text must save to be worth a look at its likes.
const WORTH: usize = 512;

/// A pack under construction.
#[derive(Debug)]
pub struct TextPack {
    file: File,
    place: u64,
    buffer: Vec<u8>,
    recent: HashMap<Digest, u64>,
    older: HashMap<Digest, u64>,
}

impl TextPack {
    /// Begins a pack.
    #[must_use]
    pub fn new(file: File) -> Self {
        Self { file, place: 0, buffer: Vec::new(), recent: HashMap::new(), older: HashMap::new() }
    }

    /// Whether a text is in this pack, as far as is remembered.
    fn place_of(&mut self, digest: &Digest) -> Option<u64> {
        if let Some(place) = self.recent.get(digest) {
            return Some(*place);
        }
        let place = self.older.get(digest).copied()?;
        self.remember(*digest, place);
        Some(place)
    }

    fn remember(&mut self, digest: Digest, place: u64) {
        if self.recent.len() >= REMEMBERED {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(digest, place);
    }

    /// Adds a text unless it is there.
    ///
    /// # Errors
    /// When the operating system does not take it.
    pub fn add(&mut self, digest: Digest, text: &str, near: &[SimilarText<'_>]) -> std::io::Result<()> {
        if self.place_of(&digest).is_some() {
            return Ok(());
        }
        let mut sources = Vec::new();
        if text.len() >= WORTH {
            sources.extend(near.iter().filter_map(|near| Some((self.place_of(&near.digest)?, near.text.as_bytes()))));
        }
        let bytes: Vec<&[u8]> = sources.iter().map(|(_, bytes)| *bytes).collect();
        let changed = if bytes.is_empty() { None } else { delta::encode(text.as_bytes(), &bytes) };
        match changed {
            None => self.push(digest, 0, text.as_bytes()),
            Some(changed) => {
                let mut payload = Vec::with_capacity(changed.len() + 16);
                delta::number(&mut payload, text.len() as u64);
                delta::number(&mut payload, sources.len() as u64);
                for (place, _) in &sources {
                    delta::number(&mut payload, self.place - place);
                }
                payload.extend_from_slice(&changed);
                self.push(digest, 1, &payload)
            }
        }
    }

    fn push(&mut self, digest: Digest, form: u8, payload: &[u8]) -> std::io::Result<()> {
        self.remember(digest, self.place);
        self.buffer.extend_from_slice(&digest.0);
        self.buffer.push(form);
        self.buffer.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        self.buffer.extend_from_slice(&checksum(&digest, form, payload).to_le_bytes());
        self.buffer.extend_from_slice(payload);
        self.place += (HEAD + payload.len()) as u64;
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Hands over what is held back.
    ///
    /// # Errors
    /// When the operating system does not take it.
    pub fn flush(&mut self) -> std::io::Result<()> {
        // What a full disk took of a record must not be written a second time.
        while !self.buffer.is_empty() {
            match self.file.write(&self.buffer) {
                Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
                Ok(taken) => drop(self.buffer.drain(..taken)),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Another handle, for making the file durable without holding it.
    ///
    /// # Errors
    /// When the operating system has no more handles.
    pub fn handle(&self) -> std::io::Result<File> {
        self.file.try_clone()
    }
}

fn checksum(digest: &Digest, form: u8, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&digest.0);
    hasher.update(&[form]);
    hasher.update(payload);
    hasher.finalize()
}

/// The texts of a run, for reading.
#[derive(Debug)]
pub struct Texts {
    /// Where the packs lie, or should.
    folder: PathBuf,
    packs: Vec<Pack>,
    places: HashMap<Digest, (usize, u64)>,
    /// Where else a text is stored: episodes that are played again store theirs again.
    copies: HashMap<Digest, Vec<(usize, u64)>>,
    recent: HashMap<(usize, u64), Vec<u8>>,
    looked_at: HashMap<Digest, bool>,
}

#[derive(Debug)]
struct Pack {
    path: PathBuf,
    file: BufReader<File>,
    torn: bool,
    /// Where its last whole record ends.
    end: u64,
    /// Whether all records match their checksums, once that was looked at.
    sound: Option<bool>,
}

struct Record {
    digest: Digest,
    form: u8,
    payload: Vec<u8>,
}

/// Bytes of texts kept between one look-up and the next: neighbours share their chains of changes.
const KEPT: usize = 32 << 20;

impl Texts {
    /// Opens the packs of a folder.
    ///
    /// # Errors
    /// When a pack cannot be read.
    pub fn open(folder: &Path, paths: &[PathBuf]) -> Result<Self, RunError> {
        let mut texts = Self {
            folder: folder.to_owned(),
            packs: Vec::new(),
            places: HashMap::new(),
            copies: HashMap::new(),
            recent: HashMap::new(),
            looked_at: HashMap::new(),
        };
        for path in paths {
            let failed = |error: std::io::Error| RunError::io(path, "the store of texts cannot be read", &error);
            let file = File::open(path).map_err(failed)?;
            let size = file.metadata().map_err(failed)?.len();
            let mut pack = Pack { path: path.clone(), file: BufReader::new(file), torn: false, end: 0, sound: None };
            let mut place = 0;
            while place < size {
                let head = pack.head(place).map_err(failed)?;
                let Some((digest, _, length)) = head.filter(|(_, _, length)| place + (HEAD + length) as u64 <= size)
                else {
                    pack.torn = true;
                    break;
                };
                // The first copy counts unless it is damaged: changes name places, not hashes, so all stay valid.
                let here = (texts.packs.len(), place);
                if *texts.places.entry(digest).or_insert(here) != here {
                    texts.copies.entry(digest).or_default().push(here);
                }
                place += (HEAD + length) as u64;
            }
            pack.end = place;
            texts.packs.push(pack);
        }
        Ok(texts)
    }

    /// How many texts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Packs whose last record is torn, as a kill leaves it. Tolerated.
    pub fn torn(&self) -> impl Iterator<Item = &Path> {
        self.packs.iter().filter(|pack| pack.torn).map(|pack| pack.path.as_path())
    }

    /// All hashes, sorted.
    #[must_use]
    pub fn digests(&self) -> Vec<Digest> {
        let mut digests: Vec<Digest> = self.places.keys().copied().collect();
        digests.sort_unstable();
        digests
    }

    /// The text with this hash, checked against it.
    ///
    /// # Errors
    /// When it is missing or damaged.
    pub fn get(&mut self, digest: &Digest) -> Result<String, RunError> {
        let folder = self.packs.first().map_or_else(|| self.folder.clone(), |pack| pack.path.clone());
        let Some(place) = self.places.get(digest).copied() else {
            return Err(RunError::Damaged { path: folder, what: format!("the text {} is missing", digest.short()) });
        };
        let damaged = |path: &Path| RunError::Damaged {
            path: path.to_owned(),
            what: format!("the text {} is damaged", digest.short()),
        };
        let others = self.copies.get(digest).cloned().unwrap_or_default();
        for place in std::iter::once(place).chain(others) {
            let bytes = match self.bytes(place) {
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => None,
                bytes => bytes.map_err(|error| {
                    RunError::io(&self.packs[place.0].path, "the store of texts cannot be read", &error)
                })?,
            };
            let text = bytes.filter(|bytes| Digest::of(bytes) == *digest).map(String::from_utf8);
            if let Some(Ok(text)) = text {
                return Ok(text);
            }
        }
        Err(damaged(&self.packs[place.0].path))
    }

    /// Whether a text is there and undamaged. Cheap where its pack is sound, which is looked at once, in one go.
    ///
    /// # Errors
    /// When a pack cannot be read.
    pub fn holds(&mut self, digest: &Digest) -> Result<bool, RunError> {
        let Some(&(pack, _)) = self.places.get(digest) else { return Ok(false) };
        let pack = &mut self.packs[pack];
        let sound = match pack.sound {
            Some(sound) => sound,
            None => {
                let failed =
                    |error: std::io::Error| RunError::io(&pack.path, "the store of texts cannot be read", &error);
                let sound = pack.file.rewind().and_then(|()| walk(&mut pack.file, pack.end)).map_err(failed)?;
                *pack.sound.insert(sound)
            }
        };
        if sound {
            return Ok(true);
        }
        if let Some(held) = self.looked_at.get(digest) {
            return Ok(*held);
        }
        let held = match self.get(digest) {
            Ok(_) => true,
            Err(RunError::Damaged { .. }) => false,
            Err(error) => return Err(error),
        };
        self.looked_at.insert(*digest, held);
        Ok(held)
    }

    /// Follows a chain of changes without recursion: chains are as long as episodes.
    fn bytes(&mut self, place: (usize, u64)) -> std::io::Result<Option<Vec<u8>>> {
        let mut open = vec![place];
        while let Some(&(pack, at)) = open.last() {
            if self.recent.contains_key(&(pack, at)) {
                open.pop();
                continue;
            }
            let Some(record) = self.packs[pack].record(at)? else { return Ok(None) };
            if record.form == 0 {
                self.recent.insert((pack, at), record.payload);
                open.pop();
                continue;
            }
            let Some((length, places, changed)) = change(&record.payload, at) else { return Ok(None) };
            let missing: Vec<_> =
                places.iter().map(|place| (pack, *place)).filter(|place| !self.recent.contains_key(place)).collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            let sources: Vec<&[u8]> =
                places.iter().filter_map(|place| self.recent.get(&(pack, *place))).map(Vec::as_slice).collect();
            let text = delta::decode(changed, &sources, length).filter(|text| text.len() == length);
            let Some(text) = text else { return Ok(None) };
            self.recent.insert((pack, at), text);
            open.pop();
        }
        let text = self.recent.get(&place).cloned();
        if self.recent.values().map(Vec::len).sum::<usize>() > KEPT {
            self.recent.clear();
        }
        Ok(text)
    }
}

/// Whether all records from here up to `end` match their checksums.
fn walk(file: &mut impl Read, end: u64) -> std::io::Result<bool> {
    let (mut at, mut payload) = (0, Vec::new());
    while at < end {
        let mut head = [0; HEAD];
        file.read_exact(&mut head)?;
        let Some((digest, form, length)) = parts(&head) else { return Ok(false) };
        payload.resize(length, 0);
        file.read_exact(&mut payload)?;
        let written = u32::from_le_bytes([head[37], head[38], head[39], head[40]]);
        if checksum(&digest, form, &payload) != written {
            return Ok(false);
        }
        at += (HEAD + length) as u64;
    }
    Ok(true)
}

/// Hash, form and length of a record, by its head; `None` if these bytes are none.
fn parts(head: &[u8; HEAD]) -> Option<(Digest, u8, usize)> {
    let mut digest = [0; 32];
    digest.copy_from_slice(&head[..32]);
    let length = u32::from_le_bytes([head[33], head[34], head[35], head[36]]) as usize;
    (head[32] <= 1 && length <= LONGEST).then_some((Digest(digest), head[32], length))
}

/// A change's length, the places of its sources (always before it, so that no chain is a circle) and its pieces.
fn change(mut payload: &[u8], at: u64) -> Option<(usize, Vec<u64>, &[u8])> {
    let length = usize::try_from(delta::read_number(&mut payload)?).ok().filter(|length| *length <= LONGEST)?;
    let count = delta::read_number(&mut payload)?;
    let mut places = Vec::new();
    for _ in 0..count {
        let distance = delta::read_number(&mut payload)?;
        places.push(at.checked_sub(distance).filter(|place| *place < at)?);
    }
    Some((length, places, payload))
}

impl Pack {
    fn head(&mut self, place: u64) -> std::io::Result<Option<(Digest, u8, usize)>> {
        let mut head = [0; HEAD];
        // Small seeks stay within the buffer.
        let now = self.file.stream_position()?;
        self.file.seek_relative(place as i64 - now as i64)?;
        if let Err(error) = self.file.read_exact(&mut head) {
            return if error.kind() == std::io::ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
        }
        Ok(parts(&head))
    }

    fn record(&mut self, place: u64) -> std::io::Result<Option<Record>> {
        self.file.seek(SeekFrom::Start(place))?;
        let mut head = [0; HEAD];
        self.file.read_exact(&mut head)?;
        self.file.seek(SeekFrom::Start(place))?;
        let Some((digest, form, length)) = self.head(place)? else { return Ok(None) };
        let mut payload = vec![0; length];
        self.file.read_exact(&mut payload)?;
        let written = u32::from_le_bytes([head[37], head[38], head[39], head[40]]);
        let sound = checksum(&digest, form, &payload) == written;
        Ok(sound.then_some(Record { digest, form, payload }).filter(|record| record.digest == digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_chains_of_changes_are_small_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.pack");
        let mut pack = TextPack::new(File::create(&path).unwrap());
        let mut text = String::from("history\n");
        let mut before: Option<(Digest, String)> = None;
        let mut digests = Vec::new();
        for step in 0..300 {
            text.push_str(&format!("step {step}: restored a host because {}\n", step * 31));
            let digest = Digest::of(text.as_bytes());
            let near: Vec<SimilarText<'_>> =
                before.iter().map(|(digest, text)| SimilarText { digest: *digest, text }).collect();
            pack.add(digest, &text, &near).unwrap();
            pack.add(digest, &text, &near).unwrap();
            before = Some((digest, text.clone()));
            digests.push((digest, text.clone()));
        }
        pack.flush().unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() < 300 * 130);
        let mut texts = Texts::open(folder.path(), std::slice::from_ref(&path)).unwrap();
        assert_eq!(texts.len(), 300);
        for (digest, text) in digests.iter().rev() {
            assert_eq!(texts.get(digest).unwrap(), *text);
        }
        // A torn end costs the last text only.
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let mut texts = Texts::open(folder.path(), std::slice::from_ref(&path)).unwrap();
        assert_eq!((texts.len(), texts.torn().count()), (299, 1));
        assert!(texts.get(&digests[299].0).unwrap_err().to_string().contains("missing"));
        assert_eq!(texts.get(&digests[298].0).unwrap(), digests[298].1);
        // A flipped bit in the middle is noticed.
        let mut damaged = bytes.clone();
        damaged[HEAD + 3] ^= 4;
        std::fs::write(&path, &damaged).unwrap();
        let mut texts = Texts::open(folder.path(), std::slice::from_ref(&path)).unwrap();
        assert!(texts.get(&digests[0].0).unwrap_err().to_string().contains("damaged"));
    }
}
