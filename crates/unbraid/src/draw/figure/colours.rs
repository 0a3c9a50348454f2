//! Colours: for text, for kinds, for an order, and for numbers around a middle.

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// Text and axes.
pub const INK: Colour = Colour(32, 33, 36);
/// What matters less: still 4.5 times as dark as white, so that it can be read.
pub const PALE: Colour = Colour(115, 118, 123);

/// Kinds without an order, distinct for colour-blind readers too: the palette of Okabe and Ito
/// (2008), without black, which is text, and yellow, which white swallows.
const KINDS: [Colour; 6] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(86, 180, 233),
    Colour(230, 159, 0),
];

/// Places in an order, from first to last: round the colour wheel, all dark enough for a thin line.
const ORDER: [Colour; 7] = [
    Colour(165, 15, 40),
    Colour(226, 90, 28),
    Colour(212, 158, 20),
    Colour(72, 156, 60),
    Colour(20, 150, 160),
    Colour(45, 92, 190),
    Colour(120, 50, 150),
];

/// From low over the middle to high: blue, near white, red.
const AROUND: [Colour; 5] = [
    Colour(25, 70, 150),
    Colour(120, 170, 215),
    Colour(246, 246, 246),
    Colour(235, 150, 115),
    Colour(170, 25, 45),
];

/// The colour of the kind with this number; they repeat after six.
pub fn category(number: usize) -> Colour {
    KINDS[number % KINDS.len()]
}

/// The colour of place `place` among `places`.
pub fn ordered(place: usize, places: usize) -> Colour {
    between(&ORDER, place as f64 / (places.max(2) - 1) as f64)
}

/// The colour of a share of the way from the lowest (0) over the middle (0.5) to the highest (1).
pub fn diverging(share: f64) -> Colour {
    between(&AROUND, share)
}

fn between(stops: &[Colour], share: f64) -> Colour {
    let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let below = (place as usize).min(stops.len() - 2);
    let rest = place - below as f64;
    let (a, b) = (stops[below], stops[below + 1]);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * rest).round() as u8;
    Colour(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_around_the_middle_is_blue_pale_or_red() {
        assert_eq!([0.0, 0.5, 1.0].map(diverging), [AROUND[0], AROUND[2], AROUND[4]]);
        assert_eq!(diverging(-3.0), AROUND[0]);
    }

    #[test]
    fn what_is_pale_can_be_read() {
        let light = |Colour(r, g, b): Colour| {
            let part = |c: u8| ((f64::from(c) / 255.0 + 0.055) / 1.055).powf(2.4);
            0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
        };
        let contrast = |ink, paper| (light(paper) + 0.05) / (light(ink) + 0.05);
        assert!(contrast(PALE, Colour(255, 255, 255)) >= 4.5);
        let of = |colour: image::Rgb<u8>| Colour(colour.0[0], colour.0[1], colour.0[2]);
        assert!(contrast(of(crate::draw::picture::PALE), of(crate::draw::picture::PAPER)) >= 4.5);
    }

    #[test]
    fn an_order_starts_and_ends_where_its_colours_do_even_for_one() {
        assert_eq!((ordered(0, 10), ordered(9, 10)), (ORDER[0], ORDER[6]));
        assert_eq!(ordered(0, 1), ORDER[0]);
        assert_eq!(Colour(1, 16, 255).to_string(), "#0110ff");
    }
}
