//! What every data set promises, checked on every entry of the registry.

mod miniatures;
mod promises;

use promises::{check_values, checked_observation, observation, values};
use tempfile::TempDir;
use toml::Table;
use unbraid_measure::data::{self, DATASETS, Dataset, Do, Source};
use unbraid_measure::factors::Kind;
use unbraid_measure::npz::NpzWriter;
use unbraid_measure::rng::Rng;

/// Settings with which a data set opens: none, but for those that read the user's files. What is
/// read from the library is there, in miniature.
fn settings(source: &Source, files: &TempDir) -> Table {
    miniatures::library();
    let (file, folder) = (files.path().join("mine.npz"), files.path().join("pictures"));
    let mut settings = Table::new();
    match source.info.name {
        "arrays" => {
            let mut writer = NpzWriter::create(&file).unwrap();
            let images: Vec<u8> = (0..5 * 4 * 3 * 3).map(|k| (k * 7) as u8).collect();
            writer.array("images", &[5, 4, 3, 3], &images).unwrap();
            writer.array("values", &[5, 2], &[0, 1, 0, 2, 1, 1, 1, 2, 0, 3_i32]).unwrap();
            writer.finish().unwrap();
            settings.insert("path".into(), file.to_str().unwrap().into());
        }
        "images" => {
            std::fs::create_dir(&folder).unwrap();
            for level in [0_u8, 80, 200] {
                let picture = image::GrayImage::from_pixel(4, 3, image::Luma([level]));
                picture.save(folder.join(format!("{level:03}.png"))).unwrap();
            }
            let labels = "file,level\n000.png,0\n080.png,80\n200.png,200\n";
            std::fs::write(folder.join("labels.csv"), labels).unwrap();
            settings.insert("path".into(), folder.to_str().unwrap().into());
            let labels = folder.join("labels.csv");
            settings.insert("labels".into(), labels.to_str().unwrap().into());
        }
        "citris" => {
            let mut writer = NpzWriter::create(&file).unwrap();
            writer.array("images", &[3, 2, 2, 4], &[7_u8; 48]).unwrap();
            writer.array("latents", &[3, 2], &[0.5_f32, 1.0, 0.25, 1.0, 0.75, 1.0]).unwrap();
            writer.array("targets", &[2, 2], &[1.0_f32, 0.0, 0.0, 0.0]).unwrap();
            writer.strings("keys", &["ball_x".into(), "ball_vel_magn".into()]).unwrap();
            writer.finish().unwrap();
            settings.insert("path".into(), file.to_str().unwrap().into());
        }
        "table" => {
            let file = files.path().join("mine.csv");
            std::fs::write(&file, "a,b,kind\n0.5,1,0\n0.25,2,1\n-1,3,0\n").unwrap();
            settings.insert("path".into(), file.to_str().unwrap().into());
            settings.insert("factors".into(), vec!["kind".to_string()].into());
        }
        _ => {}
    }
    settings
}

