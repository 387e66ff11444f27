use super::*;
use crate::oracle::{Sequence, cube_triangles, regular_tetrahedron};
use crate::{Pose, error::Flatness};

/// Everything a hull must be, whatever the points.
fn check_hull(points: &[DVec3], name: &str) -> Polyhedron {
    let hull = convex_hull(points).unwrap_or_else(|e| panic!("{name}: {e}"));
    let size = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let (n_vertices, n_edges, n_faces) = (hull.vertices().len(), hull.edges().len(), hull.faces().len());
    assert_eq!(n_vertices + n_faces, n_edges + 2, "{name}: Euler");
    let mut is_used = vec![false; n_vertices];
    for face in hull.faces() {
        assert!((face.normal.length() - 1.0).abs() < 1e-14, "{name}");
        assert!(face.vertices.len() >= 3, "{name}");
        for &v in &face.vertices {
            is_used[v as usize] = true;
            let off = hull.vertices()[v as usize].dot(face.normal) - face.offset;
            assert!(off.abs() < 2e-13 * size, "{name}: a corner is {:e} off its face", off / size);
        }
        for p in points {
            let above = p.dot(face.normal) - face.offset;
            assert!(above < 4e-13 * size, "{name}: a point is {:e} above a face", above / size);
        }
    }
    assert!(is_used.iter().all(|&used| used), "{name}: a vertex without a face");
    for edge in hull.edges() {
        let [left, right] = [edge.left, edge.right].map(|f| hull.faces()[f as usize].normal);
        let along = hull.vertices()[edge.vertices[1] as usize] - hull.vertices()[edge.vertices[0] as usize];
        // Faces meet convexly, except where rounding leaves no angle to tell.
        assert!(left.cross(right).dot(along.normalize()) > -1e-12, "{name}: a concave edge");
    }
    for vertex in hull.vertices() {
        assert!(points.contains(vertex), "{name}: a vertex that was no point");
    }
    hull
}

fn cube_corners(half_edge: f64) -> Vec<DVec3> {
    cube_triangles(half_edge).0
}

