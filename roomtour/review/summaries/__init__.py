"""What people's judgements add up to, by kind of row."""
