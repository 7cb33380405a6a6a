//! Recorded draws: a tape that is played back and checked, and a recorder that writes one.

use gimbal_parity::tape::{Comparison, Playback, Recorded, TapeError, apply, distinct_below};

use super::{Draws, Mersenne, Seed, Site};

/// The function of Python's `random` module that was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are Python's own")]
pub enum Function {
    Choice,
    Choices,
    Random,
    Randrange,
    Sample,
    Shuffle,
}

impl Function {
    /// Python's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Choice => "choice",
            Self::Choices => "choices",
            Self::Random => "random",
            Self::Randrange => "randrange",
            Self::Sample => "sample",
            Self::Shuffle => "shuffle",
        }
    }
}

/// What a draw gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawn {
    /// An index or a value.
    Whole(u32),
    /// A real in [0, 1).
    Real(f64),
    /// The indices chosen, or a permutation p with new\[i\] = old\[p\[i\]\].
    List(Vec<u32>),
}

/// One draw: where, which function, its arguments, what came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Who drew what.
    pub site: Site,
    /// The function.
    pub function: Function,
    /// Its arguments, as recordings list them.
    pub arguments: Vec<u32>,
    /// Its result.
    pub result: Drawn,
}

/// Plays recorded draws back. Checks function and arguments of each; the first difference is kept and from
/// then on harmless values are given out, so that the rules never meet an impossible one.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    draws: Playback<Entry>,
    spare: u32,
    /// Draws the same from the recorded seed, so that the tape and the check draw at the end are proven too.
    shadow: Option<Mersenne>,
}

impl Tape {
    /// An empty tape. With `seed`, each draw is also compared with what this seed gives.
    #[must_use]
    pub fn new(seed: Option<&Seed>) -> Self {
        Self { shadow: seed.map(Mersenne::from_seed), ..Self::default() }
    }

    /// Replaces the draws by those of the next reset or step.
    pub fn load(&mut self, entries: Vec<Entry>) {
        self.draws.load(entries);
    }

    /// Ends a reset or step: all draws must have been asked for.
    ///
    /// # Errors
    /// The first difference between tape and rules.
    pub fn finish(&mut self) -> Result<(), TapeError> {
        self.draws.finish()
    }

    /// The generator that follows the recorded seed, if there is one.
    pub fn shadow(&mut self) -> Option<&mut Mersenne> {
        self.shadow.as_mut()
    }

    fn take(&mut self, site: Site, function: Function, arguments: &[u32]) -> Option<Drawn> {
        let asked =
            || format!("{} {} for {} of {}", function.name(), list(arguments), site.purpose.name(), site.phase.name());
        let compare = |entry: &Entry| {
            let is_same = entry.site == site && entry.function == function && entry.arguments == arguments;
            if is_same { Comparison::Same } else { Comparison::Other }
        };
        self.draws.take(compare, asked).map(|entry| entry.result.clone())
    }

    fn whole(
        &mut self,
        site: Site,
        function: Function,
        arguments: &[u32],
        range: std::ops::Range<u32>,
        same: impl FnOnce(&mut Mersenne) -> u32,
    ) -> u32 {
        let shadowed = self.shadow.as_mut().map(same);
        match self.take(site, function, arguments) {
            Some(Drawn::Whole(value)) if range.contains(&value) => {
                if shadowed.is_some_and(|shadowed| shadowed != value) {
                    self.draws.not_of_seed();
                }
                return value;
            }
            Some(_) => self.draws.impossible(),
            None => {}
        }
        // A changing value, since the rules draw again until a number is free.
        self.spare = self.spare.wrapping_add(1);
        range.start + self.spare % (range.end - range.start)
    }

    fn many(
        &mut self,
        site: Site,
        function: Function,
        arguments: &[u32],
        count: u32,
        chosen: &mut [u32],
        shadowed: Option<Vec<u32>>,
    ) {
        match self.take(site, function, arguments) {
            Some(Drawn::List(values)) if distinct_below(&values, count as usize, chosen.len()) => {
                chosen.copy_from_slice(&values);
                if shadowed.is_some_and(|shadowed| shadowed != values) {
                    self.draws.not_of_seed();
                }
                return;
            }
            Some(_) => self.draws.impossible(),
            None => {}
        }
        for (at, slot) in chosen.iter_mut().enumerate() {
            *slot = at as u32;
        }
    }
}

fn list(arguments: &[u32]) -> String {
    let words: Vec<String> = arguments.iter().map(u32::to_string).collect();
    format!("({})", words.join(", "))
}

