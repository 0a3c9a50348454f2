use super::*;

fn grid(names: &[&str], sizes: &[usize]) -> Vec<Cell> {
    let metrics = names.iter().map(|name| metrics::find(name).unwrap()).collect();
    let grid = Grid { sizes: sizes.to_vec(), metrics, ..Grid::default() };
    grid.run(&Stage::unwatched()).unwrap()
}

fn cell<'c>(cells: &'c [Cell], law: Law, encoder: Encoder, metric: &str) -> &'c Cell {
    let is = |cell: &&Cell| {
        (cell.law, cell.encoder) == (law, encoder) && cell.metric.info().name == metric
    };
    cells.iter().find(is).unwrap()
}

#[test]
fn known_ways_to_misfire_are_found() {
    let cells = grid(&["mcc", "mcc-spearman", "r2", "infomec", "t-mex", "dci-regression"], &[400]);
    let verdict = |law, encoder, metric| cell(&cells, law, encoder, metric).verdict();
    for metric in ["mcc", "mcc-spearman", "r2", "dci-regression"] {
        assert_eq!(verdict(Law::Independent, Encoder::Perfect, metric), Verdict::Right, "{metric}");
        assert_eq!(verdict(Law::Independent, Encoder::Noise, metric), Verdict::Right, "{metric}");
    }
    // A factor that no code knows does not lower a mean over the codes that are there.
    assert_eq!(verdict(Law::Independent, Encoder::Missing, "mcc"), Verdict::Fooled);
    // Its maximum over a sum is far from 0 for noise, and falls for correlated factors.
    assert_eq!(verdict(Law::Independent, Encoder::Noise, "infomec"), Verdict::FalseAlarm);
    assert_eq!(verdict(Law::Correlated, Encoder::Perfect, "infomec"), Verdict::Misses);
    // A dependence that remains given the others does not ask whether there is more than one.
    assert_eq!(verdict(Law::Independent, Encoder::Dense, "t-mex"), Verdict::Fooled);
}

/// Where protocols agree, so do the numbers: 200 rows, as published.
#[test]
fn the_published_grid_is_met() {
    let cells = grid(&["mcc", "mcc-spearman", "r2"], &[200]);
    let mut compared = 0;
    for cell in &cells {
        let name = cell.metric.info().name;
        let Some(published) = published(cell.law, cell.encoder, name) else { continue };
        // Two tables here, five there, of five factors each: a correlation of noise is off by 0.05, a mixture of its own.
        let value = cell.value.unwrap();
        let off = (value - published).abs();
        assert!(
            off < 0.15,
            "{} {} {name}: {value:.3}, published {published}",
            cell.law.code(),
            cell.encoder.code()
        );
        compared += 1;
    }
    assert!(compared > 50, "only {compared}");
}

#[test]
fn every_metric_of_codes_and_factors_says_what_it_asks() {
    // These answer something else: how simply, how fairly, how much, or by which share.
    // Of InfoMEC the forms for labels are no question about codes that are numbers.
    let others = [
        ["dci-es", "fairness", "mic", "tic"],
        ["mic-e", "tic-e", "infomec-discrete", "infomec-discrete-iqr"],
    ]
    .concat();
    for metric in METRICS.iter().filter(|m| matches!(m.needs(), Needs::Factors | Needs::Split)) {
        let name = metric.info().name;
        assert_eq!(metric.asks().is_empty(), others.contains(&name), "{name}");
    }
}

#[test]
fn a_table_is_the_same_whatever_else_is_tried_and_mistakes_are_named() {
    let small = Grid { sizes: vec![50], metrics: vec![], ..Grid::default() };
    let all = Grid::default();
    let of = |grid: &Grid| grid.table(Law::Mixed, Encoder::Split, 50, 1).codes.to_owned();
    assert_eq!(of(&small), of(&all));
    let said = |grid: Grid| grid.check().unwrap_err().to_string();
    assert!(said(Grid { sizes: vec![3], ..Grid::default() }).contains("from 20 to 100000"));
    assert!(said(Grid { factors: 2, ..Grid::default() }).contains("at least 3 for D4"));
    let graphs = vec![metrics::find("shd").unwrap()];
    assert!(said(Grid { metrics: graphs, ..Grid::default() }).contains("shd"));
}

/// Of other sizes, factors and draws than those at which its rules were written (200 and 1,000 rows of 5 factors, seed 0).
#[test]
fn the_doctor_is_right_where_the_truth_is_known() {
    let names = [
        "mcc",
        "mcc-spearman",
        "mcc-coverage",
        "r2",
        "infomec",
        "t-mex",
        "modularity",
        "irs",
        "mig",
    ];
    let metrics = names.iter().map(|name| metrics::find(name).unwrap()).collect();
    let grid =
        Grid { sizes: vec![500], factors: 4, tables: 1, seed: 7, metrics, ..Grid::default() };
    let cells = grid.run(&Stage::unwatched()).unwrap();
    let all = Opinions::sum(cells.iter().map(|cell| &cell.opinions));
    assert!(all.share().unwrap() >= 0.95, "{all:?}");
    let noise = cells.iter().filter(|cell| cell.encoder.is_noise()).map(|cell| &cell.opinions);
    assert_eq!(Opinions::sum(noise).wrong_believed, 0);
}
