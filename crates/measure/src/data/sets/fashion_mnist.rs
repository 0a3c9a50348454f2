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
t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte; keep the two sets in directories of their own. The
authors publish checksums of the packed files; unpacked ones cannot be checked, and a file of MNIST
would pass for one of these.

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
        file("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d", IMAGES),
        file("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe", LABELS),
        file("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79", TEST_IMAGES),
        file("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310", TEST_LABELS),
    ],
    import: |import| idx::import(import, "class"),
};

/// The authors publish MD5 sums of the packed files, not their lengths.
const fn file(name: &'static str, md5: &'static str, address: &'static str) -> PublishedFile {
    PublishedFile { name, bytes: 0, checksum: Checksum::Md5(md5), address }
}

const IMAGES: &str = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/\
                      train-images-idx3-ubyte.gz";
const LABELS: &str = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/\
                      train-labels-idx1-ubyte.gz";
const TEST_IMAGES: &str = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/\
                           t10k-images-idx3-ubyte.gz";
const TEST_LABELS: &str = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/\
                           t10k-labels-idx1-ubyte.gz";
