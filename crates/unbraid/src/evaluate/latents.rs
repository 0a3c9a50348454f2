//! Latents in the order of what they tell, and which of them tell nothing.

use ndarray::Axis;
use unbraid_measure::representation::Representation;

use crate::model::learner::ACTIVE;

/// A code whose standard deviation is below this says nothing about the observation. Only asked
/// where there is no KL, which knows the noise of a code as well.
const STILL: f32 = 0.05;

/// How much a latent tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Importance {
    /// The KL divergence from the prior, in nats, where codes are drawn from a Gaussian.
    Kl(f32),
    /// The standard deviation over the rows, where they are not.
    Spread(f32),
}

/// One coordinate of the codes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latent {
    /// Its column.
    pub index: usize,
    /// How much it tells.
    pub importance: Importance,
}

impl Latent {
    /// Whether it tells next to nothing.
    pub fn is_dead(self) -> bool {
        match self.importance {
            Importance::Kl(kl) => kl < ACTIVE,
            Importance::Spread(spread) => spread < STILL,
        }
    }

    /// What it tells, in short: `KL 2.41`.
    pub fn amount(self) -> String {
        match self.importance {
            // Rounded, it could look as if it were not dead.
            Importance::Kl(_) if self.is_dead() => format!("KL < {ACTIVE}"),
            Importance::Kl(kl) => format!("KL {kl:.2}"),
            Importance::Spread(spread) => format!("sd {spread:.2}"),
        }
    }
}

/// Every latent, the one that tells most first.
pub fn by_importance(codes: &Representation) -> Vec<Latent> {
    let spread = codes.codes.std_axis(Axis(0), 0.0);
    let told = |index: usize| match &codes.readings.kl {
        Some(kl) => Importance::Kl(kl[index] as f32),
        None => Importance::Spread(spread[index]),
    };
    let amount = |latent: &Latent| match latent.importance {
        Importance::Kl(amount) | Importance::Spread(amount) => amount,
    };
    let mut latents: Vec<Latent> =
        (0..codes.codes.ncols()).map(|index| Latent { index, importance: told(index) }).collect();
    latents.sort_by(|a, b| amount(b).total_cmp(&amount(a)));
    latents
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use unbraid_measure::factors::Factor;

    fn codes() -> Representation<'static> {
        // The second spreads more than the first; the third hardly moves.
        let codes = array![[0.0, -3.0, 0.01], [1.0, 3.0, 0.0]];
        Representation::new(codes, array![[0.0], [1.0]], vec![Factor::continuous("a")]).unwrap()
    }

    #[test]
    fn they_are_ordered_by_kl_and_labelled_with_it() {
        let mut codes = codes();
        codes.readings.kl = Some(vec![2.414, 0.0099, 0.02]);
        let latents = by_importance(&codes);
        assert_eq!(latents.iter().map(|latent| latent.index).collect::<Vec<_>>(), [0, 2, 1]);
        assert_eq!(latents.iter().map(|l| l.is_dead()).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(
            (latents[0].amount(), latents[2].amount()),
            ("KL 2.41".into(), "KL < 0.01".into())
        );
    }

    #[test]
    fn without_a_posterior_they_are_ordered_by_their_spread() {
        let latents = by_importance(&codes());
        assert_eq!(latents.iter().map(|latent| latent.index).collect::<Vec<_>>(), [1, 0, 2]);
        assert_eq!(latents.iter().map(|l| l.is_dead()).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(latents[0].amount(), "sd 3.00");
    }
}
