"""What report, view, review and plots share: markup, words, colours, thumbnails and the map."""
