//! Settings by name: one declaration gives a typed struct, its defaults, its help, and parsing by name.

use crate::Error;
use std::collections::BTreeMap;

/// Declares an enum whose values have the names that users type.
macro_rules! named_enum {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $name {
            /// The names of all values, in order.
            pub const NAMES: &'static [&'static str] = &[$($text),*];
        }

        impl $crate::settings::SettingValue for $name {
            fn choices() -> Vec<&'static str> {
                Self::NAMES.to_vec()
            }
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

named_enum! {
    /// What a setting is about: the heading it stands under.
    pub enum Group {
        /// Where prototypes start, and how many there are.
        Start = "Start",
        /// What samples look like before distances are measured.
        Representing = "Preprocessing",
        /// What distances are measured with.
        Metric = "Metric",
        /// How parameters are trained.
        Descending = "Training",
        /// Which iterate is kept, and when training stops early.
        Judging = "Validation",
        /// How the model decides.
        Deciding = "Decision",
        /// What a single method or metric has of its own.
        Own = "Own",
    }
}

/// One setting as the registry, the command line and the docs show it.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Name on the command line and in model files.
    pub name: &'static str,
    /// What it is about.
    pub group: Group,
    /// Default value, as one would type it.
    pub default: fn() -> String,
    /// What is accepted, in words.
    pub expected: fn() -> String,
    /// The accepted names, where the setting is a choice among names.
    pub choices: fn() -> Vec<&'static str>,
    /// What values are, for languages that tell types apart: `int`, `float`, `bool`, `text`, `none`.
    pub types: fn() -> Vec<&'static str>,
    /// What it does, in one line.
    pub short: &'static str,
    /// More about it; empty where the line says all.
    pub more: &'static str,
}

impl Setting {
    /// All that is to be said: the line, then the paragraph.
    pub fn help(&self) -> String {
        if self.more.is_empty() { self.short.into() } else { format!("{} {}", self.short, self.more) }
    }
}

/// Settings by name, as given by a user and as stored in a model.
pub type Values = BTreeMap<String, String>;

/// A type that a setting may have.
pub trait SettingValue: Sized {
    /// Reads the value as a user types it.
    fn parse(text: &str) -> Option<Self>;
    /// Writes it back so that `parse` reads the same value.
    fn show(&self) -> String;
    /// The names that `parse` accepts, where these are all.
    fn choices() -> Vec<&'static str> {
        Vec::new()
    }
    /// What values are: `int`, `float`, `bool`, `text`, `none`, or several of them.
    fn types() -> Vec<&'static str> {
        vec!["text"]
    }
    /// What is accepted, in words; the declaration of a setting may say it more closely.
    fn expected() -> String {
        either(&Self::choices())
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn either(names: &[&str]) -> String {
    match names {
        [] => "a value".into(),
        [only] => only.to_string(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

macro_rules! by_from_str {
    ($($ty:ty = $kind:literal),* $(,)?) => {$(
        impl SettingValue for $ty {
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
            fn show(&self) -> String {
                self.to_string()
            }
            fn types() -> Vec<&'static str> {
                vec![$kind]
            }
        }
    )*};
}
by_from_str!(f64 = "float", usize = "int", u64 = "int");

impl SettingValue for bool {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn choices() -> Vec<&'static str> {
        vec!["true", "false"]
    }

    fn types() -> Vec<&'static str> {
        vec!["bool"]
    }
}

/// `none`, or the value.
impl<T: SettingValue> SettingValue for Option<T> {
    fn parse(text: &str) -> Option<Self> {
        if text == "none" { Some(None) } else { T::parse(text).map(Some) }
    }

    fn show(&self) -> String {
        self.as_ref().map_or("none".into(), T::show)
    }

    fn choices() -> Vec<&'static str> {
        let names = T::choices();
        if names.is_empty() { names } else { [&["none"], &names[..]].concat() }
    }

    fn types() -> Vec<&'static str> {
        [&["none"], &T::types()[..]].concat()
    }

    fn expected() -> String {
        let some = T::expected();
        if some.contains(" or ") { format!("none, {some}") } else { format!("none or {some}") }
    }
}

