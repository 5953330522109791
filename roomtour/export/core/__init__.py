"""What the formats share: the ledger of an export, its files, and the parts of checks."""
