"""People judge rows of every kind on a page of this machine; what they said is kept in the runs and counted."""
