//! The scene: a square room without a ceiling, an object in its middle, and a camera on a circle
//! around it. Lengths are in units of which the room is 7 wide; x points right, y away and z up for
//! a camera at orientation 0.
//!
//! All numbers were fitted to the 53 frames of the animation that was published with the images.

pub(super) type Vector = [f64; 3];

/// Half the width of the room.
const HALF_ROOM: f64 = 3.5;
/// The height of its walls.
const WALL: f64 = 2.0;

/// The camera: its height, its distance from the middle of the room, its focal length in pixels of
/// an image 64 wide, and the slope at which it looks up.
const CAMERA_HEIGHT: f64 = 0.738;
const CAMERA_DISTANCE: f64 = 2.5;
const FOCAL_LENGTH: f64 = 68.9;
const CAMERA_SLOPE: f64 = 0.003;

/// Where a ray ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Surface {
    Sky,
    Floor,
    /// A wall, at this distance from its middle; to the right of it is positive.
    Wall(f64),
    Object,
}

/// A point of a surface and the direction at right angles to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    pub(super) surface: Surface,
    pub(super) point: Vector,
    pub(super) normal: Vector,
}

/// A camera that looks at the middle of the room.
pub(super) struct Camera {
    eye: Vector,
    forward: Vector,
    right: Vector,
    up: Vector,
}

impl Camera {
    /// At `orientation` degrees on its circle; positive is to the right.
    pub(super) fn new(orientation: f64) -> Self {
        let (sin, cos) = orientation.to_radians().sin_cos();
        let (up, ahead) = CAMERA_SLOPE.sin_cos();
        Self {
            eye: [CAMERA_DISTANCE * sin, -CAMERA_DISTANCE * cos, CAMERA_HEIGHT],
            forward: [-sin * ahead, cos * ahead, up],
            right: [cos, sin, 0.0],
            up: [sin * up, -cos * up, ahead],
        }
    }

    /// The direction in which the camera looks.
    pub(super) fn forward(&self) -> Vector {
        self.forward
    }

    /// What is seen at this place of an image of 64x64 pixels; (0, 0) is its top left corner.
    pub(super) fn look(&self, object: &Object, column: f64, row: f64) -> Hit {
        let [right, up] = [(column - 32.0) / FOCAL_LENGTH, (32.0 - row) / FOCAL_LENGTH];
        let ray = [0, 1, 2]
            .map(|axis| self.forward[axis] + right * self.right[axis] + up * self.up[axis]);
        if let Some((distance, normal)) = object.hit(self.eye, ray) {
            return Hit { surface: Surface::Object, point: along(self.eye, ray, distance), normal };
        }
        room(self.eye, ray)
    }
}

/// Where a ray from within the room ends if there is nothing in it.
fn room(from: Vector, ray: Vector) -> Hit {
    let side = |axis: usize| (HALF_ROOM.copysign(ray[axis]) - from[axis]) / ray[axis];
    let axis = usize::from(side(1) < side(0));
    let point = along(from, ray, side(axis));
    if point[2] < 0.0 {
        let point = along(from, ray, -from[2] / ray[2]);
        return Hit { surface: Surface::Floor, point, normal: [0.0, 0.0, 1.0] };
    }
    let mut normal = [0.0; 3];
    normal[axis] = -ray[axis].signum();
    // Seen from inside, right is the normal turned by a quarter: the wall's own x.
    let across = point[0] * -normal[1] + point[1] * normal[0];
    let surface = if point[2] > WALL { Surface::Sky } else { Surface::Wall(across) };
    Hit { surface, point, normal }
}

/// A thing on the floor in the middle of the room; its sides are those of the room.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    /// Half its width, and its height.
    Block(f64, f64),
    /// Its radius and height.
    Cylinder(f64, f64),
    /// A cylinder with round ends: its radius, and its height with them. A sphere has no more.
    Capsule(f64, f64),
}

impl Object {
    /// 0 cube, 1 cylinder, 2 sphere, 3 capsule.
    pub(super) fn new(shape: usize, scale: f64) -> Self {
        match shape {
            0 => Self::Block(0.3525 * scale, 0.692 * scale),
            1 => Self::Cylinder(0.376 * scale, 0.74 * scale),
            2 => Self::Capsule(0.4215 * scale, 2.0 * 0.4215 * scale),
            _ => Self::Capsule(0.3225 * scale, 1.293 * scale),
        }
    }

    /// How many times the length of `ray` away it is first hit from outside, and the direction at
    /// right angles to it there.
    pub(super) fn hit(&self, from: Vector, ray: Vector) -> Option<(f64, Vector)> {
        match *self {
            Self::Block(half, height) => block(from, ray, half, height),
            Self::Cylinder(radius, height) => {
                tube(from, ray, radius, 0.0, height).or_else(|| lid(from, ray, radius, height))
            }
            Self::Capsule(radius, height) => tube(from, ray, radius, radius, height - radius)
                .or_else(|| ball(from, ray, radius, height - radius))
                .or_else(|| ball(from, ray, radius, radius)),
        }
    }
}

