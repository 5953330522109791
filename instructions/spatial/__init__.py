"""Questions and answers about one view, whose truth is geometry."""
