"""Games for language models: positions and moves as text, and doors to other libraries."""
