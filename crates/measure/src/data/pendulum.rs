//! Stub.
use super::*;
pub const SOURCE: Source = Source { info: Info { name: "pendulum", title: "", summary: "", paper: "", page: "" }, open };
fn open(_: &Table) -> Result<(Box<dyn Dataset>, Table)> { unimplemented!() }
