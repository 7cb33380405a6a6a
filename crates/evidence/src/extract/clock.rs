//! Times as telemetry writes them.

use crate::{SourceClock, Utc};

/// A time of day on a date, without a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct YearLess {
    pub month: u8,
    pub day: u8,
    /// Seconds since midnight.
    pub seconds: u32,
}

/// Microseconds since 1970 of a date and seconds since its midnight; `None` for a day that its month does not have.
#[inline]
pub(super) fn micros(year: i64, month: u8, day: u8, seconds: u32) -> Option<i64> {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        2 => 28 + u8::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day == 0 || day > days || !(0..=9999).contains(&year) {
        return None;
    }
    // Days since 1970 in the Gregorian calendar, with years that begin in March.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted - era * 400;
    let of_year = (153 * (i64::from(month) + if month > 2 { -3 } else { 9 }) + 2) / 5 + i64::from(day) - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some((days * 86_400 + i64::from(seconds)) * 1_000_000)
}

/// A number of exactly the digits that are there.
fn digits(text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.iter().try_fold(0, |sum: u32, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
}

/// `HH:MM:SS` as seconds; a leap second counts as the one before it.
fn time_of_day(text: &[u8]) -> Option<u32> {
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *text else { return None };
    let (hour, minute, second) = (digits(&[h1, h2])?, digits(&[m1, m2])?, digits(&[s1, s2])?);
    (hour < 24 && minute < 60 && second <= 60).then(|| hour * 3600 + minute * 60 + second.min(59))
}

fn month(text: &[u8]) -> Option<u8> {
    Some(match text {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    })
}

/// The time at the start of a line of RFC 3164, and its length in bytes. The day may have no padding.
#[inline]
pub(super) fn rfc3164(text: &[u8]) -> Option<(YearLess, usize)> {
    let month = month(text.get(..3)?)?;
    let rest = text.get(3..)?.strip_prefix(b" ")?;
    let (day, at) = match rest {
        [b' ', one, b' ', ..] => (digits(&[*one])?, 7),
        [one, b' ', ..] => (digits(&[*one])?, 6),
        [one, two, b' ', ..] => (digits(&[*one, *two])?, 7),
        _ => return None,
    };
    let seconds = time_of_day(text.get(at..at + 8)?)?;
    // 29 February is a day of some years.
    micros(2000, month, u8::try_from(day).ok()?, 0)?;
    Some((YearLess { month, day: u8::try_from(day).ok()?, seconds }, at + 8))
}

/// Microseconds of a fraction of a second, cut after the sixth digit, and its length with the dot.
fn fraction(text: &[u8]) -> Option<(i64, usize)> {
    let [b'.' | b',', rest @ ..] = text else { return Some((0, 0)) };
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 {
        return None;
    }
    let sum = rest[..length.min(6)].iter().fold(0, |sum, byte| sum * 10 + i64::from(byte - b'0'));
    let scale = 10_i64.pow(6_u32.saturating_sub(u32::try_from(length).unwrap_or(6)));
    Some((sum * scale, length + 1))
}

/// A date and a time of day, such as `2020-05-01T07:03:39.797+02:00` or `2018/12/18 14:00:00`. A time without a zone is in the given
/// one, in minutes east of UTC.
pub(super) fn date_time(text: &str, zone_minutes: i16) -> Option<Utc> {
    let text = text.as_bytes();
    let [y1, y2, y3, y4, first, m1, m2, second, d1, d2, b'T' | b't' | b' ', rest @ ..] = text else { return None };
    if !matches!((first, second), (b'-', b'-') | (b'/', b'/')) {
        return None;
    }
    let year = digits(&[*y1, *y2, *y3, *y4])?;
    let (month, day) = (digits(&[*m1, *m2])?, digits(&[*d1, *d2])?);
    let seconds = time_of_day(rest.get(..8)?)?;
    let (part, length) = fraction(rest.get(8..)?)?;
    let zone = match rest.get(8 + length..)? {
        b"" => i64::from(zone_minutes),
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] | [sign @ (b'+' | b'-'), h1, h2, m1, m2] => {
            let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let east = i64::from(hours * 60 + minutes);
            if *sign == b'+' { east } else { -east }
        }
        _ => return None,
    };
    let whole = micros(i64::from(year), u8::try_from(month).ok()?, u8::try_from(day).ok()?, seconds)?;
    Utc::from_micros(whole + part - zone * 60_000_000)
}

