"""Where attempts run: processes of this machine, or the machines of a Ray cluster."""
