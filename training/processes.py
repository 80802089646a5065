"""Training in several processes: under ``torchrun``, or in processes that this module starts; signals.

Without a process group every function works as in a group of one.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from datetime import timedelta
from types import FrameType
from typing import Any

import torch
import torch.distributed as dist
from torch.multiprocessing.spawn import start_processes

PATIENCE = timedelta(minutes=10)  # how long one process waits for another


def rank() -> int:
    """The number of this process; process 0 writes the files."""
    return dist.get_rank() if dist.is_initialized() else 0


def size() -> int:
    """The number of processes."""
    return dist.get_world_size() if dist.is_initialized() else 1


def any_process(flag: bool) -> bool:
    """Whether ``flag`` is true in any process."""
    if size() == 1:
        return flag
    total = torch.tensor([float(flag)])
    dist.all_reduce(total)
    return bool(total.item() > 0)


def from_first(number: float) -> float:
    """The number that process 0 has, in all processes."""
    if size() == 1:
        return number
    shared = torch.tensor([number], dtype=torch.float64)
    dist.broadcast(shared, 0)
    return float(shared.item())


def gather(arrays: dict[str, Any]) -> list[dict[str, Any]]:
    """The arrays of every process, by rank; shapes must be the same in all processes."""
    if size() == 1:
        return [arrays]
    gathered: list[dict[str, Any]] = [{} for _ in range(size())]
    for name, array in arrays.items():
        own = torch.from_numpy(array.copy()).view(torch.uint8)
        copies = [torch.empty_like(own) for _ in range(size())]
        dist.all_gather(copies, own)
        for of_rank, copy in zip(gathered, copies, strict=True):
            of_rank[name] = copy.numpy().view(array.dtype).reshape(array.shape)
    return gathered


def average_gradients(net: torch.nn.Module) -> None:
    """Replace each gradient by its mean over all processes."""
    if size() == 1:
        return
    gradients = [parameter.grad for parameter in net.parameters() if parameter.grad is not None]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(flat)
    flat /= size()
    for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients])):
        gradient.copy_(part.view_as(gradient))


def device(name: str) -> torch.device:
    """The device that this process computes on; raise ValueError if it can't be used."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        found = torch.device(name)
        if found.type == "cuda" and found.index is None and size() > 1:
            local = int(os.environ.get("LOCAL_RANK", rank()))
            found = torch.device("cuda", local % torch.cuda.device_count())
        torch.zeros(1, device=found)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device {name!r} can't be used: {str(error).splitlines()[0]}") from None
    return found


def run(processes: int, work: Callable[..., int], *arguments: Any) -> int:
    """Call ``work(*arguments)`` in so many processes; return what the first one returns.

    Under ``torchrun`` this process is one of those that it started.  Otherwise this process is the
    first; it starts the others and ends them if it fails.
    """
    if "RANK" in os.environ:
        local = int(os.environ.get("LOCAL_WORLD_SIZE", os.environ["WORLD_SIZE"]))
        return _join({}, local, work, arguments)
    if processes == 1:
        return work(*arguments)
    with tempfile.TemporaryDirectory() as folder:
        group = {"init_method": f"file://{folder}/store", "world_size": processes}
        others = start_processes(
            _other, (group, work, arguments), processes - 1, join=False, daemon=True
        )
        try:
            status = _join({**group, "rank": 0}, processes, work, arguments)
            while not others.join():
                pass
            return status
        except RuntimeError:
            others.join(timeout=10)  # raises the other process's error, if there is one
            raise
        finally:
            for process in others.processes:
                process.kill()
                process.join()


def _other(number: int, group: dict[str, Any], work: Callable[..., int], arguments: Any) -> None:
    """What process ``number`` + 1 does."""
    _join({**group, "rank": number + 1}, group["world_size"], work, arguments)
    # The work is done.  Interpreter shutdown after gloo now and then aborts ("terminate called
    # without an active exception"), and the first process would report that as a failure.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _join(group: dict[str, Any], local: int, work: Callable[..., int], arguments: Any) -> int:
    """Work as a member of a process group, with ``local`` processes on this machine."""
    dist.init_process_group(
        backend_for(local, torch.cuda.device_count()), timeout=PATIENCE, **group
    )
    try:
        return work(*arguments)
    finally:
        dist.destroy_process_group()


def backend_for(processes: int, devices: int) -> str:
    """The backend for so many processes of one machine with so many GPUs.

    Everything but gradients is in main memory.  NCCL refuses two processes on one GPU.
    """
    if not devices:
        return "gloo"
    return "cpu:gloo,cuda:nccl" if processes <= devices else "cpu:gloo,cuda:gloo"


class Interrupt:
    """While entered, the first SIGINT or SIGTERM only sets ``asked``; the second ends the program.

    Only the main thread may enter it.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.asked, self._quiet = False, quiet
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():  # signals are handled only there
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if not self._quiet:
            print("\nstopping after this round; a second signal stops at once", file=sys.stderr)
        self.__exit__()

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
