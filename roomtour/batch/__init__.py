"""Many tours: each in a child process of its own, with a ledger of what became of it."""
