//! Which species a new grain is of, so that the shares come out as asked and not just on average.

use crate::model::SpeciesIndex;
use crate::random::Random;

/// Species of exactly `n` grains in random order. Each share is met to within one grain, by the largest remainder: whole
/// numbers first, what is left to the largest fractions.
pub(super) fn species_of_all(shares: &[(SpeciesIndex, f64)], n: usize, random: &mut Random) -> Vec<SpeciesIndex> {
    let total: f64 = shares.iter().map(|(_, share)| share).sum();
    let quota: Vec<f64> = shares.iter().map(|(_, share)| share / total * n as f64).collect();
    let mut counts: Vec<usize> = quota.iter().map(|quota| (quota.floor() as usize).min(n)).collect();
    let mut by_remainder: Vec<usize> = (0..shares.len()).filter(|&i| shares[i].1 > 0.0).collect();
    by_remainder.sort_by(|&i, &j| (quota[j] - quota[j].floor()).total_cmp(&(quota[i] - quota[i].floor())));
    let missing = n.saturating_sub(counts.iter().sum());
    for &i in by_remainder.iter().cycle().take(missing) {
        counts[i] += 1;
    }
    let mut species: Vec<SpeciesIndex> =
        shares.iter().zip(counts).flat_map(|(&(species, _), count)| std::iter::repeat_n(species, count)).collect();
    species.truncate(n);
    if shares.len() > 1 {
        for i in (1..species.len()).rev() {
            species.swap(i, (random.next_u64() % (i as u64 + 1)) as usize);
        }
    }
    species
}

/// Species of the grain with a number, counted from 0, where it is not known how many will come. The grains of a species
/// of share p come at p x = 1/2, 3/2, 5/2 ..., all species merged along x: the sequence of Sainte-Laguë's rule. After any
/// number of grains each share is met to about one grain, and nothing has to be remembered. One share must be positive.
pub(super) fn species_of_number(shares: &[(SpeciesIndex, f64)], number: u64) -> SpeciesIndex {
    let total: f64 = shares.iter().map(|(_, share)| share).sum();
    let shares: Vec<(SpeciesIndex, f64)> =
        shares.iter().filter(|(_, share)| *share > 0.0).map(|&(species, share)| (species, share / total)).collect();
    // A little before the grain, so that no more than `number` have come; rounding makes no difference to the rule.
    let begin = (number as f64 - shares.len() as f64).max(0.0);
    let mut counts: Vec<u64> = shares.iter().map(|(_, share)| (share * begin + 0.5).floor() as u64).collect();
    let mut come: u64 = counts.iter().sum();
    loop {
        let next = |i: usize| (counts[i] as f64 + 0.5) / shares[i].1;
        let first = (1..shares.len()).fold(0, |first, i| if next(i) < next(first) { i } else { first });
        if come >= number {
            return shares[first].0;
        }
        counts[first] += 1;
        come += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_by_the_largest_remainder_and_shuffled() {
        let mut random = Random::from_seed(51);
        let shares = [(3, 0.5), (7, 0.3), (1, 0.2), (9, 0.0)];
        for (n, expected) in
            [(10, [5, 3, 2, 0]), (11, [6, 3, 2, 0]), (1, [1, 0, 0, 0]), (0, [0; 4]), (997, [499, 299, 199, 0])]
        {
            let species = species_of_all(&shares, n, &mut random);
            assert_eq!(species.len(), n);
            let counts = shares.map(|(wanted, _)| species.iter().filter(|s| **s == wanted).count());
            assert_eq!(counts, expected, "{n}");
        }
        // In the first half there are as many of each kind as in the second, but for chance: 4 standard errors.
        let species = species_of_all(&[(0, 1.0), (1, 1.0)], 10_000, &mut random);
        let first = species[..5000].iter().filter(|s| **s == 0).count() as f64;
        assert!((first - 2500.0).abs() < 4.0 * 25.0, "{first}");
    }

    #[test]
    fn a_stream_meets_its_shares_at_any_time() {
        let shares = [(0, 5.0), (1, 3.0), (2, 1.9), (3, 0.1), (4, 0.0)];
        let mut counts = [0.0; 5];
        for number in 0..5000 {
            counts[species_of_number(&shares, number) as usize] += 1.0;
            for (count, (_, share)) in counts.iter().zip(shares) {
                assert!((count - share / 10.0 * (number + 1) as f64).abs() < 1.5, "{number} {counts:?}");
            }
        }
        assert_eq!(counts, [2500.0, 1500.0, 950.0, 50.0, 0.0]);
        // Late numbers need no walk from the beginning.
        assert!(species_of_number(&shares, 1 << 40) < 4);
    }
}
