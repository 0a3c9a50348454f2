//! What a registry entry says about itself, and look-up by name with "did you mean".

use crate::error::{Error, Result};

/// The card of a model, metric or data set: one line for a table, one page for `unbraid show`.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The name on the command line, kebab-case.
    pub name: &'static str,
    /// The name in prose.
    pub title: &'static str,
    /// One sentence for the tables.
    pub summary: &'static str,
    /// Where it was published, or "" where it is ours.
    pub paper: &'static str,
    /// The page printed by `unbraid show`, in Markdown.
    pub page: &'static str,
}

/// Find `name` among `entries`, or say which name was probably meant.
pub fn find<'a, T: ?Sized>(
    kind: &'static str,
    list: &'static str,
    entries: impl IntoIterator<Item = (&'static str, &'a T)>,
    name: &str,
) -> Result<&'a T> {
    let mut names = Vec::new();
    for (candidate, entry) in entries {
        if candidate == name {
            return Ok(entry);
        }
        names.push(candidate);
    }
    Err(Error::Unknown { kind, name: name.into(), hint: did_you_mean(name, names), list })
}

/// "; did you mean `beta-vae`?" for the nearest of `candidates`, or nothing if none is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&plain(name), &plain(candidate)), candidate))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(String::new(), |(_, candidate)| format!("; did you mean `{candidate}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_answered_with_the_nearest() {
        assert_eq!(did_you_mean("betavae", ["vae", "beta-vae"]), "; did you mean `beta-vae`?");
        assert_eq!(did_you_mean("bete", ["beta", "latents"]), "; did you mean `beta`?");
        assert_eq!(did_you_mean("quux", ["vae", "beta-vae"]), "");
    }
}
