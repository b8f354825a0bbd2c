//! The output of one exec: numbered events in a bounded ring, read by any number of readers.
//!
//! Pace: without a reader the oldest events are dropped and the process never waits. With readers the process runs
//! at the pace of the fastest one; a reader that has taken nothing for STALL no longer counts and finds a gap later.
//! Readers that are as fast take turns in being the fastest, so one that is behind by the whole ring is waited for, but
//! only for a third of STALL in all until it has caught up.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Kept per exec, event overhead included.
pub const RING_BYTES: usize = 16 << 20;
const EVENT_OVERHEAD: usize = 96;
/// Long enough for a pause of the host, short enough for a process that a forgotten reader holds up.
pub const STALL: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(20);
const BATCH_BYTES: usize = 256 * 1024;

#[derive(Debug, PartialEq)]
pub enum Body {
    Started { pid: i32 },
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    Exited(u8),
    Signaled(u8),
    TimedOut,
    Failed { exit_code: u8, errno: i32, message: String },
}

impl Body {
    fn cost(&self) -> usize {
        EVENT_OVERHEAD
            + match self {
                Body::Stdout(data) | Body::Stderr(data) => data.capacity(),
                _ => 0,
            }
    }

    fn output_bytes(&self) -> u64 {
        match self {
            Body::Stdout(data) | Body::Stderr(data) => data.len() as u64,
            _ => 0,
        }
    }

    fn is_terminal(&self) -> bool {
        !matches!(self, Body::Started { .. } | Body::Stdout(_) | Body::Stderr(_))
    }
}

#[derive(Debug)]
pub struct Event {
    pub sequence: u64,
    pub body: Body,
}

struct Position {
    reader: u64,
    next: u64,
    moved: Instant,
    /// How long the process still waits for this reader while others are ahead of it.
    patience: Duration,
}

struct State {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    /// Output bytes in all events that were dropped so far.
    dropped: u64,
    next: u64,
    finished: bool,
    readers: Vec<Position>,
    readers_ever: u64,
    /// How many readers wait for an event, and whether the writer waits for a reader: nobody else needs to be woken.
    waiting: usize,
    writer_waits: bool,
}

impl State {
    fn oldest(&self) -> u64 {
        self.next - self.events.len() as u64
    }

    fn drop_oldest(&mut self) {
        if let Some(event) = self.events.pop_front() {
            self.bytes -= event.body.cost();
            self.dropped += event.body.output_bytes();
        }
    }

    /// Whether a live reader still wants the oldest event, and a faster one need not suffer from that.
    fn must_wait(&self, now: Instant, stall: Duration) -> bool {
        let oldest = self.oldest();
        let ahead = self.readers.iter().any(|position| position.next > oldest);
        self.readers.iter().any(|position| {
            position.next <= oldest
                && now.duration_since(position.moved) < stall
                && (!ahead || position.patience > Duration::ZERO)
        })
    }

    fn waited(&mut self, time: Duration) {
        let oldest = self.oldest();
        if self.readers.iter().any(|position| position.next > oldest) {
            for position in self.readers.iter_mut().filter(|position| position.next <= oldest) {
                position.patience = position.patience.saturating_sub(time);
            }
        }
    }
}

pub struct EventLog {
    state: Mutex<State>,
    appended: Condvar,
    consumed: Condvar,
    capacity: usize,
    stall: Duration,
}

impl EventLog {
    pub fn new(capacity: usize, stall: Duration) -> EventLog {
        let state = State {
            events: VecDeque::new(),
            bytes: 0,
            dropped: 0,
            next: 1,
            finished: false,
            readers: Vec::new(),
            readers_ever: 0,
            waiting: 0,
            writer_waits: false,
        };
        EventLog { state: Mutex::new(state), appended: Condvar::new(), consumed: Condvar::new(), capacity, stall }
    }

    /// Adds events. Called by one thread at a time; nothing is added after a terminal event.
    pub fn append_all(&self, bodies: impl IntoIterator<Item = Body>) {
        let mut state = self.state.lock().unwrap();
        for body in bodies {
            state = self.add(state, body);
        }
        let wake = state.waiting > 0;
        drop(state);
        if wake {
            self.appended.notify_all();
        }
    }

    pub fn append(&self, body: Body) {
        self.append_all([body]);
    }

