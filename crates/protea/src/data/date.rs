//! Dates in columns of text: `2026-11-18`, `18.11.2026`, `11/18/2026`, each perhaps with a time of day after it.

use serde::{Deserialize, Serialize};

/// The order of year, month and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    /// `2026-11-18`
    Ymd,
    /// `18.11.2026`
    Dmy,
    /// `11/18/2026`
    Mdy,
}

/// A part of a date that becomes a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatePart {
    /// The year.
    Year,
    /// The month, 1 to 12.
    Month,
    /// The day of the month, 1 to 31.
    Day,
    /// The day of the week, Monday 1 to Sunday 7.
    Weekday,
}

impl DatePart {
    /// All parts.
    pub const ALL: [DatePart; 4] = [DatePart::Year, DatePart::Month, DatePart::Day, DatePart::Weekday];

    /// The name, as in `column.name`.
    pub fn name(self) -> &'static str {
        ["year", "month", "day", "weekday"][self as usize]
    }
}

/// Year, month and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    year: u32,
    month: u32,
    day: u32,
}

impl Date {
    /// The date in this order at the start of a text; a time of day may follow.
    pub(super) fn parse(text: &str, order: DateOrder) -> Option<Date> {
        let (date, time) = text.find(['T', ' ']).map_or((text, ""), |at| text.split_at(at));
        // Hours, minutes, seconds, perhaps a zone; what stands there is not used.
        let is_time = |c: char| {
            c.is_ascii_digit() || matches!(c, 'T' | ' ' | ':' | '.' | 'Z' | '+' | '-' | 'A' | 'P' | 'M')
        };
        if !time.chars().all(is_time) || (!time.is_empty() && !time.contains(':')) {
            return None;
        }
        let separator =
            date.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '-' | '/' | '.'))?;
        let parts: Vec<&str> = date.split(separator).collect();
        let &[a, b, c] = parts.as_slice() else { return None };
        let (year, month, day) = match order {
            DateOrder::Ymd => (a, b, c),
            DateOrder::Dmy => (c, b, a),
            DateOrder::Mdy => (c, a, b),
        };
        let digits = |s: &str, sizes: std::ops::RangeInclusive<usize>| {
            let sound = sizes.contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
            sound.then(|| s.parse::<u32>().ok()).flatten()
        };
        let date =
            Date { year: digits(year, 4..=4)?, month: digits(month, 1..=2)?, day: digits(day, 1..=2)? };
        ((1..=12).contains(&date.month) && (1..=date.days_of_month()).contains(&date.day)).then_some(date)
    }

    fn days_of_month(self) -> u32 {
        let leap =
            self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            2 => 28 + u32::from(leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// One part as a number.
    pub(super) fn part(self, part: DatePart) -> f64 {
        f64::from(match part {
            DatePart::Year => self.year,
            DatePart::Month => self.month,
            DatePart::Day => self.day,
            DatePart::Weekday => self.weekday(),
        })
    }

    /// Monday 1 to Sunday 7, by Sakamoto's rule.
    fn weekday(self) -> u32 {
        const SHIFT: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        // Four hundred years are whole weeks; adding them keeps the year before 1 January of year 0 a number.
        let y = self.year + 400 - u32::from(self.month < 3);
        let sunday_first = (y + y / 4 - y / 100 + y / 400 + SHIFT[self.month as usize - 1] + self.day) % 7;
        (sunday_first + 6) % 7 + 1
    }
}

/// The order in which all texts are dates; days before months where both would do.
pub(super) fn order<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Option<DateOrder> {
    let orders = [DateOrder::Ymd, DateOrder::Dmy, DateOrder::Mdy];
    orders.into_iter().find(|&order| texts.clone().all(|t| Date::parse(t, order).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_parsed_in_their_order() {
        let parts = |text, order| Date::parse(text, order).map(|d| DatePart::ALL.map(|p| d.part(p)));
        let wednesday = Some([2026.0, 11.0, 18.0, 3.0]);
        assert_eq!(parts("2026-11-18", DateOrder::Ymd), wednesday);
        assert_eq!(parts("2026-11-18T10:30:00Z", DateOrder::Ymd), wednesday);
        assert_eq!(parts("18.11.2026", DateOrder::Dmy), wednesday);
        assert_eq!(parts("11/18/2026 10:30 AM", DateOrder::Mdy), wednesday);
        assert_eq!(parts("2000-01-01", DateOrder::Ymd), Some([2000.0, 1.0, 1.0, 6.0]));
        assert_eq!(parts("2024-02-29", DateOrder::Ymd), Some([2024.0, 2.0, 29.0, 4.0]));
        for wrong in
            ["2026-13-01", "2026-02-29", "26-11-18", "2026-11", "1.5", "2026-11-18 soon", "", "0000-00-00"]
        {
            assert_eq!(parts(wrong, DateOrder::Ymd), None, "{wrong}");
        }
    }

    #[test]
    fn one_order_fits_all_texts() {
        assert_eq!(order(["2026-01-02", "2026-01-30"].into_iter()), Some(DateOrder::Ymd));
        assert_eq!(order(["01/02/2026", "03/30/2026"].into_iter()), Some(DateOrder::Mdy));
        assert_eq!(order(["01/02/2026", "03/04/2026"].into_iter()), Some(DateOrder::Dmy));
        assert_eq!(order(["2026-01-02", "no"].into_iter()), None);
    }
}
