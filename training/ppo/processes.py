"""Several processes that learn together: by ``torchrun``, or started from here."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

PATIENCE = timedelta(minutes=10)  # that one process waits for another


class Group:
    """All processes of a run, seen from one of them; ``rank`` 0 is the one that notes and saves."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size

    def device(self, name: str) -> torch.device:
        """The device a process computes on; ValueError if there is none of that name."""
        if name == "auto":
            name = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            device = torch.device(name)
            if device.type == "cuda" and device.index is None and self.size > 1:
                local = int(os.environ.get("LOCAL_RANK", self.rank))
                device = torch.device("cuda", local % torch.cuda.device_count())
            torch.zeros(1, device=device)
        except (RuntimeError, AssertionError) as error:
            raise ValueError(
                f"device {name!r} can't be used: {str(error).splitlines()[0]}"
            ) from None
        return device

    def any(self, flag: bool) -> bool:
        """Whether it is so in any process."""
        if self.size == 1:
            return flag
        found = torch.tensor([float(flag)])
        dist.all_reduce(found)
        return bool(found.item() > 0)

    def same(self, number: float) -> float:
        """The first process's number, in all of them."""
        if self.size == 1:
            return number
        found = torch.tensor([number], dtype=torch.float64)
        dist.broadcast(found, 0)
        return float(found.item())

    def gather(self, arrays: dict[str, Any]) -> list[dict[str, Any]]:
        """Every process's arrays, of the same shapes in all; the list is of use in the first only."""
        if self.size == 1:
            return [arrays]
        found: list[dict[str, Any]] = [{} for _ in range(self.size)]
        for name, array in arrays.items():
            own = torch.from_numpy(array.copy()).view(torch.uint8)
            copies = [torch.empty_like(own) for _ in range(self.size)]
            dist.all_gather(copies, own)
            for of_rank, copy in zip(found, copies, strict=True):
                of_rank[name] = copy.numpy().view(array.dtype).reshape(array.shape)
        return found


@contextmanager
def group_of(processes: int, command: Sequence[str]) -> Iterator[Group]:
    """The group that this process is in.

    Under ``torchrun`` that is the one it started.  Otherwise ``processes`` - 1 others are started with
    ``command`` (arguments of the interpreter), and stopped if this one fails.
    """
    if "RANK" in os.environ:
        with _joined() as group:
            yield group
        return
    if processes == 1:
        yield Group()
        return
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port())}
    place["WORLD_SIZE"] = str(processes)
    others = [
        subprocess.Popen(
            [sys.executable, *command],
            env=os.environ | place | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.DEVNULL,
        )
        for rank in range(1, processes)
    ]
    os.environ.update(place | {"RANK": "0", "LOCAL_RANK": "0"})
    try:
        with _joined() as group:
            yield group
        for other in others:
            other.wait()
    finally:
        for key in (*place, "RANK", "LOCAL_RANK"):
            del os.environ[key]
        for other in others:
            if other.poll() is None:
                other.kill()
            other.wait()


@contextmanager
def _joined() -> Iterator[Group]:
    here = int(os.environ.get("LOCAL_WORLD_SIZE", os.environ["WORLD_SIZE"]))
    dist.init_process_group(backend_for(here, torch.cuda.device_count()), timeout=PATIENCE)
    try:
        yield Group(dist.get_rank(), dist.get_world_size())
    finally:
        dist.destroy_process_group()


def backend_for(processes: int, devices: int) -> str:
    """What carries tensors between so many processes of a machine with so many GPUs.

    All lies in main memory but for gradients, which may be a GPU's; NCCL refuses two processes on one.
    """
    if not devices:
        return "gloo"
    return "cpu:gloo,cuda:nccl" if processes <= devices else "cpu:gloo,cuda:gloo"


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
