//! Servers that misbehave, each on a real port of this machine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{call, open, reset, said, step};
use gimbal_core::{EnvError, Environment, Rng};
use gimbal_finance_agent::net::{FetchError, Net, NetSettings, Request};
use gimbal_finance_agent::tools::{EDGAR_SEARCH, PARSE_PAGE, WEB_SEARCH};
use serde_json::json;

/// A server whose every connection is answered by `answer(request, number, stream)`.
struct Server {
    address: SocketAddr,
    hits: Arc<AtomicUsize>,
}

impl Server {
    fn new(answer: impl Fn(&str, usize, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let hits = Arc::new(AtomicUsize::new(0));
        let (counted, answer) = (Arc::clone(&hits), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let number = counted.fetch_add(1, Ordering::SeqCst);
                let answer = Arc::clone(&answer);
                std::thread::spawn(move || {
                    let mut stream = stream;
                    let mut head = String::new();
                    let mut reader = BufReader::new(stream.try_clone().unwrap());
                    while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
                    let _ = answer(&head, number, &mut stream);
                });
            }
        });
        Self { address, hits }
    }

    fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }
}

fn reply(stream: &mut TcpStream, head: &str, body: &[u8]) -> std::io::Result<()> {
    stream.write_all(
        format!("HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes(),
    )?;
    stream.write_all(body)
}

async fn environment(server: &Server, more: serde_json::Value) -> Box<dyn Environment> {
    let mut options =
        json!({ "served": { "odd.test": server.address.to_string() }, "first_wait": 1, "reader": "extract" });
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut environment = open(options);
    reset(&mut *environment, "s01", 1).await;
    environment
}

fn page(path: &str) -> gimbal_core::ToolCall {
    call(PARSE_PAGE, json!({ "url": format!("https://odd.test/{path}"), "key": "k" }))
}

#[tokio::test]
async fn a_page_that_never_ends_is_cut_and_said_to_be() {
    let server = Server::new(|_, _, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")?;
        loop {
            stream.write_all(b"more and more\n")?;
        }
    });
    let mut environment = environment(&server, json!({ "page_bytes": 100_000 })).await;
    let stored = step(&mut *environment, &page("endless")).await;
    assert!(stored.observation.text.starts_with("SUCCESS"));
    let note = "\nNOTE: The page is longer than 100000 bytes and was cut there; what comes after is not stored.\n";
    assert!(stored.observation.text.ends_with(note), "{}", stored.observation.text);
    assert_eq!(stored.observation.data["cut"], true);
    let length = stored.observation.data["characters"].as_u64().unwrap();
    assert!((90_000..=100_000).contains(&length), "{length}");
}

