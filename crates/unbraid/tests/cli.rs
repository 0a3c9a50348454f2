//! Transcripts: what a user types and what comes back, word for word. README.md is one of them.

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cli/*.md").case("../../README.md").env("NO_COLOR", "1");
}
