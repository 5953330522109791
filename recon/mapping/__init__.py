"""From matches to sub-models: structure from motion, or poses that are known."""
