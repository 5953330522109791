"""The stages that write training data, one module per kind, and what they share."""
