//! The server in a thread of its own, from its start to its end.

use crate::connections::{self, Limits};
use crate::live;
use crate::routes::{Shared, router};
use crate::run::ShownRun;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

/// Threads that read files. Requests wait for each other rather than take the processor from a run.
const READING_THREADS: usize = 2;
/// Connections are closed at once when the server ends. A file that is being read then is waited for no longer than this.
const FAREWELL: Duration = Duration::from_millis(200);

/// Where the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Name or address of this machine: `127.0.0.1` is reached from this machine alone.
    pub host: String,
    /// The port; 0 takes a free one.
    pub port: u16,
}

impl Default for Options {
    fn default() -> Options {
        Options { host: "127.0.0.1".to_owned(), port: 0 }
    }
}

/// The server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// The address is taken, is not this machine's, or is no address.
    #[error("cannot listen at {host}, port {port}: {source}")]
    Listen {
        /// The name or address.
        host: String,
        /// The port.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// The operating system refused a thread.
    #[error("cannot start the viewer: {0}")]
    Start(#[source] io::Error),
}

/// A server at work. It ends when it is dropped.
///
/// ```
/// use tumble_viewer::{Options, Server, ShownRun};
///
/// // The file may begin later: the page shows frames as they come.
/// let run = ShownRun { name: "drum".into(), trajectory: "drum/trajectory.tumble".into(), directory: Some("drum".into()) };
/// let server = Server::start(vec![run], &Options::default())?;
/// assert!(server.is_local() && server.url().starts_with("http://127.0.0.1:"));
/// # Ok::<(), tumble_viewer::ViewerError>(())
/// ```
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Begins to serve runs, in a thread of its own.
    pub fn start(runs: Vec<ShownRun>, options: &Options) -> Result<Server, ViewerError> {
        let listen = |source| ViewerError::Listen { host: options.host.clone(), port: options.port, source };
        let host = options.host.trim_start_matches('[').trim_end_matches(']');
        let listener = TcpListener::bind((host, options.port)).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(READING_THREADS)
            .build()
            .map_err(ViewerError::Start)?;
        let (stop, stopped) = oneshot::channel();
        let host = options.host.clone();
        let thread = std::thread::Builder::new()
            .name("viewer".to_owned())
            .spawn(move || serve(runtime, listener, runs, host, stopped))
            .map_err(ViewerError::Start)?;
        Ok(Server { address, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether only this machine can reach it.
    pub fn is_local(&self) -> bool {
        self.address.ip().is_loopback()
    }

    /// What to type into a browser on this machine.
    pub fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            let local = if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() };
            address.set_ip(local);
        }
        format!("http://{address}/")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(runtime: Runtime, listener: TcpListener, runs: Vec<ShownRun>, host: String, stopped: oneshot::Receiver<()>) {
    runtime.block_on(async move {
        // Registering a listener that is bound already fails only if the runtime is at its end.
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let shared = Shared::new(runs, host);
        tokio::spawn(live::watch(std::sync::Arc::clone(&shared)));
        let server = tokio::spawn(connections::accept(listener, router(shared), Limits::default()));
        let _ = stopped.await;
        server.abort();
    });
    runtime.shutdown_timeout(FAREWELL);
}
