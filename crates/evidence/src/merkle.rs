//! Merkle trees over leaves, as RFC 9162 defines them (section 2.1): one root for a list, and proofs that one leaf is in it.
//!
//! A leaf is [`gimbal_core::chain::leaf`]: SHA-256(0x00 ‖ bytes). A node is SHA-256(0x01 ‖ left ‖ right). The root of an empty list
//! is SHA-256 of nothing.

use gimbal_core::Digest;

/// A tree that grows at its right end and keeps only what its root needs: one hash for each bit of its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    /// Roots of the full subtrees, from the largest (left) to the smallest.
    peaks: Vec<Digest>,
}

impl Frontier {
    /// Adds a leaf.
    pub fn push(&mut self, leaf: Digest) {
        self.push_subtree(leaf, 0);
    }

    /// Adds the same leaf so many times: as many single ones, in a time that grows with the digits of their number and not with the number.
    pub fn push_repeated(&mut self, leaf: Digest, times: u64) {
        let (mut node, mut left) = (leaf, times);
        // Roots of full subtrees of the leaf alone, by their height: the largest that begin at the end of the tree and are no longer than what is left.
        let mut nodes = vec![node];
        while left > 0 {
            let fits = if self.size == 0 { u32::MAX } else { self.size.trailing_zeros() };
            let height = fits.min(left.ilog2());
            while nodes.len() <= height as usize {
                node = pair(node, node);
                nodes.push(node);
            }
            let Some(subtree) = nodes.get(height as usize) else { return };
            self.push_subtree(*subtree, height);
            left -= 1 << height;
        }
    }

    /// Adds a full subtree of 2^height leaves, of which the size so far is a multiple.
    fn push_subtree(&mut self, root: Digest, height: u32) {
        let mut node = root;
        let mut size = self.size >> height;
        while size & 1 == 1 {
            node = self.peaks.pop().map_or(node, |left| pair(left, node));
            size >>= 1;
        }
        self.peaks.push(node);
        self.size += 1 << height;
    }

    /// How many leaves were added.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> Digest {
        let mut peaks = self.peaks.iter().rev();
        let Some(last) = peaks.next() else { return Digest::of(b"") };
        peaks.fold(*last, |right, left| pair(*left, right))
    }
}

/// The root over these leaves.
#[must_use]
pub fn root(leaves: &[Digest]) -> Digest {
    let mut tree = Frontier::default();
    leaves.iter().for_each(|leaf| tree.push(*leaf));
    tree.root()
}

/// The hashes beside the way from a leaf to the root, lowest first (RFC 9162, 2.1.3.1); `None` when there is no such leaf.
#[must_use]
pub fn path(leaves: &[Digest], index: usize) -> Option<Vec<Digest>> {
    (index < leaves.len()).then(|| path_within(leaves, index))
}

fn path_within(leaves: &[Digest], index: usize) -> Vec<Digest> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    // The largest power of two below the number of leaves.
    let left = 1 << (usize::BITS - 1 - (leaves.len() - 1).leading_zeros());
    if index < left {
        let mut path = path_within(&leaves[..left], index);
        path.push(root(&leaves[left..]));
        path
    } else {
        let mut path = path_within(&leaves[left..], index - left);
        path.push(root(&leaves[..left]));
        path
    }
}

