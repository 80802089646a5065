"""Short programs, one for each library, as its own documentation would write them."""
