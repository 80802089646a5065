"""Named tasks: Gymnasium environments with every rule frozen, to be cited by their id.

    gymnasium.make("cacao_env/Cacao-2p-greedy-v0")
    gymnasium.make_vec("cacao_env/Cacao-2p-greedy-v0", num_envs=64)

``TASKS`` is the only table; docs/tasks.md lists it with reference scores and says what makes a ``-v1``.
A task freezes the game, the opponents, the learner's seat, the reward and the price of an illegal
action.  What remains free shows the same information in another form (``FREE``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

from ..agent import Agent
from ..checks import unexpected
from ..engine.options import Options
from ..registry import load_agent

NAMESPACE = "cacao_env"
ENVIRONMENT = f"{NAMESPACE}/Cacao-v0"  # the environment with all options free
# Arguments that change no decision, no score and nothing that the learner may know.
FREE = (
    *("mask_in", "observation", "observation_dtype", "fixed_infos", "render_mode"),
    *("num_envs", "copy", "autoreset_mode"),
)
TWO_PLAYERS = Options()


@dataclass(frozen=True)
class Task:
    """One seat against frozen opponents; the seat rotates from episode to episode."""

    name: str
    opponent: str
    about: str
    options: Options = TWO_PLAYERS
    version: int = 0
    checksum: str = ""  # of the opponent, if it is a checkpoint

    @property
    def id(self) -> str:
        """The id in Gymnasium's registry."""
        return f"{NAMESPACE}/Cacao-{self.name}-v{self.version}"

    @property
    def entry(self) -> str:
        """The name by which this module hands out what makes the environment."""
        return f"{self.name}-v{self.version}"

    def load_opponent(self) -> Agent:
        """Load the opponent; ValueError unless it is the frozen one."""
        agent = load_agent(self.opponent)
        if self.checksum and agent.version != self.checksum:
            raise ValueError(
                f"the checkpoint {self.opponent} has checksum {agent.version[:12]}, but {self.id} "
                f"is played against the one with {self.checksum[:12]}"
            )
        return agent

    def arguments(self) -> dict[str, Any]:
        """Return the frozen arguments of the environment."""
        return {
            "opponents": self.opponent,
            "options": self.options,
            "reward": "outcome",
            "seat": None,
            "illegal": "lose",
        }


# A later task is a row here, and a row of reference scores on docs/tasks.md.
TASKS = (
    Task("2p-random", "random", "2 players against a random opponent: a first test of a learner"),
    Task("2p-greedy", "greedy", "2 players against the one-turn bot"),
    Task(
        "2p-trinitario",
        "trinitario",
        "2 players against the value network trinitario",
        checksum="9d806a45e794c5fb274c7f9f8b38287622cd883f4a61264705659a9e8c5486c5",
    ),
    Task("4p-greedy", "greedy", "4 players, three copies of the one-turn bot", Options(4)),
    Task(
        "2p-volcanoes-greedy",
        "greedy",
        "2 players with the mini-expansion against the one-turn bot",
        Options(2, volcanoes=True),
    ),
    Task(
        "2p-placements-greedy",
        "greedy",
        "2 players, placements alone: fills and actions are made like greedy's, the opponent is greedy",
        Options(decisions="turn"),
    ),
)


def task_named(name: str) -> Task:
    """Return a task by its id or its short name, such as ``2p-greedy``; ValueError for another."""
    for task in TASKS:
        if name in (task.id, task.entry, task.name):
            return task
    raise ValueError(
        f"there is no task {name!r}; there are: {', '.join(task.name for task in TASKS)}"
    )


def register(register_environment: Callable[..., None], known: Any) -> None:
    """Register the environment and all tasks that are not ``known``, importing none of them."""
    makers = {ENVIRONMENT: (f"{__package__}.gym:CacaoEnv", f"{__package__}.gym:CacaoVectorEnv")}
    for task in TASKS:
        makers[task.id] = f"{__name__}:{task.entry}", f"{__name__}:vector-{task.entry}"
    for name, (entry_point, vector_entry_point) in makers.items():
        if name not in known:
            register_environment(
                name, entry_point=entry_point, vector_entry_point=vector_entry_point
            )


def __getattr__(name: str) -> Any:
    """Return what makes a task's environment: Gymnasium looks an entry point up as an attribute."""
    for task in TASKS:
        if name in (task.entry, f"vector-{task.entry}"):
            return _maker(task, vector=name != task.entry)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _maker(task: Task, vector: bool) -> Callable[..., Any]:
    """Return a function that makes a task's environment and refuses what the task freezes."""
    from .gym import CacaoEnv, CacaoVectorEnv

    kind: Any = CacaoVectorEnv if vector else CacaoEnv

    known = signature(kind).parameters
    free = [name for name in known if name in FREE]

    def make(**given: Any) -> Any:
        for name in given:
            if name not in known:
                raise unexpected(task.id, name, free)
            if name not in free:
                raise ValueError(
                    f"{name} is given, but {task.id} freezes its options; "
                    f"make {ENVIRONMENT} to choose them"
                )
        task.load_opponent()
        return kind(**task.arguments(), **given)

    make.metadata = kind.metadata  # type: ignore[attr-defined]  # gymnasium.make reads the render modes
    return make
