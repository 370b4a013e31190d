//! `protea methods`: the registry as text, Markdown or JSON.

use crate::args::{Common, Methods};
use crate::output;
use anyhow::Result;
use protea::method::{METHODS, Method, method};
use protea::train::Training;
use protea::{Setting, SettingValue};
use serde_json::{Value, json};

/// Shows one method or all.
pub fn run(args: &Methods, common: &Common) -> Result<()> {
    let methods: Vec<&Method> = match &args.name {
        Some(name) => vec![method(name)?],
        None => METHODS.iter().collect(),
    };
    if common.json {
        let training = Training::SETTINGS.iter().map(setting_json).collect::<Vec<_>>();
        let methods = methods.into_iter().map(method_json).collect::<Vec<_>>();
        return output::print_json(&json!({ "methods": methods, "training": training }));
    }
    let page = if args.markdown { markdown(&methods) } else { text(&methods) };
    Ok(output::print(&page)?)
}

fn text(methods: &[&Method]) -> String {
    let mut page = String::new();
    for m in methods {
        page += &format!("{}: {}\n  {}\n", m.name, m.summary, m.reference);
        if !m.defaults.is_empty() {
            page += &format!("  defaults: {}\n", own_defaults(m));
        }
        m.settings.iter().for_each(|s| page += &setting_text(s));
        if let [only] = methods {
            page += &format!("\nShared settings that it uses (see `protea fit --help`):\n{}", used(only));
        }
        page += "\n";
    }
    if methods.len() > 1 {
        for (heading, settings) in groups() {
            page += &format!("{heading} settings, with their defaults:\n");
            settings.iter().for_each(|s| page += &setting_text(s));
            page += "\n";
        }
    }
    page.trim_end().to_string() + "\n"
}

fn setting_text(s: &Setting) -> String {
    format!("  --{} {}\n      {} ({})\n", s.name, (s.default)(), s.help(), (s.expected)())
}

/// The shared settings with their headings.
fn groups() -> Vec<(String, Vec<Setting>)> {
    let mut groups: Vec<(String, Vec<Setting>)> = Vec::new();
    for s in Training::SETTINGS {
        match groups.last_mut() {
            Some((heading, settings)) if *heading == s.group.show() => settings.push(*s),
            _ => groups.push((s.group.show(), vec![*s])),
        }
    }
    groups
}

/// Names of the shared settings that a method uses, one line for each group.
fn used(m: &Method) -> String {
    let line = |(heading, settings): (String, Vec<Setting>)| {
        let used = settings.iter().filter(|s| m.reads.setting(s) && !m.is_fixed(s.name)).map(|s| s.name);
        let names: Vec<&str> = used.collect();
        if names.is_empty() { String::new() } else { format!("  {heading}: {}\n", names.join(", ")) }
    };
    groups().into_iter().map(line).collect()
}

fn own_defaults(m: &Method) -> String {
    m.defaults.iter().map(|(name, value)| format!("--{name} {value}")).collect::<Vec<_>>().join(" ")
}

fn markdown(methods: &[&Method]) -> String {
    let mut page = String::from("# Methods\n\n| name | what it is | page |\n|---|---|---|\n");
    for m in methods {
        page += &format!(
            "| [`{}`](#{}) | {} | [{}.md]({}.md) |\n",
            m.name,
            anchor(m.name),
            m.summary,
            m.page,
            m.page
        );
    }
    for m in methods {
        let (name, summary) = (m.name, capital(m.summary));
        page +=
            &format!("\n## `{name}`\n\n{summary}. [More]({}.md)\n\nReference: {}.\n", m.page, m.reference);
        if !m.defaults.is_empty() {
            page += &format!("\nIts own defaults: `{}`.\n", own_defaults(m));
        }
        if !m.settings.is_empty() {
            page += &format!("\n{}", settings_table(m.settings));
        }
    }
    page += "\n## Shared settings\n\nA setting that a method does not use is refused; `protea methods NAME` lists those that it uses.\n";
    for (heading, settings) in groups() {
        page += &format!("\n### {heading}\n\n{}", settings_table(&settings));
    }
    page
}

/// How headings are linked to: small letters, digits and hyphens.
fn anchor(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect()
}

fn settings_table(settings: &[Setting]) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let row = |s: &Setting| {
        format!(
            "| `--{}` | `{}` | {} | {} |\n",
            s.name,
            (s.default)(),
            cell(&(s.expected)()),
            cell(&s.help())
        )
    };
    "| setting | default | accepts | what it does |\n|---|---|---|---|\n".to_string()
        + &settings.iter().map(row).collect::<String>()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
}

fn method_json(m: &Method) -> Value {
    let defaults: serde_json::Map<String, Value> =
        m.defaults.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
    let settings = m.settings.iter().map(setting_json).collect::<Vec<_>>();
    let uses: Vec<&str> = Training::SETTINGS
        .iter()
        .filter(|s| m.reads.setting(s) && !m.is_fixed(s.name))
        .map(|s| s.name)
        .collect();
    json!({
        "name": m.name, "summary": m.summary, "page": m.page, "reference": m.reference, "defaults": defaults, "settings": settings,
        "uses": uses,
    })
}

fn setting_json(s: &Setting) -> Value {
    json!({
        "name": s.name, "group": s.group.show(), "default": (s.default)(), "expected": (s.expected)(),
        "choices": (s.choices)(), "short": s.short, "help": s.help(),
    })
}
