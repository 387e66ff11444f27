//! The law of Beverloo, Leniger & van de Velde (Chem. Eng. Sci. 15 (1961) 260) through several discharges:
//! W = C rho sqrt(g) (D - k d)^(5/2), with W the mass rate, rho the bulk density, D the width of the opening and d that of a grain.

use super::fit::{Line, mean_with_error};
use super::{Analysis, Answer, Shown, named};

/// The power of the width of a round opening.
const EXPONENT: f64 = 2.5;
/// The k at which the exponent is fitted, for both cannot be had from one curve.
const USUAL_K: f64 = 1.4;

/// One discharge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outflow {
    /// Width of the opening [m].
    pub opening: f64,
    /// Mass rate and its standard error [kg/s].
    pub rate: (f64, f64),
    /// Bulk density before the opening [kg/m^3].
    pub bulk_density: f64,
    /// Mean diameter of a grain [m].
    pub diameter: f64,
    /// Acceleration of gravity [m/s^2].
    pub gravity: f64,
}

/// C, k and the exponent of several discharges through openings of different widths.
pub fn beverloo(outflows: &[Outflow]) -> Result<Analysis, String> {
    let mut widths: Vec<f64> = outflows.iter().map(|flow| flow.opening).collect();
    widths.sort_unstable_by(f64::total_cmp);
    widths.dedup_by(|a, b| (*a - *b).abs() < 1e-9 * *b);
    if widths.len() < 3 {
        return Err(format!("{} openings of different widths are too few for a fit: three are wanted", widths.len()));
    }
    let mean = |of: fn(&Outflow) -> f64| outflows.iter().map(of).sum::<f64>() / outflows.len() as f64;
    let diameter = mean(|flow| flow.diameter);
    if outflows.iter().any(|flow| (flow.diameter / diameter - 1.0).abs() > 0.05) {
        return Err("the runs have grains of different size: k belongs to one size".to_owned());
    }
    // What is left of the rate when density and gravity are taken out: C (D - k d)^2.5.
    let reduced = |flow: &Outflow| flow.rate.0 / (flow.bulk_density * flow.gravity.sqrt());
    let x: Vec<f64> = outflows.iter().map(|flow| flow.opening).collect();
    let y: Vec<f64> = outflows.iter().map(|flow| reduced(flow).powf(1.0 / EXPONENT)).collect();
    let line = Line::through(&x, &y);
    if line.slope.is_nan() || line.slope <= 0.0 {
        return Err("wider openings do not let more out: this is no discharge by Beverloo's law".to_owned());
    }
    let constant = line.slope.powf(EXPONENT);
    let k = -line.height / (line.slope * diameter);
    // k = -height / (slope d): errors of both, which are not independent.
    let k_variance = (line.height_variance / line.height.powi(2) + line.slope_variance / line.slope.powi(2)
        - 2.0 * line.covariance / (line.slope * line.height))
        * k
        * k;
    // C with k as it usually is: the mean over the runs.
    let constants: Vec<f64> =
        outflows.iter().map(|flow| reduced(flow) / (flow.opening - USUAL_K * flow.diameter).powf(EXPONENT)).collect();
    let is_open = outflows.iter().all(|flow| flow.opening > USUAL_K * flow.diameter);
    let mut answers = vec![
        Answer::fitted("C", (constant, EXPONENT * constant * line.slope_error() / line.slope), ""),
        Answer::fitted("k", (k, k_variance.max(0.0).sqrt()), ""),
    ];
    if is_open {
        let logarithms: (Vec<f64>, Vec<f64>) =
            outflows.iter().map(|flow| ((flow.opening - USUAL_K * flow.diameter).ln(), reduced(flow).ln())).unzip();
        let exponent = Line::through(&logarithms.0, &logarithms.1);
        answers.push(Answer::fitted("exponent if k = 1.4", (exponent.slope, exponent.slope_error()), ""));
        answers.push(Answer::fitted("C if k = 1.4", mean_with_error(&constants), ""));
    }
    answers.push(Answer::fitted(
        "bulk density",
        mean_with_error(&outflows.iter().map(|f| f.bulk_density).collect::<Vec<_>>()),
        "kg/m^3",
    ));
    answers.push(Answer::counted("mean diameter", diameter, "m"));
    let density_and_gravity = mean(|flow| flow.bulk_density * flow.gravity.sqrt());
    let mut rows: Vec<Vec<f64>> = outflows
        .iter()
        .map(|flow| {
            let fitted = constant * density_and_gravity * (flow.opening - k * diameter).max(0.0).powf(EXPONENT);
            vec![flow.opening, flow.rate.0, flow.rate.1, fitted, flow.bulk_density]
        })
        .collect();
    rows.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    Ok(Analysis {
        title: "Beverloo's law".to_owned(),
        answers,
        columns: named(&["opening_m", "rate_kg_per_s", "rate_error_kg_per_s", "beverloo_kg_per_s", "bulk_density_kg_per_m3"]),
        rows,
        shown: Shown::lines(0, &[1, 3]),
        note: "W = C rho sqrt(g) (D - k d)^2.5. C and k from a line through W^0.4 over D, errors from the scatter about it; the exponent from a \
               line through the logarithms with k = 1.4. D is the narrowest width of the walls, rho is measured in the bed before the first \
               grain left, d is the mean diameter of a ball of a grain's volume."
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outflow(opening: f64, noise: f64) -> Outflow {
        let (bulk_density, diameter, gravity) = (1500.0, 0.005, 9.81_f64);
        let rate = 0.58 * bulk_density * gravity.sqrt() * (opening - 1.5 * diameter).powf(2.5) * (1.0 + noise);
        Outflow { opening, rate: (rate, 0.01 * rate), bulk_density, diameter, gravity }
    }

    #[test]
    fn rates_by_the_law_give_back_its_numbers() {
        let exact: Vec<Outflow> = [0.02, 0.03, 0.04, 0.06].map(|d| outflow(d, 0.0)).to_vec();
        let found = beverloo(&exact).unwrap();
        let of =
            |found: &Analysis, name: &str| found.answers.iter().find(|answer| answer.name == name).unwrap().clone();
        assert!((of(&found, "C").value - 0.58).abs() < 1e-9 && (of(&found, "k").value - 1.5).abs() < 1e-9);
        assert!(of(&found, "C").error.unwrap() < 1e-6);
        assert!((of(&found, "exponent if k = 1.4").value - 2.5).abs() < 0.1);
        // With noise the truth lies within a few errors.
        let noisy: Vec<Outflow> = (0..12)
            .map(|i| outflow(0.02 + 0.004 * f64::from(i), 0.02 * [1.0, -1.0, -0.5, 0.7][i as usize % 4]))
            .collect();
        let found = beverloo(&noisy).unwrap();
        for (name, truth) in [("C", 0.58), ("k", 1.5)] {
            let answer = of(&found, name);
            let error = answer.error.unwrap();
            assert!((answer.value - truth).abs() < 3.0 * error && error > 0.0 && error < 0.2 * truth, "{answer:?}");
        }
        assert!(beverloo(&exact[..2]).unwrap_err().contains("three"));
    }
}
