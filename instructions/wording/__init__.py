"""Words that every kind of text shares: nouns, articles, plurals, lists, colors."""
