//! Which prototypes, or samples, belong to which class, if they are sorted by class.

use std::ops::Range;

/// Which prototypes belong to which class; prototypes are sorted by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassLayout {
    of: Vec<usize>,
    ranges: Vec<Range<usize>>,
}

impl ClassLayout {
    /// From the class of each prototype, ascending, out of `n_classes`.
    ///
    /// # Panics
    /// When the classes are not ascending.
    pub fn new(of: &[usize], n_classes: usize) -> Self {
        assert!(of.is_sorted(), "prototypes must be sorted by class");
        let ranges =
            (0..n_classes).map(|c| of.partition_point(|&l| l < c)..of.partition_point(|&l| l <= c)).collect();
        ClassLayout { of: of.to_vec(), ranges }
    }

    /// Class of each prototype.
    pub fn of(&self) -> &[usize] {
        &self.of
    }

    /// Prototypes of a class.
    pub fn range(&self, class: usize) -> Range<usize> {
        self.ranges[class].clone()
    }

    /// Prototypes of every class, in class order.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Number of classes, with or without prototypes.
    pub fn n_classes(&self) -> usize {
        self.ranges.len()
    }
}
