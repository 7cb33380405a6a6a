//! A template of a model file, rewritten so that all that it makes is counted.
//!
//! The operators of the template language cannot be replaced, and forty doublings of a text are two hundred steps. So the values that
//! texts and lists are made of go through a filter of [`super::template_meter`]: `a ~ b` becomes `a|gimbal_text ~ b|gimbal_text`. The filters are put
//! behind a value, where they bind to it alone, and no line is moved.

use minijinja::machinery::ast::{BinOpKind, Call, CallArg, Expr, Macro, Stmt};
use minijinja::machinery::parse;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Error, ErrorKind};

use super::template_meter::{MADE, filter};

/// Steps that a template may take: long conversations need some thousands.
pub(super) const STEPS: u64 = 2_000_000;

/// Operators and other parts of an expression within one another.
const NESTED: usize = 100;

/// Bytes of a template.
const SOURCE: usize = 1 << 18;

/// The function whose result alone can change, and so hold itself.
const NAMESPACE: &str = "namespace";

/// A template that counts what it makes.
pub(super) struct Counted {
    pub(super) source: String,
    /// Steps that it may take. Each may write the longest text between two marks once more.
    pub(super) steps: u64,
}

/// Rewrites a template.
///
/// # Errors
/// What is wrong with the template, or what it may not contain.
pub(super) fn counted(template: &str, syntax: SyntaxConfig) -> Result<Counted, Error> {
    if template.len() > SOURCE {
        return Err(refused(&format!("it has {} bytes, and at most {SOURCE} are rendered", template.len())));
    }
    let tree = parse(template, "chat", syntax)?;
    let mut walk = Walk::default();
    walk.names(&tree);
    walk.statement(&tree)?;
    walk.added.sort_by_key(|(at, _)| *at);
    let mut source = template.to_owned();
    for (at, filter) in walk.added.iter().rev() {
        source.insert_str(*at, &format!("|{filter}"));
    }
    Ok(Counted { source, steps: STEPS.min(MADE / walk.longest.max(1) as u64) })
}

fn refused(what: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, what.to_owned())
}

/// What becomes of the value of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It is kept or tested as it is.
    Kept,
    /// A member of it is taken.
    Member,
    /// It is gone through.
    Read,
    /// It is copied.
    Copied,
    /// It becomes text with all that is in it.
    Text,
    /// It is multiplied.
    Number,
}

impl Use {
    const fn filter(self) -> Option<&'static str> {
        match self {
            Self::Kept | Self::Member => None,
            Self::Read => Some(filter::READ),
            Self::Copied => Some(filter::COPIED),
            Self::Text => Some(filter::TEXT),
            Self::Number => Some(filter::NUMBER),
        }
    }
}

#[derive(Default)]
struct Walk<'t> {
    /// Filters, and the bytes at which they are added.
    added: Vec<(usize, &'static str)>,
    /// Variables that hold a namespace.
    namespaces: Vec<&'t str>,
    /// Whether what is written here is kept as a text.
    kept: bool,
    /// Bytes of the longest text between two marks that is kept.
    longest: usize,
    nested: usize,
}

type Walked = Result<(), Error>;

impl<'t> Walk<'t> {
    /// Finds the variables that hold a namespace.
    fn names(&mut self, statement: &Stmt<'t>) {
        if let Stmt::Set(set) = statement
            && let (Expr::Var(target), Expr::Call(call)) = (&set.target, &set.expr)
            && is_namespace(&call.expr)
        {
            self.namespaces.push(target.id);
        }
        for body in bodies(statement) {
            body.iter().for_each(|statement| self.names(statement));
        }
    }

