//! Forgewright.

pub mod access;
pub mod app;
pub mod areas;
pub mod clock;
pub mod contract;
pub mod database;
pub mod entities;
pub mod entropy;
pub mod limits;
pub mod node_id;
pub mod tokens;
pub mod urls;
pub mod views;
pub mod web;
pub mod world;
