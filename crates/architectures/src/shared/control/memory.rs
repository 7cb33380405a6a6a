//! The form of the rolling memory that a controller keeps and gives to the next executor as soft guidance (CYC-009, CYC-010).

use gimbal_messages::Form;

/// The form of a memory under constrained decoding: shorter than what is read, so that a small model ends.
pub(super) fn form() -> Form {
    let list = |most| Form::array(&Form::text(1, 80), 0, most);
    Form::object(&[
        ("objective", Form::text(0, 120)),
        ("facts", list(4)),
        ("state", Form::text(0, 120)),
        ("attempts", list(3)),
        ("loops", list(2)),
        ("needs", list(3)),
        ("hint", Form::text(0, 120)),
    ])
}
