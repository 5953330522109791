"""Questions answered by programs: asked freely, answered by code, believed after checks."""