/// The time at the start of a line as `journalctl -o short-full` writes it, `Tue 2026-03-10 08:00:00 UTC`, and its length in bytes. A zone
/// by another name than UTC tells no offset, so that such a line has no time.
pub(super) fn journal(text: &str) -> Option<(Utc, usize)> {
    let (day, rest) = text.split_once(' ')?;
    if !matches!(day, "Mon" | "Tue" | "Wed" | "Thu" | "Fri" | "Sat" | "Sun") {
        return None;
    }
    let (date, rest) = rest.split_once(' ')?;
    let (time, rest) = rest.split_once(' ')?;
    let zone = rest.split(' ').next()?;
    let offset = match zone.as_bytes() {
        b"UTC" | b"GMT" => "Z".to_owned(),
        [b'+' | b'-', _, _] => format!("{zone}00"),
        [b'+' | b'-', _, _, _, _] => zone.to_owned(),
        _ => return None,
    };
    let utc = date_time(&format!("{date} {time}{offset}"), 0)?;
    Some((utc, day.len() + date.len() + time.len() + zone.len() + 3))
}

/// Seconds since 1970 with up to six decimals that count, such as `1677024003.714845`.
pub(super) fn epoch(text: &str) -> Option<Utc> {
    let text = text.as_bytes();
    let mut seconds = 0_i64;
    let mut length = 0;
    for byte in text.iter().take_while(|byte| byte.is_ascii_digit()) {
        if length == 11 {
            return None;
        }
        seconds = seconds * 10 + i64::from(byte - b'0');
        length += 1;
    }
    let rest = text.get(length..)?;
    if length == 0 || rest.first().is_some_and(|byte| *byte != b'.') {
        return None;
    }
    let (part, length) = fraction(rest)?;
    if length == rest.len() { Utc::from_micros(seconds * 1_000_000 + part) } else { None }
}

/// The last such day and time that is not after another time by more than a day: the year that a record which was read at `read` has.
pub(super) fn last_before(time: YearLess, read: Utc, zone_minutes: i16) -> Option<Utc> {
    const DAY: i64 = 86_400_000_000;
    let year: i64 = read.to_string().get(..4)?.parse().ok()?;
    // 29 February is a day of every fourth year, and of fewer around 1900 and 2100.
    (0..=8).find_map(|ago| {
        let local = micros(year + 1 - ago, time.month, time.day, time.seconds)?;
        let utc = local - i64::from(zone_minutes) * 60_000_000;
        (utc <= read.micros().saturating_add(DAY)).then(|| Utc::from_micros(utc)).flatten()
    })
}

/// Years of times that have none. A file that goes from December to January goes to the next year; one that then steps back to
/// December, because lines came late, goes back. Any other step back is kept as it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Years {
    year: Option<i16>,
    passed: i16,
    last: u8,
    zone_minutes: i16,
}

impl Years {
    pub fn new(year: Option<i16>, zone_minutes: Option<i16>) -> Self {
        Self { year, passed: 0, last: 0, zone_minutes: zone_minutes.unwrap_or(0) }
    }

    /// The time with its year; `None` where no year is known, or the year has no such day. Each time is given once, in the order of the source.
    pub fn utc(&mut self, time: YearLess) -> Option<Utc> {
        match (self.last, time.month) {
            (12, 1) => self.passed = self.passed.saturating_add(1),
            (1, 12) if self.passed > 0 => self.passed -= 1,
            _ => {}
        }
        self.last = time.month;
        self.in_year(self.year?, time)
    }

    /// The time that was given last by the clock of the source alone, which needs no year.
    pub fn clock(&self, time: YearLess) -> Option<Utc> {
        self.in_year(SourceClock::FIRST_YEAR, time)
    }

