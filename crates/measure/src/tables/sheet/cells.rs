//! What a cell of text can mean: a number, a day or a time, nothing at all, or a word.

/// A cell as its file has it. Text is not interpreted: what it means depends on its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing, in a file that can say so.
    Missing,
    /// Text without blanks around it; it may be empty.
    Text(&'a str),
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(i64),
    /// A moment, in seconds from the start of 1970.
    Time(f64),
}

/// Whether text says that there is no value, in a column of words as in one of numbers.
pub fn is_missing(text: &str) -> bool {
    matches!(
        text,
        "" | "NA" | "N/A" | "n/a" | "#N/A" | "<NA>" | "NaN" | "nan" | "-nan" | "NULL" | "null"
    )
}

/// Whether text says so in a column of numbers; in one of words these may be words.
pub fn is_no_number(text: &str) -> bool {
    matches!(text, "-" | "--" | "?" | "." | "None" | "none" | "missing")
}

/// A number with a decimal point.
pub fn number(text: &str) -> Option<f64> {
    // "nan" and the like are gaps, not numbers; "inf" is one, to be refused by its name.
    text.parse().ok().filter(|number: &f64| !number.is_nan())
}

/// A number with a decimal comma.
pub fn comma_number(text: &str) -> Option<f64> {
    let (whole, rest) = text.split_once(',')?;
    let plain = !text.contains('.') && rest.starts_with(|c: char| c.is_ascii_digit());
    plain.then(|| number(&format!("{whole}.{rest}")))?
}

/// Whether a number with commas could as well have its thousands apart: 1,234 or 12,345,678.
pub fn has_thousands(text: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.trim_start_matches(['-', '+']).split(',');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    (1..=3).contains(&first.len())
        && digits(first)
        && !rest.is_empty()
        && rest.iter().all(|part| part.len() == 3 && digits(part))
}

/// Whether text is a whole number as people write it.
pub fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether text is a day, a time of day, or both: 2024-05-01, 01.05.2024 13:45, 5/1/2024 1:45 PM,
/// 2024-05-01T13:45:00.5+02:00, 13:45:07. Years have four digits.
pub fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 4 || bytes.len() > 40 || !bytes[0].is_ascii_digit() {
        return false;
    }
    match text.split_once(['T', ' ']) {
        Some((day, time)) => is_day(day) && is_time_of_day(time.trim()),
        None => is_day(text) || is_time_of_day(text),
    }
}

fn is_day(text: &str) -> bool {
    let Some(separator) = text.chars().find(|c| !c.is_ascii_digit()) else { return false };
    if !matches!(separator, '-' | '/' | '.') {
        return false;
    }
    let parts: Vec<&str> = text.split(separator).collect();
    let [first, second, third] = parts[..] else { return false };
    let (short, month, day) = (digits(1..=2), 1..=12, 1..=31);
    let (Some(middle), year_first) = (short(second), first.len() == 4) else { return false };
    if year_first {
        let last = short(third);
        return digits(4..=4)(first).is_some()
            && month.contains(&middle)
            && last.is_some_and(|last| day.contains(&last));
    }
    // Day and month in the order of either side of the Atlantic.
    let one_way = |d: u32, m: u32| day.contains(&d) && month.contains(&m);
    digits(4..=4)(third).is_some()
        && short(first).is_some_and(|a| one_way(a, middle) || one_way(middle, a))
}

fn is_time_of_day(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let text = upper.trim_end_matches("AM").trim_end_matches("PM").trim_end();
    let text = text.strip_suffix('Z').unwrap_or(text);
    // What comes after a sign is the distance to Greenwich.
    let (clock, zone) = text.split_once(['+', '-']).unwrap_or((text, "00"));
    let zone_fits = zone.len() <= 5 && zone.bytes().all(|b| b.is_ascii_digit() || b == b':');
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let within = |part: &str, most: u32| digits(1..=2)(part).is_some_and(|n| n <= most);
    let clock_fits = match parts[..] {
        [hours, minutes] => within(hours, 24) && within(minutes, 59),
        [hours, minutes, seconds] => {
            within(hours, 24) && within(minutes, 59) && within(seconds, 60)
        }
        _ => false,
    };
    clock_fits && zone_fits && digits(1..=9)(fraction).is_some()
}

/// A number of so many digits.
fn digits(count: std::ops::RangeInclusive<usize>) -> impl Fn(&str) -> Option<u32> {
    move |part: &str| {
        let fits = count.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        fits.then(|| part.parse().ok())?
    }
}

/// The day and the time of seconds from the start of 1970, as 2024-05-01 or 2024-05-01 13:45:07.
pub fn moment(seconds: f64) -> String {
    let days = (seconds / 86_400.0).floor();
    let [year, month, day] = civil(days as i64);
    let rest = (seconds - days * 86_400.0) as u32;
    let date = format!("{year:04}-{month:02}-{day:02}");
    match rest {
        0 => date,
        rest => format!("{date} {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60),
    }
}

/// Year, month and day of a number of days from the start of 1970. Years are counted from March on, so
/// that a leap day is the last of its year; 400 of them have 146,097 days.
fn civil(days: i64) -> [i64; 3] {
    let from_march = days + 719_468;
    let (era, of_era) = (from_march.div_euclid(146_097), from_march.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    [era * 400 + year + i64::from(month <= 2), month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times_are_told_from_numbers_and_words() {
        for text in [
            "2024-05-01",
            "2024/5/1",
            "01.05.2024",
            "5/31/2024",
            "31/5/2024",
            "2024-05-01T13:45:00.5+02:00",
            "2024-05-01 13:45",
            "01.05.2024 13:45:07",
            "5/1/2024 1:45 PM",
            "2024-05-01T13:45:00Z",
            "13:45:07",
            "7:05",
        ] {
            assert!(is_time(text), "{text}");
        }
        for text in
            ["1.5", "1,5", "2024", "20240501", "1.2.3", "192.168.0.1", "2024-13-01", "a:b", "1:99"]
        {
            assert!(!is_time(text), "{text}");
        }
    }

    #[test]
    fn commas_are_decimal_or_part_the_thousands() {
        assert_eq!((comma_number("1,5"), comma_number("-0,25")), (Some(1.5), Some(-0.25)));
        assert_eq!(
            (comma_number("1.234,5"), comma_number("1,2,3"), comma_number("1,")),
            (None, None, None)
        );
        assert!(has_thousands("1,234") && has_thousands("-12,345,678"));
        assert!(!has_thousands("1,5") && !has_thousands("0,1234") && !has_thousands("1234"));
    }

    #[test]
    fn a_moment_is_written_as_a_day() {
        assert_eq!(moment(0.0), "1970-01-01");
        assert_eq!(moment(951_782_400.0), "2000-02-29");
        assert_eq!(moment(1_714_571_107.0), "2024-05-01 13:45:07");
        assert_eq!(moment(-86_400.0), "1969-12-31");
    }
}
