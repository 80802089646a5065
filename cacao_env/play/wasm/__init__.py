"""The engine in the page: compiled functions of this package as one WebAssembly module."""
