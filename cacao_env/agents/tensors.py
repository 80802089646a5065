"""Files of named arrays in the format safetensors, written in one order and read with suspicion."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

_TYPES = {
    np.dtype(kind): name
    for kind, name in (
        *(("f8", "F64"), ("i8", "I64"), ("u8", "U64"), ("f4", "F32"), ("i4", "I32"), ("u4", "U32")),
        *(("f2", "F16"), ("i2", "I16"), ("u2", "U16"), ("i1", "I8"), ("u1", "U8"), ("?", "BOOL")),
    )
}
_NAMES = {name: kind for kind, name in _TYPES.items()}
MOST_HEADER = 10_000_000  # bytes; the header of a run's state has some thousands


class TensorError(ValueError):
    """One sentence on why bytes are not such a file."""


def pack(arrays: Mapping[str, Any], metadata: Mapping[str, str]) -> bytes:
    """Return a file; equal arrays and metadata make equal bytes, whatever their order."""
    # Larger numbers come first, so that each array is aligned.
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))}
    parts, end = [], 0
    for name in order:
        array = np.asarray(arrays[name], order="C")
        begin, end = end, end + array.nbytes
        header[name] = {
            "dtype": _TYPES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
        parts.append(array.tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(parts)


def read_header(
    data: bytes,
) -> tuple[dict[str, tuple[np.dtype[Any], tuple[int, ...], int]], Any, int]:
    """Return ({name: (type, shape, first byte)}, metadata, first byte of the data); or TensorError.

    What it returns is bounded by the length of the file: the arrays fill it exactly.
    """
    if not isinstance(data, bytes | bytearray):
        raise TensorError("it is not bytes")
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(MOST_HEADER, len(data) - 8):
        raise TensorError("its header is longer than the file")
    try:
        header = json.loads(data[8 : 8 + length])
        metadata = header.pop("__metadata__", {})
        found, spans = {}, []
        for name, entry in header.items():
            kind, shape = _NAMES[entry["dtype"]], entry["shape"]
            begin, end = entry["data_offsets"]
            numbers = [*shape, begin, end]
            if any(type(n) is not int or not 0 <= n <= len(data) for n in numbers):
                raise TensorError(f"{name[:80]!r} has an impossible shape or place")
            if end - begin != math.prod(shape) * kind.itemsize:
                raise TensorError(f"{name[:80]!r} has a place of another size")
            found[name] = (kind, tuple(shape), begin)
            spans.append((begin, end))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, TensorError):
            raise
        raise TensorError("its header is not that of a safetensors file") from None
    spans.sort()
    ends = [0, *(end for _, end in spans)]
    if [begin for begin, _ in spans] != ends[:-1] or ends[-1] != len(data) - 8 - length:
        raise TensorError("its arrays do not fill the file")
    return found, metadata, 8 + length


def unpack(data: bytes) -> tuple[dict[str, Any], Any]:
    """Return (arrays, metadata) of a file; TensorError if it is none."""
    found, metadata, first = read_header(data)
    arrays = {
        name: np.frombuffer(data, kind, math.prod(shape), first + begin).reshape(shape).copy()
        for name, (kind, shape, begin) in found.items()
    }
    return arrays, metadata
