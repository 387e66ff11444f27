//! Lines and arcs of the planar mode: discs roll over them, polygons rest on them, and both are held in a bowl.

use crate::samples::{grain, model, with_grains};
use crate::support::{interaction, linear, on_threads, residual, run, wall};
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::PI;
use tumble_engine::boundary::wall::Motion;
use tumble_engine::law::ContactEnd;
use tumble_engine::{Model, Simulation};
use tumble_geometry::surface::corners_of_arc;
use tumble_geometry::{Mesh, Pose, Shape, Surface};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);
const DT: f64 = 5e-5;
/// Normal stiffness [N/m]: a disc of half a metre sinks in by a ten-thousandth.
const STIFFNESS: f64 = 1e8;

fn strip(corners: &[DVec2]) -> Surface {
    Surface::Mesh(Mesh::upright(corners, 3.0).unwrap())
}

/// A grain over a wall at rest.
fn over(shape: &Shape, wall_of: Surface, place: DVec2, turn: f64, restitution: f64) -> Simulation {
    let model = Model {
        gravity: DOWN,
        walls: vec![wall("wall", wall_of, Pose::IDENTITY, Motion::Fixed)],
        ..model(std::slice::from_ref(shape), linear(STIFFNESS, ContactEnd::Clamped), interaction(restitution, 0.8), DT)
    };
    let pose = Pose::new(place.extend(0.0), DQuat::from_rotation_z(turn));
    let placed = grain(&model, 0, pose, DVec3::ZERO, DVec3::ZERO);
    Simulation::new(with_grains(model, vec![placed])).unwrap()
}

fn place(simulation: &Simulation) -> DVec3 {
    simulation.state().particles.position[0]
}

#[test]
fn a_disc_rolls_down_a_line_with_two_thirds_of_the_slope() {
    on_threads(1, || {
        let disc = Shape::disc(0.5, 0.2).unwrap();
        let slope: f64 = 0.2;
        let (down, up) = (DVec2::from_angle(-slope), DVec2::from_angle(PI / 2.0 - slope));
        let start = 0.4999 * up;
        let mut simulation = over(&disc, strip(&[-1.0 * down, 6.0 * down]), start, 0.0, 0.3);
        run(&mut simulation, 12_000);
        let time = 12_000.0 * DT;
        let gone = (place(&simulation).truncate() - start).dot(down);
        let expected = 0.5 * (2.0 / 3.0) * 9.81 * slope.sin() * time * time;
        assert!((gone / expected - 1.0).abs() < 2e-3, "{gone} {expected}");
        // On the line, and in the plane to the last bit.
        let height = place(&simulation).truncate().dot(up);
        assert!((height - 0.5).abs() < 2e-4, "{height}");
        assert_eq!(place(&simulation).z, 0.0);
        assert_eq!(simulation.state().particles.angular_velocity[0].truncate(), DVec2::ZERO);
    });
}

#[test]
fn a_disc_rolls_to_and_fro_in_an_arc_as_a_pendulum() {
    on_threads(1, || {
        let (radius, small, swing): (f64, f64, f64) = (3.0, 0.5, 0.5);
        let disc = Shape::disc(small, 0.2).unwrap();
        let reach = radius - small;
        let start = (reach + 1e-5) * DVec2::from_angle(-PI / 2.0 + swing);
        let mut simulation = over(&disc, strip(&corners_of_arc(radius, -PI, 0.0)), start, 0.0, 1.0);
        // Rolling without sliding: the frequency of a pendulum times sqrt(2/3), and its series for a wide swing.
        let series = 1.0 + swing.powi(2) / 16.0 + 11.0 * swing.powi(4) / 3072.0;
        let period = 2.0 * PI * (1.5 * reach / 9.81_f64).sqrt() * series;
        let mut crossings = Vec::new();
        let mut before = place(&simulation).x;
        for step in 1..=(2.2 * period / DT) as u64 {
            simulation.step().unwrap();
            let now = place(&simulation).x;
            if before > 0.0 && now <= 0.0 {
                crossings.push((step as f64 - now / (now - before)) * DT);
            }
            before = now;
        }
        let [first, second, ..] = crossings[..] else { panic!("{crossings:?}") };
        let found = second - first;
        println!("period over that of the pendulum: 1 {:+.1e}", found / period - 1.0);
        // The swing goes over some 35 chords. (Over seven, with a swing of 0.1, the period is 0.5 % short.)
        assert!((found / period - 1.0).abs() < 2e-3, "{found} {period}");
        assert!(residual(&simulation).abs() < 1e-3, "{}", residual(&simulation));
    });
}

#[test]
fn polygons_rest_on_lines_and_in_arcs() {
    on_threads(1, || {
        let square = Shape::regular_polygon(4, 0.5, 0.2).unwrap();
        let triangle = Shape::regular_polygon(3, 0.5, 0.2).unwrap();
        let line = || strip(&[DVec2::new(-2.0, 0.0), DVec2::new(2.0, 0.0)]);
        let bowl = || strip(&corners_of_arc(3.0, -PI, 0.0));
        let cases = [
            ("square on a line", &square, line(), DVec2::new(0.3, 0.36), PI / 4.0 + 0.02),
            ("triangle on a line", &triangle, line(), DVec2::new(0.3, 0.27), PI / 2.0 + 0.03),
            ("square in a bowl", &square, bowl(), DVec2::new(0.4, -2.54), PI / 4.0),
        ];
        for (name, shape, surface, start, turn) in cases {
            let mut simulation = over(shape, surface, start, turn, 0.2);
            run(&mut simulation, 24_000);
            let rest = place(&simulation);
            let kinetic = simulation.kinetic_energy();
            run(&mut simulation, 4_000);
            let crept = place(&simulation).distance(rest);
            println!("{name}: at {rest}, kinetic energy {kinetic:.1e} J, crept {crept:.1e} m");
            // Its weight over a metre is some hundreds of joules.
            assert!(kinetic < 1e-8, "{name}: {kinetic}");
            assert!(crept < 1e-7, "{name}: {crept}");
            assert_eq!(rest.z, 0.0);
            if name.ends_with("line") {
                let turned = simulation.state().particles.orientation[0].to_axis_angle().1;
                let side = 2.0 * PI / if name.starts_with('s') { 4.0 } else { 3.0 };
                let flat = if name.starts_with('s') { PI / 4.0 } else { PI / 2.0 };
                let off = ((turned - flat) / side + 0.5).rem_euclid(1.0) - 0.5;
                assert!((off * side).abs() < 1e-4, "{name}: {turned}");
            }
        }
    });
}
