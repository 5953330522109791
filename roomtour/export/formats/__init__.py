"""The formats, in folders by what they hold: dialogues, regions, scenes, talks, walks."""
