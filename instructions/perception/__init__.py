"""What is seen where: one Protocol per ability, the embedded implementation needs no learned model."""
