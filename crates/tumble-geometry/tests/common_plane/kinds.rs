//! Contacts of each of the nine kinds, built by hand: three of polygons, six of polyhedra. The line of the centroids of the
//! polyhedra is their normal, since from elsewhere the search may stall; what touches is off that line where it can be.

use glam::{DQuat, DVec2, DVec3};
use tumble_geometry::common_plane::{
    Block, CommonPlaneContact, CommonPlaneOptions, ContactKind, EndedBy, FacePoint, contact_common_plane,
};
use tumble_geometry::oracle::{box_of, regular_polygon};
use tumble_geometry::{Polyhedron, Pose, Shape, contact};

/// How far normals [rad], depths and points may be off for bodies of size one: twice the angle at which the search ends.
const CLOSE: f64 = 4e-6;

struct Case {
    kind: ContactKind,
    a: Shape,
    b: Shape,
    pose: Pose,
    normal: DVec3,
    separation: f64,
    point: DVec3,
}

fn polygon(corners: &[DVec2]) -> Shape {
    Shape::polygon(corners, 1.0).unwrap()
}

fn polyhedron(points: &[[f64; 3]]) -> Shape {
    Shape::Polyhedron(Polyhedron::from_points(&points.map_points()).unwrap())
}

trait MapPoints {
    fn map_points(&self) -> Vec<DVec3>;
}

impl MapPoints for [[f64; 3]] {
    fn map_points(&self) -> Vec<DVec3> {
        self.iter().map(|p| DVec3::from_array(*p)).collect()
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z))
}

fn planar_cases() -> Vec<Case> {
    let square = polygon(&[DVec2::NEG_ONE, DVec2::new(1.0, -1.0), DVec2::ONE, DVec2::new(-1.0, 1.0)]);
    let diamond = polygon(&regular_polygon(4, 1.0));
    let case = |kind, a: &Shape, b: &Shape, pose, normal: DVec2, separation, point: DVec2| Case {
        kind,
        a: a.clone(),
        b: b.clone(),
        pose,
        normal: normal.extend(0.0),
        separation,
        point: point.extend(0.0),
    };
    let between = DVec2::new(0.1, 0.02);
    vec![
        case(
            ContactKind::CornerCorner,
            &diamond,
            &diamond,
            at(2.1, 0.02, 0.0),
            between.normalize(),
            between.length(),
            DVec2::new(1.05, 0.01),
        ),
        case(ContactKind::CornerEdge, &square, &diamond, at(1.9, 0.2, 0.0), DVec2::X, -0.1, DVec2::new(0.95, 0.2)),
        case(ContactKind::CornerEdge, &diamond, &square, at(0.2, 1.9, 0.0), DVec2::Y, -0.1, DVec2::new(0.0, 0.95)),
        case(ContactKind::EdgeEdge, &square, &square, at(1.9, 0.6, 0.0), DVec2::X, -0.1, DVec2::new(0.95, 0.3)),
    ]
}

