//! A server with small runs to serve, and a client that can say anything at all.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tumble_engine::Simulation;
use tumble_io::scene;
use tumble_io::trajectory::{TrajectoryMetadata, TrajectoryWriter};
use tumble_viewer::{Options, Server, ShownRun};

/// Beads that fall on a floor, four frames.
const SCENE: &str = r#"
title = "Beads"
[materials.glass]
density = 2500
young = "5 MPa"
restitution = 0.5
friction = 0.3
[particles]
bead = { diameter = "4 mm" }
[[walls]]
name = "floor"
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
[[insert]]
fill = { region = { box = { from = [0, 0, 0], to = "2 2 2 cm" } }, count = 20 }
[time]
end = "1 ms"
"#;

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// After this long without a byte the server waits for the rest of a request.
const SILENCE: Duration = Duration::from_millis(60);

/// A trajectory being written.
pub struct Recording {
    simulation: Simulation,
    writer: TrajectoryWriter,
}

impl Recording {
    pub fn begin(path: &Path) -> Recording {
        let scene = scene::parse_with_inputs(SCENE, "scene.toml", &[], &BTreeMap::new()).unwrap();
        let simulation = Simulation::new(scene.model).unwrap();
        let metadata = TrajectoryMetadata::of(simulation.model(), "Beads", "0");
        Recording { simulation, writer: TrajectoryWriter::create(path, &metadata).unwrap() }
    }

    /// Writes so many frames, a few steps apart.
    pub fn frames(mut self, count: usize) -> Recording {
        for _ in 0..count {
            self.writer.write_frame(self.simulation.state(), &self.simulation.contacts()).unwrap();
            (0..5).for_each(|_| self.simulation.step().unwrap());
        }
        self
    }
}

/// A directory with a server on it.
pub struct Workshop {
    pub directory: TempDir,
    pub server: Option<Server>,
}

impl Workshop {
    /// Serves trajectories of these names, which need not be there.
    pub fn serving(directory: TempDir, names: &[&str]) -> Workshop {
        let shown = names.iter().map(|name| ShownRun {
            name: (*name).to_owned(),
            trajectory: directory.path().join(name),
            directory: None,
        });
        let server = Server::start(shown.collect(), &Options::default()).unwrap();
        Workshop { directory, server: Some(server) }
    }

    /// Serves one trajectory of four frames.
    pub fn new() -> Workshop {
        let directory = tempfile::tempdir().unwrap();
        Recording::begin(&directory.path().join("run")).frames(4);
        Workshop::serving(directory, &["run"])
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn address(&self) -> SocketAddr {
        self.server.as_ref().unwrap().address()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and returns whatever comes back until the server closes or is silent for a while: half a request
    /// gets no answer.
    pub fn say(&self, bytes: &[u8]) -> Vec<u8> {
        self.exchange(bytes, SILENCE)
    }

    /// Sends a whole request that asks for the connection to be closed, and returns the answer.
    pub fn ask(&self, request: &str) -> Answer {
        Answer::of(&self.exchange(request.as_bytes(), PATIENCE))
    }

    fn exchange(&self, bytes: &[u8], patience: Duration) -> Vec<u8> {
        let mut stream = self.connect();
        stream.set_read_timeout(Some(patience)).unwrap();
        // The server may close before it has read everything: that is an answer too.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// Asks for a path as a browser does.
    pub fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address()))
    }

    /// Whether the server still does its work.
    pub fn assert_alive(&self) {
        assert_eq!(self.get("/api/runs").status, 200);
        assert_eq!(self.get("/api/runs/0/frames/0").status, 200);
    }

    /// Opens a WebSocket, by hand.
    pub fn listen(&self) -> Listener {
        let mut stream = self.connect();
        let address = self.address();
        write!(
            stream,
            "GET /api/live HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        .unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        Listener { stream }
    }
}

/// An answer, taken apart.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    fn of(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer with a head");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        assert_eq!(self.status, 200, "{}", self.text());
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A WebSocket that hears text.
pub struct Listener {
    pub stream: TcpStream,
}

impl Listener {
    /// The next message.
    pub fn hear(&mut self) -> serde_json::Value {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).unwrap();
        assert_eq!(head[0], 0x81, "a whole text");
        let length = match head[1] {
            126 => {
                let mut long = [0; 2];
                self.stream.read_exact(&mut long).unwrap();
                usize::from(u16::from_be_bytes(long))
            }
            short => usize::from(short),
        };
        let mut text = vec![0; length];
        self.stream.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}