    fn add<'a>(&'a self, mut state: MutexGuard<'a, State>, body: Body) -> MutexGuard<'a, State> {
        let terminal = body.is_terminal();
        let cost = body.cost();
        assert!(!state.finished, "event after the terminal event");
        while state.bytes + cost > self.capacity && !state.events.is_empty() {
            if !terminal && state.must_wait(Instant::now(), self.stall) {
                // What was added before may be what they wait for.
                self.appended.notify_all();
                state.writer_waits = true;
                let begin = Instant::now();
                state = self.consumed.wait_timeout(state, LOOK).unwrap().0;
                state.waited(begin.elapsed());
                state.writer_waits = false;
            } else {
                state.drop_oldest();
            }
        }
        let sequence = state.next;
        state.events.push_back(Arc::new(Event { sequence, body }));
        state.bytes += cost;
        state.next += 1;
        state.finished = terminal;
        state
    }

    pub fn is_finished(&self) -> bool {
        self.state.lock().unwrap().finished
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        self.state.lock().unwrap().bytes
    }

    /// The number that the next event will get.
    pub fn next_sequence(&self) -> u64 {
        self.state.lock().unwrap().next
    }

    /// A reader that starts at the event `from`; None if that lies beyond the next event.
    pub fn reader(self: &Arc<Self>, from: u64) -> Option<Reader> {
        let mut state = self.state.lock().unwrap();
        let next = from.max(1);
        if next > state.next {
            return None;
        }
        state.readers_ever += 1;
        let reader = state.readers_ever;
        state.readers.push(Position { reader, next, moved: Instant::now(), patience: self.stall / 3 });
        let offset = if next < state.oldest() {
            // Inside the gap the place is not known, so what was dropped counts as a whole.
            0
        } else {
            let before = (next - state.oldest()) as usize;
            state.dropped + state.events.iter().take(before).map(|event| event.body.output_bytes()).sum::<u64>()
        };
        Some(Reader { log: Arc::clone(self), reader, next, offset })
    }
}

/// What a reader missed: first and last sequence number and the output bytes in them.
#[derive(Debug, PartialEq)]
pub struct Gap {
    pub first: u64,
    pub last: u64,
    pub bytes: u64,
}

pub struct Batch {
    pub gap: Option<Gap>,
    pub events: Vec<Arc<Event>>,
    /// Whether the last event is the terminal one.
    pub last: bool,
}

pub struct Reader {
    log: Arc<EventLog>,
    reader: u64,
    next: u64,
    /// Output bytes in the events before `next`.
    offset: u64,
}

impl Reader {
    /// Waits for events, at most for the given time; an empty batch means that none came.
    pub fn take(&mut self, limit: Duration) -> Batch {
        let deadline = Instant::now() + limit;
        let mut state = self.log.state.lock().unwrap();
        while state.next == self.next && !state.finished {
            let now = Instant::now();
            if now >= deadline {
                break;
            }
            state.waiting += 1;
            state = self.log.appended.wait_timeout(state, deadline - now).unwrap().0;
            state.waiting -= 1;
        }
        let oldest = state.oldest();
        let gap = (oldest > self.next).then(|| Gap {
            first: self.next,
            last: oldest - 1,
            bytes: state.dropped - self.offset,
        });
        if gap.is_some() {
            self.next = oldest;
            self.offset = state.dropped;
        }
        let mut events = Vec::new();
        let mut bytes = 0;
        while self.next < state.next && bytes < BATCH_BYTES {
            let event = &state.events[(self.next - oldest) as usize];
            bytes += event.body.cost();
            self.offset += event.body.output_bytes();
            events.push(Arc::clone(event));
            self.next += 1;
        }
        let caught_up = self.next == state.next;
        let last = state.finished && caught_up;
        for position in &mut state.readers {
            if position.reader == self.reader {
                position.next = self.next;
                position.moved = Instant::now();
                if caught_up {
                    position.patience = self.log.stall / 3;
                }
            }
        }
        let wake = state.writer_waits;
        drop(state);
        if wake {
            self.log.consumed.notify_all();
        }
        Batch { gap, events, last }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.log.state.lock().unwrap().readers.retain(|position| position.reader != self.reader);
        self.log.consumed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Body, Duration, EventLog, Gap, Instant, RING_BYTES};

    const NOW: Duration = Duration::ZERO;
    const STALL: Duration = Duration::from_millis(300);

    fn log(capacity: usize) -> Arc<EventLog> {
        Arc::new(EventLog::new(capacity, STALL))
    }

    fn chunk(value: u8) -> Body {
        Body::Stdout(vec![value; 1000])
    }

