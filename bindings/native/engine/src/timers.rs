//! The timers of the script, by id. Starting a timer again replaces its deadline, so none is left behind.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

#[derive(Default)]
pub(crate) struct Timers {
    ordered: BTreeSet<(Instant, u64)>,
    deadlines: HashMap<u64, Instant>,
}

impl Timers {
    /// `delay` is in milliseconds.
    pub fn start(&mut self, id: u64, delay: f64) {
        self.stop(id);
        let deadline = Instant::now() + Duration::from_secs_f64(delay.max(0.0) / 1000.0);
        self.ordered.insert((deadline, id));
        self.deadlines.insert(id, deadline);
    }

    pub fn stop(&mut self, id: u64) {
        if let Some(deadline) = self.deadlines.remove(&id) {
            self.ordered.remove(&(deadline, id));
        }
    }

    /// The next timer that has expired; it is stopped.
    pub fn pop_due(&mut self, now: Instant) -> Option<u64> {
        let (deadline, id) = *self.ordered.first()?;
        if deadline > now {
            return None;
        }
        self.stop(id);
        Some(id)
    }

    /// The time until the next one, if there is one.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        self.ordered.first().map(|(deadline, _)| deadline.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fires_in_the_order_of_the_deadlines() {
        let mut timers = Timers::default();
        for (id, delay) in [(1, 30.0), (2, 10.0), (3, 20.0), (4, 10_000.0)] {
            timers.start(id, delay);
        }
        let later = Instant::now() + Duration::from_secs(1);
        let due: Vec<u64> = std::iter::from_fn(|| timers.pop_due(later)).collect();
        assert_eq!(due, [2, 3, 1]);
        assert!(timers.wait(later).is_some_and(|wait| wait > Duration::from_secs(8)));
    }

    #[test]
    fn keeps_one_deadline_for_a_timer_that_starts_again_and_none_for_a_stopped_one() {
        let mut timers = Timers::default();
        for delay in 0..1000 {
            timers.start(1, f64::from(delay));
            timers.start(2, f64::from(delay));
        }
        timers.stop(2);
        assert_eq!((timers.ordered.len(), timers.deadlines.len()), (1, 1));
        assert_eq!(timers.pop_due(Instant::now()), None);
    }
}