/// Declares a struct of settings: typed fields with defaults, and the same by name.
///
/// The first line of a field's comment is its short help, the rest its paragraph. After the default stand a range and what it
/// accepts in words; types that are a choice among names need neither. Fields may stand in groups, `Group { … }`.
macro_rules! settings {
    ($(#[$doc:meta])* pub struct $name:ident {
        $(#[doc = $first:literal] $($rest:tt)*)?
    }) => {
        $crate::settings::settings! {
            $(#[$doc])* pub struct $name { $(Own { #[doc = $first] $($rest)* })? }
        }
    };
    ($(#[$doc:meta])* pub struct $name:ident { $($group:ident {
        $(#[doc = $short:literal] $(#[doc = $more:literal])*
        $field:ident ($flag:literal): $ty:ty = $default:expr $(, $check:expr, $expected:literal)?;)*
    })* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $($(#[doc = $short] $(#[doc = $more])* pub $field: $ty,)*)* }

        impl Default for $name {
            fn default() -> Self {
                $name { $($($field: $default,)*)* }
            }
        }

        impl $name {
            /// Every setting: name, group, default, what it accepts, help.
            pub const SETTINGS: &[$crate::settings::Setting] = &[$($($crate::settings::Setting {
                name: $flag,
                group: $crate::settings::Group::$group,
                default: || <$ty as $crate::settings::SettingValue>::show(&$default),
                expected: || {
                    let said: &[&str] = &[$($expected)?];
                    said.first().map_or_else(<$ty as $crate::settings::SettingValue>::expected, |s| s.to_string())
                },
                choices: <$ty as $crate::settings::SettingValue>::choices,
                types: <$ty as $crate::settings::SettingValue>::types,
                short: $short.trim_ascii(),
                more: concat!($($more),*).trim_ascii(),
            },)*)*];

            /// The defaults with these values; refuses names that there are not, as settings of `method`.
            pub fn from_values(method: &str, values: &$crate::settings::Values) -> $crate::Result<Self> {
                $crate::settings::parsed(method, Self::SETTINGS, values, Self::default(), Self::set)
            }

            /// Sets one value by name; `false` when there is no such setting.
            pub fn set(&mut self, name: &str, value: &str) -> $crate::Result<bool> {
                let before = self.clone();
                match name {
                    $($($flag => match <$ty as $crate::settings::SettingValue>::parse(value) {
                        Some(v) => self.$field = v,
                        None => return Err($crate::settings::refused(Self::SETTINGS, name, value)),
                    },)*)*
                    _ => return Ok(false),
                }
                // A value that is refused must not stay.
                self.check().inspect_err(|_| *self = before)?;
                Ok(true)
            }

            /// Refuses values outside their range.
            pub fn check(&self) -> $crate::Result<()> {
                $($({
                    let ranges: &[fn(&$ty) -> bool] = &[$($check)?];
                    if !ranges.iter().all(|sound| sound(&self.$field)) {
                        let shown = $crate::settings::SettingValue::show(&self.$field);
                        return Err($crate::settings::refused(Self::SETTINGS, $flag, &shown));
                    }
                })*)*
                Ok(())
            }

            /// Every setting with its value, as a user would type it.
            pub fn values(&self) -> $crate::settings::Values {
                [$($(($flag.to_string(), $crate::settings::SettingValue::show(&self.$field)),)*)*].into()
            }
        }
    };
}
pub(crate) use settings;

/// Declares a struct of settings that is put together from groups of them.
macro_rules! composed_settings {
    ($(#[$doc:meta])* pub struct $name:ident { $($(#[$about:meta])* $field:ident: $group:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $name { $($(#[$about])* pub $field: $group,)* }

        impl $name {
            /// Every setting of every group: name, group, default, what it accepts, help.
            pub const SETTINGS: &[$crate::settings::Setting] =
                &$crate::settings::joined::<{ 0 $(+ <$group>::SETTINGS.len())* }>(&[$(<$group>::SETTINGS),*]);

            /// Sets one value by name; `false` when there is no such setting.
            pub fn set(&mut self, name: &str, value: &str) -> $crate::Result<bool> {
                Ok($(self.$field.set(name, value)?)||*)
            }

            /// Refuses values outside their range.
            pub fn check(&self) -> $crate::Result<()> {
                $(self.$field.check()?;)*
                Ok(())
            }

            /// Every setting with its value, as a user would type it.
            pub fn values(&self) -> $crate::settings::Values {
                [$(self.$field.values()),*].into_iter().flatten().collect()
            }
        }
    };
}
pub(crate) use composed_settings;

/// The settings of several lists, `N` in all, as one list.
pub(crate) const fn joined<const N: usize>(lists: &[&[Setting]]) -> [Setting; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut at, mut k) = (0, 0, 0);
    while k < N {
        if at == lists[list].len() {
            (list, at) = (list + 1, 0);
            continue;
        }
        all[k] = lists[list][at];
        (at, k) = (at + 1, k + 1);
    }
    all
}

/// An error about a value that the setting of that name does not accept.
pub(crate) fn refused(settings: &[Setting], name: &str, value: &str) -> Error {
    let expected = settings.iter().find(|s| s.name == name).map_or(String::new(), |s| (s.expected)());
    Error::setting(name, value, expected)
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
            ///
            /// Blue is
            /// cold.
            colour("colour"): Colour = Colour::Red;
            /// Its frame.
            frame("frame"): Option<Colour> = None;
            /// How many coats.
            coats("coats"): Option<usize> = None, |v| *v != Some(0), "none or a number ≥ 1";
        }
    }

    #[test]
    fn a_declaration_gives_defaults_parsing_ranges_and_help() {
        let mut p = Paint::default();
        let [colour, frame, coats] = Paint::SETTINGS else { panic!("three settings") };
        assert_eq!((colour.short, colour.more), ("Its colour.", "Blue is cold."));
        assert_eq!(
            (colour.help(), coats.help()),
            ("Its colour. Blue is cold.".into(), "How many coats.".into())
        );
        assert_eq!(
            ((colour.expected)(), (frame.expected)()),
            ("red or blue".into(), "none, red or blue".into())
        );
        assert_eq!(((frame.choices)(), (coats.choices)()), (vec!["none", "red", "blue"], vec![]));
        assert_eq!(((frame.types)(), (coats.types)()), (vec!["none", "text"], vec!["none", "int"]));
        assert_eq!(((coats.default)(), coats.group), ("none".into(), Group::Own));
        assert!(p.set("colour", "blue").unwrap() && p.set("coats", "3").unwrap());
        assert!(!p.set("weight", "3").unwrap());
        assert_eq!(p, Paint { colour: Colour::Blue, frame: None, coats: Some(3) });
        assert_eq!(p.set("colour", "green").unwrap_err().to_string(), "colour = green, expected red or blue");
        assert_eq!(p.set("coats", "0").unwrap_err().to_string(), "coats = 0, expected none or a number ≥ 1");
        let mut q = Paint::default();
        p.values().iter().for_each(|(n, v)| {
            q.set(n, v).unwrap();
        });
        assert_eq!(q.colour, Colour::Blue);
        assert_eq!(Paint::from_values("paint", &q.values()).unwrap(), q);
        let wrong = Paint::from_values("paint", &[("weight".to_string(), "3".to_string())].into());
        assert_eq!(
            wrong.unwrap_err().to_string(),
            "paint has no setting \"weight\"; it has colour, frame, coats"
        );
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
