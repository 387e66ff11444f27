//! Thins a line of very many points to what can be seen.

/// Points closer together than this across are one column of the picture [pixel].
const COLUMN: f64 = 0.5;

/// The first, lowest, highest and last point of every half pixel, if the points run from left to right; all of them
/// otherwise. The line looks the same: within a column it runs from its lowest to its highest point either way.
pub(super) fn thin(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let runs_right = points.windows(2).all(|pair| pair[0][0] <= pair[1][0]);
    if !runs_right {
        return points.to_vec();
    }
    let column = |point: &[f64; 2]| (point[0] / COLUMN).floor() as i64;
    let mut kept = Vec::new();
    for group in points.chunk_by(|a, b| column(a) == column(b)) {
        let order = |&a: &usize, &b: &usize| group[a][1].total_cmp(&group[b][1]);
        let lowest = (0..group.len()).min_by(order).unwrap_or(0);
        let highest = (0..group.len()).max_by(order).unwrap_or(0);
        let mut places = [0, lowest, highest, group.len() - 1];
        places.sort_unstable();
        let mut before = None;
        for place in places {
            if before != Some(place) {
                kept.push(group[place]);
            }
            before = Some(place);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_are_kept_and_of_many_the_peaks() {
        let few: Vec<[f64; 2]> = (0..100).map(|i| [f64::from(i), f64::from(i * i)]).collect();
        assert_eq!(thin(&few), few);
        let mut many: Vec<[f64; 2]> = (0..1_000_000).map(|i| [f64::from(i) * 7e-4, f64::from(i % 10)]).collect();
        many[123_456][1] = -50.0;
        many[123_457][1] = 70.0;
        let kept = thin(&many);
        assert!(kept.len() <= 4 * 1401, "{}", kept.len());
        assert!(kept.contains(&many[123_456]) && kept.contains(&many[123_457]));
        assert_eq!((kept.first(), kept.last()), (many.first(), many.last()));
        assert!(kept.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
    }

    #[test]
    fn a_line_that_turns_back_is_left_alone() {
        let loop_ = [[0.0, 0.0], [0.1, 1.0], [0.05, 2.0], [0.0, 0.0]];
        assert_eq!(thin(&loop_), loop_);
        assert!(thin(&[]).is_empty());
    }
}
