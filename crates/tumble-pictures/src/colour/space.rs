//! Colours as numbers: sRGB as files hold it, linear light in which brightness adds up, and OKLab in which equal steps
//! look equal (Björn Ottosson, "A perceptual color space for image processing", 2020).

/// A colour in linear light: red, green, blue, each 0 to 1 on a screen.
pub type Linear = glam::Vec3;

/// The linear light of a component of sRGB, both 0 to 1 (IEC 61966-2-1).
pub fn linear_of_srgb(component: f32) -> f32 {
    if component <= 0.04045 { component / 12.92 } else { ((component + 0.055) / 1.055).powf(2.4) }
}

/// The component of sRGB for linear light, both 0 to 1.
pub fn srgb_of_linear(light: f32) -> f32 {
    let light = light.clamp(0.0, 1.0);
    if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

/// A colour written as in style sheets, 0xRRGGBB, in linear light.
pub fn linear_of_hex(hex: u32) -> Linear {
    let component = |shift: u32| linear_of_srgb(((hex >> shift) & 0xff) as f32 / 255.0);
    Linear::new(component(16), component(8), component(0))
}

/// A colour as three bytes of sRGB.
pub fn bytes_of_linear(colour: Linear) -> [u8; 3] {
    colour.to_array().map(|light| (srgb_of_linear(light) * 255.0).round() as u8)
}

/// A colour as in style sheets: `#rrggbb`.
pub fn text_of_linear(colour: Linear) -> String {
    let [red, green, blue] = bytes_of_linear(colour);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Lightness, green to red, blue to yellow.
pub fn oklab_of_linear(colour: Linear) -> [f32; 3] {
    let Linear { x: r, y: g, z: b } = colour;
    let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

/// The colour back in linear light; components beyond what a screen can show are cut off.
pub fn linear_of_oklab([lightness, a, b]: [f32; 3]) -> Linear {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    Linear::new(
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_38 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    )
    .clamp(Linear::ZERO, Linear::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_through_light_and_through_oklab() {
        for hex in (0..=0xff_ffff).step_by(7919) {
            let colour = linear_of_hex(hex);
            assert_eq!(text_of_linear(colour), format!("#{hex:06x}"));
            assert_eq!(text_of_linear(linear_of_oklab(oklab_of_linear(colour))), format!("#{hex:06x}"));
        }
        // White has lightness 1 and no hue.
        let [lightness, a, b] = oklab_of_linear(Linear::ONE);
        assert!((lightness - 1.0).abs() < 1e-4 && a.abs() < 1e-4 && b.abs() < 1e-4);
    }
}
