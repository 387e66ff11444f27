//! How a bed that is pressed or sheared answers: stress over strain, stiffness, friction angle.

use super::fit::{mean_with_error, slope_of_series};
use super::{Analysis, Answer, Shown, named};
use crate::{DMat3, DVec3, Model, State};
use tumble_io::Table;

/// Share of the largest stress at which the wall counts as touching the bed.
const TOUCH: f64 = 0.01;
/// Shares of the largest stress between which the stiffness is fitted.
const FITTED: [f64; 2] = [0.2, 0.8];
/// Share of the largest stress beyond which the friction angle is taken.
const LOADED: f64 = 0.9;
const AXES: [&str; 3] = ["x", "y", "z"];

/// The wall that moved most, or one by its name: how far and which way it had moved at each row, from a table of `wall_loads`.
fn motion(model: &Model, loads: &Table, name: Option<&str>) -> Result<(String, Vec<DVec3>), String> {
    let path = |wall: &str| -> Option<Vec<DVec3>> {
        let [x, y, z] = AXES.map(|axis| loads.column(&format!("{wall}_{axis}_m")));
        let (x, y, z) = (x?, y?, z?);
        Some((0..x.len()).map(|row| DVec3::new(x[row], y[row], z[row])).collect())
    };
    let travel = |path: &[DVec3]| {
        let first = path.first().copied().unwrap_or(DVec3::ZERO);
        path.iter().map(|place| place.distance(first)).fold(0.0, f64::max)
    };
    if let Some(name) = name {
        let found = path(name).ok_or_else(|| format!("the probe tells nothing of a wall `{name}`"))?;
        return Ok((name.to_owned(), found));
    }
    let moved = model.walls.iter().filter_map(|wall| Some((wall.name.clone(), path(&wall.name)?)));
    let moved = moved.max_by(|a, b| travel(&a.1).total_cmp(&travel(&b.1)));
    moved.filter(|(_, path)| travel(path) > 0.0).ok_or_else(|| "no wall has moved: what strains the bed?".to_owned())
}

/// Largest and smallest principal value of a symmetric tensor.
fn principal(tensor: DMat3) -> [f64; 2] {
    // In closed form (Smith 1961, Commun. ACM 4:168).
    let symmetric = (tensor + tensor.transpose()) * 0.5;
    let mean = (symmetric.x_axis.x + symmetric.y_axis.y + symmetric.z_axis.z) / 3.0;
    let rest = symmetric - DMat3::from_diagonal(DVec3::splat(mean));
    let size = (rest.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>() / 6.0).sqrt();
    if size == 0.0 {
        return [mean, mean];
    }
    let angle = (0.5 * (rest * (1.0 / size)).determinant()).clamp(-1.0, 1.0).acos() / 3.0;
    let third = std::f64::consts::TAU / 3.0;
    [mean + 2.0 * size * angle.cos(), mean + 2.0 * size * (angle + third).cos()]
}

