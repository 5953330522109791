"""Tasks about pictures, and the pools of wordings and annotations they are made of."""