    fn in_year(&self, first: i16, time: YearLess) -> Option<Utc> {
        let year = i64::from(first) + i64::from(self.passed);
        let local = micros(year, time.month, time.day, time.seconds)?;
        Utc::from_micros(local - i64::from(self.zone_minutes) * 60_000_000)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::{Years, date_time, epoch, journal, last_before, micros, rfc3164};

    #[test]
    fn lines_of_the_journal_name_their_day_and_zone() {
        let of = |text| journal(text).map(|(time, length)| (time.to_string(), length));
        let utc = "2026-03-10T08:00:00.000000Z".to_owned();
        assert_eq!(of("Tue 2026-03-10 08:00:00 UTC web01 sshd[1]: x"), Some((utc.clone(), 27)));
        assert_eq!(of("Tue 2026-03-10 10:00:00 +02 web01 sshd[1]: x"), Some((utc.clone(), 27)));
        assert_eq!(of("Tue 2026-03-10 13:30:00 +0530 web01 sshd[1]: x"), Some((utc, 29)));
        assert_eq!(of("Tue 2026-03-10 08:00:00 CET web01 sshd[1]: x"), None);
        assert_eq!(of("Die 2026-03-10 08:00:00 UTC web01 sshd[1]: x"), None);
    }

    proptest! {
        #[test]
        fn days_agree_with_the_calendar(year in 0_i16..9999, month in 1_i8..13, day in 1_i8..29, seconds in 0_u32..86_400) {
            let expected = date(year, month, day).at(0, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp().as_second() + i64::from(seconds);
            let found = micros(i64::from(year), u8::try_from(month).unwrap(), u8::try_from(day).unwrap(), seconds);
            prop_assert_eq!(found, Some(expected * 1_000_000));
        }

        #[test]
        fn no_text_is_too_strange(text in "[0-9TZ:+./ -]{0,40}") {
            let _ = (date_time(&text, 0), epoch(&text), rfc3164(text.as_bytes()), journal(&text));
        }
    }

    #[test]
    fn times_are_read_in_the_forms_of_logs() {
        let utc = |text: &str| date_time(text, 60).map(|time| time.to_string());
        assert_eq!(utc("2023-08-17T16:55:35.689651+02:00").as_deref(), Some("2023-08-17T14:55:35.689651Z"));
        assert_eq!(utc("2018/12/18 14:00:00.075359").as_deref(), Some("2018-12-18T13:00:00.075359Z"));
        assert_eq!(utc("2018-12-18 14:00:00Z").as_deref(), Some("2018-12-18T14:00:00.000000Z"));
        for wrong in [
            "2018-02-30T00:00:00Z",
            "2018-12-18",
            "2018-12-18T25:00:00Z",
            "2018-12-18T14:00:00+2",
            "2018-12/18 14:00:00",
        ] {
            assert_eq!(utc(wrong), None, "{wrong}");
        }
        assert_eq!(epoch("1677024003.7").map(|time| time.micros()), Some(1_677_024_003_700_000));
        assert_eq!(epoch("928.943457999").map(|time| time.micros()), Some(928_943_457));
        assert!([".5", "1.", "1e5", "-1", "1.5x"].into_iter().all(|text| epoch(text).is_none()));
        assert!(rfc3164(b"Nov 2 15:40:14 x").is_some_and(|(_, length)| length == 14));
        assert!(rfc3164(b"Nov 31 15:40:14 x").is_none());
    }

    #[test]
    fn the_year_of_a_record_is_that_of_its_reading_or_one_before() {
        let of = |text: &str, read: &str| {
            let (time, _) = rfc3164(text.as_bytes()).unwrap();
            last_before(time, date_time(read, 0).unwrap(), 0).unwrap().to_string()[..19].to_owned()
        };
        assert_eq!(of("Mar 28 09:00:01", "2026-03-28T09:00:05Z"), "2026-03-28T09:00:01");
        assert_eq!(of("Dec 31 23:59:59", "2026-01-01T00:00:05Z"), "2025-12-31T23:59:59");
        // A clock that is ahead by less than a day.
        assert_eq!(of("Jan  1 00:00:01", "2025-12-31T23:59:58Z"), "2026-01-01T00:00:01");
        assert_eq!(of("Feb 29 00:00:01", "2026-03-01T00:00:00Z"), "2024-02-29T00:00:01");
    }

    #[test]
    fn a_year_passes_from_december_to_january_only() {
        let mut years = Years::new(Some(2025), None);
        let mut at = |text: &str| years.utc(rfc3164(text.as_bytes()).unwrap().0).unwrap().to_string()[..4].to_owned();
        let found: Vec<String> = ["Nov  1", "Dec 31", "Jan  1", "Dec 31", "Jan  1", "Jun  2", "Feb  1", "Dec  9"]
            .map(|day| at(&format!("{day} 10:00:00")))
            .to_vec();
        assert_eq!(found, ["2025", "2025", "2026", "2025", "2026", "2026", "2026", "2026"]);
        assert_eq!(Years::new(None, None).utc(rfc3164(b"Nov  1 10:00:00").unwrap().0), None);
    }
}
