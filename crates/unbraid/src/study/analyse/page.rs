//! The page: the five results of the paper with our evidence, and every analysis below the one it belongs to.

use super::finding::{Cell, Finding, Grid};
use super::{Analyses, Analysis, Conclusion, Verdict};
use crate::draw::words::{grouped, listed};
use crate::error::Result;
use crate::report::embedded::figure;
use crate::report::html::{Align, Html, classed, code, document, element, section, table, with};

/// Tables longer than this are folded.
const SHORT: usize = 8;

/// The page as HTML.
pub(super) fn page(analyses: &Analyses) -> Result<String> {
    let mut main = opening(analyses);
    for (k, conclusion) in analyses.conclusions.iter().enumerate() {
        let mut inside = told(conclusion);
        for id in conclusion.analyses {
            inside += analysis(analyses, id)?;
        }
        let heading = format!("{}. {}", k + 1, conclusion.title);
        main += section(ANCHORS[k], &heading, inside);
    }
    let mut others = Html::nothing();
    for (analysis_of, _) in &analyses.findings {
        if !analyses.conclusions.iter().any(|one| one.analyses.contains(&analysis_of.id)) {
            others += analysis(analyses, analysis_of.id)?;
        }
    }
    main += section("models", "The models", others);
    main += section("how", "How this was made", provenance(analyses));
    Ok(document(&format!("Analysis of {}", analyses.of), main))
}

const ANCHORS: [&str; 5] = ["correlation", "agreement", "variance", "selection", "downstream"];

fn opening(analyses: &Analyses) -> Html {
    let count = &analyses.count;
    let seeds = match count.seeds {
        [low, high] if low == high => format!("{low}"),
        [low, high] => format!("{low} to {high}"),
    };
    let lead = format!(
        "{} models: {} on {}, up to {} strengths each, {seeds} seeds. Locatello et al. (ICML 2019) drew five conclusions from 12,600 models. \
         This page asks the same questions of these.",
        grouped(count.models as u64),
        listed(&count.methods),
        listed(&count.data),
        count.strengths,
    );
    let mut out =
        element("h1", format!("Analysis of {}", analyses.of)) + classed("p", "lead", lead);
    let columns =
        [("", Align::Left), ("published result", Align::Left), ("in this study", Align::Left)];
    let row = |(k, one): (usize, &Conclusion)| {
        let anchor = format!("#{}", ANCHORS[k]);
        vec![
            Html::from((k + 1).to_string()),
            with("a", &[("href", &anchor)], one.title) + classed("span", "below", one.claim),
            verdict(one.verdict),
        ]
    };
    out += classed(
        "div",
        "verdicts",
        table(&columns, analyses.conclusions.iter().enumerate().map(row)),
    );
    if count.seeds[0] < 10 {
        out += classed(
            "p",
            "small",
            "With so few seeds, intervals are wide, and those of a study with other data sets may not meet them. Intervals hold the spread over seeds \
             only: data sets, methods and strengths are taken as they are.",
        );
    }
    out
}

fn verdict(verdict: Verdict) -> Html {
    let class = match verdict {
        Verdict::Holds => "name",
        Verdict::DoesNotHold => "wrong",
        Verdict::Open | Verdict::NotAsked => "below",
    };
    classed("span", class, verdict.words())
}

fn told(conclusion: &Conclusion) -> Html {
    let items: Html = conclusion.evidence.iter().map(|line| element("li", line.as_str())).collect();
    let mut out = element("p", conclusion.claim);
    out += element("p", element("strong", format!("This {}.", conclusion.verdict.words())));
    if !conclusion.evidence.is_empty() {
        out += element("ul", items);
    }
    out + classed("p", "small", conclusion.rule)
}

/// An analysis under its heading.
fn analysis(analyses: &Analyses, id: &str) -> Result<Html> {
    let found = analyses.findings.iter().find(|(analysis, _)| analysis.id == id);
    let Some((Analysis { id, title, about, .. }, Some(finding))) = found else {
        return Ok(Html::nothing());
    };
    let mut out = with("h3", &[("id", &id.to_lowercase())], format!("{title} ({id})"));
    out += classed("p", "small", *about);
    for sentence in &finding.said {
        out += element("p", sentence.as_str());
    }
    out += pictures(analyses, finding)?;
    Ok(out + finding.grids.iter().map(grid).collect::<Html>())
}

/// The first pictures, and the others folded.
fn pictures(analyses: &Analyses, finding: &Finding) -> Result<Html> {
    const OPEN: usize = 3;
    let (mut open, mut folded) = (Html::nothing(), Html::nothing());
    for (k, one) in finding.pictures.iter().enumerate() {
        let ending = if matches!(one.drawn, super::Drawn::Marks(_)) { "svg" } else { "png" };
        let path = analyses.directory.join(format!("{}.{ending}", one.name));
        let piece = figure(&path, &one.caption, one.caption.as_str())?;
        if k < OPEN { open += piece } else { folded += piece }
    }
    if !folded.is_nothing() {
        let words = format!("{} more pictures", finding.pictures.len() - OPEN);
        open += element("details", element("summary", words) + folded);
    }
    Ok(open)
}

/// A table, folded if it is long, with what is published below ours.
fn grid(grid: &Grid) -> Html {
    let numbers = |k: usize| grid.rows.iter().all(|row| row[k].is_number());
    let align = |k| if numbers(k) { Align::Right } else { Align::Left };
    let columns: Vec<(&str, Align)> =
        grid.head.iter().enumerate().map(|(k, name)| (name.as_str(), align(k))).collect();
    let cell = |cell: &Cell| {
        let theirs = cell.published();
        Html::from(cell.text())
            + theirs.map_or(Html::nothing(), |theirs| {
                classed("span", "below", format!("published {theirs}"))
            })
    };
    let rows = grid.rows.iter().map(|row| row.iter().map(cell).collect());
    let inside = table(&columns, rows);
    match grid.rows.len() > SHORT {
        true => {
            let words = format!("{} ({} rows)", grid.title, grid.rows.len());
            element("details", element("summary", words) + inside)
        }
        false => classed("p", "small", grid.title.as_str()) + inside,
    }
}

fn provenance(analyses: &Analyses) -> Html {
    let named = analyses.directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    element(
        "p",
        Html::from("Made by ")
            + code("unbraid study analyse")
            + format!(
                " (unbraid {}). Every table lies beside this page in {named}/ as .csv, every picture as .svg or .png, and all of it in ",
                crate::run::VERSION
            )
            + code("analysis.json")
            + ". Square brackets are 95 % intervals: a bootstrap over seeds, centred on the value and stretched for few seeds. R² is not adjusted \
               where that is not said. The scripts of the paper were never released, so definitions are our reading of its text.",
    )
}
