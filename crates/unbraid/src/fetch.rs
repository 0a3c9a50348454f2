//! Downloads that go on where they stopped.
//!
//! A file is written as `NAME.part` and takes its name when it is whole; a later call asks the
//! server for the rest only.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use unbraid_measure::watch::Stage;
use ureq::Agent;
use ureq::http::Response;

use crate::error::{Error, Result};

/// How much is read at once.
const CHUNK: usize = 1 << 17;
/// A server that says nothing for this long is gone.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often a transfer that broke off is taken up again.
const ATTEMPTS: usize = 4;

/// Download `address` to `target`, or what of it is missing. `share` of the work is told to `watch`.
pub fn fetch(address: &str, target: &Path, share: f64, watch: &Stage) -> Result<()> {
    if target.is_file() {
        return Ok(watch.advance(share)?);
    }
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(PATIENCE))
        .timeout_recv_response(Some(PATIENCE))
        .timeout_recv_body(None)
        .build()
        .into();
    let mut transfer = Transfer { address, partial: partial(target), told: 0.0, share, watch };
    let mut broken = None;
    for _ in 0..ATTEMPTS {
        match transfer.attempt(&agent) {
            Ok(()) => {
                let renamed = fs::rename(&transfer.partial, target);
                renamed.map_err(|source| unbraid_measure::Error::io("write", target, &source))?;
                return Ok(watch.advance(share - transfer.told)?);
            }
            Err(Trouble::Broken(reason)) => broken = Some(reason),
            Err(Trouble::Final(error)) => return Err(error),
        }
    }
    let reason = broken.unwrap_or_default();
    Err(Error::Unable(format!(
        "{address} broke off {ATTEMPTS} times ({reason}); run the command again to go on where it \
         stopped"
    )))
}

/// What a file is called until it is whole.
fn partial(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    target.with_file_name(name)
}

enum Trouble {
    /// The connection was lost; what has come is kept.
    Broken(String),
    /// There is no use in trying again.
    Final(Error),
}

impl From<unbraid_measure::Error> for Trouble {
    fn from(error: unbraid_measure::Error) -> Self {
        Self::Final(error.into())
    }
}

struct Transfer<'a> {
    address: &'a str,
    partial: PathBuf,
    /// The share of the work that the watch knows of.
    told: f64,
    share: f64,
    watch: &'a Stage<'a>,
}

impl Transfer<'_> {
    fn attempt(&mut self, agent: &Agent) -> std::result::Result<(), Trouble> {
        let have = fs::metadata(&self.partial).map_or(0, |metadata| metadata.len());
        let mut request = agent.get(self.address);
        if have > 0 {
            request = request.header("Range", format!("bytes={have}-"));
        }
        let response = request.call().map_err(|error| match error {
            ureq::Error::Io(_) | ureq::Error::Timeout(_) => Trouble::Broken(error.to_string()),
            other => Trouble::Final(Error::Unable(format!(
                "{} cannot be reached ({other}); is there a connection?",
                self.address
            ))),
        })?;
        match response.status().as_u16() {
            206 if starts_at(&response, have) => self.save(response, have),
            // A server that knows no ranges sends everything again.
            200 => self.save(response, 0),
            // Nothing is missing, or the file has changed: the checksum will tell which.
            416 if total(&response) == Some(have) => Ok(()),
            206 | 416 => {
                let removed = fs::remove_file(&self.partial);
                removed.map_err(|source| {
                    unbraid_measure::Error::io("write", &self.partial, &source)
                })?;
                Err(Trouble::Broken("the file changed on the server".into()))
            }
            status @ (429 | 500..=599) => Err(Trouble::Broken(format!("the server says {status}"))),
            status => Err(Trouble::Final(Error::Unable(format!(
                "{} answers {status}; get the file by hand and use `unbraid data import`",
                self.address
            )))),
        }
    }

    /// Append to the `have` bytes that are there.
    fn save(
        &mut self,
        response: Response<ureq::Body>,
        have: u64,
    ) -> std::result::Result<(), Trouble> {
        let unwritable = |source: std::io::Error| {
            Trouble::from(unbraid_measure::Error::io("write", &self.partial, &source))
        };
        let mut options = File::options();
        match have {
            0 => options.write(true).create(true).truncate(true),
            _ => options.append(true),
        };
        let mut file = options.open(&self.partial).map_err(unwritable)?;
        let length = header(&response, "content-length").and_then(|length| length.parse().ok());
        let whole = length.map(|length: u64| have + length);
        let (mut reader, mut chunk, mut done) =
            (response.into_body().into_reader(), vec![0; CHUNK], have);
        loop {
            let count = reader.read(&mut chunk).map_err(|e| Trouble::Broken(e.to_string()))?;
            if count == 0 {
                break;
            }
            file.write_all(&chunk[..count]).map_err(unwritable)?;
            done += count as u64;
            if let Some(whole) = whole {
                let reached = self.share * (done as f64 / whole as f64).min(1.0);
                let step = (reached - self.told).max(0.0);
                self.told += step;
                self.watch.advance(step)?;
            }
        }
        if whole.is_some_and(|whole| done < whole) {
            return Err(Trouble::Broken("the connection was closed".into()));
        }
        file.sync_all().map_err(unwritable)
    }
}

fn header<'r>(response: &'r Response<ureq::Body>, name: &str) -> Option<&'r str> {
    response.headers().get(name)?.to_str().ok()
}

/// `content-range: bytes 100-199/200` starts at 100.
fn starts_at(response: &Response<ureq::Body>, have: u64) -> bool {
    let range = header(response, "content-range").and_then(|range| range.strip_prefix("bytes "));
    range.and_then(|range| range.split('-').next()?.trim().parse().ok()) == Some(have)
}

/// `content-range: bytes */200` is of 200 in all.
fn total(response: &Response<ureq::Body>) -> Option<u64> {
    header(response, "content-range")?.rsplit('/').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests;