#[tokio::test]
async fn a_page_that_trickles_runs_out_of_time() {
    let server = Server::new(|_, _, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
        loop {
            stream.write_all(b"x")?;
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let mut environment = environment(&server, json!({ "seconds": 1 })).await;
    assert_eq!(
        said(&mut *environment, &page("slow")).await,
        "Timeout error when parsing HTML page after 1 seconds. The URL might be blocked or the server is taking too long to respond."
    );
    assert!(environment.failure().is_none(), "an agent's address may be slow");
}

#[tokio::test]
async fn private_addresses_are_refused_at_the_first_hop_and_at_every_other() {
    let secret = Server::new(|_, _, stream| reply(stream, "200 OK", b"<p>secret</p>"));
    let port = secret.address.port();
    let server = Server::new(move |head, _, stream| {
        let path = head.split(' ').nth(1).unwrap_or_default();
        let to = match path {
            "/v4" => format!("http://127.0.0.1:{port}/"),
            "/mapped" => format!("http://[::ffff:127.0.0.1]:{port}/"),
            "/number" => format!("http://2130706433:{port}/"),
            "/octal" => format!("http://0177.0.0.1:{port}/"),
            "/name" => format!("http://localhost:{port}/"),
            "/meta" => "http://169.254.169.254/latest/meta-data/".to_owned(),
            "/file" => "file:///etc/hostname".to_owned(),
            "/again" => "/twice".to_owned(),
            "/twice" => format!("//127.0.0.1:{port}/"),
            _ => "/loop".to_owned(),
        };
        reply(stream, &format!("302 Found\r\nLocation: {to}"), b"")
    });
    let mut environment = environment(&server, json!({ "max_calls": 50 })).await;
    for path in ["v4", "mapped", "number", "octal", "name", "meta", "again"] {
        let text = said(&mut *environment, &page(path)).await;
        assert!(
            text.contains("which is no public address; addresses of private networks are not fetched"),
            "{path}: {text}"
        );
    }
    assert!(said(&mut *environment, &page("file")).await.contains("a redirect without a readable address"));
    assert_eq!(said(&mut *environment, &page("loop")).await, "https://odd.test/loop: more than 5 redirects");
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://[::1]:{port}/"),
        "http://10.0.0.1/".to_owned(),
    ] {
        let text = said(&mut *environment, &call(PARSE_PAGE, json!({ "url": url, "key": "k" }))).await;
        assert!(text.contains("private networks are not fetched"), "{url}: {text}");
    }
    for (url, why) in [
        ("ftp://a.example/", "`ftp` is not fetched"),
        ("no address", "is no address of a page"),
        ("https://", "is no address of a page"),
    ] {
        let text = said(&mut *environment, &call(PARSE_PAGE, json!({ "url": url, "key": "k" }))).await;
        assert!(text.contains(why), "{url}: {text}");
    }
    assert_eq!(secret.hits(), 0, "nothing was ever asked of the private server");
    // Where it is configured, it is reached.
    let mut allowed = open(json!({ "allow_private": true }));
    reset(&mut *allowed, "s01", 1).await;
    let text =
        said(&mut *allowed, &call(PARSE_PAGE, json!({ "url": format!("http://127.0.0.1:{port}/"), "key": "k" }))).await;
    assert!(text.starts_with("SUCCESS"), "{text}");
}

#[tokio::test]
async fn a_busy_page_is_asked_again_and_one_that_stays_busy_is_an_answer_to_the_agent() {
    for status in ["429 Too Many Requests", "503 Service Unavailable"] {
        let server = Server::new(move |_, number, stream| match number {
            0..4 => reply(stream, status, b"wait"),
            _ => reply(stream, "200 OK", b"<p>at last</p>"),
        });
        let mut patient = environment(&server, json!({})).await;
        assert!(said(&mut *patient, &page("busy")).await.starts_with("SUCCESS"));
        assert_eq!(server.hits(), 5);

        // Which page is fetched is the agent's choice: it must not void its own episode.
        let server = Server::new(move |_, _, stream| reply(stream, status, b"wait"));
        let mut environment = environment(&server, json!({})).await;
        let text = said(&mut *environment, &page("busy")).await;
        assert_eq!(server.hits(), 9, "once and eight times again");
        let code = &status[..3];
        assert_eq!(
            text,
            format!("https://odd.test/busy: the server is busy (it answered {code} 9 times); take another address")
        );
        assert!(environment.failure().is_none(), "no failure of the tools");
    }
}

#[tokio::test]
async fn other_failures_of_a_page_are_the_addresss_own() {
    let server = Server::new(|head, _, stream| match head.split(' ').nth(1).unwrap_or_default() {
        "/gone" => reply(stream, "410 Gone", b""),
        "/broken" => reply(stream, "500 Internal Server Error", b""),
        "/empty" => reply(stream, "200 OK", b"<html><script>1</script></html>"),
        "/latin" => reply(stream, "200 OK\r\nContent-Type: text/html; charset=utf-8", b"caf\xe9 $5.5 million"),
        "/wrong" => reply(stream, "200 OK\r\nContent-Type: text/html; charset=iso-2022-jp", "5 €".as_bytes()),
        "/big" => reply(stream, "200 OK", "<tr><td>1,234.5</td>\n</tr>".repeat(150_000).as_bytes()),
        "/short" => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort"),
        _ => stream.write_all(b"this is no HTTP\r\n\r\n"),
    });
    let mut environment = environment(&server, json!({ "max_calls": 50 })).await;
    for (path, text) in [
        ("gone", "410, message='Gone', url='https://odd.test/gone'"),
        ("broken", "500, message='Internal Server Error', url='https://odd.test/broken'"),
        ("empty", "null"),
    ] {
        assert_eq!(said(&mut *environment, &page(path)).await, text);
    }
    for path in ["short", "nonsense"] {
        let text = said(&mut *environment, &page(path)).await;
        assert!(
            text.starts_with(&format!("https://odd.test/{path}: the reply broke off or cannot be read (")),
            "{text}"
        );
    }
    // Where nobody listens there is no connection.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let net =
        Net::new(NetSettings { served: vec![("odd.test".to_owned(), closed)], ..NetSettings::default() }).unwrap();
    let request = Request { url: "https://odd.test/x", json: None, key: None };
    let error = net.fetch(&request, &mut Rng::stream(0, "w")).await.unwrap_err().to_string();
    assert!(error.starts_with("Cannot connect to host odd.test:443: "), "{error}");
    let latin = step(&mut *environment, &page("latin")).await;
    assert_eq!(
        (&latin.observation.data["charset"], &latin.observation.data["mended"]),
        (&json!("UTF-8"), &json!(true))
    );
    let wrong = step(&mut *environment, &page("wrong")).await;
    assert_eq!(
        (&wrong.observation.data["charset"], &wrong.observation.data["characters"]),
        (&json!("UTF-8"), &json!(3))
    );
    let big = step(&mut *environment, &page("big")).await;
    assert_eq!(
        (&big.observation.data["cut"], &big.observation.data["characters"]),
        (&json!(false), &json!(150_000 * 8 - 1))
    );
    let mut later = open(json!({ "texts": "v1.1", "served": { "odd.test": server.address.to_string() } }));
    reset(&mut *later, "s01", 1).await;
    assert_eq!(said(&mut *later, &page("empty")).await, "HTML output was empty");
}

#[tokio::test]
async fn what_is_no_text_and_what_breaks_off_is_said_to_the_agent() {
    let server = Server::new(|head, _, stream| {
        let (kind, body): (&str, &[u8]) = match head.split(' ').nth(1).unwrap_or_default() {
            "/report.pdf" => ("application/pdf", b"%PDF-1.7\n1 0 obj\x00\xff"),
            "/hidden" => ("text/html", b"%PDF-1.4 ..."),
            "/zip" => ("application/octet-stream", b"PK\x03\x04\x00"),
            "/raw" => ("application/octet-stream", b"abc\x00\x01\x02"),
            "/named" => ("application/pdf", b"<html><p>a page after all</p></html>"),
            _ => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n<p>half")?;
                return Ok(());
            }
        };
        reply(stream, &format!("200 OK\r\nContent-Type: {kind}"), body)
    });
    let mut environment = environment(&server, json!({})).await;
    for (path, what) in [
        ("report.pdf", "a PDF document"),
        ("hidden", "a PDF document"),
        ("zip", "an archive or an office document"),
        ("raw", "a binary file"),
    ] {
        let said = step(&mut *environment, &page(path)).await;
        let text = format!(
            "ERROR: https://odd.test/{path} is {what} and not a page of text; nothing was stored. Give the address of a page in HTML or text."
        );
        assert_eq!(said.observation.text, text);
        assert_eq!((&said.observation.data["stored"], &said.observation.data["error"]), (&json!(false), &json!(text)));
    }
    assert!(said(&mut *environment, &page("named")).await.starts_with("SUCCESS"));
    let text = said(&mut *environment, &page("half")).await;
    assert!(text.starts_with("https://odd.test/half: the reply broke off or cannot be read ("), "{text}");
}

