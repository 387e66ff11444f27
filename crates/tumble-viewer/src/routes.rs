//! Which request gets which answer.

use crate::assets;
use crate::guard::{self, Guard};
use crate::kinds::Described;
use crate::live;
use crate::run::{Run, ShownRun, Summary};
use crate::wire;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::header::{self, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use axum::routing::{any, get};
use serde::Serialize;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tumble_io::trajectory::TrajectoryError;

/// Frames that are read at the same time: more would only wait for the disk and the processor, and take memory.
const MOST_AT_ONCE: usize = 2;
/// Answers that are in memory at the same time, from the question until their last byte is sent. A page asks for a few at
/// once.
const MOST_ANSWERS: usize = 16;
/// Pages that listen at the same time.
const MOST_LISTENERS: usize = 64;

/// What the requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    runs: Vec<Mutex<Run>>,
    guard: Guard,
    readers: Semaphore,
    answers: Arc<Semaphore>,
    listeners: Arc<Semaphore>,
    /// What changes, for the pages that listen.
    pub(crate) news: broadcast::Sender<Arc<str>>,
}

impl Shared {
    pub(crate) fn new(shown: Vec<ShownRun>, host: String) -> Arc<Shared> {
        // The standard library's hashers begin with keys from the operating system's random numbers.
        let instance = format!("{:016x}", RandomState::new().hash_one(()));
        let open = |shown| Mutex::new(Run::open(shown, instance.clone()));
        Arc::new(Shared {
            runs: shown.into_iter().map(open).collect(),
            guard: Guard { host },
            readers: Semaphore::new(MOST_AT_ONCE),
            answers: Arc::new(Semaphore::new(MOST_ANSWERS)),
            listeners: Arc::new(Semaphore::new(MOST_LISTENERS)),
            news: broadcast::channel(64).0,
        })
    }

    /// Does something that reads files where it holds nobody up; `None` if it did not come to its end.
    pub(crate) async fn blocking<T: Send + 'static>(
        self: &Arc<Shared>,
        work: impl FnOnce(&Shared) -> T + Send + 'static,
    ) -> Option<T> {
        let _permit = self.readers.acquire().await.ok()?;
        let shared = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&shared)).await.ok()
    }

    /// How every run stands now.
    pub(crate) fn summaries(&self) -> Vec<Summary> {
        let summary = |run: &Mutex<Run>| {
            let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
            run.refresh();
            run.summary()
        };
        self.runs.iter().map(summary).collect()
    }
}

/// The whole server.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/live", get(listen))
        .fallback(any(answer))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&shared), checked))
        .with_state(shared)
}

