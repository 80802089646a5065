"""A slow, obvious second implementation of the rules, used only to check the fast one."""
