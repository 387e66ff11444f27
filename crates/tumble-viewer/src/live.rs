//! News of the runs: a task looks at them a few times a second, and each page that listens is told what changed.

use crate::routes::Shared;
use crate::run::Summary;
use axum::extract::ws::{Message, WebSocket};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Between two looks: short enough that a page keeps up, long enough to cost nothing.
const INTERVAL: Duration = Duration::from_millis(200);
/// A page has nothing to say; this is room enough for a ping.
pub(crate) const LONGEST_MESSAGE: usize = 1024;

/// What a page is told.
#[derive(Clone, Debug, Serialize)]
struct News<'a> {
    run: usize,
    #[serde(flatten)]
    summary: &'a Summary,
}

/// The summaries as messages; those that are the same as before are left out.
fn messages(now: &[Summary], before: &[Summary]) -> Vec<String> {
    let changed = now.iter().enumerate().filter(|(run, summary)| before.get(*run) != Some(*summary));
    changed.filter_map(|(run, summary)| serde_json::to_string(&News { run, summary }).ok()).collect()
}

/// Looks at the runs for as long as the server lives.
pub(crate) async fn watch(shared: Arc<Shared>) {
    let mut interval = tokio::time::interval(INTERVAL);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut before: Vec<Summary> = Vec::new();
    loop {
        interval.tick().await;
        let now = shared.blocking(Shared::summaries).await.unwrap_or_default();
        for message in messages(&now, &before) {
            // Nobody listens: nobody misses it.
            let _ = shared.news.send(message.into());
        }
        before = now;
    }
}

/// Tells one page: first how every run stands, then what changes.
pub(crate) async fn tell(mut socket: WebSocket, shared: Arc<Shared>, mut news: Receiver<Arc<str>>) {
    let Some(now) = shared.blocking(Shared::summaries).await else { return };
    for message in messages(&now, &[]) {
        if socket.send(Message::Text(message.into())).await.is_err() {
            return;
        }
    }
    loop {
        let told = tokio::select! {
            message = news.recv() => match message {
                Ok(message) => vec![message.to_string()],
                // A page that was asleep gets everything anew.
                Err(RecvError::Lagged(_)) => {
                    let Some(now) = shared.blocking(Shared::summaries).await else { return };
                    messages(&now, &[])
                }
                Err(RecvError::Closed) => return,
            },
            // Whatever the page says is passed over, but its farewell is heard at once.
            said = socket.recv() => match said {
                Some(Ok(_)) => continue,
                Some(Err(_)) | None => return,
            },
        };
        for message in told {
            if socket.send(Message::Text(message.into())).await.is_err() {
                return;
            }
        }
    }
}
