//! Actions on images: what CT-VAE prints.

use super::Published;

const SOURCE: &str = "Gendron et al., CT-VAE, IJCAI 2023, Table 1";

/// Action and factor accuracy, without a spread. Pictures there are shrunk to the middle 28 of 64 pixels (of Cars3D to 55),
/// and the checkpoint is chosen on the test images.
const TABLE_1: [(&str, f64, f64); 4] = [
    ("cars3d", 0.71, 0.94),
    ("shapes3d", 0.83, 0.90),
    ("sprites", 0.42, 0.82),
    ("dsprites", 0.44, 0.58),
];

/// All of them.
pub(super) fn all() -> impl Iterator<Item = Published> {
    TABLE_1.iter().flat_map(|&(data, action, factor)| {
        [("action accuracy", action), ("factor accuracy", factor)].map(|(metric, value)| {
            Published {
                model: "ct-vae",
                data,
                concepts: None,
                metric,
                value,
                error: 0.0,
                source: SOURCE,
            }
        })
    })
}