#[test]
fn a_cube_with_points_everywhere_is_a_cube() {
    let mut sequence = Sequence::new(1);
    for scale in [1e-9, 1e-3, 1.0, 1e6] {
        let mut points = cube_corners(scale);
        for k in 0..6 {
            for _ in 0..30 {
                let mut p = sequence.point_in_cube(scale);
                p[k / 2] = if k % 2 == 0 { scale } else { -scale };
                points.push(p);
                let mut on_edge = p;
                on_edge[(k / 2 + 1) % 3] = scale;
                points.push(on_edge);
            }
        }
        points.extend(cube_corners(scale));
        points.extend((0..200).map(|_| sequence.point_in_cube(scale)));
        let hull = check_hull(&points, "cube");
        assert_eq!((hull.vertices().len(), hull.edges().len(), hull.faces().len()), (8, 12, 6));
        assert!((hull.mass_properties().volume / (8.0 * scale.powi(3)) - 1.0).abs() < 1e-14);
        for _ in 0..20 {
            let turn = sequence.orientation();
            let shift = sequence.point_in_cube(5.0 * scale);
            let turned: Vec<DVec3> = points.iter().map(|p| turn * *p + shift).collect();
            let hull = check_hull(&turned, "turned cube");
            assert_eq!((hull.vertices().len(), hull.edges().len(), hull.faces().len()), (8, 12, 6));
            assert!((hull.mass_properties().volume / (8.0 * scale.powi(3)) - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_grid_is_a_box() {
    let points: Vec<DVec3> = (0..1000)
        .map(|k| DVec3::new((k % 10) as f64 * 0.1, (k / 10 % 10) as f64 * 0.1, (k / 100) as f64 * 0.1))
        .collect();
    let hull = check_hull(&points, "grid");
    assert_eq!((hull.vertices().len(), hull.edges().len(), hull.faces().len()), (8, 12, 6));
    let mut sequence = Sequence::new(2);
    for _ in 0..10 {
        let pose = sequence.pose(3.0);
        let turned: Vec<DVec3> = points.iter().map(|p| pose.transform_point(*p)).collect();
        let hull = check_hull(&turned, "turned grid");
        assert_eq!((hull.vertices().len(), hull.edges().len(), hull.faces().len()), (8, 12, 6));
    }
}

#[test]
fn a_thin_prism_keeps_its_volume() {
    let mut sequence = Sequence::new(3);
    for thickness in [1e-3, 1e-6, 1e-9, 1e-10] {
        for n in [3, 4, 7, 30] {
            let ring = crate::oracle::regular_polygon(n, 1.0);
            let flat: Vec<DVec3> =
                ring.iter().flat_map(|c| [0.0, thickness].map(|z| DVec3::new(c.x, c.y, z))).collect();
            let exact = 0.5 * n as f64 * (2.0 * std::f64::consts::PI / n as f64).sin() * thickness;
            let hull = check_hull(&flat, "prism");
            assert_eq!((hull.vertices().len(), hull.faces().len()), (2 * n, n + 2));
            assert!((hull.mass_properties().volume / exact - 1.0).abs() < 1e-13);
            for _ in 0..10 {
                let pose = Pose::new(DVec3::ZERO, sequence.orientation());
                let turned: Vec<DVec3> = flat.iter().map(|p| pose.transform_point(*p)).collect();
                let hull = check_hull(&turned, &format!("turned prism {thickness} thick with {n} sides"));
                let volume = hull.mass_properties().volume;
                // Rounding of the turned coordinates is 1e-16 against the thickness.
                assert!((volume / exact - 1.0).abs() < 1e-15 / thickness + 1e-13, "{volume} {exact}");
            }
        }
    }
}

#[test]
fn random_clouds_of_every_kind_have_hulls() {
    let mut sequence = Sequence::new(4);
    let mut n_hulls = 0;
    for round in 0..3000 {
        let scale = sequence.between_in_ratio(1e-9, 1e6);
        let n = 4 + (sequence.unit() * 40.0) as usize;
        let kind = round % 8;
        let stretch = match kind {
            5 => DVec3::new(1.0, 1.0, 1e-9),
            6 => DVec3::new(1.0, 1e-8, 1e-8),
            _ => DVec3::ONE,
        };
        let turn = if round % 3 == 0 { glam::DQuat::IDENTITY } else { sequence.orientation() };
        let shift = if round % 5 == 0 { sequence.point_in_cube(100.0) } else { DVec3::ZERO };
        let points: Vec<DVec3> = (0..n)
            .map(|k| {
                let p = match kind {
                    // In a ball, on a sphere, on a coarse grid, near a plane, doubled, thin, needles, on a cylinder.
                    0 => sequence.point_in_cube(1.0),
                    1 => sequence.direction(),
                    2 => (sequence.point_in_cube(1.0) * 2.0).round(),
                    3 => sequence.point_in_cube(1.0) * DVec3::new(1.0, 1.0, if k % 4 == 0 { 1.0 } else { 1e-15 }),
                    4 => (sequence.point_in_cube(1.0) * 3.0).round() + sequence.point_in_cube(1e-15),
                    5 | 6 => sequence.point_in_cube(1.0),
                    _ => {
                        let angle = (sequence.unit() * 12.0).floor() / 12.0 * std::f64::consts::TAU;
                        DVec3::new(angle.cos(), angle.sin(), sequence.between(-1.0, 1.0).signum())
                    }
                };
                (turn * (p * stretch) + shift) * scale
            })
            .collect();
        match convex_hull(&points) {
            Ok(_) => {
                n_hulls += 1;
                check_hull(&points, &format!("cloud {round} of kind {kind}"));
            }
            Err(GeometryError::HullWithoutVolume { thickness, size, .. }) => assert!(thickness <= 1e-11 * size),
            Err(other) => panic!("cloud {round} of kind {kind}: {other}"),
        }
    }
    assert!(n_hulls > 2500, "{n_hulls}");
}

#[test]
fn points_on_a_sphere_are_all_vertices() {
    let n = 1000;
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let points: Vec<DVec3> = (0..n)
        .map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / n as f64;
            let rho = (1.0 - z * z).sqrt();
            DVec3::new(rho * (golden * k as f64).cos(), rho * (golden * k as f64).sin(), z)
        })
        .collect();
    let hull = check_hull(&points, "sphere");
    assert_eq!(hull.vertices().len(), n);
    let volume = hull.mass_properties().volume;
    // Each of the 2 n triangles cuts off a cap; for triangles of equal area the loss is 5.9 / n of the volume.
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((1.0 - volume / ball - 5.9e-3).abs() < 3e-4, "{volume}");
    let mut shuffled = points.clone();
    shuffled.reverse();
    let other = check_hull(&shuffled, "sphere backwards").mass_properties().volume;
    assert!((volume / other - 1.0).abs() < 1e-13);
}

#[test]
fn twenty_thousand_points_on_a_sphere_are_no_trouble() {
    let mut sequence = Sequence::new(9);
    let points: Vec<DVec3> = (0..20_000).map(|_| sequence.direction()).collect();
    let hull = convex_hull(&points).unwrap();
    assert_eq!((hull.vertices().len(), hull.faces().len()), (20_000, 39_996));
}

#[test]
fn points_without_volume_are_refused_with_what_they_lie_on() {
    let mut sequence = Sequence::new(5);
    let flatness = |points: &[DVec3]| match convex_hull(points) {
        Err(GeometryError::HullWithoutVolume { flatness, .. }) => flatness,
        other => panic!("{other:?}"),
    };
    for scale in [1e-9, 1.0, 1e6] {
        let p = sequence.point_in_cube(scale);
        assert_eq!(flatness(&[p; 5]), Flatness::Point);
        assert_eq!(flatness(&[DVec3::ZERO; 5]), Flatness::Point);
        let d = sequence.direction();
        let line: Vec<DVec3> = (0..9).map(|k| p + f64::from(k) * scale * d).collect();
        assert_eq!(flatness(&line), Flatness::Line);
        let e = d.any_orthonormal_vector();
        let plane: Vec<DVec3> = (0..20).map(|_| p + scale * (sequence.unit() * d + sequence.unit() * e)).collect();
        assert_eq!(flatness(&plane), Flatness::Plane);
    }
    assert_eq!(convex_hull(&[DVec3::X; 3]), Err(GeometryError::HullPointCount { n_points: 3 }));
    let mut broken = cube_corners(1.0);
    broken[5].y = f64::NAN;
    assert!(matches!(convex_hull(&broken), Err(GeometryError::PointNotFinite { point: 5, .. })));
    broken[5].y = f64::INFINITY;
    assert!(matches!(convex_hull(&broken), Err(GeometryError::PointNotFinite { point: 5, .. })));
}

#[test]
fn faces_in_any_orientation_make_a_polyhedron_and_bad_ones_are_refused() {
    let vertices = cube_corners(1.0);
    let faces: Vec<Vec<u32>> = [[0, 4, 6, 2], [5, 7, 3, 1], [0, 1, 5, 4], [3, 7, 6, 2], [0, 2, 3, 1], [4, 5, 7, 6]]
        .map(|f| f.to_vec())
        .to_vec();
    let cube = Polyhedron::from_faces(&vertices, &faces).unwrap();
    assert_eq!((cube.vertices().len(), cube.edges().len(), cube.faces().len()), (8, 12, 6));
    assert!((cube.mass_properties().volume - 8.0).abs() < 1e-14);

    let mut open = faces.clone();
    open.pop();
    assert!(matches!(Polyhedron::from_faces(&vertices, &open), Err(GeometryError::NotClosed { n_faces: 1, .. })));
    let mut missing = faces.clone();
    missing[2][1] = 8;
    assert!(matches!(
        Polyhedron::from_faces(&vertices, &missing),
        Err(GeometryError::FaceVertexMissing { face: 2, vertex: 8, n_vertices: 8 })
    ));
    let mut repeated = faces.clone();
    repeated[1][1] = 5;
    assert!(matches!(
        Polyhedron::from_faces(&vertices, &repeated),
        Err(GeometryError::FaceVertexCount { face: 1, n_vertices: 3, n_named: 4 })
    ));
    let mut bent = vertices.clone();
    bent[0].x = -1.2;
    assert!(matches!(Polyhedron::from_faces(&bent, &faces), Err(GeometryError::FaceNotFlat { .. })));
    let mut broken = vertices.clone();
    broken[0].x = f64::NAN;
    assert!(matches!(Polyhedron::from_faces(&broken, &faces), Err(GeometryError::PointNotFinite { point: 0, .. })));
    // A pyramid pushed into the cube's top.
    let mut dented = vertices.clone();
    dented.push(DVec3::new(0.0, 0.0, 0.5));
    let mut dented_faces = faces.clone();
    dented_faces.pop();
    dented_faces.extend([vec![4, 5, 8], vec![5, 7, 8], vec![7, 6, 8], vec![6, 4, 8]]);
    assert!(matches!(Polyhedron::from_faces(&dented, &dented_faces), Err(GeometryError::NotConvex { .. })));
    // Two cubes at once.
    let two: Vec<DVec3> = vertices.iter().copied().chain(vertices.iter().map(|v| *v * 0.5)).collect();
    let two_faces: Vec<Vec<u32>> =
        faces.iter().cloned().chain(faces.iter().map(|f| f.iter().map(|v| v + 8).collect())).collect();
    assert!(matches!(Polyhedron::from_faces(&two, &two_faces), Err(GeometryError::NotOneBody { .. })));
    assert!(Polyhedron::from_faces(&[], &[]).is_err());
}

#[test]
fn the_hull_of_a_mesh_says_how_much_volume_it_added() {
    let (vertices, triangles) = cube_triangles(1.0);
    let (hull, report) = hull_of_mesh(&vertices, &triangles).unwrap();
    assert_eq!(hull.faces().len(), 6);
    assert!(report.is_closed && report.added_volume().unwrap().abs() < 1e-14);
    // The cube with a pyramid cut out of its top: a sixth of the volume is missing.
    let mut dented = vertices.clone();
    dented.push(DVec3::ZERO);
    let mut dented_triangles: Vec<[u32; 3]> = triangles[..10].to_vec();
    dented_triangles.extend([[4, 5, 8], [5, 7, 8], [7, 6, 8], [6, 4, 8]]);
    let (_, report) = hull_of_mesh(&dented, &dented_triangles).unwrap();
    assert!((report.mesh_volume - 8.0 * 5.0 / 6.0).abs() < 1e-13, "{report:?}");
    assert!((report.added_volume().unwrap() - 0.2).abs() < 1e-13);
    // As an STL file has it, every triangle with its own corners, all turned inside out.
    let soup: Vec<DVec3> = triangles.iter().flat_map(|t| [t[0], t[2], t[1]]).map(|v| vertices[v as usize]).collect();
    let own: Vec<[u32; 3]> = (0..12).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let (_, report) = hull_of_mesh(&soup, &own).unwrap();
    assert!(report.is_closed && report.added_volume().unwrap().abs() < 1e-14 && report.n_mesh_vertices == 8);
    let (_, report) = hull_of_mesh(&soup, &own[1..]).unwrap();
    assert!(!report.is_closed && report.added_volume().is_none());
    assert!(hull_of_mesh(&soup, &[[0, 1, 99]]).is_err() && hull_of_mesh(&soup, &[]).is_err());
}

#[test]
fn a_tetrahedron_is_its_own_hull() {
    let tetrahedron = regular_tetrahedron(1.0);
    let hull = check_hull(tetrahedron.vertices(), "tetrahedron");
    assert_eq!((hull.vertices().len(), hull.edges().len(), hull.faces().len()), (4, 6, 4));
    assert!((hull.mass_properties().volume - 1.0 / 72f64.sqrt()).abs() < 1e-15);
}