impl Recorded for Entry {
    fn describe(&self) -> String {
        let site = self.site;
        format!(
            "{} {} for {} of {}",
            self.function.name(),
            list(&self.arguments),
            site.purpose.name(),
            site.phase.name()
        )
    }
}

impl Draws for Tape {
    fn seed(&mut self, _: u64) {}

    fn choice(&mut self, site: Site, count: u32) -> u32 {
        self.whole(site, Function::Choice, &[count], 0..count, |shadow| shadow.choice(site, count))
    }

    fn choices(&mut self, site: Site, count: u32) -> u32 {
        self.whole(site, Function::Choices, &[count], 0..count, |shadow| shadow.choices(site, count))
    }

    fn random(&mut self, site: Site) -> f64 {
        let shadowed = self.shadow.as_mut().map(Mersenne::unit);
        match self.take(site, Function::Random, &[]) {
            Some(Drawn::Real(value)) if (0.0..1.0).contains(&value) => {
                if shadowed.is_some_and(|shadowed| shadowed.to_bits() != value.to_bits()) {
                    self.draws.not_of_seed();
                }
                value
            }
            Some(_) => {
                self.draws.impossible();
                0.5
            }
            None => 0.5,
        }
    }

    fn randrange(&mut self, site: Site, start: u32, stop: u32) -> u32 {
        self.whole(site, Function::Randrange, &[start, stop], start..stop, |shadow| shadow.randrange(site, start, stop))
    }

    fn sample(&mut self, site: Site, count: u32, chosen: &mut [u32]) {
        let wanted = chosen.len();
        let shadowed = self.shadow.as_mut().map(|shadow| {
            let mut same = vec![0; wanted];
            shadow.sample(site, count, &mut same);
            same
        });
        self.many(site, Function::Sample, &[count, wanted as u32], count, chosen, shadowed);
    }

    fn shuffle(&mut self, site: Site, items: &mut [u8]) {
        let count = items.len() as u32;
        let shadowed = self.shadow.as_mut().map(|shadow| permutation(shadow, site, items.len()));
        let mut order = vec![0; items.len()];
        self.many(site, Function::Shuffle, &[count], count, &mut order, shadowed);
        apply(&order, items);
    }
}

fn permutation(draws: &mut impl Draws, site: Site, count: usize) -> Vec<u32> {
    let mut order: Vec<u8> = (0..count).map(|at| at as u8).collect();
    draws.shuffle(site, &mut order);
    order.into_iter().map(u32::from).collect()
}

/// Passes draws on from another source and writes them down.
#[derive(Clone, Debug)]
pub struct Recorder<D> {
    inner: D,
    entries: Vec<Entry>,
}

impl<D> Recorder<D> {
    /// A recorder over `inner`.
    pub const fn new(inner: D) -> Self {
        Self { inner, entries: Vec::new() }
    }

    /// The draws since the last call of this.
    pub fn take(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    /// The source itself; what is drawn from it directly is not written down.
    pub const fn inner(&mut self) -> &mut D {
        &mut self.inner
    }

    fn note(&mut self, site: Site, function: Function, arguments: &[u32], result: Drawn) {
        self.entries.push(Entry { site, function, arguments: arguments.to_vec(), result });
    }
}

impl<D: Draws> Draws for Recorder<D> {
    fn seed(&mut self, seed: u64) {
        self.entries.clear();
        self.inner.seed(seed);
    }

    fn choice(&mut self, site: Site, count: u32) -> u32 {
        let value = self.inner.choice(site, count);
        self.note(site, Function::Choice, &[count], Drawn::Whole(value));
        value
    }

    fn choices(&mut self, site: Site, count: u32) -> u32 {
        let value = self.inner.choices(site, count);
        self.note(site, Function::Choices, &[count], Drawn::Whole(value));
        value
    }

    fn random(&mut self, site: Site) -> f64 {
        let value = self.inner.random(site);
        self.note(site, Function::Random, &[], Drawn::Real(value));
        value
    }

    fn randrange(&mut self, site: Site, start: u32, stop: u32) -> u32 {
        let value = self.inner.randrange(site, start, stop);
        self.note(site, Function::Randrange, &[start, stop], Drawn::Whole(value));
        value
    }

    fn sample(&mut self, site: Site, count: u32, chosen: &mut [u32]) {
        self.inner.sample(site, count, chosen);
        let arguments = [count, chosen.len() as u32];
        self.note(site, Function::Sample, &arguments, Drawn::List(chosen.to_vec()));
    }

    fn shuffle(&mut self, site: Site, items: &mut [u8]) {
        let order = permutation(&mut self.inner, site, items.len());
        apply(&order, items);
        self.note(site, Function::Shuffle, &[items.len() as u32], Drawn::List(order));
    }
}
