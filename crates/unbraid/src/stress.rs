//! The stress grid as files: a table of every cell, and a heat map for each law in which what misfires has a frame.

use std::path::{Path, PathBuf};

use unbraid_measure::files::create_directory;
use unbraid_measure::stress::{Cell, Encoder, Grid, Law, Verdict, published};
use unbraid_measure::tables::frame::{Frame, Values};

use crate::draw::figure::{HeatMap, Scale};
use crate::error::Result;

/// How often each metric was right, and how it was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The metric.
    pub metric: &'static str,
    /// In the order of [`Verdict`].
    pub counts: [usize; 5],
    /// Where it was not right, as `D2 E3 (is fooled)`.
    pub wrong: Vec<String>,
}

/// A tally for each metric, in the order of the cells.
pub fn tallies(cells: &[Cell]) -> Vec<Tally> {
    let mut found: Vec<Tally> = Vec::new();
    for cell in cells {
        let metric = cell.metric.info().name;
        if found.last().is_none_or(|last| last.metric != metric) {
            found.push(Tally { metric, ..Tally::default() });
        }
        let (tally, verdict) = (found.last_mut().expect("there is one"), cell.verdict());
        tally.counts[verdict as usize] += 1;
        if !matches!(verdict, Verdict::Right | Verdict::Refuses) {
            let (law, encoder) = (cell.law.code(), cell.encoder.code());
            let place = format!("{law} {encoder} ({})", verdict.word());
            if !tally.wrong.contains(&place) {
                tally.wrong.push(place);
            }
        }
    }
    found
}

/// Write `stress.csv` and a picture for each law at the largest number of rows; returns the paths.
pub fn write(grid: &Grid, cells: &[Cell], out: &Path) -> Result<Vec<PathBuf>> {
    create_directory(out)?;
    let table = out.join("stress.csv");
    frame(cells).write_csv(&table)?;
    let mut files = vec![table];
    for &law in &grid.laws {
        let path = out.join(format!("stress-{}.svg", law.code()));
        let title = format!("{}: factors {}", law.code(), law.name());
        drawn(grid, cells, law, &title).save(&title, &path)?;
        files.push(path);
    }
    Ok(files)
}

/// A row for each cell.
fn frame(cells: &[Cell]) -> Frame {
    let words =
        |of: &dyn Fn(&Cell) -> Option<String>| Values::Words(cells.iter().map(of).collect());
    let numbers =
        |of: &dyn Fn(&Cell) -> Option<f64>| Values::Numbers(cells.iter().map(of).collect());
    let columns = vec![
        ("law", words(&|cell| Some(cell.law.code().into()))),
        ("encoder", words(&|cell| Some(cell.encoder.code().into()))),
        ("codes", words(&|cell| Some(cell.encoder.name().into()))),
        ("rows", Values::Whole(cells.iter().map(|cell| Some(cell.rows as i64)).collect())),
        ("metric", words(&|cell| Some(cell.metric.info().name.into()))),
        ("value", numbers(&|cell| cell.value)),
        ("published", numbers(&|cell| published(cell.law, cell.encoder, cell.metric.info().name))),
        ("verdict", words(&|cell| Some(cell.verdict().word().into()))),
        ("doctor_right", numbers(&|cell| cell.opinions.share())),
        ("reason", words(&|cell| cell.reason.clone())),
    ];
    Frame {
        columns: columns.into_iter().map(|(name, values)| (name.to_string(), values)).collect(),
    }
}

/// Metrics against encoders, of one law.
fn drawn(grid: &Grid, cells: &[Cell], law: Law, title: &str) -> crate::draw::figure::Figure {
    let rows = grid.sizes.iter().copied().max().unwrap_or_default();
    let metrics: Vec<String> = grid.metrics.iter().map(|m| m.info().name.to_string()).collect();
    let encoders: Vec<String> =
        grid.encoders.iter().map(|encoder| encoder.name().to_string()).collect();
    let of = |metric: &str, encoder: Encoder| {
        let is = |cell: &&Cell| {
            (cell.law, cell.encoder, cell.rows) == (law, encoder, rows)
                && cell.metric.info().name == metric
        };
        cells.iter().find(is)
    };
    let line = |metric: &String| -> Vec<Option<&Cell>> {
        grid.encoders.iter().map(|&encoder| of(metric, encoder)).collect()
    };
    let found: Vec<Vec<Option<&Cell>>> = metrics.iter().map(line).collect();
    let wrong = |cell: &Option<&Cell>| {
        cell.is_some_and(|cell| !matches!(cell.verdict(), Verdict::Right | Verdict::Refuses))
    };
    HeatMap {
        title,
        legend: &format!(
            "{rows} rows; 0 is a metric's worst value, 1 its best; a frame: not as it should be"
        ),
        rows: &metrics,
        columns: &encoders,
        cells: found
            .iter()
            .map(|line| line.iter().map(|c| c.and_then(Cell::share)).collect())
            .collect(),
        scale: Scale::Share,
        framed: found.iter().map(|line| line.iter().map(wrong).collect()).collect(),
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use unbraid_measure::metrics;
    use unbraid_measure::watch::Stage;

    use super::*;

    #[test]
    fn a_small_grid_is_told_and_drawn() {
        let names = ["mcc", "infomec"];
        let metrics = names.iter().map(|name| metrics::find(name).unwrap()).collect();
        let grid =
            Grid { laws: vec![Law::Independent], sizes: vec![100], metrics, ..Grid::default() };
        let cells = grid.run(&Stage::unwatched()).unwrap();
        let found = tallies(&cells);
        assert_eq!(
            found.iter().map(|tally| tally.counts.iter().sum::<usize>()).collect::<Vec<_>>(),
            [10, 10]
        );
        assert!(found[0].wrong.contains(&"D1 E4 (is fooled)".to_string()), "{found:?}");
        let out = tempfile::tempdir().unwrap();
        let files = write(&grid, &cells, out.path()).unwrap();
        let table = std::fs::read_to_string(&files[0]).unwrap();
        assert!(
            table.contains("D1,E3,dense,100,mcc,") && table.contains(",0.687,right,"),
            "{table}"
        );
        let picture = std::fs::read_to_string(&files[1]).unwrap();
        assert!(picture.contains(">one missing<") && picture.contains("#d55e00"));
    }
}
