use super::*;
use crate::model::Material;
use crate::random::Random;
use tumble_geometry::{Mesh, Revolved};

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.normal(), random.normal(), random.normal())
}

/// A model of one wall and nothing else.
fn model_of(surface: Surface, pose: Pose, motion: Motion, gravity: DVec3) -> Model {
    let mut builder = Model::builder();
    let stuff = Material { name: "stuff".into(), density: 1.0, young_modulus: 1.0, poisson_ratio: 0.3 };
    let stuff = builder.material(stuff);
    builder.species("ball", &Shape::sphere(0.2).unwrap(), stuff);
    builder.gravity(gravity).moving_wall(Wall {
        name: "wall".into(),
        surface,
        pose,
        material: stuff,
        motion,
        ..Wall::default()
    });
    builder.build().unwrap()
}

fn ball(position: DVec3, velocity: DVec3) -> Flier {
    Flier { position, velocity, time: 0.1, radius: 0.2 }
}

/// How far a ball is from the wall at a time of the step.
fn separation(walls: &SceneWalls, ball: &Flier, time: f64) -> f64 {
    let flown = time - ball.time;
    let place = ball.position + (ball.velocity + walls.model.gravity * (0.5 * flown)) * flown;
    let at = walls.model.walls[0].placed(walls.begins + time);
    let mut found = Vec::new();
    let seen = at.pose.inverse_transform_point(place);
    walls.images.surface(walls.model, 0).contacts_with_sphere(seen, ball.radius, 10.0, &mut found);
    found.iter().map(|contact| contact.separation).fold(f64::INFINITY, f64::min)
}

#[test]
fn formulas_and_conservative_advancement_find_the_same_meetings() {
    let mut random = Random::from_seed(1);
    let tilted = Pose::new(DVec3::new(0.1, 0.2, 0.3), random.orientation());
    let shakes = Motion::Vibrate { amplitude: DVec3::new(0.1, 0.0, 0.2), frequency: 2.0, start: 0.0, stop: 100.0 };
    let moves = Motion::Translate { velocity: DVec3::new(0.3, 0.1, 0.5), start: 0.0, stop: 100.0 };
    let tube = Surface::Revolved(Revolved::tube(1.0, 8.0).unwrap());
    for (surface, motion) in [
        (Surface::HalfSpace, Motion::Fixed),
        (Surface::HalfSpace, moves),
        (Surface::HalfSpace, shakes),
        (tube, Motion::Fixed),
    ] {
        let model = model_of(surface.clone(), tilted, motion.clone(), DVec3::new(0.3, 0.0, -1.5));
        let images = WallImages::new(&model);
        let boxes = WallBoxes::new(&model);
        let walls = SceneWalls::new(&model, &images, &boxes, 1.0, 3.0);
        let mut met = 0;
        for _ in 0..200 {
            let place = match surface {
                Surface::HalfSpace => tilted.transform_point(vector(&mut random) + DVec3::Z * 2.5),
                _ => tilted.transform_point(random.direction() * random.between(0.0, 0.79)),
            };
            let ball = ball(place, vector(&mut random));
            if separation(&walls, &ball, ball.time) <= 0.0 {
                // It begins inside.
                continue;
            }
            let formula = match surface {
                Surface::HalfSpace => walls.half_space(&model.walls[0], &ball, 2.1),
                _ => walls.tube(&model.walls[0], &surface, &ball, 2.1),
            };
            let by_advancement = walls.advance_ball(0, &ball, 2.1);
            match (formula.unwrap(), by_advancement) {
                (Search::Meets(one), Search::Meets(other)) => {
                    met += 1;
                    assert!((one - other).abs() < 1e-6, "{motion:?}: {one} {other}");
                    let left = separation(&walls, &ball, ball.time + one);
                    assert!(left.abs() < 1e-13, "{motion:?}: {left:e} after {one}");
                }
                (Search::Meets(one), Search::NotBefore(until)) => {
                    assert!(one >= until - 1e-9, "{motion:?}: {one} {until}")
                }
                (Search::NotBefore(until), Search::NotBefore(_)) => assert_eq!(until, 2.0),
                (none, Search::Meets(other)) => panic!("{motion:?}: {none:?} {other}"),
            }
        }
        assert!(met > 60, "{motion:?}: {met}");
    }
}

#[test]
fn a_paddle_that_turns_is_met_where_dense_sampling_says() {
    let corners = [[0.2, 0.0, -1.0], [1.5, 0.0, -1.0], [1.5, 0.0, 1.0], [0.2, 0.0, 1.0]].map(DVec3::from_array);
    let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let motion = Motion::Rotate { point: DVec3::ZERO, axis: DVec3::Z, speed: 2.0, start: 1.3, stop: 2.4 };
    let model = model_of(Surface::Mesh(mesh), Pose::IDENTITY, motion, DVec3::NEG_Z * 0.5);
    let images = WallImages::new(&model);
    let boxes = WallBoxes::new(&model);
    let walls = SceneWalls::new(&model, &images, &boxes, 1.0, 3.0);
    let mut random = Random::from_seed(2);
    let mut met = 0;
    for _ in 0..100 {
        let ball = ball(DVec3::new(random.normal(), random.normal(), 0.0), vector(&mut random) * 0.5);
        if separation(&walls, &ball, ball.time) < 0.01 {
            continue;
        }
        let sampled = (0..=4000).map(|k| 0.1 + 0.0005 * f64::from(k)).find(|&t| separation(&walls, &ball, t) <= 0.0);
        match (walls.next(&ball, 2.1), sampled) {
            (NextWall::Meets(time, 0), Some(later)) => {
                met += 1;
                assert!(time <= later && time > later - 6e-4, "{time} {later}");
                let (normal, velocity) = {
                    let flown = time - ball.time;
                    let gravity = model.gravity;
                    let there = Flier {
                        position: ball.position + (ball.velocity + gravity * (0.5 * flown)) * flown,
                        velocity: ball.velocity + gravity * flown,
                        time,
                        ..ball
                    };
                    let (normal, velocity) = walls.meet(0, &there);
                    (normal, there.velocity - velocity)
                };
                assert!(velocity.dot(normal) > 0.0, "they approach");
            }
            (NextWall::Nothing, None) => {}
            (NextWall::Meets(time, _), None) => {
                assert!(time > 2.0995 || separation(&walls, &ball, time + 2.5e-4) > -1e-3)
            }
            (NextWall::LookAgain(until), sampled) => assert!(sampled.is_none_or(|time| time >= until)),
            (next, sampled) => panic!("{next:?} {sampled:?}"),
        }
    }
    assert!(met > 20, "{met}");
}
