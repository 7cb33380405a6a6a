//! What several architectures use. What one architecture alone uses is in its folder.
//!
//! | module | what |
//! |---|---|
//! | `settings`, `configuration` | strict reading of settings, and named configurations |
//! | `member` | an agent of several: its settings and its place |
//! | `asking` | asking an agent for a text or a message, with one repair |
//! | `seen_blocks` | context blocks of an agent whose conversation begins anew |
//! | `packet` | packets of evidence, and the rules of agents by rule |
//! | [`control`] | controllers over subtasks: [`cyclic`](crate::cyclic) and [`dag`](crate::dag) |
//! | [`graph`] | graphs of subtasks: files, machines, what runs taught |
//! | [`gate`] | a check before a final answer: of controllers and of one agent in one conversation |
//! | [`reflector`] | notes on what went wrong: [`reflexion`](crate::reflexion) and [`lats`](crate::lats) |

pub(crate) mod asking;
pub(crate) mod configuration;
pub mod control;
pub mod gate;
pub mod graph;
pub(crate) mod member;
pub(crate) mod packet;
pub mod reflector;
pub(crate) mod seen_blocks;
pub(crate) mod settings;
