"""The critic: which rows people would accept, learned from ratings, or from made faults until there are any."""
