"""Pictures without what should not leave the house: people, screens."""
