use std::fmt::Write;

use super::*;
use crate::tables::sheet::Separator;

fn profiles(text: &str) -> Vec<Profile> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    std::fs::write(&path, text).unwrap();
    of(&Sheet::open(&path, Separator::Auto).unwrap(), Decimal::Auto).unwrap().1
}

#[test]
fn kinds_are_told_apart_and_gaps_are_counted() {
    let text = "n;w;d;c;m;e;whole\n\
                1.5;red;2024-05-01;1,5;7;;1\n\
                NA;blue;2024-05-02;2,5;x;;2\n\
                -;-;2024-05-04;;8;;3\n";
    let found = profiles(text);
    let kinds: Vec<Kind> = found.iter().map(Profile::kind).collect();
    assert_eq!(
        kinds,
        [
            Kind::Number { whole: false },
            Kind::Words,
            Kind::Time,
            Kind::Number { whole: false },
            Kind::Mixed,
            Kind::Nothing,
            Kind::Number { whole: true }
        ]
    );
    let missing: Vec<usize> = found.iter().map(Profile::missing).collect();
    assert_eq!(missing, [2, 0, 0, 1, 0, 3, 0]);
    assert_eq!(found[0].first_missing, Some((3, "NA".into())));
    assert_eq!(found[2].times, Some(["2024-05-01".into(), "2024-05-04".into()]));
    assert_eq!((found[3].moments.mean(), found[3].commas), (2.0, true));
    assert_eq!(found[4].first_word, Some((3, "x".into())));
    assert_eq!(found[1].words().unwrap().len(), 3);
}

#[test]
fn a_comma_that_may_part_thousands_is_told() {
    let unclear = |text: &str| profiles(text)[0].unclear();
    assert_eq!(unclear("a,b\n\"1,234\",1\n\"2,345\",2\n"), Some((2, "1,234".into())));
    assert_eq!(unclear("a,b\n\"1,23\",1\n\"2,345\",2\n"), None);
    assert_eq!(unclear("a;b\n1,234;1\n2,345;2\n"), None);
    assert_eq!(unclear("a;b\n1,5;1\n2.345;2\n"), Some((3, "2.345".into())));
}

#[test]
fn what_names_the_rows_is_seen_and_measurements_are_not_taken_for_it() {
    // The generator of Park and Miller: whole numbers without order.
    let mut state = 12_345_u64;
    let mut draw = |below: u64| {
        state = state * 48_271 % 0x7fff_ffff;
        state % below
    };
    let mut text = String::from("row,id,shuffled,code,adc,real,flag,time,clock,temperature\n");
    for row in 0..2000_u64 {
        let values = [
            format!("{}", row + 7),
            format!("{}", draw(1 << 30)),
            format!("{}", row * 769 % 2000),
            format!("A-{:05}", row * 31 % 100_000),
            format!("{}", draw(65_536)),
            format!("{}", draw(1 << 30) as f64 / 1e6),
            format!("{}", draw(2)),
            format!("{:.2}", row as f64 * 0.1),
            format!("{}", 1.7e9 + (row * row) as f64 * 0.25),
            format!("{:.3}", (row as f64).sqrt()),
        ];
        writeln!(text, "{}", values.join(",")).unwrap();
    }
    let found = profiles(&text);
    let named: Vec<&str> =
        found.iter().filter(|c| c.names_rows().is_some()).map(|c| c.name.as_str()).collect();
    // `temperature` rises always, as in a table that was sorted by it.
    assert_eq!(named, ["row", "id", "shuffled", "code", "time"]);
    let clock = text.replacen("clock", "timestamp", 1);
    assert!(profiles(&clock)[8].names_rows().is_some());
}

#[test]
fn many_values_are_counted_nearly_and_few_exactly() {
    let mut many = Distinct::default();
    (0..100_000_u32).for_each(|k| many.see(distinct::of_number(f64::from(k))));
    assert!((95_000..105_000).contains(&many.count()), "{}", many.count());
    assert_eq!(many.repeats_per_value(), 0);
    let mut few = Distinct::default();
    (0..100_000_u32).for_each(|k| few.see(distinct::of_number(f64::from(k % 1000))));
    assert_eq!(few.count(), 1000);
}

#[test]
fn moments_and_quantiles_hold_far_from_zero() {
    let mut column = Profile::new("a");
    let reading = Reading { decimal: Decimal::Auto, free_commas: false };
    for row in 0..100_000 {
        let number = 1e9 + (row * 7919 % 1000) as f64 * 1e-3;
        column.see(Spot { row, line: 0 }, Cell::Number(number), &reading);
    }
    assert!((column.moments.mean() - 1e9 - 0.4995).abs() < 1e-5, "{}", column.moments.mean());
    assert!((column.moments.deviation() - 0.288_675).abs() < 1e-4);
    assert!((column.quantile(0.25) - 1e9 - 0.25).abs() < 2e-3, "{}", column.quantile(0.25));
}
