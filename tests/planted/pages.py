"""Planted bugs: the documentation, its figures and its reference."""

from __future__ import annotations

from .harness import Bug

REFERENCE = ("tests/test_reference.py",)
LOCK = ("tests/test_lock.py",)
RULES = ("tests/test_languages.py", "-k", "rules or has_every_text")

BUGS = [
    Bug(
        "a pin changes and the lock file does not",
        "constraints.txt",
        "absl-py==2.5.1",
        "absl-py==2.5.0",
        LOCK,
    ),
    Bug(
        "the page installs without hashes",
        "docs/install.md",
        " --require-hashes",
        "",
        LOCK,
    ),
    Bug(
        "a class that changes says nothing of threads",
        "training/ppo/network.py:CellNet",
        "  Only one thread may train it at a time.",
        "",
        ("tests/test_architecture.py", "-k", "threads"),
    ),
    Bug(
        "a public name is missing from the reference",
        "docs/reference/agents.md",
        "::: cacao_env.agents.agent.play_game\n",
        "",
        REFERENCE,
    ),
    Bug(
        "a class that a public method returns is missing from the reference",
        "docs/reference/agents.md",
        "::: cacao_env.agents.analysis.Analysis\n",
        "",
        REFERENCE,
    ),
    Bug(
        "a name that no program uses is on the reference",
        "docs/reference/agents.md",
        "::: cacao_env.agents.agent.play_game\n",
        "::: cacao_env.agents.agent.play_game\n\n::: cacao_env.agents.agent.one_line\n",
        REFERENCE,
    ),
    Bug(
        "a program of a guide imports what is not there",
        "docs/guides/game.md",
        "from cacao_env.agents.agent import play_game",
        "from cacao_env.agents.agent import play_match",
        REFERENCE,
    ),
    Bug(
        "a result stands on two pages",
        "docs/faq.md",
        "`trinitario` wins more than nineteen games out of twenty against `greedy`",
        "`criollo` wins 96.6% [95.8%, 97.4%] of its games against `greedy`",
        ("tests/test_figures.py",),
    ),
    Bug(
        "a speed is typed into the README",
        "README.md",
        "more than a million decisions a second",
        "1,497,933 decisions a second",
        ("tests/test_figures.py",),
    ),
    Bug(
        "an option is missing from the environment's page",
        "docs/environment.md",
        "| `mask_in` |",
        "| `mask` |",
        ("tests/test_docs.py", "-k", "every_option"),
    ),
    Bug(
        "the environment's page has another number of actions",
        "docs/environment.md",
        "`Discrete(3512)` with 2 players",
        "`Discrete(3521)` with 2 players",
        ("tests/test_docs.py", "-k", "table_of_facts"),
    ),
    Bug(
        "a program of the README does not run",
        "README.md",
        "env.step(env.action_space(",
        "env.step(env.action_spaces(",
        ("tests/test_docs.py", "-k", "python_of_the_pages"),
    ),
    Bug(
        "a head of the rules is not translated",
        "cacao_env/play/page/es.json",
        '"Set-up":',
        '"Setup":',
        RULES,
    ),
    Bug(
        "a picture of the rules is not the renderer's",
        "cacao_env/play/rulebook.py:_temple",
        '_worker(0, 1, BLUE, "0121")',
        '_worker(0, 1, BLUE, "1210")',
        RULES,
    ),
]
