//! What was found, in words.

use super::{Edge, Principle, Separation};

impl Edge {
    /// Why the edge points this way, as a fragment of a sentence; `names` are those of the columns.
    pub fn words<S: AsRef<str>>(&self, names: &[S]) -> String {
        let name = |column: usize| names[column].as_ref();
        let (cause, effect) = (name(self.cause), name(self.effect));
        match &self.principle {
            Principle::Collider { with, given } => {
                let with = name(*with);
                format!("collider: {cause} is independent of {with}{}", known(given, names))
            }
            Principle::NoNewCollider => {
                "the other way round there would be a new collider or a cycle".into()
            }
            Principle::AdditiveNoise { forward, backward } => format!(
                "additive noise: what {cause} leaves of {effect} depends on causes by {forward:.3}, \
                 the other way round by {backward:.3}"
            ),
            Principle::Undecided => "undecided: directed by the order of the columns".into(),
        }
    }
}

impl Separation {
    /// Why there is no edge, as a fragment of a sentence; `names` are those of the columns.
    pub fn words<S: AsRef<str>>(&self, names: &[S]) -> String {
        let [one, other] = self.pair.map(|column| names[column].as_ref());
        format!("{one} is independent of {other}{}", known(&self.given, names))
    }
}

/// " given a and b", or nothing.
fn known<S: AsRef<str>>(given: &[usize], names: &[S]) -> String {
    let given: Vec<&str> = given.iter().map(|column| names[*column].as_ref()).collect();
    match &given[..] {
        [] => String::new(),
        [one] => format!(" given {one}"),
        [most @ .., last] => format!(" given {} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_name_the_columns() {
        let names = ["pendulum", "light", "length", "position"];
        let because =
            |principle| Edge { cause: 1, effect: 2, principle, strength: 0.5 }.words(&names);
        let collider = |given| because(Principle::Collider { with: 0, given });
        assert_eq!(collider(vec![]), "collider: light is independent of pendulum");
        assert_eq!(collider(vec![3]), "collider: light is independent of pendulum given position");
        assert_eq!(
            because(Principle::AdditiveNoise { forward: 0.0123, backward: 0.2 }),
            "additive noise: what light leaves of length depends on causes by 0.012, the other way \
             round by 0.200"
        );
        let apart = Separation { pair: [2, 3], given: vec![0, 1], gain: 0.0 };
        assert_eq!(
            apart.words(&names),
            "length is independent of position given pendulum and light"
        );
    }
}
