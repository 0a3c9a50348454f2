//! Stub.
use super::*;
pub struct Mig { pub bins: usize }
impl Metric for Mig { fn info(&self)->Info{unimplemented!()} fn score(&self,_:&Representation,_:&mut Rng)->Result<Score>{unimplemented!()} }