/// Stress over strain of a bed between walls, one of which moved. `loads` is the table of a `wall_loads` probe, `stresses` that of a
/// `stress` probe, if there is one; the state is that of the end.
pub fn stress_strain(
    model: &Model,
    last: &State,
    loads: &Table,
    stresses: Option<&Table>,
    wall: Option<&str>,
) -> Result<Analysis, String> {
    let column =
        |name: &str| loads.column(name).ok_or_else(|| format!("the probe of wall loads has no column `{name}`"));
    let (name, path) = motion(model, loads, wall)?;
    let times = column("time_s")?;
    let [fx, fy, fz] = AXES.map(|axis| format!("{name}_force_{axis}_N"));
    let (fx, fy, fz) = (column(&fx)?, column(&fy)?, column(&fz)?);
    let first = path.first().copied().unwrap_or(DVec3::ZERO);
    let farthest = path.iter().copied().fold(first, |a, b| if b.distance(first) > a.distance(first) { b } else { a });
    let direction = (farthest - first).normalize_or_zero();
    // The load of the grains on the wall is against the way it goes.
    let force: Vec<f64> = (0..times.len()).map(|row| -DVec3::new(fx[row], fy[row], fz[row]).dot(direction)).collect();
    let peak_force = force.iter().copied().fold(0.0, f64::max);
    let Some(touch) = force.iter().position(|&force| force > TOUCH * peak_force).filter(|_| peak_force > 0.0) else {
        return Err(format!("the wall `{name}` moved, but nothing pressed against it"));
    };
    let moved = |row: usize| (path[row] - path[touch]).dot(direction);
    let places = &last.particles.position;
    let reach = |along: DVec3| {
        let half = super::grains::half_heights(model, last, along);
        let ends = places.iter().zip(half).map(|(place, half)| place.dot(along) + half);
        ends.fold(f64::NEG_INFINITY, f64::max)
    };
    let extent = |along: DVec3| reach(along) + reach(-along);
    let length = extent(direction) + moved(path.len() - 1);
    let (a, b) = match DVec3::AXES.into_iter().position(|axis| axis.dot(direction).abs() > 1.0 - 1e-6) {
        Some(axis) => (DVec3::AXES[(axis + 1) % 3], DVec3::AXES[(axis + 2) % 3]),
        None => direction.any_orthonormal_pair(),
    };
    let area = extent(a) * extent(b);
    let tensors = stresses.map(|table| stress_tensors(table, times)).transpose()?;
    let stress: Vec<f64> = match &tensors {
        Some(tensors) => tensors.iter().map(|tensor| direction.dot(*tensor * direction)).collect(),
        None => force.iter().map(|force| force / area).collect(),
    };
    let rows: Vec<Vec<f64>> = (touch..times.len())
        .map(|row| {
            let friction = tensors.as_ref().map_or(f64::NAN, |tensors| {
                let [largest, smallest] = principal(tensors[row]);
                ((largest - smallest) / (largest + smallest)).clamp(-1.0, 1.0).asin().to_degrees()
            });
            vec![moved(row) / length, stress[row], friction, times[row], force[row]]
        })
        .collect();
    let peak = (0..rows.len()).max_by(|&a, &b| rows[a][1].total_cmp(&rows[b][1])).unwrap_or(0);
    let largest = rows[peak][1];
    let mut answers = Vec::new();
    let loading: Vec<&Vec<f64>> =
        rows[..=peak].iter().filter(|row| row[1] >= FITTED[0] * largest && row[1] <= FITTED[1] * largest).collect();
    if loading.len() >= 8 {
        let (strain, stress): (Vec<f64>, Vec<f64>) = loading.iter().map(|row| (row[0], row[1])).unzip();
        answers.push(Answer::fitted("stiffness", slope_of_series(&strain, &stress), "Pa"));
    }
    let unloading: Vec<&Vec<f64>> = rows[peak..]
        .iter()
        .take_while(|row| row[1] > FITTED[0] * largest)
        .filter(|row| row[1] <= LOADED * largest)
        .collect();
    let has_unloaded = unloading.last().is_some_and(|row| row[1] < 0.5 * largest);
    if unloading.len() >= 8 && has_unloaded {
        let (strain, stress): (Vec<f64>, Vec<f64>) = unloading.iter().map(|row| (row[0], row[1])).unzip();
        answers.push(Answer::fitted("stiffness unloading", slope_of_series(&strain, &stress), "Pa"));
    }
    answers.push(Answer::counted("largest stress", largest, "Pa"));
    answers.push(Answer::counted("strain there", rows[peak][0], ""));
    if tensors.is_some() {
        let angles: Vec<f64> = rows.iter().filter(|row| row[1] > LOADED * largest).map(|row| row[2]).collect();
        answers.push(Answer::fitted("friction angle mobilised", mean_with_error(&angles), "degrees"));
    }
    answers.push(Answer::counted("length before", length, "m"));
    answers.push(Answer::counted("area", area, "m^2"));
    let source =
        if tensors.is_some() { "the stress of the probe" } else { "the force on the wall over the area of the bed" };
    Ok(Analysis {
        title: "Stress and strain".to_owned(),
        answers,
        columns: named(&["strain", "stress_Pa", "friction_angle_degrees", "time_s", "force_N"]),
        rows,
        shown: Shown::lines(0, &[1]),
        note: format!(
            "Strain: how far the wall `{name}` had moved since it touched the bed, over the length of the bed then. Stress: {source}. \
             Stiffness: a line through the rows with {:.0} to {:.0} % of the largest stress while it rose, its error from four parts. Friction \
             angle: sin = (s1 - s3)/(s1 + s3) of the principal stresses beyond {:.0} % of the largest stress.",
            100.0 * FITTED[0],
            100.0 * FITTED[1],
            100.0 * LOADED
        ),
    })
}

