//! The word that was probably meant.

/// Comparing words costs time: so many candidates, of at most this length.
const MOST_CANDIDATES: usize = 2_000;
const LONGEST_WORD: usize = 100;

/// The most similar candidate. A third of the letters may differ, and always one: `red` is near
/// `rea`, not `blue`.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    let length = folded.chars().count();
    if length > LONGEST_WORD {
        return None;
    }
    let max_distance = (length / 3).max(1);
    candidates
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|candidate| candidate.len() <= LONGEST_WORD && *candidate != word)
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&folded, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= max_distance)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The end of a message about an unknown word: `; did you mean ...?`, or nothing.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or_else(String::new, |word| format!("; did you mean `{word}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_letters_may_differ() {
        let colors = ["red", "blue", "green"];
        assert_eq!(nearest("rde", colors), Some("red"));
        assert_eq!(nearest("Grean", colors), Some("green"));
        assert_eq!(nearest("yellow", colors), None);
        assert_eq!(nearest(&"r".repeat(101), colors), None);
        assert_eq!(did_you_mean("bleu", colors), "; did you mean `blue`?");
        assert_eq!(did_you_mean("", colors), "");
    }
}
