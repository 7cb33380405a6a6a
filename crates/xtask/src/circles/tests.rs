use std::collections::BTreeSet;
use std::path::Path;

use super::source::Source;
use super::{Found, compare, of_crate};

/// The circles of a crate with these files.
fn circles(name: &str, files: &[(&str, &str)]) -> Vec<Found> {
    let folder = std::env::temp_dir().join(format!("gimbal-circles-{}-{name}", std::process::id()));
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a temporary folder");
        std::fs::write(path, text).expect("a temporary file");
    }
    let source = Source::read(&folder.join("lib.rs"));
    let found = source.map(|source| of_crate(&folder, &folder.join("lib.rs"), &source));
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
    found.expect("the sources")
}

fn names(found: &[Found]) -> Vec<&str> {
    found.iter().map(|circle| circle.name.as_str()).collect()
}

#[test]
fn a_circle_is_found_with_the_lines_that_close_it() {
    let found = circles(
        "two",
        &[
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "//! A.\n\nuse crate::b::B;\npub struct A(B);"),
            ("b.rs", "pub struct B;\npub fn f() {\n    println!(\"{}\", super::a::A::x());\n}"),
        ],
    );
    assert_eq!(names(&found), ["lib.rs: a, b"]);
    assert_eq!(found[0].uses, ["a.rs:3: a uses b (`crate::b::B`)", "b.rs:3: b uses a (`super::a::A::x`)"]);
}

#[test]
fn a_parent_and_its_child_may_use_each_other() {
    let found = circles(
        "parent",
        &[
            ("lib.rs", "mod a;\npub struct Root;"),
            ("a/mod.rs", "mod child;\npub struct A;\nfn f() { child::run(); }"),
            ("a/child.rs", "use super::A;\nuse crate::Root;\npub fn run() {}"),
        ],
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_circle_behind_a_re_export_is_found() {
    let found = circles(
        "reexport",
        &[
            ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub(crate) use b::*;"),
            ("a.rs", "use crate::B;\npub struct A(B);"),
            ("b.rs", "use super::A;\npub struct B;"),
        ],
    );
    assert_eq!(names(&found), ["lib.rs: a, b"]);
}

#[test]
fn a_circle_through_a_child_is_found() {
    let found = circles(
        "through",
        &[
            ("lib.rs", "mod a;\nmod b;"),
            ("a/mod.rs", "mod child;\npub fn f() { child::run(); }"),
            ("a/child.rs", "use crate::b;\npub fn run() { b::g(); }"),
            ("b.rs", "pub fn g() { crate::a::f(); }"),
        ],
    );
    assert_eq!(names(&found), ["lib.rs: a, a::child, b"]);
}

#[test]
fn tests_comments_strings_and_other_crates_do_not_count() {
    let found = circles(
        "tests",
        &[
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "use crate::b::B;\npub struct A(B);"),
            (
                "b.rs",
                "// crate::a::A\nuse ::a::A;\npub struct B;\npub const C: &str = \"crate::a::A\";\n\
                 #[cfg(test)]\nuse crate::a::{A as Other};\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}",
            ),
        ],
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_new_circle_and_a_listed_one_that_is_gone_are_errors() {
    let found = [Found { name: "lib.rs: a, b".to_owned(), uses: vec!["a.rs:1".to_owned()] }];
    assert!(compare(&found, &BTreeSet::from(["lib.rs: a, b"])).is_empty());
    assert_eq!(compare(&found, &BTreeSet::new()).len(), 1);
    assert_eq!(compare(&[], &BTreeSet::from(["lib.rs: a, b"])).len(), 1);
    assert_eq!(compare(&found, &BTreeSet::from(["lib.rs: a, b, c"])).len(), 2);
}

#[test]
fn a_missing_file_is_an_error() {
    assert!(Source::read(Path::new("no/such/lib.rs")).is_err());
}
