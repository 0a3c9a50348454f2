//! Which of the rendered images are left as files. The script names a file after its values without
//! their decimals; images that share a name replace each other, and the last one stays.

use std::collections::HashMap;

use crate::data::drawing::scripts::Split;

/// The images of a split, by their place among all of them, in order.
pub(super) fn rows(split: Split, count: usize, name: impl Fn(usize) -> [i32; 4]) -> Vec<usize> {
    let wanted = |row: &usize| match split {
        Split::All => true,
        // Four for training, one for testing, and again.
        Split::Train => row % 5 != 4,
        Split::Test => row % 5 == 4,
    };
    let rendered = (0..count).filter(wanted);
    if split == Split::All {
        return rendered.collect();
    }
    let last: HashMap<[i32; 4], usize> = rendered.map(|row| (name(row), row)).collect();
    let mut rows: Vec<usize> = last.into_values().collect();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_image_of_a_name_stays_and_a_name_can_be_in_both_splits() {
        let name = |row: usize| [row as i32 / 3, 0, 0, 0];
        // Rows 0..10 have the names 0 0 0 1 1 1 2 2 2 3; rows 4 and 9 are for testing.
        assert_eq!(rows(Split::Train, 10, name), [2, 5, 8]);
        assert_eq!(rows(Split::Test, 10, name), [4, 9]);
        assert_eq!(rows(Split::All, 10, name), (0..10).collect::<Vec<_>>());
    }
}
