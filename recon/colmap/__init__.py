"""COLMAP's files and models in our terms: database, reading, observations, tasks, fusing."""
