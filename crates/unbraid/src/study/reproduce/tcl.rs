//! Time-contrastive learning: Hyvärinen and Morioka 2016.

use super::{Curves, Experiment, Part, Shown};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "tcl",
    summary: "sizes of sources, found by telling segments apart: correlation by segments and layers",
    reading: "\
The mean |correlation| of FastICA of the features with the sizes |s| of the true sources: TCL finds no signs. The
paper (Hyvärinen and Morioka 2016) has curves and no table: the correlation rises with the number of segments
and falls with the number of mixing layers.",
    quick: "one data set, 8 and 32 segments",
    parts: &[Part {
        name: "curves",
        title: "Mean correlation by number of segments and mixing layers, 20 sources",
        optional: false,
        seeds: "vary.data.seed",
        file: include_str!("tcl.toml"),
        over: "",
        shown: Shown::Curves(Curves {
            x: "data.segments",
            x_title: "segments",
            lines: "",
            lines_title: "",
            number: "mcc",
            number_title: "mean absolute correlation",
        }),
    }],
};
