//! Folders of rules. No engine is needed.

use std::fs;

use gimbal_sigma::{FolderError, MAX_RULE_BYTES, RuleFiles};

fn write(root: &std::path::Path, path: &str, text: &str) {
    let file = root.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn paths(files: &RuleFiles) -> Vec<&str> {
    files.texts.iter().map(|text| text.path.as_str()).collect()
}

#[test]
fn a_folder_is_read_in_the_order_of_its_paths_with_its_licence() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "mine/b.yml", "b");
    write(place.path(), "mine/a/z.yaml", "z");
    write(place.path(), "mine/readme.md", "no rule");
    write(place.path(), "LICENSE", "under the [Detection Rule License (DRL) 1.1](x).");
    let files = RuleFiles::read(&place.path().join("mine")).unwrap();
    assert_eq!(paths(&files), ["a/z.yaml", "b.yml"]);
    assert_eq!(files.licence.as_deref(), Some("DRL-1.1"), "the licence of the folder above");
    assert_eq!((files.bytes(), files.unread.len()), (2, 0));
    let before = files.digest();
    write(place.path(), "mine/b.yml", "c");
    assert_ne!(RuleFiles::read(&place.path().join("mine")).unwrap().digest(), before);
}

#[test]
fn of_a_copy_of_the_public_set_only_folders_of_rules_are_read() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "rules/windows/a.yml", "a");
    write(place.path(), "rules-threat-hunting/b.yml", "b");
    write(place.path(), "regression_data/info.yml", "no rule");
    let files = RuleFiles::read(place.path()).unwrap();
    assert_eq!(paths(&files), ["rules-threat-hunting/b.yml", "rules/windows/a.yml"]);
    assert_eq!(files.licence, None);
}

#[test]
fn files_that_cannot_be_read_are_named_and_do_not_stop_the_rest() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "good.yml", "title: x");
    fs::write(place.path().join("bytes.yml"), [0xff, 0xfe, 0]).unwrap();
    write(place.path(), "large.yml", &"#".repeat(usize::try_from(MAX_RULE_BYTES).unwrap() + 1));
    let files = RuleFiles::read(place.path()).unwrap();
    assert_eq!(paths(&files), ["good.yml"]);
    let unread: Vec<&str> = files.unread.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(unread, ["bytes.yml", "large.yml"]);
    assert!(files.unread[1].what.contains("at most 1048576"), "{:?}", files.unread);
}

#[test]
fn a_folder_without_rules_and_one_that_is_missing_say_what_is_expected() {
    let place = tempfile::tempdir().unwrap();
    let empty = RuleFiles::read(place.path()).unwrap_err();
    assert!(matches!(empty, FolderError::Empty(_)) && empty.to_string().contains(".yml"), "{empty}");
    let missing = RuleFiles::read(&place.path().join("none")).unwrap_err();
    assert!(matches!(missing, FolderError::Io { .. }), "{missing}");
}