/// Refuses what is not to be answered, and gives every answer its headers.
async fn checked(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response<Body> {
    let mut response = match shared.guard.refuse(request.method(), request.headers()) {
        Some((status, why)) => said(status, why),
        None => next.run(request).await,
    };
    guard::protect(response.headers_mut());
    response
}

async fn listen(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response<Body> {
    let Ok(place) = Arc::clone(&shared.listeners).try_acquire_owned() else {
        return said(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open");
    };
    // From before the first summary on, so that nothing is missed between the two.
    let news = shared.news.subscribe();
    upgrade.max_message_size(live::LONGEST_MESSAGE).max_frame_size(live::LONGEST_MESSAGE).on_upgrade(
        move |socket| async move {
            live::tell(socket, shared, news).await;
            drop(place);
        },
    )
}

/// What is asked of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Runs,
    Description { run: usize },
    Index { run: usize, from: usize },
    Frame { run: usize, frame: usize },
    Contacts { run: usize, frame: usize },
    Series { run: usize },
}

impl Question {
    /// Reads a path and what follows its question mark; `None` if the server has no answer to it.
    fn of(path: &str, query: Option<&str>) -> Option<Question> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if digits { text.parse::<usize>().ok() } else { None }
        };
        let segments: Vec<&str> = path.split('/').skip(1).take(7).collect();
        match segments.as_slice() {
            ["api", "runs"] => Some(Question::Runs),
            ["api", "runs", run, "description"] => Some(Question::Description { run: number(run)? }),
            ["api", "runs", run, "series"] => Some(Question::Series { run: number(run)? }),
            ["api", "runs", run, "frames"] => {
                let from = match query {
                    None | Some("") => 0,
                    Some(query) => number(query.strip_prefix("from=")?)?,
                };
                Some(Question::Index { run: number(run)?, from })
            }
            ["api", "runs", run, "frames", frame] => Some(Question::Frame { run: number(run)?, frame: number(frame)? }),
            ["api", "runs", run, "frames", frame, "contacts"] => {
                Some(Question::Contacts { run: number(run)?, frame: number(frame)? })
            }
            _ => None,
        }
    }

    fn run(self) -> Option<usize> {
        match self {
            Question::Runs => None,
            Question::Description { run }
            | Question::Index { run, .. }
            | Question::Frame { run, .. }
            | Question::Contacts { run, .. }
            | Question::Series { run } => Some(run),
        }
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    let uri = request.uri();
    if let Some(asset) = assets::asset(uri.path()) {
        return with_type(asset.media_type, Body::from(asset.bytes));
    }
    let Some(question) = Question::of(uri.path(), uri.query()) else {
        return said(StatusCode::NOT_FOUND, "there is no such page");
    };
    let failed = || said(StatusCode::INTERNAL_SERVER_ERROR, "the answer failed");
    let Ok(place) = Arc::clone(&shared.answers).acquire_owned().await else { return failed() };
    match shared.blocking(move |shared| reply(shared, question)).await {
        Some(Ok(reply)) => reply.response(place),
        Some(Err((status, why))) => said(status, &why),
        None => failed(),
    }
}

/// What is sent.
struct Reply {
    media_type: &'static str,
    bytes: Vec<u8>,
}

/// Bytes of an answer that take a place among the answers for as long as they are in memory.
struct Placed {
    bytes: Vec<u8>,
    _place: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Placed {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Reply {
    fn response(self, place: OwnedSemaphorePermit) -> Response<Body> {
        let placed = Placed { bytes: self.bytes, _place: place };
        with_type(self.media_type, Body::from(Bytes::from_owner(placed)))
    }
}

/// Why there is no answer.
type Refused = (StatusCode, String);

fn reply(shared: &Shared, question: Question) -> Result<Reply, Refused> {
    let not_found = |why: String| (StatusCode::NOT_FOUND, why);
    let no_such_run = || not_found("there is no such run".to_owned());
    let Some(place) = question.run() else { return json(&shared.summaries()) };
    let run = shared.runs.get(place).ok_or_else(no_such_run)?;
    let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
    match question {
        Question::Runs => Err(no_such_run()),
        Question::Description { .. } => json(&Described::of(run.description().map_err(not_found)?)),
        Question::Index { from, .. } => json(&run.index(from)),
        Question::Frame { frame, .. } => binary(run.frame(frame).map(|frame| wire::frame(&frame))),
        Question::Contacts { frame, .. } => binary(run.frame(frame).map(|frame| wire::contacts(&frame.contacts))),
        Question::Series { .. } => {
            // The table may be long: nobody is to wait for the run meanwhile.
            let shown = run.shown().clone();
            drop(run);
            json(&shown.series().map_err(not_found)?)
        }
    }
}

fn with_type(media_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// An answer in words, for people and for the page.
fn said(status: StatusCode, what: &str) -> Response<Body> {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], what.to_owned()).into_response()
}

fn json(value: &impl Serialize) -> Result<Reply, Refused> {
    match serde_json::to_vec(value) {
        Ok(bytes) => Ok(Reply { media_type: "application/json", bytes }),
        Err(error) => Err((StatusCode::INTERNAL_SERVER_ERROR, error.to_string())),
    }
}

fn binary(bytes: Result<Vec<u8>, TrajectoryError>) -> Result<Reply, Refused> {
    match bytes {
        Ok(bytes) => Ok(Reply { media_type: "application/octet-stream", bytes }),
        Err(error @ TrajectoryError::NoSuchFrame { .. }) => Err((StatusCode::NOT_FOUND, error.to_string())),
        // The frame is there and cannot be read: the page shows the others and says so.
        Err(error) => Err((StatusCode::UNPROCESSABLE_ENTITY, error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn answers_that_are_not_sent_have_a_limit() {
        let shared = Shared::new(Vec::new(), "localhost".to_owned());
        let ask = || answer(State(Arc::clone(&shared)), Request::get("/api/runs").body(Body::empty()).unwrap());
        let mut waiting = Vec::new();
        for _ in 0..MOST_ANSWERS {
            waiting.push(ask().await);
        }
        let more = ask();
        tokio::pin!(more);
        assert!(tokio::time::timeout(Duration::from_millis(50), more.as_mut()).await.is_err());
        // What has been taken from the body and not yet sent counts.
        let bytes = axum::body::to_bytes(waiting.pop().unwrap().into_body(), 100).await.unwrap();
        assert!(tokio::time::timeout(Duration::from_millis(50), more.as_mut()).await.is_err());
        assert_eq!(&bytes[..], b"[]");
        drop(bytes);
        assert_eq!(more.await.status(), StatusCode::OK);
    }

    #[test]
    fn questions_are_read_and_nothing_else_is() {
        let of = |path: &str| Question::of(path, None);
        assert_eq!(of("/api/runs"), Some(Question::Runs));
        assert_eq!(of("/api/runs/2/description"), Some(Question::Description { run: 2 }));
        assert_eq!(of("/api/runs/0/frames/17"), Some(Question::Frame { run: 0, frame: 17 }));
        assert_eq!(of("/api/runs/0/frames/17/contacts"), Some(Question::Contacts { run: 0, frame: 17 }));
        assert_eq!(of("/api/runs/1/series"), Some(Question::Series { run: 1 }));
        let index = |query: &str| Question::of("/api/runs/1/frames", Some(query));
        assert_eq!(index("from=12"), Some(Question::Index { run: 1, from: 12 }));
        assert_eq!(index(""), Some(Question::Index { run: 1, from: 0 }));
        for bad in ["from=-1", "from=", "from=1e3", "to=3", "from=99999999999999999999999", "from=1&from=2"] {
            assert_eq!(index(bad), None, "{bad}");
        }
        for bad in [
            "",
            "/api",
            "/api/runs/",
            "/api/runs/-1/series",
            "/api/runs/+1/series",
            "/api/runs/0x1/series",
            "/api/runs/../../etc/passwd",
            "/api/runs/0/frames/1/contacts/2",
            "/api/runs/0/frames/%31",
            "/api/runs/18446744073709551616/series",
            "//api/runs",
            "/api/runs/0/frames/1/../../2",
        ] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
