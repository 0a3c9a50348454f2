//! What a model knows about its data before training.

use unbraid_measure::data::{Dataset, Shape, first_label};

use crate::error::{Error, Result};

/// The form of the data, in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// The shape of an observation.
    pub shape: Shape,
    /// How many rows there are.
    pub rows: usize,
    /// How many numbers a label has; 0 without labels.
    pub label: usize,
    /// The factors that some step intervenes on.
    pub targets: Columns,
    /// How many numbers an action has; 0 without actions.
    pub action: usize,
    /// Whether an action is one of some that have names: a single one among zeros.
    pub named: bool,
    /// The grid of codes that an observation is, where it is that of a quantised base.
    pub grid: Option<Grid>,
}

/// A grid of cells with a code from each of some codebooks: book by book, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// How many codebooks.
    pub books: usize,
    /// How many codes each has.
    pub codes: usize,
    /// Rows of cells.
    pub height: usize,
    /// Columns of cells.
    pub width: usize,
}

impl Grid {
    /// How many cells.
    pub fn cells(&self) -> usize {
        self.height * self.width
    }

    /// How many codes an observation has.
    pub fn size(&self) -> usize {
        self.books * self.cells()
    }
}

impl Task {
    /// The task of a data set.
    pub fn of(data: &dyn Dataset) -> Self {
        let label = first_label(data);
        let mut task = Self::observing(data.shape(), data.len());
        task.label = label.map_or(0, |label| label.len());
        task.named = !data.actions().is_empty();
        for step in (0..data.len()).filter_map(|row| data.next(row)) {
            task.targets.insert(&step.targets);
            task.action = step.action.len();
        }
        task
    }

    /// Refuse actions that are not one of some with names.
    pub fn check_named(&self) -> Result<()> {
        if self.named && self.action > 1 {
            return Ok(());
        }
        let reason = "needs several actions with names, of which one is done in each step; make pairs with \
                      data.variant.transitions, or bring your own";
        Err(Error::setting("model.name", reason))
    }

    /// Observations and nothing beside them.
    pub const fn observing(shape: Shape, rows: usize) -> Self {
        Self { shape, rows, label: 0, targets: Columns(0), action: 0, named: false, grid: None }
    }
}

/// Some columns of a table; of the first 64 only, which no data set with targets exceeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns(u64);

impl Columns {
    /// The first so many.
    pub const fn first(count: usize) -> Self {
        Self(if count >= 64 { u64::MAX } else { (1 << count) - 1 })
    }

    /// Add the columns in which a row is not 0.
    fn insert(&mut self, row: &[f32]) {
        for (column, _) in row.iter().take(64).enumerate().filter(|(_, number)| **number != 0.0) {
            self.0 |= 1 << column;
        }
    }

    /// How many.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In order.
    pub fn iter(self) -> impl Iterator<Item = usize> + Clone {
        (0..64).filter(move |column| self.0 >> column & 1 == 1)
    }
}
