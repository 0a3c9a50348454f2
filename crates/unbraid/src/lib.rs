//! Unbraid.
