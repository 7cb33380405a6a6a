//! Functions that give the same bits on every machine: additions, multiplications, divisions and square roots of IEEE 754 only, in a fixed order.
//! The standard library's `exp` belongs to the platform and is not used.

/// Number that brings the integer part of a sum into the low bits of its significand: 1.5 x 2^23.
const SHIFT: f32 = 12_582_912.0;

/// e to the power of `x`, with a relative error below 3e-7. `x` beyond -87 to 88 counts as that bound.
#[inline(always)]
#[must_use]
pub fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    // The logarithm of 2 in two parts: the first has few bits, so that its product with a small integer is exact.
    let rest = (x - whole * 0.693_359_4) - whole * -2.121_944_4e-4;
    let mut sum = 1.987_569_2e-4;
    sum = sum * rest + 1.398_199_9e-3;
    sum = sum * rest + 8.333_452e-3;
    sum = sum * rest + 4.166_579_6e-2;
    sum = sum * rest + 1.666_666_5e-1;
    sum = sum * rest + 5e-1;
    let power = (sum * rest) * rest + rest + 1.0;
    let exponent = shifted.to_bits().wrapping_sub(SHIFT.to_bits()).wrapping_add(127) << 23;
    power * f32::from_bits(exponent)
}

/// The logistic function.
#[inline(always)]
#[must_use]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// GELU with the error function (Abramowitz and Stegun 7.1.26), with an absolute error below 1e-6 for |x| < 4.
#[inline(always)]
#[must_use]
pub fn gelu(x: f32) -> f32 {
    let scaled = x * std::f32::consts::FRAC_1_SQRT_2;
    let size = scaled.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let mut sum = 1.061_405_4;
    sum = sum * t - 1.453_152_1;
    sum = sum * t + 1.421_413_7;
    sum = sum * t - 0.284_496_74;
    sum = sum * t + 0.254_829_6;
    let erf = (1.0 - (sum * t) * exp(-(size * size))).copysign(x);
    0.5 * x * (1.0 + erf)
}

/// Turns numbers into shares that add up to 1.
pub fn softmax(values: &mut [f32]) {
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in values.iter_mut() {
        *value = exp(*value - most);
        sum += *value;
    }
    for value in values {
        *value /= sum;
    }
}

/// The nearest number of half precision, as bits; ties go to the even one. What is too large becomes the largest.
#[must_use]
pub fn to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let size = bits & 0x7fff_ffff;
    if size >= 0x477f_f000 {
        return sign | 0x7bff;
    }
    if size < 0x3880_0000 {
        // Below the smallest normal number: the sum rounds at the right bit.
        let rounded = f32::from_bits(size) + 0.5;
        return sign | (rounded.to_bits() - 0.5_f32.to_bits()) as u16;
    }
    let even = (size >> 13) & 1;
    let rounded = size + 0x0fff + even;
    sign | ((rounded >> 13) - (112 << 10)) as u16
}

/// The number of half precision with these bits.
#[must_use]
pub fn from_half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10) & 0x1f, u32::from(bits & 0x03ff));
    match exponent {
        0 => f32::from_bits(sign | (fraction as f32 * (1.0 / 16_777_216.0)).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

#[cfg(test)]
mod tests {
    use super::{exp, from_half, gelu, sigmoid, softmax, to_half};

    #[test]
    fn functions_are_near_those_of_the_standard_library() {
        for step in -8700..8800 {
            let x = step as f32 * 0.01;
            let (found, expected) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((found / expected - 1.0).abs() < 3e-7, "exp({x})");
        }
        // Values of x Phi(x).
        for (x, expected) in
            [(0.0, 0.0), (1.0, 0.841_344_8), (-1.0, -0.158_655_25), (3.0, 2.995_950_3), (-5.0, -1.43e-6)]
        {
            assert!((gelu(x) - expected).abs() < 1e-6, "gelu({x}) = {}", gelu(x));
        }
        assert!((sigmoid(0.0) - 0.5).abs() < 1e-7 && sigmoid(-200.0) < 1e-30 && sigmoid(200.0) <= 1.0);
        let mut shares = [1.0, 1.0, -1e9];
        softmax(&mut shares);
        assert!((shares[0] - 0.5).abs() < 1e-6 && shares[2] < 1e-30);
    }

    #[test]
    fn every_half_comes_back() {
        for bits in 0..=u16::MAX {
            let value = from_half(bits);
            if value.is_finite() {
                assert_eq!(to_half(value), bits, "{bits:#06x} is {value}");
            }
        }
        assert_eq!(to_half(1e9), 0x7bff);
        assert_eq!(from_half(to_half(1.0 + 1.0 / 2048.0)), 1.0);
    }
}