fn solid_cases() -> Vec<Case> {
    let octahedron = polyhedron(&[
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ]);
    let cube = Shape::Polyhedron(box_of(DVec3::ONE));
    // Four corners; the centroid is their mean, one below or above the middle of the axes.
    let edge_up = polyhedron(&[[-1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [-0.5, 1.0, -2.0], [-0.5, -1.0, -2.0]]);
    let edge_down = polyhedron(&[[-1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [-0.5, 1.0, 2.0], [-0.5, -1.0, 2.0]]);
    // A prism on a triangle about its centroid, with its upper face at z = 0.
    let prism = polyhedron(&[
        [-1.0, -1.0, 0.0],
        [2.0, -1.0, 0.0],
        [-1.0, 2.0, 0.0],
        [-1.0, -1.0, -1.0],
        [2.0, -1.0, -1.0],
        [-1.0, 2.0, -1.0],
    ]);
    // A wedge with an edge of length two, downwards along x.
    let wedge = polyhedron(&[
        [-1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [-1.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
    ]);
    let slab = Shape::Polyhedron(box_of(DVec3::new(0.8, 0.8, 0.5)));
    let turned = |angle: f64, z: f64| Pose::new(DVec3::Z * z, DQuat::from_rotation_z(angle));
    let case = |kind, a: &Shape, b: &Shape, pose, separation, x: f64, y: f64, z: f64| Case {
        kind,
        a: a.clone(),
        b: b.clone(),
        pose,
        normal: DVec3::Z,
        separation,
        point: DVec3::new(x, y, z),
    };
    let diagonal = std::f64::consts::FRAC_PI_4;
    // Of the edge along the diagonal of the prism's face the end at (-1, -1)/sqrt(2) is inside, the other is cut off at (1/2, 1/2).
    let cut = 0.5 * (0.5 - 0.5f64.sqrt());
    // The square without the corner that the triangle's long side cuts off.
    let centroid = -0.18 * 0.6 / (2.56 - 0.18);
    vec![
        case(ContactKind::CornerCorner, &octahedron, &octahedron, at(0.0, 0.0, 2.1), 0.1, 0.0, 0.0, 1.05),
        case(ContactKind::CornerEdge, &octahedron, &edge_down, at(0.0, 0.0, 1.1), 0.1, 0.0, 0.0, 1.05),
        case(ContactKind::CornerFace, &octahedron, &cube, turned(0.3, 1.9), -0.1, 0.0, 0.0, 0.95),
        case(ContactKind::CornerFace, &cube, &octahedron, turned(0.3, 1.9), -0.1, 0.0, 0.0, 0.95),
        // Crossed at an angle, and parallel.
        case(ContactKind::EdgeEdge, &edge_up, &edge_down, turned(1.0, -0.05), -0.05, 0.0, 0.0, -0.025),
        case(ContactKind::EdgeEdge, &edge_up, &edge_down, at(0.0, 0.0, 0.1), 0.1, 0.5, 0.0, 0.05),
        case(ContactKind::EdgeFace, &prism, &wedge, turned(diagonal, -0.05), -0.05, cut, cut, -0.025),
        case(ContactKind::FaceFace, &prism, &slab, at(0.0, 0.0, 0.45), -0.05, centroid, centroid, -0.025),
        // One face within the other: their outlines do not cross.
        case(ContactKind::FaceFace, &cube, &slab, turned(0.3, 1.45), -0.05, 0.0, 0.0, 0.975),
    ]
}

fn middle(found: &CommonPlaneContact) -> DVec3 {
    0.5 * (found.contact.point_a + found.contact.point_b)
}

fn check(case: &Case, options: &CommonPlaneOptions) {
    let found = contact_common_plane(&case.a, &case.b, &case.pose, options).unwrap();
    assert_eq!(found.kind, case.kind, "{found:?}");
    assert_eq!(found.ended_by, EndedBy::Both);
    assert!(found.has_common_point && found.iterations > 10, "{found:?}");
    assert!(found.contact.normal.angle_between(case.normal) < CLOSE, "{:?} {found:?}", case.kind);
    assert!((found.contact.separation - case.separation).abs() < CLOSE, "{:?} {found:?}", case.kind);
    assert!(middle(&found).distance(case.point) < CLOSE, "{:?} {:?} {}", case.kind, middle(&found), case.point);
    let exact = contact(&case.a, &case.b, &case.pose).unwrap();
    assert!((exact.separation - case.separation).abs() < 1e-9, "{:?} {exact:?}", case.kind);
}

#[test]
fn polygons_touch_in_three_kinds() {
    for case in planar_cases() {
        check(&case, &CommonPlaneOptions::LIU);
    }
}

#[test]
fn polyhedra_touch_in_six_kinds() {
    let cases = solid_cases();
    for case in &cases {
        check(case, &CommonPlaneOptions::LIU);
    }
    for kind in ContactKind::ALL {
        assert!(cases.iter().any(|case| case.kind == kind), "{kind:?}");
    }
}

#[test]
fn the_classical_point_is_half_way_between_the_nearest_vertices() {
    for case in planar_cases().into_iter().chain(solid_cases()) {
        let ask = |options| contact_common_plane(&case.a, &case.b, &case.pose, &options).unwrap();
        let (classical, improved) = (ask(CommonPlaneOptions::CUNDALL), ask(CommonPlaneOptions::LIU));
        // The same plane.
        assert_eq!(classical.contact.normal, improved.contact.normal);
        assert_eq!(classical.contact.separation, improved.contact.separation);
        assert_eq!((classical.iterations, classical.ended_by), (improved.iterations, EndedBy::Angle));
        let normal = classical.contact.normal;
        let (a, b) = (Block::of(&case.a).unwrap(), Block::of(&case.b).unwrap());
        let farthest =
            [a.farthest(normal), case.pose.transform_point(b.farthest(case.pose.inverse_transform_vector(-normal)))];
        assert!(middle(&classical).distance(0.5 * (farthest[0] + farthest[1])) < 1e-15);
        let off = middle(&classical).distance(case.point);
        match case.kind {
            ContactKind::CornerCorner => assert!(off < CLOSE, "{off}"),
            // Which ends of two edges come first is chance, and they can lie as the middle does.
            ContactKind::EdgeEdge => {}
            _ => assert!(off > 0.1, "{:?}: {off}", case.kind),
        }
    }
}

#[test]
fn the_point_of_two_faces_as_printed_is_off_the_centroid() {
    let printed = CommonPlaneOptions { face_point: FacePoint::Crossings, ..CommonPlaneOptions::LIU };
    let faces: Vec<Case> = solid_cases().into_iter().filter(|case| case.kind == ContactKind::FaceFace).collect();
    let point = |case: &Case| middle(&contact_common_plane(&case.a, &case.b, &case.pose, &printed).unwrap());
    // Equation (16): the outlines cross at (0.8, 0.2) and (0.2, 0.8), and the point is at the rim of what the faces share.
    assert!(point(&faces[0]).truncate().distance(DVec2::splat(0.5)) < CLOSE);
    // Where they do not cross there is nothing to average: the centroid.
    assert!(point(&faces[1]).distance(faces[1].point) < CLOSE);
}

/// Table 1.
#[test]
fn distances_are_those_of_the_nearest_vertices_and_their_difference_is_the_gap() {
    let cube = Shape::Polyhedron(box_of(DVec3::new(1.0, 2.0, 3.0)));
    let square = polygon(&[DVec2::NEG_ONE, DVec2::new(1.0, -1.0), DVec2::ONE, DVec2::new(-1.0, 1.0)]);
    for (shape, normal, reach) in [
        (&cube, DVec3::Y, 2.0),
        (&cube, DVec3::new(1.0, 2.0, 2.0) / 3.0, 11.0 / 3.0),
        (&square, DVec3::new(0.6, 0.8, 0.0), 1.4),
    ] {
        let block = Block::of(shape).unwrap();
        for point in [DVec3::ZERO, DVec3::new(0.3, -0.4, 0.0)] {
            assert!((block.distance_behind(point, normal) - (reach - normal.dot(point))).abs() < 1e-15);
            assert!((block.distance_before(point, normal) - (-reach - normal.dot(point))).abs() < 1e-15);
        }
    }
    assert!(Block::of(&Shape::sphere(1.0).unwrap()).is_none());
}
