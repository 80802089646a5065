"""The command for language models: ``mcp``."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from .common import add_command


def add_commands(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    add_command(
        commands,
        "mcp",
        _mcp,
        "serve games to language models over MCP",
        "cacao mcp\ncacao mcp --http --port 8000",
        {
            "--http": (False, "serve HTTP on 127.0.0.1 instead of standard input and output"),
            "--port": (8000, "port of --http; default: 8000"),
        },
    )


def _mcp(options: Namespace) -> None:
    from ..text.mcp import serve

    serve(options.http, options.port)
