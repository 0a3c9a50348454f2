//! Names and numbers as people write them, on cards, in figures and on pages.

/// Text in which nothing can be taken for a mark of HTML or SVG: names come from the data of users.
pub fn escaped(text: &str) -> String {
    let letter = |c: char| match c {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '"' => "&quot;".into(),
        '\'' => "&#39;".into(),
        '\n' | '\t' => c.to_string(),
        // XML has no way to write the others.
        c if c.is_control() => ' '.to_string(),
        c => c.to_string(),
    };
    text.chars().map(letter).collect()
}

/// With a capital at the front.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// 737280 as 737,280.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// The size of a file: 794 kB.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A value with as many digits as matter.
pub fn short(value: f32) -> String {
    let digits = if value.abs() >= 100.0 {
        0
    } else if value.abs() >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// About three digits: none after the point from 100 on, one from 10 on, `from_one` from 1 on, else three.
pub fn three_digits(value: f64, from_one: usize) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => from_one,
        _ => 3,
    };
    format!("{value:.digits$}")
}

/// A time as people say it: "45 s", "12 min", "1 h 14 min", "2 d 3 h".
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    let (minutes, hours) = ((seconds + 30) / 60, (seconds + 1800) / 3600);
    match seconds {
        0..90 => format!("{seconds} s"),
        90..3570 => format!("{minutes} min"),
        3570..172_800 => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

/// "a", "a and b", "a, b and c".
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [] => String::new(),
        [one] => (*one).to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_escaped_is_a_mark() {
        assert_eq!(escaped("a<b>\"&'\u{7}\n"), "a&lt;b&gt;&quot;&amp;&#39; \n");
        assert_eq!(escaped("β → ε"), "β → ε");
    }

    #[test]
    fn times_are_as_people_say_them() {
        let said = [0.4, 89.0, 95.0, 3000.0, 3590.0, 4440.0, 200_000.0].map(duration);
        assert_eq!(said, ["0 s", "89 s", "2 min", "50 min", "1 h 0 min", "1 h 14 min", "2 d 8 h"]);
    }

    #[test]
    fn numbers_and_lists_read_as_prose() {
        assert_eq!([7, 1000, 737_280].map(grouped), ["7", "1,000", "737,280"]);
        assert_eq!([999, 794_708, 1_250_000].map(size), ["999 B", "794 kB", "1.2 MB"]);
        assert_eq!(listed(&["x", "y", "side"]), "x, y and side");
        assert_eq!(listed(&["x"]), "x");
        assert_eq!(capitalised("über"), "Über");
    }

    #[test]
    fn numbers_have_the_digits_that_matter() {
        assert_eq!([147.0, 12.5, 3.0, 0.126].map(short), ["147", "12.5", "3", "0.13"]);
    }
}
