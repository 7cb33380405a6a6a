//! No text breaks the simulator or the action grammar: it is answered, and what an agent's text is read as can be written
//! and read again.
#![no_main]

use std::sync::Arc;

use gimbal_textcraft::action::{Toolset, parse, render};
use gimbal_textcraft::menu::Menu;
use gimbal_textcraft::{Said, Scene, Simulator, Tree};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let tree = Tree::shipped().expect("the built-in recipes are read");
    let scene = Arc::new(Scene::of(&tree, 3));
    let menu = Menu::of(&scene);
    let mut simulator = Simulator::new(scene).with_aliasing(true);
    let mut reply = String::new();
    for line in text.split(';') {
        let before = simulator.situation();
        let outcome = simulator.step(line, &mut reply);
        if !matches!(outcome.said, Said::Got | Said::Crafted) {
            assert_eq!(simulator.situation(), before);
        }
        for toolset in [Toolset::All, Toolset::Separate, Toolset::Unified] {
            if let Ok(call) = parse(line, toolset, &menu) {
                let _ = render(&call, toolset, &menu);
            }
        }
    }
});
