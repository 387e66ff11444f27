//! Contact questions written down, so that a contact that failed in a run can be asked for again.

use serde_json::{Value, json};
use tumble_geometry::{Pose, Shape};

/// The question for the contact of two shapes, as one line of JSON without the line's end; `None` for clumps, which a
/// question cannot name (ask for their parts).
pub fn question(id: &str, shapes: [&Shape; 2], poses: [&Pose; 2]) -> Option<String> {
    let body = |k: usize| Some(json!({ "shape": shape(shapes[k])?, "pose": pose(shapes[k], poses[k]) }));
    Some(json!({ "id": id, "A": body(0)?, "B": body(1)? }).to_string())
}

fn shape(shape: &Shape) -> Option<Value> {
    Some(match shape {
        Shape::Sphere(s) => json!({ "type": "sphere", "r": s.radius }),
        Shape::Cylinder(c) => json!({ "type": "cylinder", "r": c.radius, "h": c.half_height }),
        Shape::Capsule(c) => json!({ "type": "capsule", "r": c.radius, "h": c.half_height }),
        Shape::TruncatedCone(c) => {
            json!({ "type": "cone", "r1": c.lower_radius, "r2": c.upper_radius, "h": 0.5 * c.height })
        }
        Shape::Tablet(t) => {
            json!({ "type": "tablet", "r": t.radius, "h": t.half_height, "dome": t.dome_height })
        }
        Shape::Superquadric(s) => {
            let [a, b, c] = s.semi_axes.to_array();
            json!({ "type": "superquadric", "a": a, "b": b, "c": c, "n1": s.n1, "n2": s.n2 })
        }
        Shape::Polyhedron(p) => {
            let vertices: Vec<[f64; 3]> = p.vertices().iter().map(|v| v.to_array()).collect();
            let faces: Vec<&[u32]> = p.faces().iter().map(|face| face.vertices.as_slice()).collect();
            json!({ "type": "polyhedron", "vertices": vertices, "faces": faces })
        }
        Shape::Disc(d) => json!({ "type": "disc", "r": d.radius }),
        Shape::Polygon(p) => {
            let vertices: Vec<[f64; 2]> = p.corners().iter().map(|c| c.to_array()).collect();
            json!({ "type": "polygon", "vertices": vertices })
        }
        Shape::Clump(_) => return None,
    })
}

fn pose(shape: &Shape, pose: &Pose) -> Value {
    let [x, y, z] = pose.position.to_array();
    let q = pose.orientation;
    if shape.kind().is_planar() {
        json!({ "position": [x, y], "angle": 2.0 * q.z.atan2(q.w) })
    } else {
        json!({ "position": [x, y, z], "quaternion": [q.w, q.x, q.y, q.z] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact_query::{Answer, Way, answer_line};
    use glam::{DQuat, DVec2, DVec3};
    use tumble_geometry::narrow::contact;

    #[test]
    fn a_written_question_has_the_answer_of_the_shapes() {
        let corners = [[0.5, -0.1], [0.3, 0.4], [-0.5, 0.0]].map(DVec2::from_array);
        let shapes = [
            Shape::sphere(0.5),
            Shape::cylinder(0.4, 0.7),
            Shape::capsule(0.2, 0.6),
            Shape::truncated_cone(0.5, 0.2, 0.7),
            Shape::tablet(0.5, 0.4, 0.1),
            Shape::superquadric(DVec3::new(0.5, 0.4, 0.3), 4.0, 3.0),
            Shape::cuboid(DVec3::new(0.5, 0.7, 0.4)),
            Shape::disc(0.4, 1.0),
            Shape::polygon(&corners, 1.0),
        ]
        .map(Result::unwrap);
        for shape in &shapes {
            let planar = shape.kind().is_planar();
            let turn =
                if planar { DQuat::from_rotation_z(0.7) } else { DQuat::from_xyzw(0.1, 0.3, -0.2, 0.9).normalize() };
            let poses = [Pose::IDENTITY, Pose::new(DVec3::new(0.3, 0.4, if planar { 0.0 } else { 0.2 }), turn)];
            let line = question("again", [shape, shape], [&poses[0], &poses[1]]).unwrap();
            let Answer::Contact(answer) = answer_line(&line, Way::PLAIN) else { panic!("{line}") };
            let direct = contact(shape, shape, &poses[0].relative(&poses[1])).unwrap();
            assert!((answer.separation - direct.separation).abs() < 1e-12, "{line}: {}", answer.separation);
        }
    }
}
