use super::*;
use crate::data::testing::{assert_refused, row};
use crate::data::{Dataset, Do, Done, Range, World};
use crate::npz::{Npz, NpzWriter, Numbers};
use crate::rng::Rng;
use mechanisms::{LIMIT, unlimit};

fn voronoi(more: &str) -> Box<dyn Dataset> {
    let mut settings: Table = "frames = 4000".parse().unwrap();
    settings.extend(more.parse::<Table>().unwrap());
    open(&settings).unwrap().0
}

fn values(data: &dyn Dataset, row: usize) -> Vec<f32> {
    let mut out = vec![f32::NAN; data.factors().len()];
    data.values(row, &mut out);
    out
}

/// u of every value of a row.
fn numbers(data: &dyn Dataset, row: usize) -> Vec<f32> {
    values(data, row).iter().map(|value| 2.0 * unlimit(*value)).collect()
}

fn moments(numbers: &[f32]) -> (f32, f32) {
    let count = numbers.len() as f32;
    let mean = numbers.iter().sum::<f32>() / count;
    (mean, (numbers.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / count).sqrt())
}

fn correlation(pairs: &[(f32, f32)]) -> f32 {
    let [(a, da), (b, db)] = [
        moments(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>()),
        moments(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>()),
    ];
    pairs.iter().map(|(x, y)| (x - a) * (y - b)).sum::<f32>() / (pairs.len() as f32 * da * db)
}

#[test]
fn parts_have_their_sizes_and_share_their_system() {
    let parts = [("train", 4000), ("val", 400), ("test_indep", 1000), ("val_triplets", 1200)];
    let frame = [0.5, -1.0, 0.0, 2.0, -2.0, 1.0];
    let drawn = parts.map(|(part, size)| {
        let data = voronoi(&format!("part = '{part}'"));
        assert_eq!((data.len(), data.shape().to_string()), (size, "3x32x32".into()));
        assert_eq!(data.next(0).is_some(), ["train", "val"].contains(&part));
        assert_eq!(data.next(size - 1), None);
        assert_eq!(data.triplet(0).is_some(), part == "val_triplets");
        let mut out = vec![f32::NAN; data.shape().size()];
        data.world().unwrap().draw(&frame, &mut out);
        out
    });
    assert!(drawn.iter().all(|picture| *picture == drawn[0]));
}

#[test]
fn equal_seeds_give_equal_frames_and_others_other_ones() {
    let [first, same, other] = ["", "", "seed = 43"].map(voronoi);
    for k in [0, 1, 2000, 3999] {
        assert_eq!(row(&*first, k), row(&*same, k));
        assert_ne!(row(&*first, k), row(&*other, k));
    }
    assert_eq!(first.next(7), same.next(7));
}

