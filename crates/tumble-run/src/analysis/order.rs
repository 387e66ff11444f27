//! How the axes of grains lie: along each other, and upright or flat.

use super::fit::mean_with_error;
use super::grains::Frame;
use super::{Analysis, Answer, Shown, named};
use crate::{DMat3, DVec3, Model, Shape, State};

/// The nematic order of the grains' axes, and their order about the upright by height.
pub fn order(model: &Model, state: &State) -> Result<Analysis, String> {
    let frame = Frame::of(model, state)?;
    let grains = &state.particles;
    let has_axis = |grain: usize| {
        let shape = &model.species[grains.species[grain] as usize].shape;
        !matches!(shape, Shape::Sphere(_) | Shape::Disc(_) | Shape::Polygon(_))
    };
    let with_axis: Vec<usize> = (0..grains.len()).filter(|&grain| has_axis(grain)).collect();
    if with_axis.len() < 2 {
        return Err("balls and grains of the plane have no axis that could be in order".to_owned());
    }
    let axes: Vec<DVec3> = with_axis
        .iter()
        .map(|&grain| {
            let given = model.species[grains.species[grain] as usize].given_frame.orientation;
            grains.orientation[grain] * (given * DVec3::Z)
        })
        .collect();
    let n = axes.len() as f64;
    let second_legendre = |cosine: f64| 1.5 * cosine * cosine - 0.5;
    let mean =
        axes.iter().fold(DMat3::ZERO, |sum, &axis| sum + DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z))
            * (1.0 / n);
    let director = principal_axis(mean);
    let about = |direction: DVec3| axes.iter().map(|axis| second_legendre(axis.dot(direction))).collect::<Vec<f64>>();
    let up = frame.axes[2];
    let height = frame.height();
    let n_slices = (height / frame.mean_diameter).clamp(1.0, 30.0) as usize;
    let mut slices = vec![Vec::new(); n_slices];
    for (&grain, axis) in with_axis.iter().zip(&axes) {
        let share = (frame.places[grain].z - frame.lower.z) / height;
        slices[((share * n_slices as f64) as usize).min(n_slices - 1)].push(second_legendre(axis.dot(up)));
    }
    let rows = slices.iter().enumerate().map(|(slice, values)| {
        let at = (slice as f64 + 0.5) * height / n_slices as f64;
        let (order, error) = if values.is_empty() { (f64::NAN, f64::NAN) } else { mean_with_error(values) };
        vec![at, order, error, values.len() as f64]
    });
    let rows = rows.collect();
    Ok(Analysis {
        title: "Order of the axes".to_owned(),
        answers: vec![
            Answer::fitted("S2", mean_with_error(&about(director)), ""),
            Answer::fitted("S2 about the upright", mean_with_error(&about(up)), ""),
            Answer::counted("tilt of the director", director.dot(up).abs().min(1.0).acos().to_degrees(), "degrees"),
            // P2 has the variance 1/5 at random; the largest of the three orders is 1.8 deviations of its mean above zero (counted over
            // random sets of 100 and of 400 axes).
            Answer::counted("S2 of as many at random", 1.8 * (0.2 / n).sqrt(), ""),
            Answer::counted("grains with an axis", n, ""),
        ],
        columns: named(&["height_m", "order_about_the_upright", "order_error", "grains"]),
        rows,
        shown: Shown::lines(0, &[1]),
        note: "Of the z axes of the shapes as the scene gives them: S2 = <(3 cos^2 - 1)/2>, 1 if all lie along the director, -1/2 if all \
               lie across it, 0 at random. By height about the upright."
            .to_owned(),
    })
}

/// The direction in which a symmetric tensor without negative values is largest.
fn principal_axis(tensor: DMat3) -> DVec3 {
    // Squaring it again and again leaves the largest alone; it stays within range by its trace.
    let mut power = tensor;
    for _ in 0..30 {
        let trace = power.x_axis.x + power.y_axis.y + power.z_axis.z;
        power *= 1.0 / trace;
        power = power * power;
    }
    let columns = [power.x_axis, power.y_axis, power.z_axis];
    let longest =
        columns.into_iter().fold(DVec3::ZERO, |a, b| if b.length_squared() > a.length_squared() { b } else { a });
    longest.normalize_or(DVec3::Z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::grains::sample;
    use crate::{Cylinder, Species};
    use glam::DQuat;
    use tumble_engine::random::Random;

    #[test]
    fn axes_along_a_direction_and_at_random_have_their_orders() {
        let mut model = sample::model(0.5);
        let rod = Shape::Cylinder(Cylinder { radius: 0.2, half_height: 0.5 });
        model.species[0] = Species::new("rod", &rod, 0);
        let mut random = Random::from_seed(8);
        let places: Vec<DVec3> = (0..4000).map(|k| DVec3::Z * f64::from(k % 8)).collect();
        let mut state = sample::state(&places, 1.0);
        let of = |state: &State, name: &str| {
            let found = order(&model, state).unwrap();
            found.answers.into_iter().find(|answer| answer.name == name).unwrap()
        };
        // All along one direction, which lies 30 degrees off the upright.
        let tilt = DQuat::from_rotation_y(30.0_f64.to_radians());
        state.particles.orientation =
            (0..4000).map(|_| tilt * DQuat::from_rotation_z(random.between(0.0, 6.0))).collect();
        assert!((of(&state, "S2").value - 1.0).abs() < 1e-9);
        assert!((of(&state, "tilt of the director").value - 30.0).abs() < 1e-4);
        assert!((of(&state, "S2 about the upright").value - (1.5 * 0.75 - 0.5)).abs() < 1e-9);
        // Flat: across the upright.
        state.particles.orientation = (0..4000)
            .map(|_| {
                DQuat::from_rotation_z(random.between(0.0, 6.3)) * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2)
            })
            .collect();
        assert!((of(&state, "S2 about the upright").value + 0.5).abs() < 1e-9);
        // At random.
        state.particles.orientation = (0..4000).map(|_| random.orientation()).collect();
        let upright = of(&state, "S2 about the upright");
        assert!(upright.value.abs() < 4.0 * upright.error.unwrap(), "{upright:?}");
        assert!((upright.error.unwrap() - (0.2_f64 / 4000.0).sqrt()).abs() < 5e-4);
        assert!(of(&state, "S2").value < 0.05);
        // Balls have none.
        model.species[0] = model.species[1].clone();
        assert!(order(&model, &state).unwrap_err().contains("no axis"));
    }
}