/// The root that follows from a leaf, its index, the size of the tree and its path (RFC 9162, 2.1.3.2); `None` when the path does
/// not have the length that index and size demand.
#[must_use]
pub fn root_of_path(leaf: Digest, index: u64, size: u64, path: &[Digest]) -> Option<Digest> {
    if index >= size {
        return None;
    }
    let (mut place, mut last) = (index, size - 1);
    let mut node = leaf;
    for beside in path {
        if last == 0 {
            return None;
        }
        if place & 1 == 1 || place == last {
            node = pair(*beside, node);
            while place & 1 == 0 && place != 0 {
                place >>= 1;
                last >>= 1;
            }
        } else {
            node = pair(node, *beside);
        }
        place >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(node)
}

fn pair(left: Digest, right: Digest) -> Digest {
    // One piece: a node is hashed for every record that is left out, and pieces are copied before they are hashed.
    let mut node = [0x01; 65];
    node[1..33].copy_from_slice(&left.0);
    node[33..].copy_from_slice(&right.0);
    Digest::of(&node)
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Digest, chain};
    use proptest::prelude::*;

    use super::{Frontier, pair, path, root, root_of_path};

    proptest! {
        /// A leaf that is added so many times at once is that leaf as often one by one.
        #[test]
        fn repeated_leaves_are_single_ones(before in 0_usize..40, times in 0_usize..200, after in 0_usize..5) {
            let (mut one, mut all) = (Frontier::default(), Frontier::default());
            let leaf = chain::leaf(b"x");
            for other in leaves(before) {
                one.push(other);
                all.push(other);
            }
            all.push_repeated(leaf, times as u64);
            (0..times).for_each(|_| one.push(leaf));
            for other in leaves(after) {
                one.push(other);
                all.push(other);
            }
            prop_assert_eq!((one.size(), one.root()), (all.size(), all.root()));
            prop_assert_eq!(one, all);
        }
    }

    #[test]
    fn very_many_equal_leaves_take_no_time() {
        let mut tree = Frontier::default();
        tree.push_repeated(chain::leaf(b"x"), u64::from(u32::MAX));
        assert_eq!(tree.size(), u64::from(u32::MAX));
    }

    fn leaves(number: usize) -> Vec<Digest> {
        (0..number).map(|index| chain::leaf(&index.to_be_bytes())).collect()
    }

    /// The definition of the RFC, word for word.
    fn by_definition(leaves: &[Digest]) -> Digest {
        match leaves {
            [] => Digest::of(b""),
            [leaf] => *leaf,
            leaves => {
                let mut split = 1;
                while split * 2 < leaves.len() {
                    split *= 2;
                }
                pair(by_definition(&leaves[..split]), by_definition(&leaves[split..]))
            }
        }
    }

    /// The leaves of the reference vectors of Certificate Transparency, whose hashes RFC 6962 and RFC 9162 share.
    #[test]
    fn agrees_with_the_published_vectors() {
        let inputs: [&[u8]; 8] = [
            b"",
            &[0x00],
            &[0x10],
            &[0x20, 0x21],
            &[0x30, 0x31],
            &[0x40, 0x41, 0x42, 0x43],
            &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
            &[0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
        ];
        let leaves: Vec<Digest> = inputs.iter().map(|input| chain::leaf(input)).collect();
        let roots = [
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        for (size, expected) in roots.into_iter().enumerate() {
            assert_eq!(root(&leaves[..size]).to_string(), expected, "{size} leaves");
        }
    }

    proptest! {
        #[test]
        fn the_growing_tree_is_the_tree_of_the_definition(number in 0_usize..130) {
            let leaves = leaves(number);
            let mut tree = Frontier::default();
            leaves.iter().for_each(|leaf| tree.push(*leaf));
            prop_assert_eq!(tree.root(), by_definition(&leaves));
            prop_assert_eq!(tree.size(), number as u64);
        }

        #[test]
        fn a_path_proves_its_leaf_at_its_place_and_nothing_else(number in 1_usize..130, at in any::<prop::sample::Index>()) {
            let leaves = leaves(number);
            let index = at.index(number);
            let whole = root(&leaves);
            let path = path(&leaves, index).unwrap();
            let size = number as u64;
            prop_assert_eq!(root_of_path(leaves[index], index as u64, size, &path), Some(whole));
            let other = leaves[(index + 1) % number];
            if number > 1 {
                prop_assert_ne!(root_of_path(other, index as u64, size, &path), Some(whole));
                prop_assert_ne!(root_of_path(leaves[index], ((index + 1) % number) as u64, size, &path), Some(whole));
                prop_assert_eq!(root_of_path(leaves[index], index as u64, size, &path[1..]), None);
            }
            prop_assert_eq!(root_of_path(leaves[index], size, size, &path), None);
        }
    }
}
