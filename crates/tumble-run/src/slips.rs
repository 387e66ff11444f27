//! What in a scene can be run but is likely a slip: a number without its unit, a file in millimetres, a step that takes years.

use tumble_engine::boundary::insertion::Plan;
use tumble_engine::model::TimeStep;
use tumble_engine::time_step;
use tumble_geometry::{Clump, Part, Pose, Shape, Surface, contact};
use tumble_io::figures::number;
use tumble_io::scene::Scene;

/// Young's moduli of what grains are made of, from soft gel to diamond [Pa].
const YOUNG_MODULI: [f64; 2] = [1e4, 1.5e12];
/// Densities from foam to osmium [kg/m^3].
const DENSITIES: [f64; 2] = [10.0, 23_000.0];
/// Radii of grains from dust to boulders [m].
const RADII: [f64; 2] = [1e-7, 2.0];
/// A mesh that is wider than so many of the largest grains was probably drawn in millimetres.
const WIDEST_MESH: f64 = 2000.0;
/// Steps that no one waits for.
const MOST_STEPS: f64 = 2e10;
/// A list of grains that fills less of its bounds than this has places and sizes in different units.
const LEAST_FILLED: f64 = 1e-8;

/// What is likely a slip, in words, each with what to do.
pub fn slips(scene: &Scene) -> Vec<String> {
    let model = &scene.model;
    let mut found = Vec::new();
    let mut outside = |what: String, value: f64, unit: &str, [low, high]: [f64; 2], example: &str| {
        if value < low || value > high {
            let how = if value < low { "below" } else { "above" };
            let bound = if value < low { low } else { high };
            found.push(format!(
                "{what} is {} {unit}, {how} that of anything grains are made of ({} {unit}): was a unit left out? Numbers without one are \
                 in SI units; write \"{example}\"",
                number(value),
                number(bound)
            ));
        }
    };
    for material in &model.materials {
        let name = &material.name;
        outside(format!("materials.{name}.young"), material.young_modulus, "Pa", YOUNG_MODULI, "5 MPa");
        outside(format!("materials.{name}.density"), material.density, "kg/m3", DENSITIES, "2500 kg/m3");
    }
    let largest = largest_radius(scene);
    if !model.insertions.is_empty() && largest > 0.0 {
        let smallest = model.insertions.iter().map(|insertion| insertion.size.smallest()).fold(f64::INFINITY, f64::min);
        let listed = model.insertions.iter().any(|insertion| matches!(insertion.plan, Plan::List { .. }));
        let (radius, which) = if largest > RADII[1] { (largest, "largest") } else { (smallest, "smallest") };
        if largest > RADII[1] || smallest < RADII[0] && !listed {
            found.push(format!(
                "the {which} grain has a radius of {} m: was a unit left out? Numbers without one are in metres, in tables of grains too",
                number(radius)
            ));
        }
    }
    for wall in &model.walls {
        let Surface::Mesh(mesh) = &wall.surface else { continue };
        let Some(bounds) = Surface::Mesh(mesh.clone()).bounds(&wall.pose) else { continue };
        let extent = bounds.extent().max_element();
        if largest > 0.0 && extent > WIDEST_MESH * largest {
            found.push(format!(
                "the mesh of wall `{}` is {} m wide, {} of the largest grain's radius: was it drawn in millimetres? `scale = 0.001` makes \
                 metres of them",
                wall.name,
                number(extent),
                number(extent / largest)
            ));
        } else if extent < largest {
            found.push(format!(
                "the mesh of wall `{}` is {} m wide, less than the largest grain's radius: is its `scale` right?",
                wall.name,
                number(extent)
            ));
        }
    }
    for insertion in &model.insertions {
        let Plan::List { grains, .. } = &insertion.plan else { continue };
        let n = grains.len();
        let (mut lower, mut upper, mut volume) = (glam::DVec3::INFINITY, glam::DVec3::NEG_INFINITY, 0.0);
        for grain in grains.iter() {
            (lower, upper) = (lower.min(grain.position), upper.max(grain.position));
            volume += 4.0 * grain.radius.powi(3);
        }
        let extent = (upper - lower).max(glam::DVec3::splat(2.0 * largest));
        if n > 100 && volume < LEAST_FILLED * extent.element_product() {
            found.push(format!(
                "the {n} grains of the table of insertion `{}` fill {} of the space that they are in: are its places and sizes in the same unit? \
                 Numbers in tables are in SI units",
                insertion.name,
                number(volume / extent.element_product())
            ));
        }
    }
    for species in &model.species {
        if let Shape::Clump(clump) = &species.shape
            && let Some(apart) = part_that_is_apart(clump)
        {
            found.push(format!(
                "part {} of the clump `{}` touches none of the parts that hang together with the first: it is held where it is, at a distance",
                apart + 1,
                species.name
            ));
        }
    }
    found.extend(steps(scene));
    found
}

