//! What an observation tells, as data for the belief state: never more than its text.

use gimbal_core::Data;
use serde_json::{Map, Value, json};

use crate::engine::{Command, Play, Role};
use crate::scene::{Lexicon, shows_contents};

/// What the first text tells: which receptacles there are.
pub fn first(play: &Play, lexicon: &Lexicon) -> Data {
    let game = play.game();
    let names = lexicon.receptacles(game).into_iter().map(|symbol| Value::from(game.name(symbol).trim()));
    json!({ "receptacles": names.collect::<Vec<_>>() }).into()
}

/// What the text after a command tells; none means a command without effect.
pub fn after(play: &Play, lexicon: &Lexicon, done: Option<(Role, &Command)>) -> Data {
    let Some((role, command)) = done else { return json!({ "effect": false }).into() };
    let game = play.game();
    let form = &game.rules.domain.actions[usize::from(command.action)];
    let argument = |kind| {
        let parameter = form.parameters.iter().find(|parameter| parameter.kind == kind);
        parameter.map(|parameter| command.arguments[usize::from(parameter.slot)])
    };
    let (receptacle, object) = (argument(lexicon.receptacle), argument(lexicon.object));
    let name = |symbol: u16| Value::from(game.name(symbol).trim());
    let mut data = Map::new();
    if let Some(receptacle) = receptacle {
        data.insert("receptacle".to_owned(), name(receptacle));
    }
    if let Some(object) = object {
        data.insert("object".to_owned(), name(object));
    }
    if let Some(receptacle) = receptacle
        && (shows_contents(role) || role == Role::Close)
    {
        let open = lexicon.opened(play, receptacle);
        let state = match open {
            None => "none",
            Some(true) => "open",
            Some(false) => "closed",
        };
        data.insert("state".to_owned(), state.into());
        if shows_contents(role) && open != Some(false) {
            let inside: Vec<Value> = lexicon.contents(play, receptacle).map(name).collect();
            data.insert("holds".to_owned(), inside.into());
        }
    }
    if role == Role::Inventory {
        let carried: Vec<Value> = lexicon.carried(play).map(name).collect();
        data.insert("carried".to_owned(), carried.into());
    }
    let what = match role {
        Role::Go => "went",
        Role::Take => "taken",
        Role::Put => "put",
        Role::Change => "changed",
        Role::Open => "opened",
        Role::Close => "closed",
        _ => "looked",
    };
    data.insert("effect".to_owned(), what.into());
    Value::Object(data).into()
}
