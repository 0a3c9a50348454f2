//! Stub.
use super::*;
pub struct Mcc;
impl Metric for Mcc { fn info(&self)->Info{unimplemented!()} fn score(&self,_:&Representation,_:&mut Rng)->Result<Score>{unimplemented!()} }