/// A redirect to another port, or from encryption to none, is another place: the key stays behind.
#[tokio::test]
async fn a_key_follows_a_redirect_to_the_same_scheme_host_and_port_alone() {
    let server = Server::new(|head, _, stream| match head.split(' ').nth(1).unwrap_or_default() {
        "/plain" => reply(stream, "302 Found\r\nLocation: http://api.test/end", b""),
        "/port" => reply(stream, "302 Found\r\nLocation: https://api.test:8443/end", b""),
        "/there" => reply(stream, "302 Found\r\nLocation: https://api.test:443/end", b""),
        // Once it is gone it does not come back.
        "/back" => reply(stream, "302 Found\r\nLocation: http://api.test/there", b""),
        _ => reply(stream, "200 OK", head.as_bytes()),
    });
    let net = Net::new(NetSettings { served: vec![("api.test".to_owned(), server.address)], ..NetSettings::default() })
        .unwrap();
    for (url, kept) in [
        ("https://api.test/plain", false),
        ("https://api.test/port", false),
        ("https://api.test/back", false),
        ("https://api.test/there", true),
        ("https://api.test/end", true),
        ("http://api.test/plain", true),
    ] {
        let request = Request { url, json: None, key: Some("secret-123") };
        let fetched = net.fetch(&request, &mut Rng::stream(0, "w")).await.unwrap();
        let head = String::from_utf8(fetched.bytes).unwrap().to_lowercase();
        assert_eq!(head.contains("authorization"), kept, "{url}: {head}");
    }
}

