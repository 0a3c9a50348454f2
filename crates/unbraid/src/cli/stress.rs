//! `unbraid stress`: the metrics on codes of which it is known what they are.

use anyhow::Result;
use serde_json::json;
use unbraid::stress::{Tally, tallies, write};
use unbraid_measure::files::create_directory;
use unbraid_measure::scoring::metrics_named;
use unbraid_measure::stress::{Grid, Opinions, Verdict};
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
    let doctor = Opinions::sum(cells.iter().map(|cell| &cell.opinions));
    let text = format!("{}\n{}\n{}\n", table(&rows), confusion(&doctor), made.join("\n"));
    output.result(&text, || {
        let told = |tally: &Tally| {
            let [right, misses, fooled, false_alarm, refuses] = tally.counts;
            json!({"metric": tally.metric, "right": right, "misses": misses, "fooled": fooled,
                   "false_alarm": false_alarm, "refuses": refuses, "wrong": tally.wrong})
        };
        let Opinions { right_believed, right_doubted, wrong_believed, wrong_doubted } = doctor;
        let doctor = json!({"right_believed": right_believed, "right_doubted": right_doubted,
                            "wrong_believed": wrong_believed, "wrong_doubted": wrong_doubted});
        json!({"format": 1, "doctor": doctor, "metrics": found.iter().map(told).collect::<Vec<_>>(), "files": made})
    })
}

/// What `score --doctor` would have said of these scores.
fn confusion(doctor: &Opinions) -> String {
    let rows = [
        ["the doctor", "believed", "not believed"].map(String::from).to_vec(),
        vec![
            "as it should be".into(),
            doctor.right_believed.to_string(),
            doctor.right_doubted.to_string(),
        ],
        vec![
            "not as it should be".into(),
            doctor.wrong_believed.to_string(),
            doctor.wrong_doubted.to_string(),
        ],
    ];
    let share =
        doctor.share().map_or(String::new(), |share| format!("{:.1} % right\n", 100.0 * share));
    format!("{}{share}", table(&rows))
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
