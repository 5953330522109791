"""What report, view, review and plots share: templates, SVG, words, colours, thumbnails and the map."""
