"""``python -m cacao_env view``: the page in a browser, or as a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..files import write_whole
from .catalogue import Catalogue


def view(
    files: Sequence[str], agents: Sequence[str], port: int, export: str | None, is_opened: bool
) -> int:
    """Serve until interrupted; with ``export`` write one file and stop."""
    if export is not None:
        return _export(files, Path(export))
    try:
        from .server import HOST, listening, server
    except ImportError as error:
        raise ValueError(
            f"the page needs a server ({error.name} is missing): pip install 'cacao-env[view]'"
        ) from None
    bound = listening(port)
    try:
        catalogue = Catalogue(agents)
        names = [catalogue.read_record(Path(name)) for name in files]
        address = f"http://{HOST}:{bound.getsockname()[1]}/"
        if names:
            address += f"#record={names[0]}"
        print(f"open {address}  (Ctrl-C ends)", flush=True)
        catalogue.warm_up()
        if is_opened:
            import webbrowser

            webbrowser.open(address)
        running: Any = server(catalogue, bound)
        running.run(sockets=[bound])
    except KeyboardInterrupt:
        print(file=sys.stderr)
    finally:
        bound.close()
    return 0


def _export(files: Sequence[str], target: Path) -> int:
    from .answers import replay_data
    from .page import page

    if len(files) != 1:
        raise ValueError(f"--export shows one record, {len(files)} are given")
    if target.suffix != ".html":
        raise ValueError(f"--export is {str(target)!r}, expected a file that ends in .html")
    catalogue = Catalogue()
    told = catalogue.records.get(catalogue.read_record(Path(files[0])))
    text = page(told.title, replay_data(told.title, told.story))
    write_whole(target, text)
    print(f"{target}: {len(text) // 1000} kB, opens without a server")
    return 0