/// Real services by their wire formats: addresses and keys of one's own.
#[tokio::test]
async fn keys_are_sent_and_shown_nowhere() {
    // The tool's own server replaces the real one, and repeats what it was sent.
    let server = Server::new(|head, _, stream| {
        let key = head.lines().find_map(|line| line.strip_prefix("authorization: ")).unwrap_or_default().to_owned();
        let body = json!({ "filings": [{ "accessionNo": "1", "filingUrl": "https://a.example/", "companyNameLong": format!("echo {key}") }] });
        reply(stream, "200 OK", body.to_string().as_bytes())
    });
    let net = Net::new(NetSettings { served: vec![("api.test".to_owned(), server.address)], ..NetSettings::default() })
        .unwrap();
    let request =
        Request { url: "https://api.test/x?api_key=hidden-9", json: Some("{}".to_owned()), key: Some("secret-123") };
    let fetched = net.fetch(&request, &mut Rng::stream(0, "w")).await.unwrap();
    let text = String::from_utf8(fetched.bytes).unwrap();
    assert!(text.contains("echo **********") && !text.contains("secret-123"), "{text}");
    assert_eq!(fetched.url, "https://api.test/x");
    // Errors show no query.
    let server = Server::new(|_, _, stream| reply(stream, "403 Forbidden", b""));
    let net = Net::new(NetSettings { served: vec![("api.test".to_owned(), server.address)], ..NetSettings::default() })
        .unwrap();
    let error = net.fetch(&request, &mut Rng::stream(0, "w")).await.unwrap_err();
    assert_eq!(
        error,
        FetchError::Status { status: 403, reason: "Forbidden".to_owned(), url: "https://api.test/x".to_owned() }
    );
    assert!(!format!("{error:?} {net:?}").contains("hidden-9"));
    // A key does not follow a redirect to another host.
    let other = Server::new(|head, _, stream| reply(stream, "200 OK", head.as_bytes()));
    let server =
        Server::new(move |_, _, stream| reply(stream, "307 Temporary Redirect\r\nLocation: https://other.test/", b""));
    let served = vec![("api.test".to_owned(), server.address), ("other.test".to_owned(), other.address)];
    let net = Net::new(NetSettings { served, ..NetSettings::default() }).unwrap();
    let fetched = net.fetch(&request, &mut Rng::stream(0, "w")).await.unwrap();
    assert!(!String::from_utf8(fetched.bytes).unwrap().to_lowercase().contains("authorization"));
}

/// An agent may invent an address: beside a web that is made up there is nothing, and nobody is asked for it.
// covers: CYC-037
#[tokio::test]
async fn a_closed_web_sends_no_request_beyond_itself() {
    let server = Server::new(|_, _, stream| reply(stream, "200 OK", b"here"));
    let served = vec![(".example".to_owned(), server.address)];
    let net = Net::new(NetSettings { served, closed: true, ..NetSettings::default() }).unwrap();
    let fetch = async |url: &str| net.fetch(&Request { url, json: None, key: None }, &mut Rng::stream(0, "w")).await;
    assert_eq!(fetch("https://www.sec.example/a").await.unwrap().bytes, b"here");
    for (url, host) in [
        ("https://www.sec.gov/edgar/document/1", "www.sec.gov:443"),
        ("http://93.184.215.14/x", "93.184.215.14:80"),
        ("https://[2606:2800:21f:cb07::1]:8443/", "[2606:2800:21f:cb07::1]:8443"),
    ] {
        let why = "name or service not known".to_owned();
        assert_eq!(fetch(url).await.unwrap_err(), FetchError::Connection { host: host.to_owned(), why });
    }
    assert!(matches!(fetch("http://10.0.0.1/").await.unwrap_err(), FetchError::Private(_)));
}

#[tokio::test]
async fn a_service_that_fails_or_speaks_nonsense_is_the_environments_failure() {
    for (head, body) in [
        ("500 Internal Server Error", "x"),
        ("200 OK", "no json"),
        ("200 OK", "{\"filings\": 5}"),
        ("403 Forbidden", ""),
        ("429 Too Many Requests", ""),
        ("503 Service Unavailable", ""),
    ] {
        let server = Server::new(move |_, _, stream| reply(stream, head, body.as_bytes()));
        // The synthetic hosts are overridden by one's own.
        let served =
            json!({ "api.sec-api.example": server.address.to_string(), "serp.example": server.address.to_string() });
        let mut environment = open(json!({ "served": served, "first_wait": 1 }));
        reset(&mut *environment, "s01", 1).await;
        assert!(environment.call(&call(EDGAR_SEARCH, json!({ "query": "x" }))).await.is_err());
        assert!(matches!(environment.failure(), Some(EnvError::Service(_))), "{head} {body}");
    }
    // What the query brings about is said to the agent.
    let server = Server::new(|_, _, stream| reply(stream, "400 Bad Request", b""));
    let mut environment = open(json!({ "served": { "serp.example": server.address.to_string() } }));
    reset(&mut *environment, "s01", 1).await;
    assert_eq!(
        said(&mut *environment, &call(WEB_SEARCH, json!({ "search_query": "x" }))).await,
        "400, message='Bad Request', url='https://serp.example/search'"
    );
}
