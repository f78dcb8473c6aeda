pub mod database;
pub mod entities;
