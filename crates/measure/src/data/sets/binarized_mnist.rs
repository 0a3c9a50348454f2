//! `binarized-mnist`: MNIST binarised by sampling every pixel once, from text files.

use crate::data::Source;
use crate::data::storage::formats::bytes::Bytes;
use crate::data::storage::library::{self, Checksum, Import, Publication, PublishedFile};
use crate::error::Result;
use crate::info::Info;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "binarized-mnist",
        title: "Binarised MNIST",
        summary: "handwritten digits in black and white, 70,000 of 28x28, for likelihoods",
        paper: "Larochelle and Murray, The Neural Autoregressive Distribution Estimator, 2011",
        page: "\
Static binarisation of MNIST: every pixel was sampled as 0 or 1 once, with its grey value as the
probability of 1, and the result was published. Log-likelihoods of generative models are compared on
this set. 1x28x28.

There are no factors: not even the digits were published with it. You can train and evaluate
log-likelihoods, but not score against factors.

`unbraid data import binarized-mnist --from DIRECTORY` takes the three published files,
binarized_mnist_train.amat, binarized_mnist_valid.amat and binarized_mnist_test.amat.

Settings:
- part: train (50,000), validation (10,000) or test (10,000).

Good to know: this is Larochelle's fixed binarisation. Others sample anew in every epoch (dynamic
binarisation), or threshold at one half; values on those are not comparable with values on this.

No licence is known here. Cite: Hugo Larochelle, Iain Murray, The Neural Autoregressive Distribution
Estimator, AISTATS 2011; the sampling follows Ruslan Salakhutdinov, Iain Murray, On the Quantitative
Analysis of Deep Belief Networks, ICML 2008.",
    },
    open: |given| library::open("binarized-mnist", &PUBLICATION, given),
    publication: Some(&PUBLICATION),
};

static PUBLICATION: Publication = Publication {
    licence: "not known",
    citation: "Hugo Larochelle, Iain Murray, The Neural Autoregressive Distribution Estimator, \
               AISTATS 2011",
    parts: &["train", "validation", "test"],
    files: &[
        PublishedFile {
            name: "binarized_mnist_train.amat",
            bytes: 78_400_000,
            checksum: Checksum::Sha256(
                "ad693b29f94c14277b095f5238ddefbbdaaae0939789dd2f4f0205278cee3e4d",
            ),
            address: "https://www.cs.toronto.edu/~larocheh/public/datasets/binarized_mnist/\
                      binarized_mnist_train.amat",
        },
        PublishedFile {
            name: "binarized_mnist_valid.amat",
            bytes: 15_680_000,
            checksum: Checksum::Sha256(
                "1de3d397c40fe8eeb33dafd4099a1f665ec01e96d9be234aaeeac8a34930e2e2",
            ),
            address: "https://www.cs.toronto.edu/~larocheh/public/datasets/binarized_mnist/\
                      binarized_mnist_valid.amat",
        },
        PublishedFile {
            name: "binarized_mnist_test.amat",
            bytes: 15_680_000,
            checksum: Checksum::Sha256(
                "e6687bfea3f820c174f33b7865140b2a2dd2930ef786f35d45795fc193b5ab2c",
            ),
            address: "https://www.cs.toronto.edu/~larocheh/public/datasets/binarized_mnist/\
                      binarized_mnist_test.amat",
        },
    ],
    import,
};

const SIDE: usize = 28;
/// 784 numbers of at most 25 characters and a blank are a good third of this.
const LONGEST_LINE: u64 = 1 << 16;

fn import(import: &mut Import) -> Result<()> {
    for (part, name, share) in [
        ("train", "binarized_mnist_train.amat", 5.0 / 7.0),
        ("validation", "binarized_mnist_valid.amat", 1.0 / 7.0),
        ("test", "binarized_mnist_test.amat", 1.0 / 7.0),
    ] {
        let mut bytes = Bytes::open(&import.file(name)?)?;
        let mut part = import.part(part, [SIDE, SIDE, 1], true, Vec::new())?;
        let mut line = Vec::new();
        while bytes.line(&mut line, LONGEST_LINE)? {
            let row = part.rows();
            let image = image(&line)
                .map_err(|reason| bytes.refuse(format!("line {} {reason}", row + 1)))?;
            part.row(&image, &[])?;
        }
        part.finish()?;
        import.advance(share)?;
    }
    Ok(())
}

/// The pixels of a line. They may be written as 1 or as 1.000000e+00.
fn image(line: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let text = std::str::from_utf8(line).map_err(|_| "is no text; is this the right file?")?;
    let pixel = |token: &str| match token.parse::<f32>() {
        Ok(number) if (0.0..=255.0).contains(&number) => Ok(number as u8),
        _ => Err(format!("has `{token}` for a pixel, expected 0 or 1")),
    };
    let image: Vec<u8> =
        text.split_whitespace().map(pixel).collect::<std::result::Result<_, _>>()?;
    match image.len() == SIDE * SIDE {
        true => Ok(image),
        false => Err(format!("has {} pixels, expected 784; is the file truncated?", image.len())),
    }
}
