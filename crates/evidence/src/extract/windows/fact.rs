//! Facts of events: class, action, actor and object at once; attributes and further entities on demand.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::super::fill::{put, put_some};
use super::super::{Details, RecordField};
use super::entity::{Form, OTHERS};
use super::event::Event;
use super::openssh;
use super::rules::{self, Rule};
use crate::packet::MAX_WORD;
use crate::{Class, Entity, EntityKind, NewFact};

/// What is needed of every event, in buffers that are used again.
#[derive(Debug, Default)]
pub(super) struct Names {
    word: &'static str,
    action: String,
    actor: (Option<EntityKind>, String),
    object: (Option<EntityKind>, String),
}

impl Names {
    /// Reads what an event says, and gives its class.
    pub(super) fn of(&mut self, event: &Event<'_>) -> Class {
        let provider = event.provider();
        let id = event.id();
        self.word = "";
        self.action.clear();
        if provider == openssh::PROVIDER
            && let Some(message) = event.get("payload")
        {
            let (class, word) = openssh::class(&message);
            self.word = word;
            self.actor.0 = openssh::address_of(&message, &mut self.actor.1);
            self.object.0 = openssh::account_of(&message, &mut self.object.1)
                .or_else(|| Form::Computer.name(event, &mut self.object.1));
            return class;
        }
        let Some(rule) = id.and_then(|id| rules::find(&provider, id)) else {
            self.name_message(&provider, id);
            self.actor.0 = None;
            self.object.0 = Form::Computer.name(event, &mut self.object.1);
            return rules::class_of_provider(&provider);
        };
        self.word = word(rule, event);
        first(rule.actor, event, &mut self.actor);
        first(rule.object, event, &mut self.object);
        class(rule, event)
    }

    /// The action of an event that the table does not name: the provider and the number.
    fn name_message(&mut self, provider: &str, id: Option<u32>) {
        let room = MAX_WORD - 12;
        for character in provider.chars() {
            if self.action.len() + character.len_utf8() > room {
                break;
            }
            self.action.push(if character.is_control() { ' ' } else { character });
        }
        let number = id.map_or_else(|| "event".to_owned(), |id| id.to_string());
        if !self.action.is_empty() {
            self.action.push(' ');
        }
        self.action.push_str(&number);
    }

    pub(super) fn action(&self) -> &str {
        if self.word.is_empty() { &self.action } else { self.word }
    }

    pub(super) fn actor(&self) -> Option<(EntityKind, &str)> {
        self.actor.0.map(|kind| (kind, self.actor.1.as_str()))
    }

    pub(super) fn object(&self) -> Option<(EntityKind, &str)> {
        self.object.0.map(|kind| (kind, self.object.1.as_str()))
    }
}

/// The first of several forms that the event fills.
fn first(forms: &[Form], event: &Event<'_>, into: &mut (Option<EntityKind>, String)) {
    into.0 = forms.iter().find_map(|form| form.name(event, &mut into.1));
}

/// The class, where the type of the object says it more closely than the number of the event.
fn class(rule: &Rule, event: &Event<'_>) -> Class {
    match (rule.class, event.get("ObjectType").as_deref().map(str::trim)) {
        (Class::FileAccessed, Some("Process")) => Class::ProcessAccessed,
        (Class::FileChanged, Some("Key")) => Class::RegistryChanged,
        (class, _) => class,
    }
}

/// What was done, where a field says it more closely than the number of the event.
fn word(rule: &Rule, event: &Event<'_>) -> &'static str {
    match rule.class {
        Class::Logon | Class::LogonFailed => match event.get("LogonType").as_deref().map(str::trim) {
            Some("0") => "system logon",
            Some("2") => "interactive logon",
            Some("3") => "network logon",
            Some("4") => "batch logon",
            Some("5") => "service logon",
            Some("7") => "unlock",
            Some("8") => "network logon in clear text",
            Some("9") => "logon with new credentials",
            Some("10") => "remote interactive logon",
            Some("11") => "cached interactive logon",
            _ => rule.action,
        },
        Class::TicketRequested => match (event.get("Status").as_deref().map(str::trim), rule.action) {
            (None | Some("0x0" | "0"), action) => action,
            (_, rules::CREDENTIALS_VALIDATED) => "credentials refused",
            _ => "ticket refused",
        },
        Class::RegistryChanged => match event.get("EventType").as_deref().map(str::trim) {
            Some("CreateKey") => "key created",
            Some("DeleteKey") => "key deleted",
            Some("DeleteValue") => "value deleted",
            _ => rule.action,
        },
        _ => rule.action,
    }
}

/// The rest of an event.
pub(super) struct Record<'a> {
    pub(super) event: &'a Event<'a>,
    pub(super) place: &'a dyn Fn() -> String,
    /// Adds what is around the event.
    pub(super) more: &'a dyn Fn(&mut NewFact),
}

impl Details for Record<'_> {
    fn place(&self) -> String {
        (self.place)()
    }

    fn time_found(&self) -> String {
        self.event.time().into_owned()
    }

    fn host(&self) -> Option<Cow<'_, str>> {
        let computer = self.event.computer();
        (!computer.is_empty()).then_some(computer)
    }

    fn fields(&self, each: &mut dyn FnMut(RecordField<'_>)) {
        self.event.give(each);
    }

    fn fill(&self, fact: &mut NewFact) {
        let system = self.event.system();
        // A rule of the sensor's configuration is an opinion, and names the attack at times.
        let is_sysmon = self.event.provider() == rules::SYSMON;
        for (name, value) in &system {
            put_some(fact, name, value);
        }
        for (owner, name, value) in self.event.fields() {
            if value.is_empty() || (is_sysmon && name == "RuleName") {
                continue;
            }
            let taken = owner.is_none() && system.iter().any(|(known, _)| *known == name);
            match owner.or(taken.then_some("EventData")) {
                Some(owner) => put(fact, &format!("{owner}.{name}"), &value),
                None => put(fact, &name, &value),
            }
        }
        let mut known: BTreeSet<Entity> =
            fact.actor.iter().chain(&fact.object).chain(&fact.entities).cloned().collect();
        let mut name = String::new();
        for form in OTHERS {
            let entity = form.name(self.event, &mut name).and_then(|kind| Entity::new(kind, name.as_str()).ok());
            if let Some(entity) = entity
                && known.insert(entity.clone())
            {
                fact.entities.push(entity);
            }
        }
        (self.more)(fact);
    }
}
