//! Dates and times of day in the forms of locales, which do not say whether the day or the month is first.

use super::super::super::clock::micros;
use super::super::super::members::moment;
use crate::Utc;

/// What is first in a date that ends with its year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    DayFirst,
    MonthFirst,
}

/// A date and a time of day as an export writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Date {
    /// It can be read in one way only.
    Known(Utc),
    /// Two numbers before a year, of which one is the day.
    Numbers(Numbers),
    /// It cannot be read.
    Unknown,
}

/// A date whose day and month are its first two numbers, in an order that it does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    first: u8,
    second: u8,
    year: i64,
    seconds: u32,
    zone_minutes: i16,
}

impl Date {
    /// Reads a date and a time of day: with the year first, or with the year behind day and month, with 24 hours, or with 12 and `AM` or `PM`. Points
    /// between the numbers are of locales that write the day first. A time without a zone is in the given one, in minutes east of UTC.
    pub fn read(found: &str, zone_minutes: i16) -> Self {
        if let Some(time) = moment(found, zone_minutes) {
            return Self::Known(time);
        }
        Self::of_locale(found, zone_minutes).unwrap_or(Self::Unknown)
    }

    fn of_locale(found: &str, zone_minutes: i16) -> Option<Self> {
        let (date, time) = found.trim().split_once(char::is_whitespace)?;
        let seconds = time_of_day(time)?;
        let mark = date.chars().find(|letter| !letter.is_ascii_digit()).filter(|mark| "/.-".contains(*mark))?;
        let parts: Vec<&str> = date.trim_end_matches([',', '.']).split(mark).collect();
        let [first, second, third] = parts.try_into().ok()?;
        if first.len() == 4 {
            let (month, day) = (number(second, 2)?, number(third, 2)?);
            let local =
                micros(i64::from(number(first, 4)?), u8::try_from(month).ok()?, u8::try_from(day).ok()?, seconds)?;
            return Some(Self::Known(in_zone(local, zone_minutes)?));
        }
        if third.len() != 4 {
            return None;
        }
        let numbers = Numbers {
            first: u8::try_from(number(first, 2)?).ok()?,
            second: u8::try_from(number(second, 2)?).ok()?,
            year: i64::from(number(third, 4)?),
            seconds,
            zone_minutes,
        };
        let (day_first, month_first) = (numbers.utc(Order::DayFirst), numbers.utc(Order::MonthFirst));
        if mark == '.' || day_first == month_first {
            return Some(Self::Known(day_first?));
        }
        Some(Self::Numbers(numbers))
    }
}

impl Numbers {
    /// The order that the numbers themselves tell, because the calendar has no such day in the other one.
    pub fn order(&self) -> Option<Order> {
        match (self.utc(Order::DayFirst), self.utc(Order::MonthFirst)) {
            (Some(_), None) => Some(Order::DayFirst),
            (None, Some(_)) => Some(Order::MonthFirst),
            _ => None,
        }
    }

    /// The time in an order; `None` for a day that the calendar does not have.
    pub fn utc(&self, order: Order) -> Option<Utc> {
        let (month, day) = match order {
            Order::DayFirst => (self.second, self.first),
            Order::MonthFirst => (self.first, self.second),
        };
        in_zone(micros(self.year, month, day, self.seconds)?, self.zone_minutes)
    }
}

fn in_zone(local: i64, zone_minutes: i16) -> Option<Utc> {
    Utc::from_micros(local - i64::from(zone_minutes) * 60_000_000)
}

