//! `unbraid intervene`: what rows would have been, had some concepts had other values.

use anyhow::{Result, anyhow};
use serde_json::Value as Json;
use unbraid::draw::words::short;
use unbraid::intervene;
use unbraid::intervene::rollout::Course;
use unbraid::run::{Counterfactuals, TrainedRun};

use super::args::Intervene;
use super::progress::Screen;
use super::{Output, opened, table};

/// Steps that are followed, if it is not said how many.
const STEPS: usize = 8;

pub(super) fn run(options: &Intervene, output: Output) -> Result<()> {
    let trained = opened(&options.run)?;
    if options.triplets {
        let screen = Screen::new(output);
        let (found, picture) = trained.triplets(&screen)?;
        drop(screen);
        let text = format!("{}\n{}\n", distances(&found), picture.display());
        return output.result(&text, || found);
    }
    if options.interactions {
        let screen = Screen::new(output);
        let (found, picture) = trained.interactions(&screen)?;
        drop(screen);
        let picture = picture.map_or(String::new(), |path| format!("\n{}\n", path.display()));
        return output.result(&format!("{}{picture}", touched(&found)), || found);
    }
    if let (Some(from), Some(into)) = (options.from, options.into) {
        let (screen, out) = (Screen::new(output), options.out.as_deref());
        return output.file(&trained.swap(&options.swap, [from, into], out, &screen)?);
    }
    if options.acts {
        let screen = Screen::new(output);
        let (found, picture) = trained.acted(&screen)?;
        drop(screen);
        let picture = picture.map_or(String::new(), |path| format!("\n{}\n", path.display()));
        return output.result(&format!("{}{picture}", acted(&found)), || found);
    }
    if let Some(course) = course(options, &trained)? {
        let (screen, out) = (Screen::new(output), options.out.as_deref());
        let (found, picture) = trained.rollout(&course, out, &screen)?;
        drop(screen);
        return output.result(&format!("{}\n{}\n", followed(&found), picture.display()), || found);
    }
    let interventions = trained.interventions()?;
    let (dos, warnings) = intervene::parse(&options.set, &interventions.known)?;
    for warning in warnings {
        output.note(&format!("note: {warning}"));
    }
    let (screen, out) = (Screen::new(output), options.out.as_deref());
    if options.effects {
        let effects = interventions.effects(&screen)?;
        drop(screen);
        return output.result(&described(&effects), || effects);
    }
    if options.grid {
        return output.file(&interventions.grid(options.row, out, &screen)?);
    }
    let found = interventions.counterfactuals(&dos, options.row, out, &screen)?;
    output.result(&answered(&found), || found.to_json())
}

/// What is to be followed, if anything.
fn course(options: &Intervene, trained: &TrainedRun) -> Result<Option<Course>> {
    let numbers = options.action.iter().map(|text| numbers(text)).collect::<Result<Vec<_>>>()?;
    let asked = options.steps.is_some() || !options.target.is_empty() || !numbers.is_empty();
    let (actions, steps) = match &options.act {
        Some(name) => (vec![trained.action_of(name)?], 1),
        None if asked => (numbers, STEPS),
        None => return Ok(None),
    };
    Ok(Some(Course {
        row: options.row.unwrap_or(0),
        dos: trained.targets_of(&options.target)?,
        actions,
        steps: options.steps.unwrap_or(steps),
    }))
}

/// `0.2,-0.5` as numbers.
fn numbers(text: &str) -> Result<Vec<f32>> {
    let number = |word: &str| {
        let word = word.trim();
        let number = word.parse().ok().filter(|number: &f32| number.is_finite());
        number.ok_or_else(|| anyhow!("`{word}` in `--action {text}` is not a number"))
    };
    text.split(',').map(number).collect()
}

/// How far a roll-out is from the simulator's, as a table.
fn followed(found: &Json) -> String {
    let Some(steps) = found["steps"].as_array() else {
        return "These data have no simulator to hold it against.\n".into();
    };
    let number = |value: &Json| format!("{:.5}", value.as_f64().unwrap_or(f64::NAN));
    let mut rows = vec![["step", "image error", "if nothing moved"].map(String::from).to_vec()];
    let read = steps.iter().any(|step| step["mistaken"].is_array());
    if read {
        rows[0].push("nearest true image".into());
    }
    for step in steps {
        let mut row =
            vec![step["step"].to_string(), number(&step["error"]), number(&step["standing_still"])];
        if read {
            row.push(mistaken(&step["mistaken"]));
        }
        rows.push(row);
    }
    let note = found["note"].as_str().map_or(String::new(), |note| format!("\nnote: {note}\n"));
    format!("{}{note}", table(&rows))
}

