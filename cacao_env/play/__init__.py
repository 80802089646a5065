"""Play and look at games: the page, its engine and server, reviews."""
