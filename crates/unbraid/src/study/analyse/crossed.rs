//! Rank correlations of some numbers with others, over the models of each data set: a table with intervals, and a map
//! for each data set.

use crate::draw::figure::{HeatMap, Scale};

use super::finding::{Cell, Drawn, Grid, Picture};
use super::measures::Measure;
use super::statistics::{Estimate, Pairs, estimate, mean_spearman};
use super::{Subject, file_name, titles};

/// Numbers against each other.
pub(super) struct Crossed<'a> {
    /// How its files begin: "a6".
    pub(super) id: &'a str,
    /// What is compared, as titles say it.
    pub(super) title: &'a str,
    /// What the rows are, as the table says it.
    pub(super) of: &'a str,
    pub(super) rows: &'a [Measure],
    pub(super) columns: &'a [Measure],
}

impl Crossed<'_> {
    /// A row for each data set and number, with intervals.
    pub(super) fn grid(&self, subject: &Subject) -> Grid {
        let models = subject.models;
        let title = format!("{}: rank correlation", self.title);
        let mut grid = Grid::new(&format!("{}-ranks", self.id), title, &["data", self.of])
            .and(titles(self.columns));
        for (data, name) in models.data.iter().enumerate() {
            for one in self.rows {
                let cell = |other| Cell::estimate(subject.rank(&models.pairs(data, [one, other])));
                let words = [name, &one.title].map(Cell::words);
                grid.rows.push(words.into_iter().chain(self.columns.iter().map(cell)).collect());
            }
        }
        grid
    }

    /// A map for each data set.
    pub(super) fn maps(&self, subject: &Subject) -> Vec<Picture> {
        let models = subject.models;
        let (rows, columns) = (titles(self.rows), titles(self.columns));
        let even = models.as_it_is();
        let map = |(data, name): (usize, &String)| {
            let cell = |one, other| models.pairs(data, [one, other]).spearman(&even);
            let row = |one| self.columns.iter().map(|other| cell(one, other)).collect();
            let cells = self.rows.iter().map(row).collect();
            let title = format!("{} on {name}: rank correlation, %", self.title);
            let drawn = HeatMap {
                title: &title,
                legend: "",
                rows: &rows,
                columns: &columns,
                cells,
                scale: Scale::Correlation,
                framed: vec![],
            }
            .draw();
            Picture {
                name: file_name(&[self.id, name]),
                caption: format!("{title}."),
                drawn: Drawn::Marks(drawn),
            }
        };
        models.data.iter().enumerate().map(map).collect()
    }
}

impl Subject<'_> {
    /// A rank correlation with its interval.
    pub(super) fn rank(&self, pairs: &Pairs) -> Option<Estimate> {
        self.mean_rank(std::slice::from_ref(pairs))
    }

    /// The mean of several rank correlations with its interval.
    pub(super) fn mean_rank(&self, all: &[Pairs]) -> Option<Estimate> {
        estimate(self.models.seeds.len(), [-1.0, 1.0], &self.rng, |weights| {
            mean_spearman(all, weights)
        })
    }

    /// The mean rank correlation of each of some numbers with each of others over all data sets.
    pub(super) fn mean_rank_of(&self, some: &[Measure], others: &[Measure]) -> Option<Estimate> {
        let pairs = (0..self.models.data.len()).flat_map(|data| {
            let of =
                move |one| others.iter().map(move |other| self.models.pairs(data, [one, other]));
            some.iter().flat_map(of)
        });
        self.mean_rank(&pairs.collect::<Vec<_>>())
    }
}
