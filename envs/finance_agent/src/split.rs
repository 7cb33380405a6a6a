//! The split of the works (CYC-040): the numbers from 0 shuffled by Python's generator of seed 42, the first so
//! many for training.

use gimbal_parity::Mersenne;

/// Seed of every split.
const SEED: u64 = 42;

/// Numbers of training and test questions of `count` questions: three in ten, rounded down, are for training.
///
/// # Examples
/// ```
/// let (train, test) = gimbal_finance_agent::split::split(50);
/// assert_eq!((train.len(), test.len()), (15, 35));
/// ```
#[must_use]
pub fn split(count: usize) -> (Vec<usize>, Vec<usize>) {
    let mut numbers: Vec<usize> = (0..count).collect();
    Mersenne::new(SEED).shuffle_all(&mut numbers);
    let test = numbers.split_off(count * 3 / 10);
    (numbers, test)
}
