//! Files.

pub mod contact_query;
