"""Questions and talks of every kind of data on their way into the formats that hold them all alike."""
