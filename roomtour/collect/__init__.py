"""From lists of videos to the tours that are worth processing: cheap checks first, each verdict with its figure."""
