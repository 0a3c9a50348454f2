//! How bright a point of the scene is. A surface of colour c is seen as shade·c + gloss, cut off at
//! 1: lights are strong enough to go beyond it.
//!
//! The original has an even light, a lamp that goes with the camera, and a lamp high over the room
//! that throws the shadow and fades away from its middle. Their strengths and the texture were
//! fitted to the published animation.

use std::f64::consts::TAU;

use super::scene::{Camera, Hit, Object, Surface, Vector, dot};

/// The strength of the light that is everywhere.
const EVEN: f64 = 0.352;
/// The strength of the lamp of the camera.
const CAMERA_LAMP: f64 = 0.5925;
/// The strength and place of the lamp over the room, which shines straight down; its light falls
/// off with this power of the cosine of the angle.
const LAMP: f64 = 0.954;
const LAMP_AT: Vector = [-1.41, 0.50, 7.17];
const LAMP_POWER: i32 = 10;
/// How much white the lamp over the room adds to the object where it shines on it.
const GLOSS: f64 = 0.1065;

/// Shade and gloss of a point; the sky is as bright as it is.
pub(super) fn shade(hit: &Hit, object: &Object, camera: &Camera) -> [f64; 2] {
    if hit.surface == Surface::Sky {
        return [1.0, 0.0];
    }
    let from_camera = (-dot(hit.normal, camera.forward())).max(0.0);
    let to_lamp = [0, 1, 2].map(|axis| LAMP_AT[axis] - hit.point[axis]);
    let far = dot(to_lamp, to_lamp).sqrt();
    let mut from_lamp = dot(hit.normal, to_lamp) / far;
    // Nothing stands between the lamp and the walls, and what turns away from it is dark anyway.
    if from_lamp <= 0.0 || (hit.surface == Surface::Floor && in_shadow(hit, object, to_lamp)) {
        from_lamp = 0.0;
    }
    let gloss = if hit.surface == Surface::Object && from_lamp > 0.0 { GLOSS } else { 0.0 };
    let beam = (to_lamp[2] / far).powi(LAMP_POWER);
    let light = EVEN + CAMERA_LAMP * from_camera + LAMP * beam * from_lamp;
    let texture = match hit.surface {
        Surface::Wall(across) => grain(across, hit.point[2]) * blotch(across, hit.point[2]),
        Surface::Floor => grain(hit.point[0], hit.point[1]),
        Surface::Object | Surface::Sky => 1.0,
    };
    [light * texture, gloss]
}

fn in_shadow(hit: &Hit, object: &Object, to_lamp: Vector) -> bool {
    object.hit(hit.point, to_lamp).is_some()
}

/// Faint light spots in rows, each row between those of the next.
fn grain(x: f64, y: f64) -> f64 {
    1.0 + 0.02 * (TAU * x / 0.4).cos() * (TAU * y / 0.25).cos()
}

/// A dark spot in the shape of a tadpole, every 2 units of a wall.
fn blotch(across: f64, up: f64) -> f64 {
    /// The spot is what lies within these distances of these lines.
    const PARTS: [([f64; 2], [f64; 2], f64); 3] = [
        ([0.00, 1.25], [0.02, 1.03], 0.08),
        ([0.08, 1.10], [0.21, 1.10], 0.12),
        ([0.20, 0.90], [0.42, 0.76], 0.11),
    ];
    let place = [(across + 1.0).rem_euclid(2.0) - 1.0, up];
    let inside = PARTS.iter().any(|&(from, to, radius)| distance(place, from, to) < radius);
    if inside { 0.94 } else { 1.0 }
}

/// The distance of a point from the line between two others.
fn distance(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let [way, line] = [point, to].map(|end| [end[0] - from[0], end[1] - from[1]]);
    let length = line[0] * line[0] + line[1] * line[1];
    let part = ((way[0] * line[0] + way[1] * line[1]) / length).clamp(0.0, 1.0);
    (way[0] - part * line[0]).hypot(way[1] - part * line[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floor(x: f64, y: f64) -> f64 {
        let hit = Hit { surface: Surface::Floor, point: [x, y, 0.0], normal: [0.0, 0.0, 1.0] };
        shade(&hit, &Object::new(3, 1.0), &Camera::new(0.0))[0]
    }

    #[test]
    fn the_shadow_falls_to_the_right_and_towards_the_camera() {
        assert!(floor(0.35, -0.3) < 0.4, "behind the object, seen from the lamp");
        assert!(floor(-0.35, 0.3) > 0.9 && floor(0.0, -1.0) > 0.9);
    }

    #[test]
    fn the_lamp_fades_to_the_right() {
        assert!(floor(-1.4, 0.7) > 1.2 && floor(3.0, 1.0) < 0.7);
    }

    #[test]
    fn only_what_the_lamp_reaches_has_gloss() {
        let camera = Camera::new(0.0);
        let sphere = Object::new(2, 1.0);
        let gloss = |row| shade(&camera.look(&sphere, 32.0, row), &sphere, &camera)[1];
        assert!(gloss(36.0) > 0.0, "its top");
        assert_eq!(gloss(50.0), 0.0, "its underside");
    }
}
