//! `fashion-mnist`: clothes in the form of MNIST.

use crate::data::Source;
use crate::data::storage::formats::idx;
use crate::data::storage::library::{self, Checksum, Publication, PublishedFile};
use crate::info::Info;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "fashion-mnist",
        title: "Fashion-MNIST",
        summary: "photographed clothes, 70,000 of 28x28; no factors but the kind",
        paper: "Xiao et al., Fashion-MNIST, 2017",
        page: "\
Photographs of clothes in grey on black, made as a harder stand-in for MNIST: 60,000 to train on and
10,000 to test on, 1x28x28.

| factor | values | meaning                                                                  |
| ------ | -----: | ------------------------------------------------------------------------ |
| class  |     10 | 0 T-shirt, 1 trouser, 2 pullover, 3 dress, 4 coat, 5 sandal, 6 shirt,    |
|        |        | 7 sneaker, 8 bag, 9 ankle boot                                           |

The class is all that is known: good to train on and to look at, no good to measure disentanglement
with.

`unbraid data import fashion-mnist --from DIRECTORY` takes the four published files, packed (.gz) or
not. They have the names of MNIST's: train-images-idx3-ubyte, train-labels-idx1-ubyte,
t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte; keep the two sets in directories of their own. No
checksums are known here, so a file of MNIST would pass for one of these.

Settings:
- part: train or test.

Published under the MIT licence. Cite: Han Xiao, Kashif Rasul, Roland Vollgraf, Fashion-MNIST: a
Novel Image Dataset for Benchmarking Machine Learning Algorithms, 2017.",
    },
    open: |given| library::open("fashion-mnist", &PUBLICATION, given),
    publication: Some(&PUBLICATION),
};

static PUBLICATION: Publication = Publication {
    licence: "MIT",
    citation: "Han Xiao, Kashif Rasul, Roland Vollgraf, Fashion-MNIST: a Novel Image Dataset for \
               Benchmarking Machine Learning Algorithms, 2017",
    parts: &["train", "test"],
    files: &[
        file(
            "train-images-idx3-ubyte",
            47_040_016,
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/train-images-idx3-ubyte.gz",
        ),
        file(
            "train-labels-idx1-ubyte",
            60_008,
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/train-labels-idx1-ubyte.gz",
        ),
        file(
            "t10k-images-idx3-ubyte",
            7_840_016,
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/t10k-images-idx3-ubyte.gz",
        ),
        file(
            "t10k-labels-idx1-ubyte",
            10_008,
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/t10k-labels-idx1-ubyte.gz",
        ),
    ],
    import: |import| idx::import(import, "class"),
};

/// The lengths follow from the counts: 16 or 8 bytes of header, then one byte per number.
const fn file(name: &'static str, bytes: u64, address: &'static str) -> PublishedFile {
    PublishedFile { name, bytes, checksum: Checksum::Unknown, address }
}
