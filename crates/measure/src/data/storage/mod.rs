//! How data sets are stored: the formats in which they were published, the library they are imported
//! into, and rows that lie ready.

pub mod formats;
pub mod library;
pub mod places;
pub mod stored;
