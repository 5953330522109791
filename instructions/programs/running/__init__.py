"""Programs that somebody else wrote: read, rewritten, run in a sandbox, and their values checked."""
