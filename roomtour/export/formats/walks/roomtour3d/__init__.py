"""The format `roomtour3d`: how it is written, and how a dataset is checked."""
