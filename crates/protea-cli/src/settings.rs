//! Flags generated from the registry: what a method is and takes is written once, in the library.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use protea::method::METHODS;
use protea::model::Rule;
use protea::train::Training;
use protea::{Group, Setting, SettingValue, Values};

/// Settings as the user gave them: one flag for each that training or any method has.
#[derive(Debug, Clone, Default)]
pub struct Settings(pub Values);

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        flags().iter().fold(command, |command, s| command.arg(flag(s)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = flags().into_iter().filter_map(|s| {
            matches.get_one::<String>(s.name).map(|value| (s.name.to_string(), value.clone()))
        });
        Ok(Settings(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Settings that the short help shows: those that people use most.
const COMMON: &[&str] =
    &["per-class", "seed", "scale", "metric", "rank", "epochs", "rate", "noise", "holdout", "patience"];

/// Every setting once, those that methods share first.
fn flags() -> Vec<Setting> {
    let mut flags: Vec<Setting> = Training::SETTINGS.to_vec();
    for s in METHODS.iter().flat_map(|m| m.settings) {
        if flags.iter().all(|known| known.name != s.name) {
            flags.push(*s);
        }
    }
    flags
}

fn flag(s: &Setting) -> Arg {
    let own = s.group == Group::Own;
    let arg = Arg::new(s.name)
        .long(s.name)
        .value_name("VALUE")
        .help(s.short)
        .long_help(format!("{}\nAccepts {}; default {}.", s.help(), (s.expected)(), (s.default)()))
        .help_heading(s.group.show())
        .hide_short_help(!COMMON.contains(&s.name))
        .hide_long_help(own)
        .allow_negative_numbers(true);
    if is_switch(s) {
        // `--deskew` alone means true; a value needs `=`, so that what follows is not taken for one.
        arg.num_args(0..=1).require_equals(true).default_missing_value("true")
    } else {
        arg
    }
}

fn is_switch(s: &Setting) -> bool {
    bool::parse(&(s.default)()).is_some()
}

/// A shared setting by name.
fn training(name: &str) -> &'static Setting {
    Training::SETTINGS.iter().find(|s| s.name == name).unwrap_or(&Training::SETTINGS[0])
}

/// Help of `--rule` for verbs that may replace the model's own.
pub fn rule_help() -> String {
    let rule = training("rule");
    format!("{} [{}] [default: the model's]", rule.short, (rule.expected)())
}

/// Reads a rule as the registry spells it.
pub fn rule(text: &str) -> Result<Rule, String> {
    Rule::parse(text).ok_or_else(|| format!("expected {}", (training("rule").expected)()))
}