    #[test]
    fn every_reader_sees_every_event_in_order() {
        let log = log(RING_BYTES);
        log.append(Body::Started { pid: 5 });
        log.append(chunk(1));
        log.append(Body::Exited(0));

        for _ in 0..2 {
            let batch = log.reader(0).unwrap().take(NOW);
            assert!(batch.last && batch.gap.is_none());
            assert_eq!(batch.events.iter().map(|event| event.sequence).collect::<Vec<_>>(), [1, 2, 3]);
        }
    }

    #[test]
    fn reader_may_start_in_the_middle_but_not_beyond_the_end() {
        let log = log(RING_BYTES);
        log.append(chunk(1));
        log.append(chunk(2));

        assert_eq!(log.reader(2).unwrap().take(NOW).events[0].body, chunk(2));
        assert!(log.reader(3).unwrap().take(NOW).events.is_empty());
        assert!(log.reader(4).is_none());
    }

    #[test]
    fn full_ring_without_reader_drops_the_oldest_and_says_which() {
        let log = log(5000);
        for value in 0..10 {
            log.append(chunk(value));
        }

        let batch = log.reader(3).unwrap().take(NOW);

        assert_eq!(batch.gap, Some(Gap { first: 3, last: 6, bytes: 6000 }));
        assert_eq!(batch.events[0].sequence, 7);
    }

    #[test]
    fn stalled_reader_delays_the_process_for_a_bounded_time_only() {
        let log = log(5000);
        let mut reader = log.reader(1).unwrap();
        let begin = Instant::now();
        for value in 0..100 {
            log.append(chunk(value));
        }

        assert!(begin.elapsed() < STALL * 3);
        assert_eq!(reader.take(NOW).gap, Some(Gap { first: 1, last: 96, bytes: 96_000 }));
    }

    #[test]
    fn stalled_reader_does_not_delay_a_quick_one() {
        let log = log(5000);
        let _stalled = log.reader(1).unwrap();
        let mut quick = log.reader(1).unwrap();
        let begin = Instant::now();
        for value in 0..100 {
            log.append(chunk(value));
            assert!(quick.take(NOW).gap.is_none());
        }

        assert!(begin.elapsed() < STALL);
    }

    #[test]
    fn readers_of_the_same_pace_lose_nothing() {
        let log = log(5000);
        let read = |pause: Duration| {
            let mut reader = log.reader(1).unwrap();
            std::thread::spawn(move || {
                let mut seen = 0;
                loop {
                    let batch = reader.take(Duration::from_secs(10));
                    assert!(batch.gap.is_none());
                    seen += batch.events.len();
                    if batch.last {
                        return seen;
                    }
                    std::thread::sleep(pause);
                }
            })
        };
        let readers = [read(Duration::from_millis(2)), read(Duration::from_millis(3)), read(Duration::ZERO)];
        for _ in 0..200 {
            log.append(chunk(0));
        }
        log.append(Body::Exited(0));

        assert_eq!(readers.map(|reader| reader.join().unwrap()), [201, 201, 201]);
    }

    #[test]
    fn steadily_slow_reader_delays_a_quick_one_once_only() {
        let log = log(5000);
        let mut slow = log.reader(1).unwrap();
        let mut quick = log.reader(1).unwrap();
        let begin = Instant::now();
        let reading = std::thread::spawn(move || {
            let mut gaps = 0;
            loop {
                let batch = slow.take(Duration::from_secs(10));
                gaps += usize::from(batch.gap.is_some());
                if batch.last {
                    return gaps;
                }
                std::thread::sleep(STALL / 2);
            }
        });
        for value in 0..100 {
            log.append(chunk(value));
            assert!(quick.take(NOW).gap.is_none());
        }
        log.append(Body::Exited(0));

        assert!(begin.elapsed() < STALL);
        assert!(reading.join().unwrap() > 0);
    }

    #[test]
    fn quick_writer_waits_for_the_only_reader() {
        let log = log(5000);
        let mut reader = log.reader(1).unwrap();
        let writer = {
            let log = Arc::clone(&log);
            std::thread::spawn(move || {
                for _ in 0..200 {
                    log.append(chunk(0));
                }
                log.append(Body::Exited(0));
            })
        };

        let mut seen = 0;
        loop {
            let batch = reader.take(Duration::from_secs(10));
            assert!(batch.gap.is_none());
            seen += batch.events.len();
            if batch.last {
                break;
            }
        }
        writer.join().unwrap();
        assert_eq!(seen, 201);
    }
}
