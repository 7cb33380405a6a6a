//! Facts in tables: bits for one argument, sorted pairs for two.

/// Pairs of symbols, sorted both ways.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Relation {
    /// First argument in the high half.
    forward: Vec<u32>,
    /// Second argument in the high half.
    backward: Vec<u32>,
    /// Where the pairs of each symbol begin, both ways, once nothing changes any more.
    starts: Option<Box<[Vec<u32>; 2]>>,
}

#[inline]
const fn pair(one: u16, other: u16) -> u32 {
    ((one as u32) << 16) | other as u32
}

#[inline]
fn range(list: &[u32], high: u16) -> &[u32] {
    let start = list.partition_point(|key| *key < pair(high, 0));
    let rest = &list[start..];
    // Few share their first half.
    let count = rest.iter().take_while(|key| (**key >> 16) as u16 == high).count();
    &rest[..count]
}

impl Relation {
    /// Of pairs in any order, with repetitions.
    #[must_use]
    pub fn of(pairs: impl Iterator<Item = [u16; 2]>) -> Self {
        let (mut forward, mut backward): (Vec<u32>, Vec<u32>) =
            pairs.map(|[one, other]| (pair(one, other), pair(other, one))).unzip();
        for list in [&mut forward, &mut backward] {
            list.sort_unstable();
            list.dedup();
        }
        Self { forward, backward, starts: None }
    }

    /// Nothing changes any more: pairs of one of `symbols` symbols are found without search.
    pub fn fix(&mut self, symbols: usize) {
        let index = |list: &[u32]| {
            let mut starts = vec![0_u32; symbols + 1];
            list.iter().for_each(|pair| starts[(pair >> 16) as usize + 1] += 1);
            for at in 0..symbols {
                starts[at + 1] += starts[at];
            }
            starts
        };
        self.starts = Some(Box::new([index(&self.forward), index(&self.backward)]));
    }

    #[inline]
    fn found(&self, way: usize, symbol: u16) -> Option<std::ops::Range<usize>> {
        let starts = &self.starts.as_ref()?[way];
        let at = usize::from(symbol);
        Some(*starts.get(at)? as usize..*starts.get(at + 1)? as usize)
    }

    /// Whether the pair is there.
    #[inline]
    #[must_use]
    pub fn has(&self, one: u16, other: u16) -> bool {
        self.forward.binary_search(&pair(one, other)).is_ok()
    }

    /// Pairs with this first argument: the second is in the low half.
    #[inline]
    #[must_use]
    pub fn of_first(&self, one: u16) -> &[u32] {
        match self.found(0, one) {
            Some(place) => &self.forward[place],
            None => range(&self.forward, one),
        }
    }

    /// Pairs with this second argument: the first is in the low half.
    #[inline]
    #[must_use]
    pub fn of_second(&self, other: u16) -> &[u32] {
        match self.found(1, other) {
            Some(place) => &self.backward[place],
            None => range(&self.backward, other),
        }
    }

    /// All pairs, by first and then by second argument.
    #[must_use]
    pub fn pairs(&self) -> &[u32] {
        &self.forward
    }

    /// Adds a pair.
    pub fn insert(&mut self, one: u16, other: u16) {
        self.starts = None;
        if let Err(at) = self.forward.binary_search(&pair(one, other)) {
            self.forward.insert(at, pair(one, other));
            if let Err(at) = self.backward.binary_search(&pair(other, one)) {
                self.backward.insert(at, pair(other, one));
            }
        }
    }

    /// Takes a pair away.
    pub fn remove(&mut self, one: u16, other: u16) {
        self.starts = None;
        if let Ok(at) = self.forward.binary_search(&pair(one, other)) {
            self.forward.remove(at);
            if let Ok(at) = self.backward.binary_search(&pair(other, one)) {
                self.backward.remove(at);
            }
        }
    }

    /// Makes room, so that later additions need none.
    pub fn reserve(&mut self, count: usize) {
        self.forward.reserve(count);
        self.backward.reserve(count);
    }
}

/// Facts of many predicates.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Facts {
    /// Words of 64 bits for one predicate of one argument.
    words: usize,
    unary: Vec<u64>,
    binary: Vec<Relation>,
}

impl Clone for Facts {
    fn clone(&self) -> Self {
        Self { words: self.words, unary: self.unary.clone(), binary: self.binary.clone() }
    }

    /// Keeps the memory that is there.
    fn clone_from(&mut self, other: &Self) {
        self.words = other.words;
        self.unary.clone_from(&other.unary);
        if self.binary.len() == other.binary.len() {
            for (mine, theirs) in self.binary.iter_mut().zip(&other.binary) {
                mine.forward.clone_from(&theirs.forward);
                mine.backward.clone_from(&theirs.backward);
            }
        } else {
            self.binary.clone_from(&other.binary);
        }
    }
}

impl Facts {
    /// No facts, of so many predicates over so many symbols.
    #[must_use]
    pub fn new(symbols: usize, unary: usize, binary: usize) -> Self {
        let words = symbols.div_ceil(64).max(1);
        Self { words, unary: vec![0; words * unary], binary: vec![Relation::default(); binary] }
    }

    /// Whether a fact of one argument holds.
    #[inline]
    #[must_use]
    pub fn has_one(&self, index: u16, symbol: u16) -> bool {
        // A symbol that is not there has no word of its own.
        let at = usize::from(index) * self.words + usize::from(symbol >> 6);
        usize::from(symbol >> 6) < self.words && self.unary.get(at).is_some_and(|word| word >> (symbol & 63) & 1 == 1)
    }

    /// Sets or clears a fact of one argument.
    #[inline]
    pub fn set_one(&mut self, index: u16, symbol: u16, holds: bool) {
        let at = usize::from(index) * self.words + usize::from(symbol >> 6);
        if let Some(word) = self.unary.get_mut(at) {
            let bit = 1_u64 << (symbol & 63);
            *word = if holds { *word | bit } else { *word & !bit };
        }
    }

    /// The members of a predicate of one argument, ascending.
    pub fn members(&self, index: u16) -> impl Iterator<Item = u16> + '_ {
        let start = usize::from(index) * self.words;
        bits(self.unary.get(start..start + self.words).unwrap_or_default())
    }

    /// The pairs of a predicate of two arguments.
    #[inline]
    #[must_use]
    pub fn relation(&self, index: u16) -> &Relation {
        &self.binary[usize::from(index)]
    }

    /// The same, to change it.
    #[inline]
    pub fn relation_mut(&mut self, index: u16) -> &mut Relation {
        &mut self.binary[usize::from(index)]
    }

    /// Everything as bytes, for a digest.
    pub fn bytes(&self, out: &mut Vec<u8>) {
        self.unary.iter().for_each(|word| out.extend_from_slice(&word.to_be_bytes()));
        for relation in &self.binary {
            out.extend_from_slice(&(relation.forward.len() as u32).to_be_bytes());
            relation.forward.iter().for_each(|pair| out.extend_from_slice(&pair.to_be_bytes()));
        }
    }
}

/// The set bits of words, ascending.
pub fn bits(words: &[u64]) -> impl Iterator<Item = u16> + '_ {
    words.iter().enumerate().flat_map(|(at, word)| {
        let mut word = *word;
        std::iter::from_fn(move || {
            if word == 0 {
                return None;
            }
            let bit = word.trailing_zeros();
            word &= word - 1;
            Some((at * 64) as u16 + bit as u16)
        })
    })
}
