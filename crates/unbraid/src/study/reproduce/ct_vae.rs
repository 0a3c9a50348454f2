//! Action retrieval: Table 1 of CT-VAE (Gendron et al., IJCAI 2023).

use super::{Experiment, Methods, Number, Part, Shown};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ct-vae-table1",
    summary: "which action led from one image to the next: CT-VAE, floors and a ceiling",
    reading: "\
Shares of pairs of test images whose action is told right, and whose factor is, the direction left aside; `balanced` is
the mean over actions, so that factors with many values do not decide. `most frequent` is what it takes to know no
image. The pair discriminant knows a dozen numbers of a pair, how many pixels change and where, and is no floor to be
below; the pair classifier is a network taught on the same pairs, the ceiling: it tells actions but cannot do them.
`full` is a CT-VAE without graph and mask. `one code` are pairs of which both images have the same code, so that
nothing can be told of them; `done right` is the share of images that the model makes of an action that are right,
once and five times in a row, beside that of reconstructions of the true images. Mean and standard error over seeds.
Published are accuracies on images shrunk to 28 pixels (Cars3D 55), by a checkpoint chosen on the test images, one
seed. Shapes3D is redrawn here: its column is not on the same pixels. Cars3D and Sprites are left out where they have
not been imported (`unbraid data import`).",
    quick: "1,500 steps on top of 1,500, and one seed: enough to see an order, not to reach the numbers",
    parts: &[
        part("dsprites", "dSprites", &["dsprites"], false),
        part("shapes3d", "Shapes3D, redrawn", &["shapes3d"], false),
        part("cars3d", "Cars3D", &["cars3d"], true),
        part("sprites", "Sprites", &["sprites"], true),
    ],
};

const fn part(
    name: &'static str,
    title: &'static str,
    data: &'static [&'static str],
    optional: bool,
) -> Part {
    let file = include_str!("ct-vae-table1.toml");
    let over = match name.as_bytes() {
        b"shapes3d" => "data = { name = 'shapes3d' }",
        b"cars3d" => "data = { name = 'cars3d' }",
        b"sprites" => "data = { name = 'sprites' }",
        _ => "",
    };
    let shown = Methods { data, concepts: None, methods: METHODS, metrics: NUMBERS };
    Part { name, title, optional, seeds: "vary.seed", file, over, shown: Shown::Methods(shown) }
}

const METHODS: &[(&str, Option<&str>)] = &[
    ("pair discriminant", None),
    ("CT-VAE, full", None),
    ("CT-VAE", Some("ct-vae")),
    ("pair classifier", None),
];

const NUMBERS: &[Number] = &[
    number("action", "action accuracy", "action accuracy"),
    number("factor", "factor accuracy", "factor accuracy"),
    number("action, balanced", "action accuracy, balanced", ""),
    number("factor, balanced", "factor accuracy, balanced", ""),
    number("most frequent action", "most frequent action", ""),
    number("most frequent factor", "most frequent factor", ""),
    number("one code", "pairs of one code", ""),
    number("done right once", "acted right once", ""),
    number("five times", "acted right five times", ""),
    number("reconstructions", "reconstructions read right", ""),
    number("image error over theirs", "image error over that of reconstructions", ""),
    number("seconds", "seconds", ""),
];

const fn number(title: &'static str, number: &'static str, published: &'static str) -> Number {
    Number { title, number, published, times: 1.0 }
}
