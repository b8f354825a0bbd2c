//! A connection of the host that becomes a byte stream to a port inside the sandbox.

use super::{Connection, Failure, Outcome};
use crate::sys::{self, PollFd, POLLIN};
use crate::wire::{Code, Refusal, Values, CHUNK};
use crate::workers::STACK;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

const CONNECT_LIMIT: Duration = Duration::from_secs(5);

impl Connection<'_> {
    /// Never returns Ok: the connection cannot carry another operation.
    pub(super) fn dial(&mut self, mut values: Values) -> Outcome {
        let port = values.u16()?;
        values.finish()?;
        let local = connect(port)?;
        self.ok()?;
        local.set_nodelay(true)?;
        // From here on either side may be silent, or slow, for as long as it likes.
        self.output.set_write_timeout(None)?;
        let (host, input) = (self.output, &mut self.input);
        thread::scope(|scope| {
            let up = || {
                let result = copy(input, &local).and_then(|()| local.shutdown(Shutdown::Write));
                end_both_unless(result.is_ok(), host, &local);
            };
            if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, up).is_ok() {
                let result =
                    copy(&mut Watched { local: &local, host }, host).and_then(|()| host.shutdown(Shutdown::Write));
                end_both_unless(result.is_ok(), host, &local);
            }
        });
        Err(Failure::Broken(io::Error::from(ErrorKind::ConnectionAborted)))
    }
}

fn connect(port: u16) -> Result<TcpStream, Refusal> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, CONNECT_LIMIT).map_err(|error| match error.kind() {
        ErrorKind::ConnectionRefused => {
            Refusal::new(Code::NotFound, format!("port {port}: connection refused (expected: a server on 127.0.0.1)"))
        }
        _ => Refusal { message: format!("port {port}: {error}"), ..Refusal::from(error) },
    })
}

fn copy(from: &mut impl Read, mut to: &TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => to.write_all(&buffer[..count])?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The end of one direction leaves the other open; a failure ends both.
fn end_both_unless(ended_well: bool, host: &TcpStream, local: &TcpStream) {
    if !ended_well {
        let _ = host.shutdown(Shutdown::Both);
        let _ = local.shutdown(Shutdown::Both);
    }
}

/// Reads from the port, unless the host breaks its connection while there is nothing to read.
struct Watched<'a> {
    local: &'a TcpStream,
    host: &'a TcpStream,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut entries = [PollFd::new(self.local, POLLIN), PollFd::new(self.host, 0)];
        sys::wait_ready(&mut entries, None);
        if entries[1].revents != 0 {
            return Err(ErrorKind::ConnectionReset.into());
        }
        let mut local = self.local;
        local.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn says_which_port_refuses() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();

        let refusal = connect(free).unwrap_err();

        assert_eq!(refusal.code, Code::NotFound);
        assert!(refusal.message.contains(&format!("port {free}: connection refused")));
    }
}
