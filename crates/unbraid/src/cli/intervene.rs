//! `unbraid intervene`: what rows would have been, had some concepts had other values.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value as Json, json};
use unbraid::Error;
use unbraid::data::{self, Dataset, Do};
use unbraid::draw::picture;
use unbraid::intervene::effects;
use unbraid::intervene::{self, Concept, short};
use unbraid::model::batch::Seen;
use unbraid::model::learner::Learner;
use unbraid::rng::Rng;
use unbraid::run::Run;
use unbraid::run::config::Plan;
use unbraid_measure::files;

use super::args::Intervene;
use super::train::set_up_reader;
use super::{Output, table};

/// How many rows are shown if none is named.
const SHOWN: usize = 6;

pub(super) fn run(options: &Intervene, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    set_up_reader(run.config());
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    intervene::unable(&*learner)?;
    let question = Question::new(&run, &plan, &*learner, options)?;
    for warning in &question.warnings {
        output.note(&format!("note: {warning}"));
    }
    if options.effects {
        return question.effects(output);
    }
    match options.grid {
        true => question.grid(output),
        false => question.answer(output),
    }
}

/// What was asked, of what.
pub(super) struct Question<'a> {
    run: &'a Run,
    plan: &'a Plan,
    learner: &'a dyn Learner,
    /// Held-out data where the run names some.
    held_out: Option<Plan>,
    known: Vec<Concept>,
    dos: Vec<Do>,
    warnings: Vec<String>,
    row: Option<usize>,
    out: PathBuf,
}

impl<'a> Question<'a> {
    /// About every concept, of a run whose model has some.
    pub(super) fn about(run: &'a Run, plan: &'a Plan, learner: &'a dyn Learner) -> Result<Self> {
        let held_out = plan.held_out()?;
        let tested = held_out.as_ref().map_or(&*plan.data, |plan| &*plan.data);
        let rng = Rng::new(plan.config.seed).split("concepts");
        let known = Concept::all(tested, &data::rows(tested, 10_000, &rng))?;
        let (dos, warnings, out) = (vec![], vec![], run.interventions());
        Ok(Self { run, plan, learner, held_out, known, dos, warnings, row: None, out })
    }

    fn new(
        run: &'a Run,
        plan: &'a Plan,
        learner: &'a dyn Learner,
        options: &Intervene,
    ) -> Result<Self> {
        let mut question = Self::about(run, plan, learner)?;
        let (dos, warnings) = intervene::parse(&options.set, &question.known)?;
        let (known, tested) = (&question.known, question.tested());
        if dos.is_empty() && !options.grid && !options.effects {
            let names: Vec<&str> = known.iter().map(|concept| concept.name.as_str()).collect();
            let reason = format!(
                "nothing is asked: give --do NAME=VALUE (concepts: {}), --grid or --effects",
                names.join(", ")
            );
            return Err(Error::Unable(reason).into());
        }
        if let Some(row) = options.row.filter(|row| *row >= tested.len()) {
            let last = tested.len() - 1;
            return Err(
                Error::Unable(format!("there is no row {row}: the last one is {last}")).into()
            );
        }
        question.out = options.out.clone().unwrap_or_else(|| run.interventions());
        (question.dos, question.warnings, question.row) = (dos, warnings, options.row);
        Ok(question)
    }

    fn tested(&self) -> &dyn Dataset {
        self.held_out.as_ref().map_or(&*self.plan.data, |plan| &*plan.data)
    }

    fn title(&self, what: &str) -> String {
        format!("{} on {}: {what}", self.plan.entry.info.title, self.plan.config.data_name())
    }