/// A number of at most so many digits.
fn number(text: &str, most: usize) -> Option<u32> {
    let is_number = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Marks of the half of a day that stand before the time in Korean, Chinese and Japanese.
const HALVES: [(&str, &str); 6] =
    [("오전", "am"), ("오후", "pm"), ("上午", "am"), ("下午", "pm"), ("午前", "am"), ("午後", "pm")];

/// Seconds since midnight of `9:00:01 AM`, `上午 9:00:01`, `09:00:01` or `9.00.01`.
fn time_of_day(text: &str) -> Option<u32> {
    let text = text.trim();
    let before = HALVES.iter().find_map(|(mark, half)| Some((text.strip_prefix(mark)?.trim_start(), *half)));
    let (text, before) = before.unwrap_or((text, ""));
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || matches!(letter, ':' | '.'))).unwrap_or(text.len());
    let (clock, half) = text.split_at(end);
    let mut parts = clock.trim_end_matches('.').split([':', '.']);
    let mut part = |below: u32| number(parts.next()?, 2).filter(|number| *number < below);
    let (hour, minute, second) = (part(24)?, part(60)?, part(60)?);
    if parts.next().is_some() {
        return None;
    }
    let letters = before.chars().chain(half.chars()).filter(char::is_ascii_alphabetic);
    let half: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    let hour = match (half.as_str(), hour) {
        ("", hour) => hour,
        ("am", 12) => 0,
        ("pm", 12) => 12,
        ("am", 1..12) => hour,
        ("pm", 1..12) => hour + 12,
        _ => return None,
    };
    Some(hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Date, Order};

    fn known(found: &str) -> Option<String> {
        match Date::read(found, 0) {
            Date::Known(time) => Some(time.to_string()[..19].to_owned()),
            _ => None,
        }
    }

    #[test]
    fn dates_of_one_reading_are_read() {
        for (found, expected) in [
            ("2026-03-28T09:00:01.1234567Z", "2026-03-28T09:00:01"),
            ("2026/3/28 9:00:01", "2026-03-28T09:00:01"),
            ("28.03.2026 09:00:01", "2026-03-28T09:00:01"),
            ("4.3.2026 9.00.01", "2026-03-04T09:00:01"),
            ("3/3/2026 9:00:01 PM", "2026-03-03T21:00:01"),
            ("3/3/2026 12:00:01\u{202f}AM", "2026-03-03T00:00:01"),
            ("3/3/2026 12:00:01 p. m.", "2026-03-03T12:00:01"),
            ("2026-03-03 오후 9:00:01", "2026-03-03T21:00:01"),
            ("2026/3/3 上午12:00:01", "2026-03-03T00:00:01"),
        ] {
            assert_eq!(known(found).as_deref(), Some(expected), "{found}");
        }
        for found in [
            "",
            "x",
            "3/3/26 9:00:01",
            "31.2.2026 9:00:01",
            "31/2/2026 9:00:01",
            "13/13/2026 9:00:01",
            "3/3/2026 13:00:01 PM",
            "3/3/2026 0:00:01 AM",
            "3/3/2026",
            "2026-03-03 오후 9:00:01 AM",
        ] {
            assert_eq!(Date::read(found, 0), Date::Unknown, "{found}");
        }
    }

    #[test]
    fn an_order_is_told_by_a_number_above_12_alone() {
        let of = |found: &str| match Date::read(found, 60) {
            Date::Numbers(numbers) => numbers,
            other => panic!("{found}: {other:?}"),
        };
        assert_eq!(of("3/4/2026 9:00:01 AM").order(), None);
        assert_eq!(of("3/13/2026 9:00:01 AM").order(), Some(Order::MonthFirst));
        assert_eq!(of("13-03-2026 09:00:01").order(), Some(Order::DayFirst));
        let numbers = of("3/4/2026 0:30:00");
        assert_eq!(numbers.utc(Order::MonthFirst).unwrap().to_string(), "2026-03-03T23:30:00.000000Z");
        assert_eq!(numbers.utc(Order::DayFirst).unwrap().to_string(), "2026-04-02T23:30:00.000000Z");
        assert_eq!(of("3/13/2026 9:00:01 AM").utc(Order::DayFirst), None);
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[0-9AMPm:+./ -]{0,30}") {
            let _ = Date::read(&text, 0);
        }
    }
}
