//! The 256 colours of a GIF's frame: boxes of colours are cut in two, always the one whose colours differ most, at their mean along
//! the channel in which they differ most (after Heckbert, *Color image quantization for frame buffer display*, 1982, and Wu,
//! *Efficient statistical computations for optimal color quantization*, 1991). Small patches of strong colour keep theirs,
//! which they do not in a net that learns from samples. Colours are told apart to six bits a channel.

const BITS: usize = 6;
const SHIFT: usize = 8 - BITS;
/// One of the 256 is kept for pixels that are not there.
const MOST_COLOURS: usize = 255;
/// The number of pixels that are not there.
pub(super) const TRANSPARENT: u8 = 255;

/// Pixels of one colour, to six bits a channel: how many, and the sums of their channels.
#[derive(Clone, Copy, Default)]
struct Bin {
    count: f64,
    sum: [f64; 3],
}

/// Some bins, with how much a cut would gain and where it would be.
struct Patch {
    bins: Vec<u32>,
    total: Bin,
    gain: f64,
    channel: usize,
}

impl Patch {
    fn new(bins: Vec<u32>, all: &[Bin]) -> Patch {
        let (mut total, mut squares) = (Bin::default(), [0.0; 3]);
        for &bin in &bins {
            let Bin { count, sum } = all[bin as usize];
            total.count += count;
            for channel in 0..3 {
                total.sum[channel] += sum[channel];
                squares[channel] += sum[channel] * sum[channel] / count;
            }
        }
        let spread = |channel: usize| squares[channel] - total.sum[channel] * total.sum[channel] / total.count;
        let channel = (0..3).max_by(|a, b| spread(*a).total_cmp(&spread(*b))).unwrap_or(0);
        let gain = if bins.len() > 1 { spread(channel) } else { 0.0 };
        Patch { bins, total, gain, channel }
    }

    fn cut(self, all: &[Bin]) -> [Patch; 2] {
        let mean = self.total.sum[self.channel] / self.total.count;
        let value = |bin: &u32| all[*bin as usize].sum[self.channel] / all[*bin as usize].count;
        let (low, high): (Vec<u32>, Vec<u32>) = self.bins.iter().partition(|bin| value(bin) <= mean);
        [Patch::new(low, all), Patch::new(high, all)]
    }

    fn colour(&self) -> [u8; 3] {
        self.total.sum.map(|sum| (sum / self.total.count).round() as u8)
    }
}

fn bin_of(pixel: &[u8]) -> usize {
    (usize::from(pixel[0]) >> SHIFT) << (2 * BITS)
        | (usize::from(pixel[1]) >> SHIFT) << BITS
        | usize::from(pixel[2]) >> SHIFT
}

/// A palette of red, green, blue and the pixels' places in it; pixels that are less than half there become
/// [`TRANSPARENT`].
pub(super) fn with_palette(rgba: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut all = vec![Bin::default(); 1 << (3 * BITS)];
    for pixel in rgba.chunks_exact(4).filter(|pixel| pixel[3] >= 128) {
        let bin = &mut all[bin_of(pixel)];
        bin.count += 1.0;
        bin.sum.iter_mut().zip(pixel).for_each(|(sum, channel)| *sum += f64::from(*channel));
    }
    let used: Vec<u32> = (0..all.len() as u32).filter(|bin| all[*bin as usize].count > 0.0).collect();
    let mut patches = if used.is_empty() { Vec::new() } else { vec![Patch::new(used, &all)] };
    while patches.len() < MOST_COLOURS {
        let Some(widest) = (0..patches.len()).max_by(|a, b| patches[*a].gain.total_cmp(&patches[*b].gain)) else {
            break;
        };
        if patches[widest].gain <= 0.0 {
            break;
        }
        let [low, high] = patches.swap_remove(widest).cut(&all);
        if low.bins.is_empty() || high.bins.is_empty() {
            // Rounding left all on one side: it is one colour.
            patches.push(Patch { gain: 0.0, ..if low.bins.is_empty() { high } else { low } });
            continue;
        }
        patches.extend([low, high]);
    }
    let mut palette = Vec::with_capacity(3 * 256);
    let mut place_of = vec![0; all.len()];
    for (place, patch) in patches.iter().enumerate() {
        palette.extend(patch.colour());
        patch.bins.iter().for_each(|bin| place_of[*bin as usize] = place as u8);
    }
    palette.resize(3 * 256, 0);
    let place = |pixel: &[u8]| if pixel[3] < 128 { TRANSPARENT } else { place_of[bin_of(pixel)] };
    (palette, rgba.chunks_exact(4).map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_pixels_of_a_strong_colour_keep_it_before_a_wide_gradient() {
        let mut rgba: Vec<u8> = (0..100_000).flat_map(|k| [190 + (k / 2_000) as u8, 200, 220, 255]).collect();
        for (k, colour) in [[204, 121, 167], [136, 34, 85], [68, 170, 153]].iter().enumerate() {
            for pixel in 0..20 {
                rgba[4 * (1_000 * k + pixel)..][..3].copy_from_slice(colour);
            }
        }
        rgba[4 * 50_000 + 3] = 0;
        let (palette, pixels) = with_palette(&rgba);
        assert_eq!(pixels[50_000], TRANSPARENT);
        for (pixel, place) in rgba.chunks_exact(4).zip(&pixels).filter(|(pixel, _)| pixel[3] > 0) {
            let found = &palette[3 * usize::from(*place)..][..3];
            let off = pixel.iter().zip(found).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(off <= Some(4), "{pixel:?} became {found:?}");
        }
    }

    #[test]
    fn nothing_and_one_colour_have_palettes_too() {
        assert_eq!(with_palette(&[1, 2, 3, 0]).1, [TRANSPARENT]);
        let (palette, pixels) = with_palette(&[9, 8, 7, 255, 9, 8, 7, 255]);
        assert_eq!((&palette[..3], &pixels[..]), (&[9, 8, 7][..], &[0, 0][..]));
    }
}