    fn words(&self) -> String {
        let one = |set: &Do| format!("{} = {}", self.known[set.factor].name, short(set.value));
        format!("do({})", self.dos.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    /// Rows under one intervention: a picture, and the concepts of the first row before and after.
    fn answer(&self, output: Output) -> Result<()> {
        let rng = Rng::new(self.plan.config.seed).split("intervene");
        let rows = match self.row {
            Some(row) => vec![row],
            None => data::rows(self.tested(), SHOWN, &rng),
        };
        let sheet = intervene::sheet(
            self.learner,
            self.tested(),
            &rows,
            &self.dos,
            self.title(&self.words()),
        );
        // Vectors have no picture; their numbers are said all the same.
        let drawn = match sheet {
            Ok(sheet) => Some(picture::save(&sheet.draw(), &self.out).map(|()| &self.out)?),
            Err(_) if self.plan.task.shape.is_vector() => None,
            Err(source) => return Err(source.into()),
        };
        let first = rows[0];
        let codes = self.learner.encode(&Seen::of(self.tested(), &[first]));
        let before = intervene::answer(self.learner, &codes, &[])?.values;
        let after = intervene::answer(self.learner, &codes, &self.dos)?.values;
        let truth = self.tested().counterfactual(first, &self.dos).map(|truth| truth.values);
        let labels = data::labels(self.tested(), &[first]).expect("concepts are labels");
        let mut lines = vec![["", "label", "model", "after", "truth"].map(String::from).to_vec()];
        for (k, concept) in self.known.iter().enumerate() {
            let truth = truth.as_ref().and_then(|truth| truth.get(k));
            let set = self.dos.iter().any(|set| set.factor == k);
            lines.push(vec![
                format!("{}{}", concept.name, if set { " (set)" } else { "" }),
                short(labels[[0, k]]),
                short(before[[0, k]]),
                short(after[[0, k]]),
                truth.map_or("-".into(), |value| short(*value)),
            ]);
        }
        let picture = drawn.map_or(String::new(), |path| format!("\n{}\n", path.display()));
        let text = format!("row {first}, {}\n\n{}{picture}", self.words(), table(&lines));
        let named = |values: &dyn Fn(usize) -> Json| -> Json {
            let pairs = self.known.iter().enumerate();
            Json::Object(pairs.map(|(k, concept)| (concept.name.clone(), values(k))).collect())
        };
        output.result(&text, || {
            json!({
                "format": 1, "row": first, "file": drawn,
                "do": self.dos.iter()
                    .map(|set| (self.known[set.factor].name.clone(), json!(set.value)))
                    .collect::<serde_json::Map<_, _>>(),
                "label": named(&|k| json!(labels[[0, k]])),
                "before": named(&|k| json!(before[[0, k]])),
                "after": named(&|k| json!(after[[0, k]])),
                "truth": truth.as_ref().map(|truth| named(&|k| json!(truth.get(k)))),
            })
        })
    }

    fn grid(&self, output: Output) -> Result<()> {
        output.file(&self.draw_grid()?)
    }

    pub(super) fn draw_grid(&self) -> Result<PathBuf> {
        let row = self.row.unwrap_or(self.tested().len() / 2);
        let title = self.title("each row sets one concept, from low to high");
        let sheet = intervene::grid(self.learner, self.tested(), row, &self.known, title)?;
        picture::save(&sheet.draw(), &self.out)?;
        Ok(self.out.clone())
    }

    /// Whether there is a simulator to hold interventions against.
    pub(super) fn can_be_judged(&self) -> bool {
        effects::simulated(self.tested(), &self.known).is_ok()
    }

    /// Judge every intervention, and write what was found.
    pub(super) fn judge(&self, output: Output) -> Result<Json> {
        output.note("teaching a reader of concepts, then judging every intervention");
        let effects = effects::measure(self.plan, self.tested(), &self.known, self.learner)?;
        let effects = effects.to_json();
        files::write(self.run.effects_file(), format!("{effects:#}\n").as_bytes())?;
        Ok(effects)
    }

    fn effects(&self, output: Output) -> Result<()> {
        let effects = self.judge(output)?;
        output.result(&described(&effects), || effects)
    }
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
    let reader = effects["reader"].as_object().cloned().unwrap_or_default();
    let reader: Vec<String> =
        reader.iter().map(|(name, error)| format!("{name} {} %", percent(error))).collect();
    format!(
        "{}\nReached, descendants: correlation of what is read off the image with the true counterfactual. Image \
         error:\nmean squared, and in brackets how many times that of reconstructions ({:.5}). Others: how far \
         they move, as a\nshare of their range, and in brackets on true counterfactuals, where they should not. \
         The reader's own\nerror: {}. {} rows.\n",
        table(&rows),
        number(&effects["reconstruction_error"]),
        reader.join(", "),
        effects["rows"]
    )
}

fn or_dash(texts: Vec<String>) -> String {
    if texts.is_empty() { "-".into() } else { texts.join(", ") }
}
