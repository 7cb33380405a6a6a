//! Finished drawings: pictures, figures with their captions, and the files that they become.

use super::svg::{Anchor, HEAD, MUTED, RULE, SMALL, Svg, Type, WIDTH, fit};

/// A picture, or what the run lacks for it.
pub type Drawn = Result<Picture, String>;

/// A picture with its height and how to read it.
pub struct Picture {
    /// The elements.
    pub svg: Svg,
    /// Height in pixels; the width is [`WIDTH`].
    pub height: f64,
    /// What the picture shows and how to read it.
    pub caption: String,
}

/// A finished figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Machine name, good for a file.
    pub name: &'static str,
    /// Title.
    pub title: String,
    /// What it shows and how to read it.
    pub caption: String,
    /// The picture, a whole SVG document without an XML declaration, for a page that shows the caption beside it.
    pub svg: String,
    /// The same with title and caption written beneath, for a file of its own.
    pub alone: String,
}

impl Figure {
    /// Finishes a picture.
    #[must_use]
    pub fn new(name: &'static str, title: String, caption: String, (svg, height): (&Svg, f64)) -> Self {
        let alone = svg.finish_alone(height, &title, &caption);
        Self { name, svg: svg.finish(height, &title), alone, title, caption }
    }
}

/// A figure of a work, for one environment or for a whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Key of the figure.
    pub key: &'static str,
    /// Environment that it is of.
    pub environment: String,
    /// Name of its file without the ending: the key, with the environment where there are several.
    pub file: String,
    /// The figure.
    pub figure: Figure,
    /// What the run lacks for it, if it lacks it.
    pub missing: Option<String>,
}

impl Output {
    /// A drawing as a named output; a frame that says what is missing where there is none. `title` is shown above it, `said`
    /// follows its caption.
    #[must_use]
    pub fn of(
        key: &'static str,
        (title, file, environment): (String, String, String),
        drawn: Drawn,
        said: &str,
    ) -> Self {
        let (picture, missing) = match drawn {
            Ok(picture) => (picture, None),
            Err(missing) => (gap(&missing), Some(missing)),
        };
        let Picture { svg, height, caption } = picture;
        let figure = Figure::new(key, title, format!("{caption}{said}"), (&svg, height));
        Self { key, environment, file, figure, missing }
    }
}

/// What to draw where a run lacks the cells: a frame that says so, and no numbers.
#[must_use]
pub fn gap(missing: &str) -> Picture {
    let mut svg = Svg::new();
    svg.raw(&format!(
        "<rect x=\"1\" y=\"1\" width=\"{}\" height=\"78\" rx=\"4\" fill=\"none\" class=\"rule\" stroke=\"{RULE}\" stroke-dasharray=\"5 4\"/>",
        WIDTH - 2.0
    ));
    svg.text(WIDTH / 2.0, 36.0, Anchor::Middle, HEAD, "nothing to draw");
    let style = Type { fill: MUTED, ..SMALL };
    svg.text(WIDTH / 2.0, 56.0, Anchor::Middle, style, &fit(missing, SMALL.size, WIDTH - 20.0));
    Picture { svg, height: 80.0, caption: format!("This run has {missing}.") }
}

/// Letters and digits of a name, for a file.
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}
