"""What stands behind the flags: the options that people change, help texts, and how words become a configuration."""
