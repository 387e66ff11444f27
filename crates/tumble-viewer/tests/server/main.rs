//! The server from outside: what it answers, and that nothing one can send it brings it down.

mod workshop;

use std::fs;
use std::io::{ErrorKind, Read, Write};
use tumble_engine::random::Random;
use tumble_viewer::wire;
use workshop::{Recording, Workshop};

const SEED: u64 = 20_240_607;

#[test]
fn a_run_is_told_described_and_served() {
    let workshop = Workshop::new();
    let runs = workshop.get("/api/runs").json();
    assert_eq!((&runs[0]["name"], &runs[0]["title"]), (&"run".into(), &"Beads".into()));
    assert_eq!((&runs[0]["n_frames"], &runs[0]["missing"]), (&4.into(), &serde_json::json!([])));
    let description = workshop.get("/api/runs/0/description").json();
    assert_eq!(description["species"][0]["name"], "bead");
    assert!((description["kinds"][0]["diameter"].as_f64().unwrap() - 4e-3).abs() < 1e-12);
    let index = workshop.get("/api/runs/0/frames").json();
    assert_eq!(index["step"], serde_json::json!([0, 5, 10, 15]));
    assert_eq!(index["grains"], serde_json::json!([20, 20, 20, 20]));
    assert_eq!(workshop.get("/api/runs/0/frames?from=3").json()["step"], serde_json::json!([15]));
    assert_eq!(workshop.get("/api/runs/0/frames?from=9").json()["step"], serde_json::json!([]));
    let frame = workshop.get("/api/runs/0/frames/3").body;
    assert_eq!(frame[..4], wire::FRAME_MARKER);
    assert_eq!(frame.len(), wire::FRAME_HEADER_LENGTH + 56 + 20 * 54);
    assert_eq!(workshop.get("/api/runs/0/frames/3/contacts").body[..4], wire::CONTACTS_MARKER);
    assert_eq!(workshop.get("/api/runs/0/series").json(), serde_json::json!([]));
    assert!(workshop.get("/").text().contains("<title>Tumble</title>"));
}

#[test]
fn every_answer_is_closed_to_other_sites() {
    let workshop = Workshop::new();
    for path in ["/", "/viewer.js", "/viewer.css", "/api/runs", "/api/runs/0/frames/0", "/absent"] {
        let head = workshop.get(path).head;
        assert!(head.contains("content-security-policy: default-src 'none'; script-src 'self'"), "{path}: {head}");
        assert!(head.contains("x-content-type-options: nosniff"), "{path}");
        assert!(head.contains("cross-origin-resource-policy: same-origin"), "{path}");
        assert!(!head.contains("access-control-allow"), "{path}: {head}");
    }
    let asked = |host: &str, more: &str| {
        workshop.ask(&format!("GET /api/runs HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n")).status
    };
    let address = workshop.address().to_string();
    assert_eq!(asked(&address, ""), 200);
    assert_eq!(asked("evil.example", ""), 421);
    assert_eq!(asked(&address, "Origin: http://evil.example\r\n"), 403);
    let post =
        format!("POST /api/runs HTTP/1.1\r\nHost: {address}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}");
    assert_eq!(workshop.ask(&post).status, 405);
}

#[test]
fn nothing_outside_the_runs_is_served() {
    let workshop = Workshop::new();
    fs::write(workshop.path("secret"), "secret").unwrap();
    for path in [
        "/secret",
        "/../secret",
        "/..%2fsecret",
        "/%2e%2e/secret",
        "//secret",
        "/api/runs/../secret",
        "/api/runs/0/../secret",
        "/api/runs/0/frames/../../secret",
        "/api/runs/0/frames/%2e%2e%2fsecret",
        "/viewer.js/../../secret",
        "/run",
        "/api/runs/1/frames/0",
        "/api/runs/0/frames/4",
        "/api/runs/0/frames/4294967296",
        "/api/runs/0/frames/-1",
        "/api/runs/99999999999999999999/description",
        "/api/runs/0/frames?from=x",
        "/api/runs/0/frames/0?x=../secret%00",
        "/api/runs/0/frames/0/contacts/1",
        "/dist/viewer.js",
        "/etc/passwd",
        "/.git/config",
    ] {
        let answer = workshop.get(path);
        assert!(answer.status == 404 || path.contains('?') && answer.status == 200, "{path}: {}", answer.status);
        assert!(!answer.body.windows(6).any(|six| six == b"secret"), "{path}");
    }
}

