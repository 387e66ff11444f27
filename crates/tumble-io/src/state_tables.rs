//! A moment of a run as tables: grains, contacts and walls as comma-separated values, one row each.
//!
//! Numbers are written with the fewest digits that read back to the same bits. The table of grains is one that a scene reads
//! (`insert.file`): sizes are those that scenes speak of, orientations those of the frames in which shapes are given.

use crate::atomic_file;
use crate::file_error::FileError;
use crate::scene::size_of;
use crate::table::{push_number, quoted};
use glam::DQuat;
use std::io::Write;
use std::path::Path;
use tumble_engine::observe::Partner;
use tumble_engine::{Model, Simulation, State};

/// Names of the files.
const FILES: [&str; 3] = ["grains.csv", "contacts.csv", "walls.csv"];

/// Writes all three tables into a directory, which is made if it is not there. Returns their names and numbers of rows.
///
/// ```
/// use glam::DVec3;
/// use tumble_engine::{Model, Simulation};
/// # use tumble_engine::model::Material;
/// # use tumble_geometry::{Shape, Sphere};
/// # let directory = tempfile::tempdir().unwrap();
/// # let mut builder = Model::builder();
/// # let glass = builder.material(Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 });
/// # let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
/// # builder.grain(bead, DVec3::Z);
/// # let simulation = Simulation::new(builder.build()?)?;
/// tumble_io::state_tables::write(directory.path(), &simulation)?;
/// let grains = std::fs::read_to_string(directory.path().join("grains.csv"))?;
/// assert!(grains.lines().nth(1).unwrap().starts_with("0,bead,0,0,1,0.005,"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(directory: &Path, simulation: &Simulation) -> Result<[(&'static str, usize); 3], FileError> {
    std::fs::create_dir_all(directory).map_err(FileError::of("create", directory))?;
    let (model, state) = (simulation.model(), simulation.state());
    let tables = [grains(model, state), contacts(simulation), walls(model, state)];
    let mut written = FILES.map(|name| (name, 0));
    for ((name, rows), table) in written.iter_mut().zip(&tables) {
        atomic_file::replace(&directory.join(*name), |file| file.write_all(table.as_bytes()))?;
        *rows = table.lines().count() - 1;
    }
    Ok(written)
}

fn row(table: &mut String, words: &[&str], numbers: impl IntoIterator<Item = f64>) {
    *table += &words.iter().map(|&word| quoted(word)).collect::<Vec<_>>().join(",");
    for number in numbers {
        table.push(',');
        push_number(table, number);
    }
    table.push('\n');
}

fn quaternion(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

fn grains(model: &Model, state: &State) -> String {
    let mut table = "id,species,x,y,z,radius,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n".to_owned();
    let p = &state.particles;
    let sizes: Vec<f64> = model.species.iter().map(|species| size_of(&species.shape, species.volume)).collect();
    // By id: the order in memory means nothing to anyone.
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_unstable_by_key(|&grain| p.id[grain]);
    for i in order {
        let species = &model.species[p.species[i] as usize];
        let orientation = p.orientation[i] * species.given_frame.orientation;
        let numbers = p.position[i]
            .to_array()
            .into_iter()
            .chain([sizes[p.species[i] as usize] * p.scale[i]])
            .chain(quaternion(orientation))
            .chain(p.velocity[i].to_array())
            .chain(p.angular_velocity[i].to_array());
        row(&mut table, &[&p.id[i].to_string(), &species.name], numbers);
    }
    table
}

fn contacts(simulation: &Simulation) -> String {
    let (model, state) = (simulation.model(), simulation.state());
    let mut table =
        "grain,other_grain,wall,x,y,z,normal_x,normal_y,normal_z,force_x,force_y,force_z,overlap\n".to_owned();
    for contact in simulation.contacts() {
        let (other, wall) = match contact.partner {
            Partner::Particle(b) => (state.particles.id[b].to_string(), ""),
            Partner::Wall(wall) => (String::new(), model.walls[wall].name.as_str()),
        };
        let vectors = [contact.point, contact.normal, contact.force];
        let numbers = vectors.into_iter().flat_map(|vector| vector.to_array()).chain([contact.overlap]);
        row(&mut table, &[&state.particles.id[contact.a].to_string(), &other, wall], numbers);
    }
    table
}

fn walls(model: &Model, state: &State) -> String {
    let mut table = "wall,present,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,\
                     force_x,force_y,force_z,torque_x,torque_y,torque_z\n"
        .to_owned();
    for (wall, now) in model.walls.iter().zip(&state.walls) {
        let vectors = [now.velocity, now.angular_velocity, now.force, now.torque];
        let numbers = now.pose.position.to_array().into_iter().chain(quaternion(now.pose.orientation));
        let numbers = numbers.chain(vectors.into_iter().flat_map(|vector| vector.to_array()));
        row(&mut table, &[&wall.name, if now.present { "1" } else { "0" }], numbers);
    }
    table
}
