//! Settings by name: one declaration gives a typed struct, its defaults, its help, and parsing by name.

use crate::Error;
use std::collections::BTreeMap;

/// One setting as the registry, the command line and the docs show it.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Name on the command line and in model files.
    pub name: &'static str,
    /// Default value, as one would type it.
    pub default: fn() -> String,
    /// What is accepted.
    pub expected: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
}

/// Settings by name, as given by a user and as stored in a model.
pub type Values = BTreeMap<String, String>;

/// A type that a setting may have.
pub trait SettingValue: Sized {
    /// Reads the value as a user types it.
    fn parse(text: &str) -> Option<Self>;
    /// Writes it back so that `parse` reads the same value.
    fn show(&self) -> String;
}

macro_rules! by_from_str {
    ($($ty:ty),* $(,)?) => {$(
        impl SettingValue for $ty {
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )*};
}
by_from_str!(f64, usize, u64, bool);

/// `none`, or the value.
impl<T: SettingValue> SettingValue for Option<T> {
    fn parse(text: &str) -> Option<Self> {
        if text == "none" { Some(None) } else { T::parse(text).map(Some) }
    }

    fn show(&self) -> String {
        self.as_ref().map_or("none".into(), T::show)
    }
}

/// Declares an enum whose values have the names that users type.
macro_rules! named_enum {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $crate::settings::SettingValue for $name {
            fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
            fn show(&self) -> String {
                match self { $($name::$variant => $text.into()),* }
            }
        }
    };
}
pub(crate) use named_enum;

/// Declares a struct of settings: typed fields with defaults, and the same by name.
macro_rules! settings {
    ($(#[$doc:meta])* pub struct $name:ident {
        $($(#[doc = $help:literal])+ $field:ident ($flag:literal): $ty:ty = $default:expr, $check:expr, $expected:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $($(#[doc = $help])+ pub $field: $ty,)* }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }

        impl $name {
            /// Name, default and help of every setting.
            pub const SETTINGS: &[$crate::settings::Setting] = &[$($crate::settings::Setting {
                name: $flag,
                default: || <$ty as $crate::settings::SettingValue>::show(&$default),
                expected: $expected,
                help: concat!($($help),+).trim_ascii(),
            },)*];

            /// The defaults with these values; refuses names that there are not, as settings of `method`.
            pub fn from_values(method: &str, values: &$crate::settings::Values) -> $crate::Result<Self> {
                $crate::settings::parsed(method, Self::SETTINGS, values, Self::default(), Self::set)
            }

            /// Sets one value by name; `false` when there is no such setting.
            pub fn set(&mut self, name: &str, value: &str) -> $crate::Result<bool> {
                match name {
                    $($flag => match <$ty as $crate::settings::SettingValue>::parse(value) {
                        Some(v) => self.$field = v,
                        None => return Err($crate::Error::setting(name, value, $expected)),
                    },)*
                    _ => return Ok(false),
                }
                self.check()?;
                Ok(true)
            }

            /// Refuses values outside their range.
            pub fn check(&self) -> $crate::Result<()> {
                $({
                    let sound: fn(&$ty) -> bool = $check;
                    if !sound(&self.$field) {
                        let shown = $crate::settings::SettingValue::show(&self.$field);
                        return Err($crate::Error::setting($flag, shown, $expected));
                    }
                })*
                Ok(())
            }

            /// Every setting with its value, as a user would type it.
            pub fn values(&self) -> $crate::settings::Values {
                [$(($flag.to_string(), $crate::settings::SettingValue::show(&self.$field)),)*].into()
            }
        }
    };
}
pub(crate) use settings;

/// The settings `a` and then those of `b`, `N` in all, as one list.
pub(crate) const fn joined<const N: usize>(a: &[Setting], b: &[Setting]) -> [Setting; N] {
    let mut all = [a[0]; N];
    let mut k = 1;
    while k < N {
        all[k] = if k < a.len() { a[k] } else { b[k - a.len()] };
        k += 1;
    }
    all
}

/// An [`Error::UnknownSetting`] that lists what there is.
pub(crate) fn unknown(method: &str, name: &str, known: &[Setting]) -> Error {
    let known: Vec<&str> = known.iter().map(|s| s.name).collect();
    let known = if known.is_empty() { "none".into() } else { known.join(", ") };
    Error::UnknownSetting { method: method.into(), name: name.into(), known }
}

/// Settings with `values` set, or the message that names what there is.
pub(crate) fn parsed<T>(
    method: &str,
    known: &[Setting],
    values: &Values,
    mut settings: T,
    set: impl Fn(&mut T, &str, &str) -> crate::Result<bool>,
) -> crate::Result<T> {
    for (name, value) in values {
        if !set(&mut settings, name, value)? {
            return Err(unknown(method, name, known));
        }
    }
    Ok(settings)
}

/// A whole number or a share: `15`, `0.05`, `5%`.
pub(crate) fn number_or_share(text: &str) -> Option<(f64, bool)> {
    if let Some(percent) = text.strip_suffix('%') {
        let share = percent.trim().parse::<f64>().ok()? / 100.0;
        return (share > 0.0 && share <= 1.0).then_some((share, true));
    }
    if let Ok(n) = text.parse::<usize>() {
        return (n > 0).then_some((n as f64, false));
    }
    let share = text.parse::<f64>().ok()?;
    (share > 0.0 && share < 1.0).then_some((share, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    named_enum! {
        /// For the test below.
        pub enum Colour { Red = "red", Blue = "blue" }
    }

    settings! {
        /// For the test below.
        pub struct Paint {
            /// Its colour.
            colour("colour"): Colour = Colour::Red, |_| true, "red or blue";
            /// How many coats.
            coats("coats"): Option<usize> = None, |v| *v != Some(0), "none or a number ≥ 1";
        }
    }

    #[test]
    fn a_declaration_gives_defaults_parsing_ranges_and_help() {
        let mut p = Paint::default();
        assert_eq!(Paint::SETTINGS[0].help, "Its colour.");
        assert_eq!((Paint::SETTINGS[1].default)(), "none");
        assert!(p.set("colour", "blue").unwrap() && p.set("coats", "3").unwrap());
        assert!(!p.set("weight", "3").unwrap());
        assert_eq!(p, Paint { colour: Colour::Blue, coats: Some(3) });
        assert_eq!(p.set("colour", "green").unwrap_err().to_string(), "colour = green, expected red or blue");
        assert_eq!(p.set("coats", "0").unwrap_err().to_string(), "coats = 0, expected none or a number ≥ 1");
        let mut q = Paint::default();
        Paint { colour: Colour::Blue, coats: Some(3) }.values().iter().for_each(|(n, v)| {
            q.set(n, v).unwrap();
        });
        assert_eq!(q.colour, Colour::Blue);
        assert_eq!(Paint::from_values("paint", &q.values()).unwrap(), q);
        let wrong = Paint::from_values("paint", &[("weight".to_string(), "3".to_string())].into());
        assert_eq!(wrong.unwrap_err().to_string(), "paint has no setting \"weight\"; it has colour, coats");
    }

    #[test]
    fn counts_and_shares_are_told_apart() {
        assert_eq!(number_or_share("15"), Some((15.0, false)));
        assert_eq!(number_or_share("5%"), Some((0.05, true)));
        assert_eq!(number_or_share("0.25"), Some((0.25, true)));
        for bad in ["0", "-1", "1.5", "x", "", "0%", "120%", "nan"] {
            assert_eq!(number_or_share(bad), None, "{bad}");
        }
    }
}
