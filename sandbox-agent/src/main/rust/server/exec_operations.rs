//! The operations on commands.

use super::{refused, Connection, Outcome, HEARTBEAT};
use crate::exec::{Exec, Request};
use crate::log::{Body, Event};
use crate::terminal::Size;
use crate::tree::Ending;
use crate::wire::{reply, Code, FrameWriter, Refusal, Values};
use std::thread;
use std::time::{Duration, Instant};

const FLAG_STDIN: u8 = 1;
const FLAG_TERMINAL: u8 = 2;
const SCOPE_PROCESS: u8 = 0;
const SCOPE_TREE: u8 = 1;

impl Connection<'_> {
    pub(super) fn start(&mut self, mut values: Values) -> Outcome {
        let id = values.text()?;
        let flags = values.u8()?;
        let timeout = values.u64()?;
        let workdir = values.bytes()?.to_vec();
        let user = values.text()?.to_string();
        let mut argv = Vec::new();
        for _ in 0..values.u32()? {
            argv.push(values.bytes()?.to_vec());
        }
        let mut env = Vec::new();
        for _ in 0..values.u32()? {
            env.push((values.bytes()?.to_vec(), values.bytes()?.to_vec()));
        }
        let terminal = if flags & FLAG_TERMINAL == 0 { None } else { Some(size(&mut values)?) };
        values.finish()?;
        if flags & !(FLAG_STDIN | FLAG_TERMINAL) != 0 {
            return Err(Refusal::new(Code::Unsupported, format!("start flags: {flags:#04x}")).into());
        }
        if argv.is_empty() {
            return Err(Refusal::new(Code::Invalid, "argv is empty (expected: at least the command)").into());
        }
        if env.iter().any(|(name, _)| name.is_empty() || name.contains(&b'=')) {
            return Err(Refusal::new(Code::Invalid, "environment name is empty or contains '='").into());
        }
        let request = Request {
            argv,
            env,
            workdir,
            user,
            stdin: flags & FLAG_STDIN != 0,
            terminal,
            timeout: (timeout > 0).then(|| Duration::from_millis(timeout.min(u64::from(u32::MAX) * 1000))),
        };
        let exec = self.agent.execs.start(id, request, &self.agent.children)?;
        self.stream(&exec, 1)
    }

    /// Sends the events from a sequence number on, up to the terminal one.
    pub(super) fn stream(&mut self, exec: &Exec, from: u64) -> Outcome {
        let beyond = || Refusal::new(Code::Invalid, format!("sequence: {from} (expected: at most the next event)"));
        let mut reader = exec.log.reader(from).ok_or_else(beyond)?;
        loop {
            let batch = reader.take(HEARTBEAT);
            self.send(|buffer| {
                if let Some(gap) = &batch.gap {
                    FrameWriter::begin(buffer, reply::DROPPED).u64(gap.last).u64(gap.first).u64(gap.bytes).end();
                }
                for event in &batch.events {
                    write_event(buffer, event);
                }
                if buffer.is_empty() {
                    FrameWriter::begin(buffer, reply::HEARTBEAT).end();
                }
            })?;
            if batch.last {
                return Ok(());
            }
        }
    }

    pub(super) fn signal(&mut self, mut values: Values) -> Outcome {
        let exec = self.agent.execs.find(values.text()?)?;
        let (signal, scope) = (values.u32()?, values.u8()?);
        values.finish()?;
        if !(1..=64).contains(&signal) || !matches!(scope, SCOPE_PROCESS | SCOPE_TREE) {
            return Err(Refusal::new(Code::Invalid, format!("signal {signal}, scope {scope}")).into());
        }
        let _hold = self.agent.children.hold_pids();
        let collected = exec.status().is_some();
        if exec.pid() == 0 || (collected && scope == SCOPE_PROCESS) {
            return Err(Refusal::new(Code::Precondition, format!("no process: {}", exec.id)).into());
        }
        if scope == SCOPE_TREE {
            exec.tree().signal(signal as i32, collected);
        } else {
            refused(crate::sys::kill(exec.pid(), signal as i32))?;
        }
        self.ok()
    }

    pub(super) fn resize(&mut self, mut values: Values) -> Outcome {
        let exec = self.agent.execs.find(values.text()?)?;
        let size = size(&mut values)?;
        values.finish()?;
        exec.resize(size, &self.agent.children)?;
        self.ok()
    }

    pub(super) fn terminate(&mut self, mut values: Values) -> Outcome {
        let exec = self.agent.execs.find(values.text()?)?;
        let grace = Duration::from_millis(u64::from(values.u32()?));
        values.finish()?;
        if exec.pid() != 0 {
            let tree = exec.tree();
            let children = &self.agent.children;
            let mut latest = Instant::now();
            let mut ending = children.holding_pids(|| Ending::begin(&tree, grace, exec.status().is_some()));
            while !children.holding_pids(|| ending.is_over(&tree, exec.status().is_some())) {
                self.heartbeat(&mut latest)?;
                thread::sleep(Ending::LOOK_EVERY);
            }
        }
        self.ok()
    }

    pub(super) fn list(&mut self, values: Values) -> Outcome {
        values.finish()?;
        let execs = self.agent.execs.all();
        self.send(|buffer| {
            let mut frame = FrameWriter::begin(buffer, reply::EXECS).u32(execs.len() as u32);
            for exec in &execs {
                frame = frame
                    .bytes(exec.id.as_bytes())
                    .u32(exec.pid() as u32)
                    .u8(u8::from(exec.log.is_finished()))
                    .u64(exec.log.next_sequence())
                    .u64(exec.created.elapsed().as_millis() as u64)
                    .bytes(&exec.command[..exec.command.len().min(256)]);
            }
            frame.end();
        })
    }
}

fn size(values: &mut Values) -> Result<Size, Refusal> {
    let size = Size { columns: values.u16()?, rows: values.u16()? };
    if size.columns == 0 || size.rows == 0 {
        return Err(Refusal::new(Code::Invalid, format!("terminal: {size:?} (expected: at least 1 by 1)")));
    }
    Ok(size)
}

fn write_event(buffer: &mut Vec<u8>, event: &Event) {
    let kind = match &event.body {
        Body::Started { .. } => reply::STARTED,
        Body::Stdout(_) => reply::STDOUT,
        Body::Stderr(_) => reply::STDERR,
        Body::Exited(_) => reply::EXITED,
        Body::Signaled(_) => reply::SIGNALED,
        Body::TimedOut => reply::TIMED_OUT,
        Body::Failed { .. } => reply::FAILED,
    };
    let frame = FrameWriter::begin(buffer, kind).u64(event.sequence);
    let frame = match &event.body {
        Body::Started { pid } => frame.u32(*pid as u32),
        Body::Stdout(data) | Body::Stderr(data) => frame.raw(data),
        Body::Exited(number) | Body::Signaled(number) => frame.u8(*number),
        Body::TimedOut => frame,
        Body::Failed { exit_code, errno, message } => frame.u8(*exit_code).u32(*errno as u32).bytes(message.as_bytes()),
    };
    frame.end();
}
