"""Sets of regions: choices with wrong options, false twins, clusters without doubles."""