/// What there is to say of the number and the length of steps.
fn steps(scene: &Scene) -> Vec<String> {
    let model = &scene.model;
    let mut found = Vec::new();
    let recommended = (!model.solver.is_hard()).then(|| time_step::automatic(model, 1.0, None).time_step);
    let step = match model.time_step {
        TimeStep::Fixed(step) => {
            if let Some(recommended) = recommended.filter(|recommended| step > 1.5 * recommended) {
                found.push(format!(
                    "time.step is {:.3e} s, {} of the automatic one ({recommended:.3e} s): a run may lose its energy or fly apart; leave it \
                     out to have it chosen",
                    step,
                    number(step / recommended)
                ));
            }
            Some(step)
        }
        TimeStep::Automatic { safety, speed } if !model.solver.is_hard() => {
            Some(time_step::automatic(model, safety, speed).time_step)
        }
        TimeStep::Automatic { .. } => None,
    };
    if let Some(n) = step.map(|step| scene.stop.time / step).filter(|n| *n > MOST_STEPS) {
        found.push(format!(
            "{} s are {n:.1e} steps of {:.1e} s, years of computing: are grains too stiff, too small, or the end too late?",
            number(scene.stop.time),
            scene.stop.time / n
        ));
    }
    found
}

/// The largest radius of any grain that comes in [m].
fn largest_radius(scene: &Scene) -> f64 {
    let of = |plan: &Plan, largest: f64| match plan {
        Plan::List { grains, .. } => grains.iter().map(|grain| grain.radius).fold(0.0, f64::max),
        _ => largest,
    };
    scene.model.insertions.iter().map(|i| of(&i.plan, i.size.largest())).filter(|r| r.is_finite()).fold(0.0, f64::max)
}

/// The first part of a clump that does not hang together with the first one.
fn part_that_is_apart(clump: &Clump) -> Option<usize> {
    let parts = clump.parts();
    let mut reached = vec![false; parts.len()];
    let mut next = vec![0];
    while let Some(part) = next.pop() {
        if std::mem::replace(&mut reached[part], true) {
            continue;
        }
        next.extend((0..parts.len()).filter(|&other| !reached[other] && do_touch(&parts[part], &parts[other])));
    }
    reached.iter().position(|&reached| !reached)
}

