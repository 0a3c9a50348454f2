//! Settings of the data sets that the scripts of CausalVAE draw: `pendulum` and `flow`.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Settings {
    pub(crate) split: Split,
    pub(crate) labels: Labels,
}

/// Which of the rendered images there are.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Split {
    #[default]
    All,
    Train,
    Test,
}

/// Whether labels are the true values, or what is left of them in the name of the file.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Labels {
    #[default]
    Exact,
    FileName,
}
