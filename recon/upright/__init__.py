"""From free-scale models to the upright, scaled scene."""