/// A box around the middle of the floor: the ray is inside it between the last of its three entries
/// and the first of its three exits.
fn block(from: Vector, ray: Vector, half: f64, height: f64) -> Option<(f64, Vector)> {
    let (low, high) = ([-half, -half, 0.0], [half, half, height]);
    let (mut enter, mut leave, mut side) = (f64::NEG_INFINITY, f64::INFINITY, 0);
    for axis in 0..3 {
        let [a, b] = [low, high].map(|corner| (corner[axis] - from[axis]) / ray[axis]);
        if a.min(b) > enter {
            (enter, side) = (a.min(b), axis);
        }
        leave = leave.min(a.max(b));
    }
    let mut normal = [0.0; 3];
    normal[side] = -ray[side].signum();
    (enter > 0.0 && enter < leave).then_some((enter, normal))
}

/// The upright side of a cylinder between two heights.
fn tube(from: Vector, ray: Vector, radius: f64, low: f64, high: f64) -> Option<(f64, Vector)> {
    let flat = |v: Vector| [v[0], v[1], 0.0];
    let distance = nearest(flat(from), flat(ray), radius)?;
    let point = along(from, ray, distance);
    let normal = [point[0] / radius, point[1] / radius, 0.0];
    (low..=high).contains(&point[2]).then_some((distance, normal))
}

/// The upper end of a cylinder.
fn lid(from: Vector, ray: Vector, radius: f64, height: f64) -> Option<(f64, Vector)> {
    let distance = (height - from[2]) / ray[2];
    let point = along(from, ray, distance);
    let inside = distance > 0.0 && point[0].hypot(point[1]) <= radius;
    inside.then_some((distance, [0.0, 0.0, 1.0]))
}

/// A sphere over the middle of the floor.
fn ball(from: Vector, ray: Vector, radius: f64, height: f64) -> Option<(f64, Vector)> {
    let distance = nearest([from[0], from[1], from[2] - height], ray, radius)?;
    let point = along(from, ray, distance);
    Some((distance, [point[0] / radius, point[1] / radius, (point[2] - height) / radius]))
}

/// The smaller solution of |from + t·ray| = radius, where it is ahead.
fn nearest(from: Vector, ray: Vector, radius: f64) -> Option<f64> {
    let [a, b, c] = [dot(ray, ray), dot(from, ray), dot(from, from) - radius * radius];
    let root = b * b - a * c;
    let distance = -(b + root.max(0.0).sqrt()) / a;
    (root > 0.0 && distance > 0.0).then_some(distance)
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn along(from: Vector, ray: Vector, distance: f64) -> Vector {
    [0, 1, 2].map(|axis| from[axis] + distance * ray[axis])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_the_image_is_the_object_and_around_it_is_the_room() {
        let (camera, cube) = (Camera::new(0.0), Object::new(0, 1.0));
        let at = |column, row| camera.look(&cube, column, row);
        assert_eq!(at(32.0, 45.0).surface, Surface::Object);
        assert_eq!(at(32.0, 45.0).normal, [0.0, -1.0, 0.0], "its front");
        assert_eq!(at(32.0, 5.0).surface, Surface::Sky);
        assert_eq!(at(10.0, 60.0).surface, Surface::Floor);
        assert!(at(10.0, 60.0).point[2].abs() < 1e-9);
        assert!(matches!(at(60.0, 25.0).surface, Surface::Wall(across) if across > 2.0));
    }

    #[test]
    fn a_camera_on_the_right_sees_the_corner_on_the_left() {
        let sphere = Object::new(2, 0.75);
        let side = |orientation, column| {
            let normal = Camera::new(orientation).look(&sphere, column, 25.0).normal;
            normal.map(f64::round)
        };
        assert_eq!(side(30.0, 10.0), [1.0, 0.0, 0.0], "the left wall");
        assert_eq!(side(30.0, 60.0), [0.0, -1.0, 0.0], "the back wall");
        assert_eq!(side(-30.0, 60.0), [-1.0, 0.0, 0.0], "the right wall");
    }

    #[test]
    fn every_shape_is_hit_where_it_is() {
        let down = |shape, x| Object::new(shape, 1.0).hit([x, 0.0, 10.0], [0.0, 0.0, -1.0]);
        for shape in 0..4 {
            let (distance, normal) = down(shape, 0.0).unwrap();
            assert!(distance > 8.0 && distance < 10.0, "{shape}: {distance}");
            assert!(normal[2] > 0.999, "{shape}: {normal:?}");
            assert!(down(shape, 0.5).is_none(), "{shape}");
        }
        let (distance, normal) =
            Object::new(3, 1.0).hit([-2.0, 0.0, 0.6], [1.0, 0.0, 0.0]).unwrap();
        assert!((distance - (2.0 - 0.3225)).abs() < 1e-9);
        assert!((normal[0] + 1.0).abs() < 1e-9);
    }
}