/// What an image is read as, beside what it should be.
fn mistaken(list: &Json) -> String {
    let one = |one: &Json| {
        let name = one["factor"].as_str().unwrap_or_default();
        format!("{name} {} in place of {}", one["read"], one["true"])
    };
    match list.as_array().map(Vec::as_slice) {
        None => String::new(),
        Some([]) => "as it should be".into(),
        Some(list) => list.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

/// `acted.json` as tables.
fn acted(found: &Json) -> String {
    let percent =
        |value: &Json| value.as_f64().map_or("-".into(), |share| format!("{:.1} %", 100.0 * share));
    let times = |key: &str| match key {
        "once" => "once".to_string(),
        _ => format!("{} times", found["times"]),
    };
    let head = ["done", "images", "right", "reconstructions right", "error over theirs"];
    let mut whole = vec![head.map(String::from).to_vec()];
    let mut each = vec![vec!["action".to_string()]];
    for key in ["once", "often"].into_iter().filter(|key| found[*key].is_object()) {
        let of = &found[key];
        let ratio = of["error_ratio"].as_f64().map_or("-".into(), |ratio| format!("{ratio:.2}"));
        let images = of["images"].to_string();
        whole.push(vec![times(key), images, percent(&of["right"]), percent(&of["floor"]), ratio]);
        each[0].push(format!("right {}", times(key)));
        for (k, action) in of["actions"].as_array().into_iter().flatten().enumerate() {
            if each.len() < k + 2 {
                each.push(vec![action["name"].as_str().unwrap_or_default().into()]);
            }
            each[k + 1].push(format!("{} of {}", action["right"], action["images"]));
        }
    }
    format!("{}\n{}", table(&each), table(&whole))
}

/// `triplets.json` as a table.
fn distances(found: &Json) -> String {
    let number = |value: &Json| format!("{:.4}", value.as_f64().unwrap_or(f64::NAN));
    let mut rows = vec![["factor", "distance", "encoder alone"].map(String::from).to_vec()];
    for factor in found["factors"].as_array().into_iter().flatten() {
        let name = factor["name"].as_str().unwrap_or_default().to_string();
        rows.push(vec![name, number(&factor["distance"]), number(&factor["floor"])]);
    }
    rows.push(vec!["mean".into(), number(&found["distance"]), number(&found["floor"])]);
    format!("{}\n{} triplets\n", table(&rows), found["triplets"])
}

/// `interactions.json` as a table.
fn touched(found: &Json) -> String {
    let number = |value: &Json| value.as_f64().map_or("-".into(), |value| format!("{value:.3}"));
    let mut rows = vec![["factor", "latent", "F1", "without a clue"].map(String::from).to_vec()];
    for factor in found["factors"].as_array().into_iter().flatten() {
        let name = factor["name"].as_str().unwrap_or_default().to_string();
        let latent = factor["latent"].as_u64().map_or("-".into(), |latent| latent.to_string());
        rows.push(vec![name, latent, number(&factor["f1"]), number(&factor["constant"])]);
    }
    rows.push(vec!["mean".into(), String::new(), number(&found["f1"]), String::new()]);
    format!("{}\n{} steps\n", table(&rows), found["steps"])
}

/// The concepts of a row before and after, beside the truth.
fn answered(found: &Counterfactuals) -> String {
    let mut lines = vec![["", "label", "model", "after", "truth"].map(String::from).to_vec()];
    for (k, name) in found.names.iter().enumerate() {
        let truth = found.truth.as_ref().and_then(|truth| truth.get(k));
        let set = found.dos.iter().any(|set| set.factor == k);
        lines.push(vec![
            format!("{name}{}", if set { " (set)" } else { "" }),
            short(found.label[k]),
            short(found.before[k]),
            short(found.after[k]),
            truth.map_or("-".into(), |value| short(*value)),
        ]);
    }
    let picture =
        found.file.as_ref().map_or(String::new(), |path| format!("\n{}\n", path.display()));
    format!("row {}, {}\n\n{}{picture}", found.row, found.words(), table(&lines))
}

/// `effects.json` as a table.
pub(super) fn described(effects: &Json) -> String {
    let mut rows = vec![
        ["do", "reached", "image error", "descendants follow", "others move"]
            .map(String::from)
            .to_vec(),
    ];
    let all = |list: &Json| list.as_array().cloned().unwrap_or_default();
    let word = |value: &Json| value.as_str().unwrap_or_default().to_string();
    let number = |value: &Json| value.as_f64().unwrap_or(f64::NAN);
    let percent = |value: &Json| format!("{:.1}", 100.0 * number(value));
    for effect in all(&effects["concepts"]) {
        let follows =
            |one: &Json| format!("{} {:.3}", word(&one["name"]), number(&one["correlation"]));
        let stays = |one: &Json| {
            let (moved, floor) = (percent(&one["movement"]), percent(&one["floor"]));
            format!("{} {moved} % ({floor})", word(&one["name"]))
        };
        let (error, ratio) = (number(&effect["image_error"]), number(&effect["image_error_ratio"]));
        rows.push(vec![
            word(&effect["name"]),
            format!("{:.3}", number(&effect["reached"])),
            format!("{error:.5} ({ratio:.2}x)"),
            or_dash(all(&effect["descendants"]).iter().map(follows).collect()),
            or_dash(all(&effect["others"]).iter().map(stays).collect()),
        ]);
    }
    let reconstruction = number(&effects["reconstruction_error"]);
    let reader = effects["reader"].as_object().cloned().unwrap_or_default();
    let reader: Vec<String> =
        reader.iter().map(|(name, error)| format!("{name} {} %", percent(error))).collect();
    let legend = table(
        &[
            [
                "reached",
                "correlation of the value a regressor reads off the image with the requested one",
            ],
            ["image error", "mean squared error per pixel against the true counterfactual"],
            ["", &format!("(as a multiple of the reconstruction error, {reconstruction:.5})")],
            [
                "descendants follow",
                "correlation of the value read with the true counterfactual one",
            ],
            ["others move", "mean change of non-descendants, as a share of their range"],
            ["", "(the same on true counterfactuals, where they stay)"],
        ]
        .map(|row| row.map(String::from).to_vec()),
    );
    format!(
        "{}\n{legend}\nThe regressor's own error: {}. {} rows.\n",
        table(&rows),
        reader.join(", "),
        effects["rows"]
    )
}

fn or_dash(texts: Vec<String>) -> String {
    if texts.is_empty() { "-".into() } else { texts.join(", ") }
}
