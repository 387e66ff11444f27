//! How far the faces of a box reach.
//!
//! To grains a box is its faces, and each is half of space. Pictures want faces that end where the scene ends them. The
//! middle of each face is the origin of its frame and its name ends in the side, `box.left`, so faces tell each other's
//! widths: a box that is open at the top is as far above the middle of its sides as its bottom is below.

use crate::schema::FACES;
use glam::DVec3;
use tumble_engine::Model;
use tumble_geometry::Surface;

/// Lengths that differ by less than this share of the box are the same.
const SAME: f64 = 1e-9;

/// A face: its wall, its side and its middle at the start of the run [m].
struct Face {
    wall: usize,
    side: usize,
    middle: DVec3,
}

/// For each wall that is the face of a box, half its widths along its local x and y [m]; `None` along an axis at whose ends
/// the box is open.
pub(crate) fn faces_of_boxes(model: &Model) -> Vec<Option<[Option<f64>; 2]>> {
    let mut found = vec![None; model.walls.len()];
    let mut boxes: Vec<(&str, Vec<Face>)> = Vec::new();
    for (wall, described) in model.walls.iter().enumerate() {
        let Some((name, side)) = described.name.rsplit_once('.') else { continue };
        let Some(side) = FACES.iter().position(|face| face.word == side) else { continue };
        let inwards = DVec3::AXES[side / 2] * if side % 2 == 0 { 1.0 } else { -1.0 };
        let faces_inwards = described.pose.transform_vector(DVec3::Z).distance(inwards) < SAME;
        if !(matches!(described.surface, Surface::HalfSpace) && faces_inwards) {
            continue;
        }
        let face = Face { wall, side, middle: described.pose.position };
        match boxes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, faces)) => faces.push(face),
            None => boxes.push((name, vec![face])),
        }
    }
    for (_, faces) in &boxes {
        let Some(half_widths) = half_widths(faces) else { continue };
        for face in faces {
            let pose = model.walls[face.wall].pose;
            let along = [DVec3::X, DVec3::Y].map(|local| pose.transform_vector(local).abs().max_position());
            found[face.wall] = Some(along.map(|axis| half_widths[axis]));
        }
    }
    found
}

/// Half the widths of a box [m]; `None` if its faces are not those of one box.
fn half_widths(faces: &[Face]) -> Option<[Option<f64>; 3]> {
    let size = faces.iter().flat_map(|a| faces.iter().map(|b| a.middle.distance(b.middle))).fold(0.0, f64::max);
    let is_same = |a: f64, b: f64| (a - b).abs() <= SAME * size;
    let mut found = [None; 3];
    for (axis, half_width) in found.iter_mut().enumerate() {
        let ends: Vec<f64> = faces.iter().filter(|face| face.side / 2 == axis).map(|face| face.middle[axis]).collect();
        let mut middles = faces.iter().filter(|face| face.side / 2 != axis).map(|face| face.middle[axis]);
        let middle = middles.next();
        if middles.any(|other| !is_same(other, middle.unwrap_or(other))) || ends.len() > 2 {
            return None;
        }
        *half_width = match (&ends[..], middle) {
            ([low, high], middle) => {
                if middle.is_some_and(|middle| !is_same(middle, 0.5 * (low + high))) {
                    return None;
                }
                Some(0.5 * (high - low).abs())
            }
            ([end], Some(middle)) => Some((end - middle).abs()),
            _ => None,
        };
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use crate::scene::parse;
    use crate::trajectory::TrajectoryMetadata;
    use std::path::Path;

    fn half_widths(walls: &str) -> Vec<(String, Option<[Option<f64>; 2]>)> {
        let text = format!(
            "materials.glass = {{ density = 2500, young = \"5 MPa\" }}\nparticles.bead = {{ diameter = \"5 mm\" }}\n\
             walls = [{walls}]\ninsert = [{{ fill = {{ region = {{ box = {{ from = [1, 1, 1], to = [2, 2, 2] }} }}, \
             count = 2 }} }}]\ntime.end = 1\n"
        );
        let scene = parse(&text, "scene.toml", Path::new("."), &[]).unwrap_or_else(|report| panic!("{report}"));
        let walls = TrajectoryMetadata::of(&scene.model, "", "").walls;
        walls.into_iter().map(|wall| (wall.name, wall.half_widths)).collect()
    }

    #[test]
    fn a_box_is_as_high_as_the_scene_says_though_its_top_is_open() {
        let found = half_widths("{ name = 'cup', box = { from = [0, 0, 0], to = [4, 6, 30], open = ['top'] } }");
        assert_eq!(found.len(), 5);
        for (name, half_widths) in found {
            let mut widths = half_widths.unwrap().map(|width| width.unwrap().round());
            widths.sort_by(f64::total_cmp);
            let right = match name.as_str() {
                "cup.left" | "cup.right" => [3.0, 15.0],
                "cup.front" | "cup.back" => [2.0, 15.0],
                _ => [2.0, 3.0],
            };
            assert_eq!(widths, right, "{name}");
        }
    }

    #[test]
    fn what_nothing_tells_is_left_open() {
        let tube = "{ name = 'tube', box = { from = [0, 0, 0], to = [4, 6, 30], open = ['top', 'bottom'] } }";
        for (name, half_widths) in half_widths(tube) {
            assert_eq!(half_widths.unwrap().iter().flatten().count(), 1, "{name}");
        }
        // A plane is no box, whatever its name.
        let plane = "{ name = 'a.left', plane = { point = [0, 0, 0], normal = [0, 0, 1] } }";
        assert_eq!(half_widths(plane)[0].1, None);
    }
}
