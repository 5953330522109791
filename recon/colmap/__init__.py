"""COLMAP's files and models in our terms: database, log, observations, tracks, alignment."""
