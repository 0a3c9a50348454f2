//! `unbraid stress`: the metrics on codes of which it is known what they are.

use anyhow::Result;
use serde_json::json;
use unbraid::stress::{Tally, tallies, write};
use unbraid_measure::files::create_directory;
use unbraid_measure::scoring::metrics_named;
use unbraid_measure::stress::{Grid, Verdict};
use unbraid_measure::watch::Stage;

use super::args::Stress;
use super::progress::Screen;
use super::{Output, table};

/// How many places of misfiring a line names; the table has them all.
const NAMED: usize = 4;

pub(super) fn run(options: &Stress, output: Output) -> Result<()> {
    let mut grid = Grid {
        sizes: options.rows.clone(),
        factors: options.factors,
        tables: options.tables,
        seed: options.seed,
        ..Grid::default()
    };
    if !options.metrics.is_empty() {
        grid.metrics = metrics_named(&options.metrics)?;
    }
    grid.check()?;
    // Before minutes of work: whether the results can be kept.
    create_directory(&options.out)?;
    let screen = Screen::new(output);
    let cells = grid.run(&Stage::new(&screen, "trying metrics"))?;
    drop(screen);
    let files = write(&grid, &cells, &options.out)?;
    let found = tallies(&cells);
    let heads = ["metric", "right", "misses", "fooled", "false alarm", "refuses", "where"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    rows.extend(found.iter().map(line));
    let made: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    output.result(&format!("{}\n{}\n", table(&rows), made.join("\n")), || {
        let told = |tally: &Tally| {
            let [right, misses, fooled, false_alarm, refuses] = tally.counts;
            json!({"metric": tally.metric, "right": right, "misses": misses, "fooled": fooled,
                   "false_alarm": false_alarm, "refuses": refuses, "wrong": tally.wrong})
        };
        json!({"format": 1, "metrics": found.iter().map(told).collect::<Vec<_>>(), "files": made})
    })
}

fn line(tally: &Tally) -> Vec<String> {
    let mut row = vec![tally.metric.to_string()];
    row.extend(tally.counts.iter().map(|count| match count {
        0 => "-".to_string(),
        count => count.to_string(),
    }));
    let more = tally.wrong.len().saturating_sub(NAMED);
    let mut places: Vec<String> = tally.wrong.iter().take(NAMED).cloned().collect();
    places.extend((more > 0).then(|| format!("{more} more")));
    row.push(places.join(", "));
    debug_assert_eq!(tally.counts.len(), Verdict::Refuses as usize + 1);
    row
}
