//! Whole-number arithmetic for reported figures: tenths of a million, shares and growth, rounded half away from 0.

/// `12345` tenths of a million as `1,234.5`; negative amounts in brackets, as filings write them.
pub fn millions(tenths: i64) -> String {
    let text = format!("{}.{}", grouped(tenths.unsigned_abs() / 10), tenths.unsigned_abs() % 10);
    if tenths < 0 { format!("({text})") } else { text }
}

/// A count with commas between groups of three.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `number / by` at so many decimals.
pub fn quotient(number: i128, by: i128, decimals: u32) -> String {
    decimal(rounded(number * 10_i128.pow(decimals), by), decimals)
}

/// A whole number of units of the last decimal, written out.
pub fn decimal(units: i128, decimals: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    if decimals == 0 {
        return format!("{sign}{}", units.unsigned_abs());
    }
    let (one, width) = (10_u128.pow(decimals), decimals as usize);
    format!("{sign}{}.{:0width$}", units.unsigned_abs() / one, units.unsigned_abs() % one)
}

/// `part / whole` in percent at one decimal, without the sign of percent.
pub fn percent(part: i64, whole: i64) -> String {
    quotient(i128::from(part) * 100, i128::from(whole), 1)
}

/// `number / by`, rounded half away from 0; 0 where `by` is 0.
pub fn rounded(number: i128, by: i128) -> i128 {
    if by == 0 {
        return 0;
    }
    let (number, by) = if by < 0 { (-number, -by) } else { (number, by) };
    let half = by / 2;
    if number >= 0 { (number + half) / by } else { (number - half) / by }
}

/// Yearly growth over three years in percent at one decimal: the cube root of the ratio, less one.
pub fn growth_of_three_years(from: i64, to: i64) -> String {
    // The largest tenth of a percent whose cube is no larger than the ratio, found by halves; then the nearer neighbour.
    let cube = |twentieths: i128| twentieths.pow(3) * i128::from(from);
    let target = i128::from(to) * 2000_i128.pow(3);
    let (mut low, mut high) = (0_i128, 20_000_i128);
    while high - low > 1 {
        let middle = i128::midpoint(low, high);
        if cube(middle) <= target { low = middle } else { high = middle }
    }
    // `low` is in twentieths of a percent: the odd ones round up.
    decimal((low + 1).div_euclid(2) - 1000, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_filings_write_them() {
        assert_eq!(
            (millions(12_345), millions(-1_497), millions(5)),
            ("1,234.5".to_owned(), "(149.7)".to_owned(), "0.5".to_owned())
        );
        assert_eq!(
            (grouped(0), grouped(999), grouped(1_000_000)),
            ("0".to_owned(), "999".to_owned(), "1,000,000".to_owned())
        );
        assert_eq!(
            (percent(1, 8), percent(-1, 16), percent(2, 3)),
            ("12.5".to_owned(), "-6.3".to_owned(), "66.7".to_owned())
        );
        assert_eq!(quotient(14_060, 2_148, 2), "6.55");
    }

    #[test]
    fn growth_is_the_cube_root() {
        assert_eq!(growth_of_three_years(1000, 1331), "10.0");
        // The public question of this kind: 1,541,889 to 2,865,507 is 22.9 %.
        assert_eq!(growth_of_three_years(1_541_889, 2_865_507), "22.9");
        assert_eq!(growth_of_three_years(1000, 729), "-10.0");
        for (from, to) in [(1000, 1157), (5123, 9990), (777, 778), (9000, 8123)] {
            let exact = 100.0 * ((f64::from(to) / f64::from(from)).cbrt() - 1.0);
            let said: f64 = growth_of_three_years(i64::from(from), i64::from(to)).parse().unwrap();
            assert!((said - exact).abs() <= 0.0501, "{from} {to}: {said} {exact}");
        }
    }
}
