"""From sub-models of clips to models of the tour."""
