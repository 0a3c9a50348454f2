//! Stub.
use super::*;
pub struct FactorVaeScore { pub batch: usize }
impl FactorVaeScore { pub const STUDY: Self = Self { batch: 64 }; }
impl Metric for FactorVaeScore { fn info(&self)->Info{unimplemented!()} fn score(&self,_:&Representation,_:&mut Rng)->Result<Score>{unimplemented!()} }
