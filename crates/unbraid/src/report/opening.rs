//! The head of the page: what was trained on what, and the numbers one asks for first.

use serde_json::Value as Json;
use toml::Value;
use unbraid_measure::data::{self, Supervision};

use super::html::{Html, classed, element, number};
use crate::draw::words::{capitalised, grouped, listed};
use crate::model::batch::Seen;
use crate::model::learner::Learner;
use crate::run::Plan;
use crate::run::score;

/// How many scores stand beside the settings.
const HEADLINES: usize = 3;
/// How many factors are named.
const NAMED: usize = 12;

pub(super) fn title(plan: &Plan) -> String {
    format!("{} on {}", plan.entry.info.title, plan.config.data_title())
}

pub(super) fn opening(plan: &Plan, learner: &dyn Learner, scores: &Json) -> Html {
    let info = plan.entry.info;
    let head = element("h1", title(plan))
        + classed("p", "lead", sentence(info.summary))
        + element("p", Html::from(data_sentence(plan)) + " " + seen(plan))
        + papers(plan);
    element("header", head + key_figures(plan, learner, scores))
}

/// With a capital and a full stop.
fn sentence(words: &str) -> String {
    format!("{}.", capitalised(words))
}

/// What the data are: of a user's own, where they are.
fn data_sentence(plan: &Plan) -> String {
    let path = plan.config.data.get("path").and_then(Value::as_str).filter(|p| !p.is_empty());
    match (path, data::find(plan.config.data_name())) {
        (Some(path), _) => format!("Trained on {path}."),
        (None, Ok(source)) => format!("Trained on {}: {}.", source.info.title, source.info.summary),
        (None, Err(_)) => String::new(),
    }
}

/// What the model was shown, and what it is judged by.
fn seen(plan: &Plan) -> String {
    let shown = match plan.method.supervision() {
        Supervision::None => "It saw the observations and nothing else",
        Supervision::Labels => "It saw each observation with its label",
        Supervision::SomeLabels(_) => {
            "It saw the observations, and the true values of a few of them"
        }
        Supervision::Pairs(_) => "It saw pairs of observations that differ in few factors",
        Supervision::OneFactor(_) => {
            "It saw batches in which one factor varies, was told which, and some ordinary ones"
        }
        Supervision::Time(_) => "It saw sequences and nothing beside them",
        Supervision::Targets(_) => "It saw sequences, and which factors were intervened on",
        Supervision::Actions(_) => "It saw sequences, and what was done at each step",
    };
    let factors = plan.data.factors();
    let mut names: Vec<String> =
        factors.iter().take(NAMED).map(|factor| factor.name.clone()).collect();
    if factors.len() > NAMED {
        names.push(format!("{} more", factors.len() - NAMED));
    }
    match names.is_empty() {
        true => format!("{shown}. No true factors are known of these data."),
        false => format!("{shown}. The true factors, by which it is judged: {}.", listed(&names)),
    }
}

fn papers(plan: &Plan) -> Html {
    let model = plan.entry.info.paper;
    let data = data::find(plan.config.data_name()).map_or("", |source| source.info.paper);
    let mut lines = Vec::new();
    if !model.is_empty() {
        lines.push(format!("The model: {model}."));
    }
    if !data.is_empty() {
        lines.push(format!("The data: {data}."));
    }
    match lines.is_empty() {
        true => Html::nothing(),
        false => classed("p", "papers", lines.join(" ")),
    }
}

/// A small row: settings, then the first scores.
fn key_figures(plan: &Plan, learner: &dyn Learner, scores: &Json) -> Html {
    let train = &plan.config.train;
    let mut figures: Vec<(String, Html)> = Vec::new();
    if plan.entry.takes_steps {
        figures.push(("steps".into(), grouped(train.steps).into()));
        figures.push(("batch".into(), grouped(train.batch as u64).into()));
    }
    figures.push(("rows".into(), grouped(plan.task.rows as u64).into()));
    figures.push(("one observation".into(), plan.task.shape.to_string().replace('x', "×").into()));
    match &learner.layers()[..] {
        [] => {
            let latents = learner.encode(&Seen::of(&*plan.data, &[0])).ncols();
            figures.push(("codes".into(), latents.to_string().into()));
        }
        layers => {
            let sizes: Vec<String> = layers.iter().map(usize::to_string).collect();
            figures.push(("codes by layer".into(), sizes.join(", ").into()));
        }
    }
    figures.push(("seed".into(), plan.config.seed.to_string().into()));
    let all = scores["scores"].as_array().into_iter().flatten();
    let found =
        all.filter_map(|one| Some((score::title(one), number(Some(one["value"].as_f64()?)))));
    figures.extend(found.take(HEADLINES));
    let pair =
        |(name, value): (String, Html)| element("div", element("dt", name) + element("dd", value));
    classed("dl", "figures", figures.into_iter().map(pair).collect::<Html>())
}