    fn statements(&mut self, statements: &[Stmt<'t>]) -> Walked {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn kept(&mut self, statements: &[Stmt<'t>]) -> Walked {
        let before = std::mem::replace(&mut self.kept, true);
        self.statements(statements)?;
        self.kept = before;
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt<'t>) -> Walked {
        match statement {
            Stmt::Template(template) => self.statements(&template.children),
            Stmt::EmitExpr(written) => self.value(&written.expr, Use::Kept),
            Stmt::EmitRaw(written) => {
                if self.kept {
                    self.longest = self.longest.max(written.raw.len());
                }
                Ok(())
            }
            Stmt::ForLoop(each) => {
                self.value(&each.iter, Use::Kept)?;
                each.filter_expr.iter().try_for_each(|filter| self.value(filter, Use::Kept))?;
                if each.recursive {
                    self.kept(&each.body)?
                } else {
                    self.statements(&each.body)?
                }
                self.statements(&each.else_body)
            }
            Stmt::IfCond(one) => {
                self.value(&one.expr, Use::Kept)?;
                self.statements(one.true_body.as_slice())?;
                self.statements(one.false_body.as_slice())
            }
            Stmt::WithBlock(with) => {
                with.assignments.iter().try_for_each(|(_, value)| self.value(value, Use::Kept))?;
                self.statements(&with.body)
            }
            Stmt::Set(set) => match (&set.target, &set.expr) {
                (Expr::Var(_), Expr::Call(call)) if is_namespace(&call.expr) => self.arguments(call, Use::Text),
                (_, value) => self.value(value, Use::Kept),
            },
            Stmt::SetBlock(set) => {
                set.filter.iter().try_for_each(|filter| self.value(filter, Use::Kept))?;
                self.kept(&set.body)
            }
            Stmt::AutoEscape(escape) => self.statements(&escape.body),
            Stmt::FilterBlock(block) => {
                self.value(&block.filter, Use::Kept)?;
                self.kept(&block.body)
            }
            Stmt::Block(block) => self.kept(&block.body),
            Stmt::Macro(one) => self.callable(one),
            Stmt::CallBlock(block) => {
                self.call(&block.call)?;
                self.callable(&block.macro_decl)
            }
            Stmt::Continue(_) | Stmt::Break(_) => Ok(()),
            Stmt::Do(done) => self.call(&done.call),
            Stmt::Import(_) | Stmt::FromImport(_) | Stmt::Extends(_) | Stmt::Include(_) => {
                Err(refused("it includes another template, and a model file has only one"))
            }
        }
    }

    fn callable(&mut self, one: &Macro<'t>) -> Walked {
        one.defaults.iter().try_for_each(|value| self.value(value, Use::Kept))?;
        self.kept(one.body.as_slice())
    }

    fn call(&mut self, call: &Call<'t>) -> Walked {
        if is_namespace(&call.expr) {
            return Err(refused("`namespace` is only for `{% set name = namespace(...) %}`"));
        }
        self.value(&call.expr, Use::Member)?;
        let is_dict = matches!(&call.expr, Expr::Var(name) if name.id == "dict");
        self.arguments(call, if is_dict { Use::Text } else { Use::Kept })
    }

    fn arguments(&mut self, call: &Call<'t>, used: Use) -> Walked {
        call.args.iter().try_for_each(|argument| self.argument(argument, used))
    }

    fn argument(&mut self, argument: &CallArg<'t>, used: Use) -> Walked {
        match argument {
            CallArg::Pos(value) | CallArg::Kwarg(_, value) | CallArg::PosSplat(value) | CallArg::KwargSplat(value) => {
                self.value(value, used)
            }
        }
    }

