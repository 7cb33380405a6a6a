//! The work CTHA.
