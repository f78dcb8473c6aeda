//! `targets/` has the assertions.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parser_targets::run("links", data));
