//! The work's list: tables, figures and printed numbers, in reading order.

use gimbal_view::work::{Item, Make, Needs, Printed};

use crate::cases::CASES;
use crate::debate;
use crate::groups::{GAMES, PANELS};
use crate::tables::frame::Frame;
use crate::tables::{debates, games, judges, panels, verdicts};
use crate::{competence_figure, figures, game_figure, printed};

/// A table of cases; `shown` tables are in the report of a run, the others in `--all` alone.
macro_rules! table {
    ($key:literal, $source:literal, $title:literal, $shown:literal, $made:path) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: Needs::RESULTS.with_fold(&CASES),
            in_report: $shown,
            make: Make::Table(|context, item| Ok($made(&Frame::of(context, item)?))),
        }
    };
}

/// A figure of cases, for the whole run.
macro_rules! figure {
    ($key:literal, $title:literal, $draw:path) => {
        Item {
            key: $key,
            title: $title,
            source: "",
            needs: Needs::RESULTS.with_fold(&CASES),
            in_report: false,
            make: Make::Figure(|context, item| figures::whole(context, item, $draw)),
        }
    };
}

/// A table of panels or games.
macro_rules! group_table {
    ($key:literal, $source:literal, $title:literal, $records:ident, $made:path) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: Needs::RESULTS.with_fold(&$records),
            in_report: true,
            make: Make::Table(|context, item| $made(context, item)),
        }
    };
}

/// Tables that the work prints, those that it lacks, figures, printed numbers.
#[rustfmt::skip]
pub const ITEMS: &[Item] = &[
    table!("ares-1", "Tab. 1", "Accuracy, spread, cost and failure mode of each pipeline", true, verdicts::overall),
    table!("ares-2", "Tab. 2", "Confidence of each side by round", true, debates::confidences),
    table!("ares-tiers", "", "Accuracy by tier", true, verdicts::tiers),
    table!("ares-confusion", "", "Expected and given verdicts", true, verdicts::confusion),
    table!("ares-errors", "", "Wrong verdicts: class, diagnosis, loss", true, verdicts::errors),
    table!("ares-calibration", "", "Confidence of verdicts against what happened", true, verdicts::calibration),
    table!("ares-flips", "", "Good and bad flips against a single turn", true, debates::flips),
    table!("ares-gate", "", "What the gate lets stand and what it escalates", true, debates::gates),
    table!("ares-movement", "", "How confidences move: evidence and commitment", true, debates::movement),
    table!("ares-citations", "", "Citations, refusals, and what code says of assertions", true, debates::citations),
    table!("ares-judges", "", "What other judges make of the same debates", false, judges::judges),
    group_table!("ares-panel", "Sec. 6", "How far the members of a panel agree", PANELS, panels::agreement),
    group_table!("ares-panel-rules", "", "What each rule makes of a panel's answers", PANELS, panels::rules),
    group_table!("consensus", "Tab. 3", "Games of agreement: valid, invalid, none", GAMES, games::outcomes),
    group_table!("ares-3", "Tab. 3", "Published rates of valid agreement, and this run beside them", GAMES, games::beside),
    figure!("ares-f1", "Confidence of both sides by round", figures::rounds),
    figure!("ares-f2", "Given verdicts by the expected one", figures::confusion),
    figure!("ares-f3", "Right verdicts by stated confidence", figures::reliable),
    figure!("ares-f4", "What becomes of the verdict after the first round", figures::flips),
    figure!("ares-f5", "Accuracy against cost", figures::cost),
    Item {
        key: "ares-f6",
        title: "One debate as claims, facts and confidences",
        source: "",
        needs: Needs::fold(&debate::FIRST),
        in_report: false,
        make: Make::Figure(debate::figure),
    },
    figure!("ares-f7", "Accuracy against the competence of noisy experts", competence_figure::draw),
    Item {
        key: "consensus-f1",
        title: "Games of agreement by outcome",
        source: "",
        needs: Needs::RESULTS.with_fold(&GAMES),
        in_report: false,
        make: Make::Figure(game_figure::outcomes),
    },
    Item {
        key: "ares",
        title: "Printed numbers that follow from others, recomputed",
        source: "",
        needs: Needs::NONE,
        in_report: false,
        make: Make::Printed(Printed { file: printed::FILE, examine: printed::read_and_examine }),
    },
];
