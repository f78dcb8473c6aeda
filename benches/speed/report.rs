//! Prints figures as a table and writes them as JSON.

use std::path::Path;

use serde_json::{Map, Value};

/// Rows of named figures. Rows may have different columns.
#[derive(Default)]
pub struct Report {
    rows: Vec<(String, Vec<(&'static str, f64)>)>,
}

impl Report {
    pub fn row(&mut self, name: impl Into<String>, figures: Vec<(&'static str, f64)>) {
        let name = name.into();
        let shown: Vec<_> = figures
            .iter()
            .map(|(label, figure)| format!("{label} {}", shown(*figure)))
            .collect();
        println!("{name:<28} {}", shown.join("   "));
        self.rows.push((name, figures));
    }

    /// Merges the figures into the file of an earlier run, so that cases can run separately.
    pub fn write(&self, path: &Path) {
        let earlier = std::fs::read_to_string(path).unwrap_or_default();
        let mut all: Map<String, Value> = serde_json::from_str(&earlier).unwrap_or_default();
        for (name, figures) in &self.rows {
            let figures: Map<_, _> = figures
                .iter()
                .map(|(label, figure)| ((*label).to_owned(), Value::from(*figure)))
                .collect();
            all.insert(name.clone(), figures.into());
        }
        let text = serde_json::to_string_pretty(&all).unwrap();
        if let Err(error) = std::fs::write(path, text + "\n") {
            eprintln!("cannot write {}: {error}", path.display());
        }
    }
}

fn shown(figure: f64) -> String {
    match figure {
        _ if figure.is_nan() => "-".to_owned(),
        _ if figure >= 100.0 => format!("{figure:.0}"),
        _ if figure >= 10.0 => format!("{figure:.1}"),
        _ => format!("{figure:.2}"),
    }
}
