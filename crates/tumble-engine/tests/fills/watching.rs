//! Whoever watches a fill is told how far it has come and can stop it.

use crate::samples::{compact, cube_of, filled};
use std::ops::ControlFlow;
use tumble_engine::boundary::insertion::Amount;
use tumble_engine::{EngineError, Simulation};

#[test]
fn progress_is_told_and_changes_nothing() {
    let model = filled(&compact()[0].1, cube_of(1200.0), Amount::Count(300));
    let mut told = Vec::new();
    let watched = Simulation::new_watched(model.clone(), &mut |placing| {
        assert_eq!((placing.insertion, placing.n_wanted), ("grains", 300));
        told.push(placing.n_placed);
        ControlFlow::Continue(())
    });
    assert!(told.len() > 3 && told.is_sorted(), "{told:?}");
    assert!(told[0] > 0 && *told.last().unwrap() <= 300, "{told:?}");
    let unwatched = Simulation::new(model).unwrap();
    assert_eq!(watched.unwrap().state().particles, unwatched.state().particles);
}

#[test]
fn a_fill_can_be_stopped() {
    let model = filled(&compact()[0].1, cube_of(4000.0), Amount::Count(1000));
    let mut n_told = 0;
    let stopped = Simulation::new_watched(model, &mut |placing| {
        n_told += 1;
        if placing.n_placed >= 500 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(stopped, Err(EngineError::Stopped)));
    // It was asked for no more after that.
    assert!(n_told < 100, "{n_told}");
}
