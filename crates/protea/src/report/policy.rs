//! What a page may do: run its own script and apply its own style, and load nothing.

use crate::export::base64;
use sha2::{Digest, Sha256};

/// A content security policy that allows exactly this style and this script; an empty script allows none.
pub(super) fn policy(style: &str, script: &str) -> String {
    let only = |text: &str| match text {
        "" => "'none'".to_string(),
        _ => format!("'sha256-{}'", base64(&Sha256::digest(text.as_bytes()))),
    };
    format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        only(style),
        only(script)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`.
    #[test]
    fn hashes_are_those_that_browsers_compute() {
        let text = policy("", "alert(1)");
        assert!(
            text.contains(
                "style-src 'none'; script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
            )
        );
        assert!(!text.contains("unsafe"));
    }
}
