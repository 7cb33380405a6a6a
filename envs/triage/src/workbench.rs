//! What `gimbal env triage` does beside what every environment can.
