"""The stages of a run, one file each: what a stage reads from the run folder, calls and writes.

A stage function knows nothing of keys, order or resuming (`roomtour.pipeline` does); `table` lists them.
"""
