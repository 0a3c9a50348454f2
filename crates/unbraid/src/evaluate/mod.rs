//! What a trained learner is worth, as numbers: codes, the importance of latents, the IWAE bound.

pub mod agreement;
pub mod bound;
pub mod encode;
pub mod latents;
pub mod response;
pub mod unaided;
pub mod walk;
