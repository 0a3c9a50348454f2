use super::*;

fn refusal(settings: &str) -> String {
    open(&settings.parse().unwrap()).err().unwrap().to_string()
}

#[test]
fn what_cannot_be_learned_is_refused() {
    for (settings, words) in [
        ("sources = 6\nobserved = 5", "is 6, more than the 5 observed numbers"),
        ("discrete = true\nwhiten = true", "`data.whiten` would make ones and zeros"),
        ("discrete = true\ngenerator = 'tcl'", "`data.whiten` would make ones and zeros"),
        ("staircase = true\nsources = 1", "needs a second source"),
        ("segments = 2\npoints = 2\nwhiten = true", "4 rows do not span the 5 directions"),
        (
            "generator = 'tcl'\nsources = 3\nobserved = 5\nlayers = 1\nsegments = 4",
            "lie in fewer directions than they have numbers",
        ),
    ] {
        let error = refusal(settings);
        assert!(error.contains(words), "{settings}: {error}");
    }
}

#[test]
fn slips_of_the_finger_are_refused() {
    for (settings, words) in [
        ("points = 100_000_000", "more than 2^31 numbers"),
        ("segments = 9_000_000_000_000\npoints = 9_000_000_000_000", "more than 2^31 numbers"),
        ("observed = 1000", "512 is the most"),
        ("layers = 1_000_000", "100 is the most"),
        ("slope = -1.0", "`data.slope` is -1"),
        ("slope = nan", "`data.slope` is NaN"),
        ("noisy = -0.5", "`data.noisy` is -0.5"),
        ("whiten = 'yes'", "expected true, false or \"auto\""),
        ("prior = 'lap'", "`laplace`"),
        ("segment_length = 100", "`data.segment_length` says how a file is read"),
        ("ignore = ['a']", "`data.ignore` says how a file is read"),
        ("path = 'a.npz'\nsegment = 'u'\nsegment_length = 5", "leave one out"),
        ("path = 'mine.npz'\nfresh = true", "`data.fresh` says how data are drawn"),
        ("factors = 'sign'", "`size`"),
        ("path = 'mine.npz'\nseed = 3", "`data.seed` says how data are drawn"),
        ("path = 'mine.xlsx'", "is neither .npz, .npy, .csv, .tsv nor .parquet"),
    ] {
        let error = refusal(settings);
        assert!(error.contains(words), "{settings}: {error}");
    }
}
