"""Play and watch games: tables with people and agents, pictures, the terminal, the web page."""