fn do_touch(a: &Part, b: &Part) -> bool {
    let apart = a.pose.position.distance(b.pose.position);
    let reach = a.shape.bounding_radius() + b.shape.bounding_radius();
    if apart > reach * (1.0 + 1e-9) {
        return false;
    }
    let seen: Pose = a.pose.relative(&b.pose);
    // What is not settled is taken for touching: nobody is warned of nothing.
    contact(&a.shape, &b.shape, &seen).map_or(true, |found| found.separation <= 1e-9 * reach)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn of(text: &str) -> Vec<String> {
        slips(
            &tumble_io::scene::parse(text, "scene", Path::new(""), &[])
                .unwrap_or_else(|e| panic!("{}", e.render(false))),
        )
    }

    const BEAD: &str = "particles.bead = { diameter = '5 mm' }
        insert = [{ fill = { region = { box = { from = [0, 0, 0], to = [1, 1, 1] } }, count = 5 } }]
        materials.glass = { density = 2500, young = '5 MPa' }
        time.end = 1\n";

    fn with(from: &str, to: &str) -> Vec<String> {
        assert!(BEAD.contains(from));
        of(&BEAD.replace(from, to))
    }

    #[test]
    fn a_good_scene_has_none_and_each_slip_is_told_with_its_cure() {
        assert_eq!(of(BEAD), Vec::<String>::new());
        for (from, to, told) in [
            ("'5 MPa'", "5", "materials.glass.young is 5 Pa, below"),
            ("'5 MPa'", "'70 TPa'", "materials.glass.young is 7.000e13 Pa, above"),
            ("2500", "2.5", "materials.glass.density is 2.5 kg/m3, below"),
            ("2500", "2500000", "above that of anything"),
            ("time.end = 1", "time = { end = 1, step = '1 ms' }", "of the automatic one"),
            ("time.end = 1", "time.end = 1e7", "steps of"),
        ] {
            let found = with(from, to);
            assert!(found.len() == 1 && found[0].contains(told), "{to}: {found:?}");
        }
        let boulders = of(&BEAD.replace("'5 mm'", "5").replace("[1, 1, 1]", "[100, 100, 100]"));
        assert!(boulders.len() == 1 && boulders[0].contains("the largest grain has a radius of 2.5 m"), "{boulders:?}");
    }

    #[test]
    fn a_mesh_and_a_table_in_millimetres_are_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("tray.obj"), "v 0 0 0\nv 200 0 0\nv 0 300 0\nf 1 2 3\n").unwrap();
        let mut table = "x,y,z,radius\n".to_owned();
        for k in 0..200 {
            table += &format!("{},{},{},0.0025\n", k % 10 * 70, k / 10 % 10 * 70, k / 100 * 70);
        }
        std::fs::write(path("grains.csv"), table).unwrap();
        let scene = |walls: &str, insert: &str| {
            let text = format!(
                "particles.bead = {{ diameter = '5 mm' }}\nmaterials.glass = {{ density = 2500, young = '5 MPa' }}\ntime.end = 1\n{walls}\n{insert}"
            );
            slips(
                &tumble_io::scene::parse(&text, "scene", directory.path(), &[])
                    .unwrap_or_else(|e| panic!("{}", e.render(false))),
            )
        };
        let fill = "insert = [{ fill = { region = { box = { from = [0, 0, 1], to = [1, 1, 2] } }, count = 5 } }]";
        let wide = scene("walls = [{ name = 'tray', mesh = { file = 'tray.obj' } }]", fill);
        assert!(
            wide.len() == 1 && wide[0].contains("the mesh of wall `tray` is 300 m wide") && wide[0].contains("scale"),
            "{wide:?}"
        );
        assert_eq!(scene("walls = [{ mesh = { file = 'tray.obj', scale = 0.001 } }]", fill), Vec::<String>::new());
        let small = scene("walls = [{ mesh = { file = 'tray.obj', scale = 1e-6 } }]", fill);
        assert!(small.len() == 1 && small[0].contains("is its `scale` right?"), "{small:?}");
        let thin = scene("", "insert = [{ file = 'grains.csv' }]");
        assert!(thin.len() == 1 && thin[0].contains("are its places and sizes in the same unit?"), "{thin:?}");
    }

    #[test]
    fn a_clump_whose_parts_do_not_touch_is_told() {
        let clump = |x: &str| {
            of(&format!(
                "shapes.pair.clump.parts = [{{ sphere = {{ radius = '2 mm' }}, position = [0, 0, 0] }}, {{ sphere = {{ radius = '2 mm' }}, position = '{x} 0 0 mm' }}]
                particles.pair = {{ shape = 'pair' }}
                insert = [{{ fill = {{ region = {{ box = {{ from = [0, 0, 0], to = [1, 1, 1] }} }}, count = 5 }} }}]
                materials.glass = {{ density = 2500, young = '5 MPa' }}
                time.end = 1"
            ))
        };
        assert_eq!(clump("3"), Vec::<String>::new());
        let apart = clump("5");
        assert!(apart.len() == 1 && apart[0].contains("part 2 of the clump `pair`"), "{apart:?}");
    }
}
