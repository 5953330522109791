"""Models that look at views: captions of regions, narratives, and answers to questions."""