/// The stress at given times, contact and kinetic parts together, from a table with the same times.
fn stress_tensors(table: &Table, times: &[f64]) -> Result<Vec<DMat3>, String> {
    let own = table.column("time_s").ok_or("the stress probe has no column `time_s`")?;
    let mut entries = Vec::new();
    for row in AXES {
        for column in AXES {
            let part = |kind: &str| table.column(&format!("stress_{row}{column}_{kind}_Pa"));
            let (contact, kinetic) = part("contact").zip(part("kinetic")).ok_or("the stress probe lacks a column")?;
            entries.push(contact.iter().zip(kinetic).map(|(a, b)| a + b).collect::<Vec<f64>>());
        }
    }
    times
        .iter()
        .map(|&time| {
            let row = own.iter().position(|&own| (own - time).abs() <= 1e-9 * time.abs().max(1e-9));
            let row = row.ok_or(
                "the probes of stress and wall loads have rows at different times: give both the same `interval`",
            )?;
            let entry = |place: usize| entries[place][row];
            Ok(DMat3::from_cols_array(&std::array::from_fn(|k| entry(3 * (k % 3) + k / 3))))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::grains::sample;
    use crate::{Pose, Surface};
    use tumble_io::TableWriter;

    #[test]
    fn principal_values_are_those_of_the_tensor() {
        let turn = DMat3::from_quat(glam::DQuat::from_rotation_x(0.7) * glam::DQuat::from_rotation_z(0.3));
        let tensor = turn * DMat3::from_diagonal(DVec3::new(3.0, 1.0, 2.0)) * turn.transpose();
        let [largest, smallest] = principal(tensor);
        assert!((largest - 3.0).abs() < 1e-12 && (smallest - 1.0).abs() < 1e-12);
        assert_eq!(principal(DMat3::from_diagonal(DVec3::splat(2.0))), [2.0, 2.0]);
    }

    #[test]
    fn a_spring_with_a_gap_has_its_stiffness_and_its_friction_angle() {
        let directory = tempfile::tempdir().unwrap();
        let mut model = sample::model(0.5);
        let glass = model.species[0].material;
        let mut builder = crate::Model::builder();
        let material = builder.material(model.materials[glass as usize].clone());
        builder.wall("lid", Surface::HalfSpace, Pose::IDENTITY, material);
        model.walls = builder.build().unwrap().walls;
        // A bed of four by four by ten metres at the end, pressed by 0.1 m from above; the wall went 0.05 m before it touched.
        let places: Vec<DVec3> =
            (0..160).map(|k| DVec3::new(f64::from(k % 4), f64::from(k / 4 % 4), f64::from(k / 16)) + 0.5).collect();
        let last = sample::state(&places, 1.0);
        let modulus = 2e5;
        let mut columns = vec!["time_s".to_owned()];
        columns.extend(AXES.map(|axis| format!("lid_force_{axis}_N")));
        columns.extend(AXES.map(|axis| format!("lid_{axis}_m")));
        let path = directory.path().join("loads.csv");
        let mut loads = TableWriter::create(&path, &columns).unwrap();
        let mut names = vec!["time_s".to_owned()];
        for kind in ["contact", "kinetic"] {
            for row in AXES {
                names.extend(AXES.map(|column| format!("stress_{row}{column}_{kind}_Pa")));
            }
        }
        let path_of_stress = directory.path().join("stress.csv");
        let mut stress = TableWriter::create(&path_of_stress, &names).unwrap();
        for row in 0..=150 {
            let (time, moved) = (0.01 * f64::from(row), 0.001 * f64::from(row));
            let pressed = (moved - 0.05_f64).max(0.0);
            let normal = modulus * pressed / 10.1;
            loads.row(&[time, 0.0, 0.0, 16.0 * normal, 0.0, 0.0, 11.0 - moved]).unwrap();
            let mut tensor = vec![0.0; 19];
            (tensor[0], tensor[1], tensor[5], tensor[9]) = (time, normal / 3.0, normal / 3.0, normal);
            stress.row(&tensor).unwrap();
        }
        loads.flush().unwrap();
        stress.flush().unwrap();
        let (loads, stress) = (Table::read(&path).unwrap(), Table::read(&path_of_stress).unwrap());
        for table in [None, Some(&stress)] {
            let found = stress_strain(&model, &last, &loads, table, None).unwrap();
            let value = |name: &str| found.answers.iter().find(|answer| answer.name == name).unwrap().value;
            // The length is that at the first row whose force is felt, a hundredth of the way.
            assert!((value("stiffness") / modulus - 1.0).abs() < 2e-3, "{:?}", found.answers);
            assert!((value("length before") - 10.1).abs() < 0.003 && (value("area") - 16.0).abs() < 1e-9);
            if table.is_some() {
                // s1 = 3 s3: sin = 1/2. Of two equal principal values the closed form has half of the digits.
                assert!((value("friction angle mobilised") - 30.0).abs() < 1e-5, "{:?}", found.answers);
            }
        }
        assert!(stress_strain(&model, &last, &loads, None, Some("floor")).unwrap_err().contains("`floor`"));
    }
}
