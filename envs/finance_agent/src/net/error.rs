//! What can go wrong when something is fetched.

use thiserror::Error;

use super::guard::Refused;

/// A page or reply that was not had. Messages name host and path, never a query: it may hold a key.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FetchError {
    /// The text is not an address.
    #[error("`{url}` is no address of a page: {why}; give one that begins with http:// or https://")]
    Address {
        /// What was given.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// The address leads into a private network.
    #[error("{0}; addresses of private networks are not fetched")]
    Private(Refused),
    /// Too many redirects.
    #[error("{url}: more than {most} redirects")]
    Redirects {
        /// The address asked for first.
        url: String,
        /// How many are followed.
        most: u32,
    },
    /// A redirect that leads nowhere.
    #[error("{url}: a redirect without a readable address")]
    Astray {
        /// The address that redirected.
        url: String,
    },
    /// The server answers with an error.
    #[error("{status}, message='{reason}', url='{url}'")]
    Status {
        /// Status of HTTP.
        status: u16,
        /// Its phrase.
        reason: String,
        /// The address.
        url: String,
    },
    /// The server goes on saying that it is busy (429, 503).
    #[error("{url}: the server is busy (it answered {status} {tries} times); take another address")]
    Busy {
        /// The last status.
        status: u16,
        /// The address.
        url: String,
        /// How often it was asked.
        tries: u32,
    },
    /// The time is used up.
    #[error(
        "Timeout error when parsing HTML page after {seconds} seconds. The URL might be blocked or the server is taking too long to respond."
    )]
    Timeout {
        /// The bound.
        seconds: u64,
    },
    /// A reply that ended before its end, or is none. The original has no text for it.
    #[error("{url}: the reply broke off or cannot be read ({why}); try again, or take another address")]
    Broken {
        /// The address.
        url: String,
        /// What the connection said.
        why: String,
    },
    /// No connection.
    #[error("Cannot connect to host {host}: {why}")]
    Connection {
        /// Host and port.
        host: String,
        /// What the connection said.
        why: String,
    },
    /// What came is none of what the service speaks.
    #[error("{url}: the service's reply cannot be read: {why}")]
    Shape {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
}