#[test]
fn malformed_requests_do_not_bring_it_down() {
    let workshop = Workshop::new();
    let host = workshop.address();
    let long = "x".repeat(1 << 20);
    let many = (0..5000).map(|k| format!("h{k}: v\r\n")).collect::<String>();
    let fixed: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\r\n\r\n\r\n".to_vec(),
        b"GET".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        format!("GET /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes(),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {long}\r\n\r\n").into_bytes(),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\n{many}\r\n").into_bytes(),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999999999999\r\n\r\n").into_bytes(),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n").into_bytes(),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n").into_bytes(),
        format!("GET /api/runs/0/frames/0 HTTP/1.1\r\nHost: {host}\r\nRange: bytes=5-1,-9,99999999999999-\r\nConnection: close\r\n\r\n")
            .into_bytes(),
        format!("GET /api/live HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: close\r\n\r\n").into_bytes(),
        format!("GET http://[::1:99999/%ff%fe HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").into_bytes(),
    ];
    for bytes in &fixed {
        workshop.say(bytes);
    }
    workshop.assert_alive();

    let mut random = Random::from_seed(SEED);
    let good = format!("GET /api/runs/0/frames/0 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").into_bytes();
    for round in 0..150 {
        let mut bytes = if round % 2 == 0 {
            good.clone()
        } else {
            (0..random.next_u64() % 600).map(|_| random.next_u64() as u8).collect()
        };
        for _ in 0..random.next_u64() % 8 {
            let place = (random.next_u64() as usize).checked_rem(bytes.len()).unwrap_or(0);
            if let Some(byte) = bytes.get_mut(place) {
                *byte = random.next_u64() as u8;
            }
        }
        workshop.say(&bytes);
    }
    workshop.assert_alive();
}

#[test]
fn a_client_that_dawdles_holds_nobody_up() {
    let workshop = Workshop::new();
    let mut idle: Vec<_> = (0..50).map(|_| workshop.connect()).collect();
    for (k, stream) in idle.iter_mut().enumerate() {
        let _ = stream.write_all(&b"GET /api/runs/0/frames/0 HTTP/1.1\r\nHo"[..k % 30]);
    }
    // One that asks for much and reads nothing.
    let request = format!("GET /viewer.js HTTP/1.1\r\nHost: {}\r\n\r\n", workshop.address());
    idle[0] = workshop.connect();
    let _ = idle[0].write_all(request.repeat(50).as_bytes());
    workshop.assert_alive();
    // So many that they take all places: others wait, and are served when these go.
    idle.extend((0..110).map(|_| workshop.connect()));
    let request = format!("GET /api/runs HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", workshop.address());
    assert!(workshop.say(request.as_bytes()).is_empty(), "there is no limit to connections");
    drop(idle);
    workshop.assert_alive();
}