#[test]
fn intervened_values_have_their_spread_and_forget_the_frame_before() {
    for (version, spread) in [("biscuit", 0.4), ("citris", 0.75)] {
        let data = voronoi(&format!("version = '{version}'\nframes = 20000"));
        for variable in 0..6 {
            let steps = (0..data.len()).filter_map(|k| Some((k, data.next(k)?)));
            let done = steps.filter(|(_, step)| step.targets[variable] == 1.0);
            let pairs: Vec<(Vec<f32>, f32)> = done
                .map(|(k, step)| (numbers(&*data, k), numbers(&*data, step.index)[variable]))
                .collect();
            let (mean, deviation) = moments(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
            assert!(mean.abs() < 0.06 && (deviation / spread - 1.0).abs() < 0.06, "{deviation}");
            for cause in 0..6 {
                let pairs: Vec<_> = pairs.iter().map(|(from, to)| (from[cause], *to)).collect();
                assert!(correlation(&pairs).abs() < 0.1);
            }
        }
    }
}

#[test]
fn a_variable_answers_to_its_causes_and_to_nothing_else() {
    for version in ["biscuit", "citris"] {
        let data = voronoi(&format!("version = '{version}'"));
        let (world, temporal) = (data.world().unwrap(), data.temporal_graph().unwrap());
        let step = |state: &[f32]| world.step(state, Done::Nothing, &mut Rng::new(1));
        let before = values(&*data, 10);
        let plain = step(&before);
        for cause in 0..6 {
            let mut changed = before.clone();
            changed[cause] = -changed[cause] + 0.3;
            let after = step(&changed);
            for effect in 0..6 {
                let direct = temporal[[cause, effect]];
                let by_others = data.graph().is_some_and(|graph| {
                    let hit = |via: usize| temporal[[cause, via]] && via != effect;
                    (0..6).any(|via| hit(via) && graph.descendants(via).contains(&effect))
                });
                assert!(plain[effect] == after[effect] || direct || by_others);
                assert!(plain[effect] != after[effect] || !direct, "{cause} -> {effect}");
            }
        }
    }
}

#[test]
fn free_variables_are_spread_around_zero() {
    let data = voronoi("frames = 20000");
    for variable in 0..6 {
        let free = (0..data.len()).filter_map(|k| data.next(k));
        let free = free.filter(|step| step.targets[variable] == 0.0);
        let found: Vec<f32> = free.map(|step| numbers(&*data, step.index)[variable]).collect();
        let (mean, deviation) = moments(&found);
        // Calibrated to 0 and 1 without the robot, which keeps others closer to 0.
        assert!(mean.abs() < 0.4 && (0.7..1.2).contains(&deviation), "{mean} {deviation}");
    }
    assert!((0..data.len()).all(|k| values(&*data, k).iter().all(|v| v.abs() <= LIMIT)));
}

#[test]
fn who_is_touched_is_who_was_intervened_on() {
    for interventions in ["random", "minimal"] {
        let data = voronoi(&format!("interventions = '{interventions}'"));
        let world = data.world().unwrap();
        for step in (0..data.len()).filter_map(|k| data.next(k)) {
            let touched = world.touched(&step.action).unwrap();
            let targets: Vec<bool> = step.targets.iter().map(|target| *target == 1.0).collect();
            assert_eq!(touched, targets);
        }
    }
    let citris = voronoi("version = 'citris'");
    assert_eq!(citris.world().unwrap().touched(&[0.0, 0.0]), None);
    assert!(citris.next(0).unwrap().action.is_empty());
}

/// Standing on a tile in the world of a data set, and on none.
fn acted(world: &dyn World, state: &[f32], action: [f32; 2], seed: u64) -> Vec<f32> {
    world.step(state, Done::Action(&action), &mut Rng::new(seed))
}

#[test]
fn an_action_cuts_those_it_touches_off_from_their_causes() {
    let data = voronoi("");
    let world = data.world().unwrap();
    let (one, other) = (values(&*data, 5), values(&*data, 900));
    let touched = world.touched(&[0.0, 0.0]).unwrap();
    assert!(touched.contains(&true));
    let [from_one, from_other] = [&one, &other].map(|state| acted(world, state, [0.0, 0.0], 3));
    for (variable, touched) in touched.iter().enumerate() {
        assert_eq!(from_one[variable] == from_other[variable], *touched);
    }
    let nothing = world.step(&one, Done::Nothing, &mut Rng::new(3));
    assert_eq!(acted(world, &one, [-1.0, 1.0], 3), nothing);
}

#[test]
fn what_is_set_stays_and_moves_its_effects_only() {
    let data = voronoi("version = 'citris'\ninstant = 1.0");
    let (world, graph) = (data.world().unwrap(), data.graph().unwrap());
    let before = values(&*data, 5);
    let plain = world.step(&before, Done::Nothing, &mut Rng::new(3));
    for factor in 0..6 {
        let dos = [Do { factor, value: 9.0 }, Do { factor, value: 1.25 }];
        let after = world.step(&before, Done::Set(&dos), &mut Rng::new(3));
        assert_eq!(after[factor], 1.25);
        let effects = graph.descendants(factor);
        for other in (0..6).filter(|other| *other != factor) {
            assert_eq!(after[other] != plain[other], effects.contains(&other));
        }
    }
}

#[test]
fn only_citris_has_causes_within_a_frame() {
    assert!(voronoi("").graph().is_none());
    assert!(voronoi("version = 'citris'\ninstant = 0").graph().is_none());
    let graph = voronoi("version = 'citris'\ninstant = 1").graph().unwrap().clone();
    let edges = (0..6).map(|node| graph.parents(node).len()).sum::<usize>();
    assert_eq!((edges, graph.names()[5].as_str()), (15, "c5"));
}

#[test]
fn the_third_of_a_triplet_has_variables_of_both() {
    let data = voronoi("part = 'test_triplets'");
    let world = data.world().unwrap();
    let source = voronoi("part = 'test'");
    let known: Vec<Vec<f32>> = (0..source.len()).map(|k| values(&*source, k)).collect();
    assert_eq!(data.triplet(400), None);
    for number in 0..400 {
        let triplet = data.triplet(number).unwrap();
        let [first, second, third] = triplet.rows.map(|k| values(&*data, k));
        assert!(known.contains(&first) && known.contains(&second) && first != second);
        let from_second = &triplet.from_second;
        assert!(from_second.contains(&true) && from_second.contains(&false));
        let mixed: Vec<f32> =
            (0..6).map(|k| if from_second[k] { second[k] } else { first[k] }).collect();
        assert_eq!(third, mixed);
        let mut drawn = vec![f32::NAN; 3072];
        world.draw(&mixed, &mut drawn);
        assert_eq!(row(&*data, triplet.rows[2]), drawn);
    }
}

#[test]
fn vectors_are_the_numbers_behind_the_hues() {
    let data = voronoi("observations = 'vectors'\nvariables = 9");
    assert_eq!((data.shape().to_string(), data.shape().range), ("9 numbers".into(), Range::Real));
    let column: Vec<f32> = (0..data.len()).map(|k| row(&*data, k)[4]).collect();
    let (mean, deviation) = moments(&column);
    assert!(mean.abs() < 0.6 && (0.5..1.5).contains(&deviation), "{mean} {deviation}");
    let mut file = NpzWriter::create(tempfile::tempdir().unwrap().path().join("a.npz")).unwrap();
    assert!(!data.write_published(&[0, 1], &mut file).unwrap(), "they have no published form");
}

#[test]
fn independent_frames_have_no_steps_and_independent_variables() {
    let data = voronoi("part = 'val_indep'\nframes = 20000");
    let found: Vec<Vec<f32>> = (0..data.len()).map(|k| numbers(&*data, k)).collect();
    for variable in 0..6 {
        let column: Vec<f32> = found.iter().map(|row| row[variable] / 2.0).collect();
        let (mean, deviation) = moments(&column);
        assert!(mean.abs() < 0.03 && (deviation - 0.5).abs() < 0.02, "{mean} {deviation}");
        let pairs: Vec<(f32, f32)> =
            found.iter().map(|row| (row[variable], row[(variable + 1) % 6])).collect();
        assert!(correlation(&pairs).abs() < 0.06);
    }
}

#[test]
fn published_arrays_say_where_the_robot_was_when_a_frame_came_about() {
    let data = voronoi("");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("train.npz");
    let mut file = NpzWriter::create(&path).unwrap();
    let rows: Vec<usize> = (100..150).collect();
    assert!(data.write_published(&rows, &mut file).unwrap());
    file.finish().unwrap();
    let mut file = Npz::open(&path).unwrap();
    let shapes = ["images", "latents", "targets", "actions"].map(|name| file.shape(name).unwrap());
    assert_eq!(shapes, [vec![50, 32, 32, 3], vec![50, 6], vec![49, 6], vec![50, 2]]);
    assert_eq!(file.strings("keys").unwrap(), ["c0", "c1", "c2", "c3", "c4", "c5"]);
    assert_eq!(file.array("latents").unwrap().into_floats()[..6], values(&*data, 100));
    let actions = file.array("actions").unwrap().into_floats();
    let step = data.next(103).unwrap();
    let loaded = [actions[8], actions[9]].map(|a| (a - 0.5) / 0.75);
    assert!(loaded.iter().zip(&step.action).all(|(a, b)| (a - b).abs() < 1e-6));
    assert_eq!(file.array("targets").unwrap().into_floats()[18..24], step.targets);
    let Numbers::Bytes(bytes) = file.array("images").unwrap().numbers else { panic!() };
    let frame = row(&*data, 104);
    for (pixel, bytes) in bytes[4 * 3072..5 * 3072].chunks_exact(3).enumerate() {
        let shown = [0, 1, 2].map(|channel| frame[channel * 1024 + pixel] * 255.0);
        assert!(shown.iter().zip(bytes).all(|(a, b)| (a - f32::from(*b)).abs() < 1e-3));
    }
}

#[test]
fn settings_of_the_other_version_are_refused() {
    let refused = |settings: &str, parts: &[&str]| {
        assert_refused(open(&settings.parse().unwrap()), parts);
    };
    refused("interventions = 'single'", &["`data.interventions`", "biscuit", "random, minimal"]);
    refused("version = 'citris'\ninterventions = 'random'", &["independent, single, grouped"]);
    refused("instant = 0.5", &["`data.instant`", "citris"]);
    refused("temporal = 1.5", &["`data.temporal`", "from 0 to 1"]);
    refused("temporal = 'some'", &["`data.temporal`", "or \"auto\""]);
    refused("variables = 2", &["`data.variables`", "3 to 16"]);
    refused("variables = 17", &["`data.variables`"]);
    refused("frames = 3", &["`data.frames`"]);
    refused("version = 'icitris'", &["`data.version`", "biscuit, citris"]);
}

#[test]
fn the_settings_of_the_version_are_spelled_out() {
    let table = |settings: &str| open(&settings.parse().unwrap()).unwrap().1;
    let biscuit = table("frames = 100");
    assert_eq!(biscuit["interventions"].as_str(), Some("random"));
    assert_eq!(biscuit["temporal"].as_float(), Some(0.4));
    let citris = table("frames = 100\nversion = 'citris'\nseed = 1");
    assert_eq!(citris["interventions"].as_str(), Some("independent"));
    assert_eq!(citris["temporal"].as_float(), Some(0.25));
    assert_eq!(citris["instant"].as_float(), Some(0.5));
}
