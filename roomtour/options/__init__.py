"""What can be set, read from the source of the option classes: nothing heavy is imported to print a help text."""