/// Call `check` with every data set and some of its rows, the first and the last among them.
fn every(check: impl Fn(&'static str, &dyn Dataset, &[usize])) {
    for source in DATASETS {
        let files = tempfile::tempdir().unwrap();
        let (data, _) = (source.open)(&settings(source, &files)).unwrap();
        assert!(!data.is_empty());
        let mut rng = Rng::new(1);
        let mut rows = vec![0, data.len() - 1];
        rows.extend((0..200).map(|_| rng.below(data.len())));
        check(source.info.name, &*data, &rows);
    }
}

#[test]
fn observations_are_whole_and_in_their_range() {
    every(|name, data, rows| {
        for &row in rows {
            checked_observation(name, data, row);
        }
    });
}

#[test]
fn the_same_row_is_the_same_always_and_from_any_thread() {
    every(|name, data, rows| {
        let together = data::observations(data, rows);
        let true_values = data::values(data, rows);
        for (k, &row) in rows.iter().enumerate() {
            assert_eq!(together.row(k).to_vec(), observation(data, row), "{name} row {row}");
            assert_eq!(true_values.row(k).to_vec(), values(data, row), "{name} row {row}");
            assert_eq!(data.label(row), data.label(row));
        }
    });
}

#[test]
fn values_are_among_those_declared_and_lead_back_to_their_row() {
    every(|name, data, rows| {
        for &row in rows {
            check_values(name, data, row);
        }
    });
}

#[test]
fn a_grid_has_every_combination() {
    miniatures::library();
    let drawn = ["squares", "dsprites", "color-dsprites", "noisy-dsprites", "scream-dsprites"];
    for name in drawn.into_iter().chain([
        "abstract-dsprites",
        "shapes3d",
        "xy-object",
        "xy-squares",
        "sprites",
    ]) {
        let (data, _) = (data::find(name).unwrap().open)(&Table::new()).unwrap();
        let sizes = data.factors().iter().map(|factor| factor.size().unwrap());
        assert_eq!(sizes.product::<usize>(), data.len(), "{name}");
        assert_eq!(data.find(&values(&*data, 7)), Some(7), "{name}");
        assert_eq!(data.find(&vec![-7.0; data.factors().len()]), None, "{name}");
    }
}

#[test]
fn declared_values_are_in_order_and_names_differ() {
    every(|name, data, _| {
        let names: Vec<&String> = data.factors().iter().map(|factor| &factor.name).collect();
        for (k, factor) in data.factors().iter().enumerate() {
            assert!(!names[..k].contains(&&factor.name), "{name} has {} twice", factor.name);
            if let Kind::Discrete(values) = &factor.kind {
                assert!(values.is_sorted_by(|a, b| a < b), "{name}: {} is unordered", factor.name);
            }
        }
    });
}

#[test]
fn every_label_has_the_same_length() {
    every(|name, data, rows| {
        let length = |row| data.label(row).map(|label| label.len());
        assert!(rows.iter().all(|&row| length(row) == length(0)), "{name}");
    });
}

#[test]
fn the_true_graph_is_over_the_factors_and_doing_nothing_changes_nothing() {
    every(|name, data, rows| {
        let Some(graph) = data.graph() else { return };
        let names: Vec<&String> = data.factors().iter().map(|factor| &factor.name).collect();
        assert_eq!(graph.names().iter().collect::<Vec<_>>(), names, "{name}");
        for &row in rows {
            let same = data.counterfactual(row, &[]).unwrap();
            assert_eq!(same.values, values(data, row), "{name} row {row}");
            assert_eq!(same.observation, observation(data, row), "{name} row {row}");
        }
    });
}

#[test]
fn an_intervention_changes_its_factor_and_no_more_than_its_effects() {
    every(|name, data, rows| {
        let Some(graph) = data.graph() else { return };
        for factor in 0..data.factors().len() {
            let (before, value) = (values(data, rows[2]), values(data, rows[3])[factor]);
            let after = data.counterfactual(rows[2], &[Do { factor, value }]).unwrap().values;
            assert_eq!(after[factor], value, "{name}");
            let effects = graph.descendants(factor);
            for other in (0..before.len()).filter(|k| *k != factor && !effects.contains(k)) {
                assert_eq!(after[other], before[other], "{name}: {factor} moved {other}");
            }
        }
    });
}

#[test]
fn every_part_of_a_published_set_opens_and_another_is_refused() {
    miniatures::library();
    for source in DATASETS {
        let Some(publication) = source.publication else { continue };
        assert!(!publication.licence.is_empty() && !publication.citation.is_empty());
        // A picture or sheets, which data are drawn from.
        if publication.parts.is_empty() {
            continue;
        }
        // Those that can also be drawn have no parts to choose from.
        let (_, all) = (source.open)(&Table::new()).unwrap();
        if !all.contains_key("part") {
            let published = (source.open)(&"source = 'published'".parse().unwrap()).unwrap().0;
            assert!(!published.is_empty(), "{}", source.info.name);
            continue;
        }
        assert_eq!(all["part"].as_str(), Some(publication.parts[0]));
        for part in publication.parts {
            let settings = format!("part = '{part}'").parse().unwrap();
            let (data, _) = (source.open)(&settings).unwrap();
            assert!(!data.is_empty(), "{} {part}", source.info.name);
        }
        let error = (source.open)(&"part = 'none'".parse().unwrap()).err().unwrap().to_string();
        assert!(error.contains("the parts are"), "{error}");
    }
}

#[test]
fn steps_lead_to_a_row_with_a_target_for_each_factor() {
    every(|name, data, rows| {
        for step in rows.iter().filter_map(|&row| data.next(row)) {
            assert!(step.index < data.len(), "{name}");
            assert_eq!(step.targets.len(), data.factors().len(), "{name}");
        }
    });
}

#[test]
fn settings_are_spelled_out_and_unknown_ones_refused() {
    for source in DATASETS {
        let files = tempfile::tempdir().unwrap();
        let mut given = settings(source, &files);
        let (data, all) = (source.open)(&given).unwrap();
        let (again, same) = (source.open)(&all).unwrap();
        assert_eq!(all, same, "{}", source.info.name);
        assert_eq!((data.len(), data.shape()), (again.len(), again.shape()));
        assert!(given.iter().all(|(key, value)| all.get(key) == Some(value)));

        given.insert("colour".into(), 1.into());
        let error = (source.open)(&given).err().unwrap().to_string();
        assert!(error.starts_with("setting `data.colour` is unknown"), "{error}");
    }
}

#[test]
fn every_data_set_says_what_it_is() {
    for Source { info, .. } in DATASETS {
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(info.name.chars().all(kebab), "{}", info.name);
        assert!(!info.title.is_empty() && !info.summary.is_empty() && info.page.len() > 200);
        assert!(
            info.page.lines().all(|line| line.chars().count() <= 100),
            "{} has long lines",
            info.name
        );
    }
}
