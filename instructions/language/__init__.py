"""A language model as the writer: prompts, one schema per task, a client, a cache, a budget, and the writer itself."""