    fn all(&mut self, values: &[Expr<'t>], used: Use) -> Walked {
        values.iter().try_for_each(|value| self.value(value, used))
    }

    fn value(&mut self, value: &Expr<'t>, used: Use) -> Walked {
        self.nested += 1;
        if self.nested > NESTED {
            return Err(refused(&format!("an expression has more than {NESTED} parts within one another")));
        }
        self.parts(value, used)?;
        self.nested -= 1;
        Ok(())
    }

    fn parts(&mut self, value: &Expr<'t>, used: Use) -> Walked {
        let end = value.span().end_offset as usize;
        match value {
            Expr::Var(name) if used != Use::Member && (name.id == NAMESPACE || self.namespaces.contains(&name.id)) => {
                return Err(refused(&format!("`{}` is a namespace, and only its members are values", name.id)));
            }
            Expr::Var(_) => {}
            Expr::Const(fixed) => {
                if used == Use::Number && !fixed.value.is_number() {
                    return Err(refused("it multiplies a text"));
                }
                return Ok(());
            }
            Expr::GetAttr(one) => self.value(&one.expr, Use::Member)?,
            Expr::GetItem(one) => {
                self.value(&one.expr, Use::Member)?;
                self.value(&one.subscript_expr, Use::Kept)?;
            }
            Expr::Slice(slice) => {
                self.value(&slice.expr, Use::Member)?;
                let bounds = [&slice.start, &slice.stop, &slice.step];
                bounds.into_iter().flatten().try_for_each(|bound| self.value(bound, Use::Kept))?;
                if matches!(used, Use::Kept | Use::Read) {
                    self.added.push((end, filter::COPIED));
                    return Ok(());
                }
            }
            Expr::Call(call) => self.call(call)?,
            Expr::Filter(one) => {
                one.expr.iter().try_for_each(|value| self.value(value, Use::Read))?;
                one.args.iter().try_for_each(|argument| self.argument(argument, Use::Kept))?;
                if used != Use::Copied {
                    self.added.push((end, filter::COPIED));
                }
            }
            Expr::Test(test) => {
                self.value(&test.expr, if test.args.is_empty() { Use::Kept } else { Use::Read })?;
                return test.args.iter().try_for_each(|argument| self.argument(argument, Use::Kept));
            }
            Expr::UnaryOp(one) => return self.value(&one.expr, Use::Kept),
            Expr::Compare(compare) => {
                self.value(&compare.expr, Use::Read)?;
                return compare.ops.iter().try_for_each(|other| self.value(&other.expr, Use::Read));
            }
            Expr::IfExpr(choice) => {
                self.value(&choice.test_expr, Use::Kept)?;
                self.value(&choice.true_expr, used)?;
                return choice.false_expr.iter().try_for_each(|value| self.value(value, used));
            }
            Expr::BinOp(operation) => {
                let of_both = match operation.op {
                    BinOpKind::ScAnd | BinOpKind::ScOr => used,
                    BinOpKind::Concat if used == Use::Number => return Err(refused("it multiplies a text")),
                    BinOpKind::Concat => Use::Text,
                    BinOpKind::Add if matches!(used, Use::Number | Use::Text) => used,
                    BinOpKind::Add => Use::Copied,
                    BinOpKind::Mul => Use::Number,
                    _ => Use::Read,
                };
                self.value(&operation.left, of_both)?;
                return self.value(&operation.right, of_both);
            }
            Expr::List(_) | Expr::Tuple(_) | Expr::Map(_) if used == Use::Number => {
                return Err(refused("it multiplies a list"));
            }
            // What is in it is counted as it is put there.
            Expr::List(list) => return self.all(&list.items, Use::Text),
            Expr::Tuple(tuple) => return self.all(&tuple.items, Use::Text),
            Expr::Map(map) => {
                self.all(&map.keys, Use::Text)?;
                return self.all(&map.values, Use::Text);
            }
        }
        if let Some(filter) = used.filter() {
            self.added.push((end, filter));
        }
        Ok(())
    }
}

fn is_namespace(called: &Expr<'_>) -> bool {
    matches!(called, Expr::Var(name) if name.id == NAMESPACE)
}

/// The statements within a statement.
fn bodies<'a, 't>(statement: &'a Stmt<'t>) -> Vec<&'a [Stmt<'t>]> {
    match statement {
        Stmt::Template(one) => vec![one.children.as_slice()],
        Stmt::ForLoop(one) => vec![one.body.as_slice(), one.else_body.as_slice()],
        Stmt::IfCond(one) => vec![one.true_body.as_slice(), one.false_body.as_slice()],
        Stmt::WithBlock(one) => vec![one.body.as_slice()],
        Stmt::SetBlock(one) => vec![one.body.as_slice()],
        Stmt::AutoEscape(one) => vec![one.body.as_slice()],
        Stmt::FilterBlock(one) => vec![one.body.as_slice()],
        Stmt::Block(one) => vec![one.body.as_slice()],
        Stmt::Macro(one) => vec![one.body.as_slice()],
        Stmt::CallBlock(one) => vec![one.macro_decl.body.as_slice()],
        _ => Vec::new(),
    }
}
