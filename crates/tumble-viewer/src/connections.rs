//! Connections: how many at once, and how long one may be silent or not take what it asked for.
//!
//! A connection costs memory and a descriptor, and an answer that nobody takes costs all its bytes. So their number has
//! a limit, the rest wait to be accepted, and one that neither asks nor takes its answer is closed.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::Sleep;

/// After an error of the listener itself, such as too many open files, it rests this long.
const REST: Duration = Duration::from_millis(200);

/// What clients may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Connections at the same time; the page of one run has about seven.
    pub(crate) connections: usize,
    /// A request must be there, from its first byte to the end of its head, within this time.
    pub(crate) asking: Duration,
    /// Something of an answer must be taken within this time.
    pub(crate) taking: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connections: 128, asking: Duration::from_secs(15), taking: Duration::from_secs(15) }
    }
}

/// Accepts connections and answers them for as long as the server lives.
pub(crate) async fn accept(listener: TcpListener, router: Router, limits: Limits) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(limits.asking);
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // The client was gone before it was met.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => continue,
            Err(_) => {
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        let io = TokioIo::new(Patient { stream, patience: limits.taking, deadline: None });
        let connection = server.serve_connection(io, TowerToHyperService::new(router.clone())).with_upgrades();
        tokio::spawn(async move {
            // Whatever ended it, nobody is left to be told. A WebSocket goes on in a task of its own.
            let _ = connection.await;
            drop(place);
        });
    }
}

/// A stream that fails if nothing can be written to it for a while.
#[derive(Debug)]
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// The end of the patience, while something waits to be written.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn timed(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.deadline = None;
            return written;
        }
        let patience = self.patience;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        deadline.as_mut().poll(context).map(|()| Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.timed(context, written)
    }

    /// Without this a whole answer would be copied before it is sent.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// Longer than any buffer of the operating system.
    const MUCH: usize = 64 << 20;
    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    /// Long enough for an answer on a busy machine.
    const LONG: Duration = Duration::from_secs(30);
    const SHORT: Duration = Duration::from_millis(100);

    /// A server of one large page; returns where it is.
    async fn serving(limits: Limits) -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/", get(|| async { vec![b'x'; MUCH] }));
        tokio::spawn(accept(listener, router, limits));
        address
    }

    async fn answer_within(patience: Duration, client: &mut TcpStream) -> Option<usize> {
        let mut answer = Vec::new();
        let read = tokio::time::timeout(patience, client.read_to_end(&mut answer)).await;
        read.ok().map(|_| answer.len())
    }

    #[tokio::test]
    async fn more_connections_than_there_are_places_wait() {
        let address = serving(Limits { connections: 2, asking: LONG, taking: LONG }).await;
        let first = TcpStream::connect(address).await.unwrap();
        let _second = TcpStream::connect(address).await.unwrap();
        let mut third = TcpStream::connect(address).await.unwrap();
        third.write_all(REQUEST).await.unwrap();
        assert_eq!(answer_within(SHORT, &mut third).await, None);
        drop(first);
        assert!(answer_within(LONG, &mut third).await.unwrap() > MUCH);
    }

    #[tokio::test]
    async fn who_does_not_ask_is_let_go() {
        let address = serving(Limits { connections: 1, asking: SHORT, taking: LONG }).await;
        let mut silent = TcpStream::connect(address).await.unwrap();
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET / HT").await.unwrap();
        let mut next = TcpStream::connect(address).await.unwrap();
        next.write_all(REQUEST).await.unwrap();
        assert!(answer_within(LONG, &mut next).await.unwrap() > MUCH);
        assert!(answer_within(LONG, &mut silent).await.unwrap() < MUCH);
        assert!(answer_within(LONG, &mut slow).await.unwrap() < MUCH);
    }

    #[tokio::test]
    async fn who_does_not_take_the_answer_is_let_go() {
        let address = serving(Limits { connections: 1, asking: LONG, taking: SHORT }).await;
        let mut idle = TcpStream::connect(address).await.unwrap();
        idle.write_all(REQUEST).await.unwrap();
        let mut next = TcpStream::connect(address).await.unwrap();
        next.write_all(REQUEST).await.unwrap();
        assert!(answer_within(LONG, &mut next).await.unwrap() > MUCH);
        assert!(answer_within(LONG, &mut idle).await.unwrap() < MUCH);
    }
}
