"""What is measured of numbered regions, as questions, answers and reasons."""
