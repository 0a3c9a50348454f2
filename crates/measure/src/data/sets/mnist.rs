//! `mnist`: handwritten digits, from the four IDX files.

use crate::data::Source;
use crate::data::storage::formats::idx;
use crate::data::storage::library::{self, Checksum, Publication, PublishedFile};
use crate::info::Info;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "mnist",
        title: "MNIST",
        summary: "handwritten digits, 70,000 of 28x28; no factors but the digit",
        paper: "LeCun et al., Gradient-Based Learning Applied to Document Recognition, 1998",
        page: "\
Handwritten digits, white on black: 60,000 to train on and 10,000 to test on, 1x28x28, grey.

| factor | values | meaning           |
| ------ | -----: | ----------------- |
| digit  |     10 | 0 to 9            |

The digit is all that is known. Slant, stroke and size differ from image to image, but nobody wrote
them down: good to train on and to look at, no good to measure disentanglement with.

`unbraid data import mnist --from DIRECTORY` takes the four published files, packed (.gz) or not:
train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte.

Settings:
- part: train or test.

Good to know: the mean grey of the part train is 0.1307 and its standard deviation 0.3081. Networks
that halve an image want 32x32: `--set data.variant.size=32` makes them so.

CC BY-SA 3.0 is commonly stated as its licence. Cite: Yann LeCun, Léon Bottou, Yoshua Bengio,
Patrick Haffner, Gradient-Based Learning Applied to Document Recognition, Proceedings of the IEEE,
1998.",
    },
    open: |given| library::open("mnist", &PUBLICATION, given),
    publication: Some(&PUBLICATION),
};

// The packed files differ from place to place; what they unpack to does not.
static PUBLICATION: Publication = Publication {
    licence: "CC BY-SA 3.0, as is commonly stated",
    citation: "Yann LeCun, Léon Bottou, Yoshua Bengio, Patrick Haffner, Gradient-Based Learning \
               Applied to Document Recognition, Proceedings of the IEEE, 1998",
    parts: &["train", "test"],
    files: &[
        PublishedFile {
            name: "train-images-idx3-ubyte",
            bytes: 47_040_016,
            checksum: Checksum::Sha256(
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            ),
            address: "https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz",
        },
        PublishedFile {
            name: "train-labels-idx1-ubyte",
            bytes: 60_008,
            checksum: Checksum::Sha256(
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            ),
            address: "https://ossci-datasets.s3.amazonaws.com/mnist/train-labels-idx1-ubyte.gz",
        },
        PublishedFile {
            name: "t10k-images-idx3-ubyte",
            bytes: 7_840_016,
            checksum: Checksum::Sha256(
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            ),
            address: "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-images-idx3-ubyte.gz",
        },
        PublishedFile {
            name: "t10k-labels-idx1-ubyte",
            bytes: 10_008,
            checksum: Checksum::Sha256(
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            ),
            address: "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-labels-idx1-ubyte.gz",
        },
    ],
    import: |import| idx::import(import, "digit"),
};