#[test]
fn wrong_messages_on_the_socket_do_no_harm() {
    let workshop = Workshop::new();
    let mut random = Random::from_seed(SEED + 1);
    let masked = |opcode: u8, payload: &[u8]| {
        let mut frame = vec![0x80 | opcode, 0x80 | 126];
        frame.extend((payload.len() as u16).to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(payload);
        frame
    };
    let wrong: Vec<Vec<u8>> = vec![
        masked(1, b"{\"run\": \"../../secret\"}"),
        masked(2, &[0xff; 600]),
        masked(1, &[0xff; 300]),
        masked(1, &[b'x'; 60_000]),
        masked(9, &[0; 200]),
        masked(0, b"goes on with nothing"),
        vec![0x81, 0x05, b'h', b'e', b'l', b'l', b'o'],
        vec![0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        (0..200).map(|_| random.next_u64() as u8).collect(),
        (0..2000).map(|_| random.next_u64() as u8).collect(),
    ];
    for bytes in wrong {
        let mut listener = workshop.listen();
        listener.hear();
        let _ = listener.stream.write_all(&bytes);
        let _ = listener.stream.shutdown(std::net::Shutdown::Write);
        let mut rest = Vec::new();
        let _ = listener.stream.read_to_end(&mut rest);
    }
    workshop.assert_alive();
}

#[test]
fn pages_are_told_of_frames_as_they_come() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run");
    let workshop = Workshop::serving(directory, &["run"]);
    let mut listener = workshop.listen();
    let mut hear_until = |n_frames: u64| loop {
        let news = listener.hear();
        if news["n_frames"] == n_frames {
            return news;
        }
    };
    let nothing = hear_until(0);
    assert!(nothing["missing"][0].as_str().unwrap().starts_with("There are no frames: cannot read"), "{nothing}");
    let recording = Recording::begin(&path).frames(2);
    let first = hear_until(2);
    assert_eq!((&first["run"], &first["missing"]), (&0.into(), &serde_json::json!([])));
    let _still_writing = recording.frames(3);
    assert_eq!(hear_until(5)["generation"], first["generation"]);
    assert_eq!(workshop.get("/api/runs/0/frames").json()["step"].as_array().unwrap().len(), 5);
    // Another run in the same place: what the page knows is stale.
    Recording::begin(&path).frames(1);
    let anew = hear_until(1);
    assert!(anew["generation"].as_u64() > first["generation"].as_u64(), "{anew}");
    assert_eq!(anew["instance"], first["instance"]);
}

#[test]
fn two_servers_of_the_same_run_are_told_apart() {
    let [one, other] = [Workshop::new(), Workshop::new()];
    let instance = |workshop: &Workshop| workshop.get("/api/runs").json()[0]["instance"].clone();
    assert!(instance(&one).as_str().is_some_and(|name| !name.is_empty()));
    assert_eq!(instance(&one), instance(&one));
    assert_ne!(instance(&one), instance(&other));
}

#[test]
fn broken_frames_are_told_and_the_others_served() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["cut", "flipped"] {
        Recording::begin(&directory.path().join(name)).frames(4);
    }
    fs::write(directory.path().join("foreign"), "no trajectory").unwrap();
    let bytes = fs::read(directory.path().join("cut")).unwrap();
    fs::write(directory.path().join("cut"), &bytes[..bytes.len() - 20]).unwrap();
    let mut flipped = bytes.clone();
    // Inside the payload of the last frame: its header is sound, so it is listed.
    let place = flipped.len() - 10;
    flipped[place] ^= 1;
    fs::write(directory.path().join("flipped"), &flipped).unwrap();
    let workshop = Workshop::serving(directory, &["cut", "flipped", "foreign", "absent"]);
    let runs = workshop.get("/api/runs").json();
    let missing = |run: usize| runs[run]["missing"][0].as_str().unwrap_or_default().to_owned();
    assert_eq!(runs[0]["n_frames"], 3);
    assert!(missing(0).contains("after frame 2, cannot be shown: the file ends inside a frame"), "{}", missing(0));
    assert_eq!(workshop.get("/api/runs/0/frames/2").status, 200);
    assert_eq!(runs[1]["n_frames"], 4);
    assert_eq!(workshop.get("/api/runs/1/frames/2").status, 200);
    let damaged = workshop.get("/api/runs/1/frames/3");
    assert_eq!(damaged.status, 422);
    assert!(damaged.text().contains("its payload does not fit its checksum"), "{}", damaged.text());
    assert!(missing(2).contains("is not a Tumble trajectory"), "{}", missing(2));
    assert!(missing(3).contains("cannot read"), "{}", missing(3));
    for run in [2, 3] {
        assert_eq!(workshop.get(&format!("/api/runs/{run}/frames/0")).status, 404);
        assert_eq!(workshop.get(&format!("/api/runs/{run}/description")).status, 404);
    }
}

#[test]
fn the_server_ends_when_it_is_dropped_whoever_listens() {
    let mut workshop = Workshop::new();
    let mut listener = workshop.listen();
    listener.hear();
    let address = workshop.address();
    drop(workshop.server.take());
    assert!(std::net::TcpStream::connect(address).is_err());
    // Whatever was on its way still comes; then the connection is closed, not merely silent.
    if let Err(error) = listener.stream.read_to_end(&mut Vec::new()) {
        assert!(!matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    }
}
