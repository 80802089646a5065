"""Planted bugs: the doors by which data comes in."""

from __future__ import annotations

from .harness import Bug

CHANGED = ("tests/test_restore.py", "-k", "no_game_has")
BATCHES = ("tests/test_restore.py", "-k", "batch or against_opponents or shapes")
GAMES = ("tests/test_restore.py", "-k", "damaged_pickle or saved_game")
BUSY = ("tests/test_restore.py", "-k", "during_another or another_thread or signal_handler")
TRUST = ("tests/test_trust.py",)
RESUME = ("tests/test_resume_trust.py",)
VALIDATE, RELAID = "cacao_env/engine/validate.py", "cacao_env/engine/relaid.py"

BUGS = [
    Bug(
        "a state may have any phase",
        f"{VALIDATE}:_turn_is_sound",
        "if state.phase < PLACE or state.phase > OVER or state.turn < 0",
        "if state.turn < 0",
        CHANGED,
        interpreted=True,
    ),
    Bug(
        "a state may hold any gold",
        f"{VALIDATE}:_stocks_are_sound",
        " or state.gold[seat] > gold:",
        ":",
        CHANGED,
        interpreted=True,
    ),
    Bug(
        "a state may have activated any edge",
        f"{VALIDATE}:_turn_in_progress_is_sound",
        "if pending & ~activated[seat]:",
        "if False:",
        CHANGED,
        interpreted=True,
    ),
    Bug(
        "a state may hold tiles that were never drawn",
        f"{VALIDATE}:_hands_are_sound",
        "if state.hand[seat, kind] != hand[kind] or",
        "if",
        CHANGED,
        interpreted=True,
    ),
    Bug(
        "a state's cells may lie beyond the board",
        f"{VALIDATE}:_is_cell",
        "cell < NUM_CELLS and",
        "",
        CHANGED,
        interpreted=True,
    ),
    Bug(
        "a state's empty cells may have any number",
        f"{RELAID}:_board_is",
        "if code != laid:",
        "if False:",
        CHANGED,
        interpreted=True,
    ),
    Bug(
        "a state's window may lie anywhere",
        f"{RELAID}:_box_is",
        "fits and state.corner_row == row and state.corner_column == column",
        "fits",
        CHANGED,
        interpreted=True,
    ),
    Bug(
        "restored states are not checked",
        "cacao_env/engine/saving.py:restore_arrays",
        "    check_states(states)\n",
        "",
        BATCHES,
    ),
    Bug(
        "restored arrays may be of any type",
        "cacao_env/engine/saving.py:check_array",
        "if given.dtype != like.dtype:",
        "if False:",
        BATCHES,
    ),
    Bug(
        "a restored game's opponent may be any number",
        "cacao_env/envs/versus.py:VersusGames._check",
        "if (kinds < 0).any() or",
        "if",
        BATCHES,
    ),
    Bug(
        "a short pickle fills the whole state",
        "cacao_env/engine/saving.py:states_of",
        "if len(data) != count * STATE.itemsize:",
        "if len(data) > count * STATE.itemsize:",
        GAMES,
    ),
    Bug(
        "a call during another one is let in",
        "cacao_env/envs/threads.py:alone",
        "is not token:",
        "is None:",
        BUSY,
    ),
    Bug(
        "a bot asks a game that was never dealt",
        "cacao_env/agents/agent.py:decider",
        "if game.state.jungle_count == 0:",
        "if False:",
        ("tests/test_restore.py", "-k", "never_dealt and random"),
    ),
    Bug(
        "new weights take the old ones' place before their manifest is there",
        "cacao_env/agents/checkpoint.py:write_files",
        "        write_whole(new, weights)\n",
        "        write_whole(folder / WEIGHTS, weights)\n",
        TRUST,
    ),
    Bug(
        "new weights are not looked for by their checksum",
        "cacao_env/agents/checkpoint.py:read_files",
        "for file in (folder / WEIGHTS, _new_weights(folder, manifest)):",
        "for file in (folder / WEIGHTS,):",
        TRUST,
    ),
    Bug(
        "arrays are written in the order in which they come",
        "cacao_env/agents/tensors.py:pack",
        "sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))",
        "list(arrays)",
        TRUST,
    ),
    Bug(
        "arrays may leave gaps in their file",
        "cacao_env/agents/tensors.py:read_header",
        "[begin for begin, _ in spans] != ends[:-1] or ",
        "",
        TRUST,
    ),
    Bug(
        "a name from a list imports a module",
        "cacao_env/evaluation/leaderboard.py:_plan",
        "allow_code=False",
        "allow_code=True",
        TRUST,
    ),
    Bug(
        "a name from a request imports a module",
        "cacao_env/agents/registry.py:load_agent",
        "        if not allow_code:\n",
        "        if False:\n",
        TRUST,
    ),
    Bug(
        "two evaluations play in one folder",
        "cacao_env/evaluation/store.py:Store.__init__",
        "            self._lock.acquire()\n",
        "",
        TRUST,
    ),
    Bug(
        "weights of opponents may overflow",
        "cacao_env/envs/opponents.py:_weights",
        "0 <= weight <= MAX_WEIGHT",
        "0 <= weight",
        TRUST,
    ),
    Bug(
        "a state's checksum is not compared",
        "training/state.py:read_state",
        "if hashlib.sha256(unsealed).hexdigest().encode() != found[1]:",
        "if False:",
        RESUME,
    ),
    Bug(
        "a resumed run loads the classes that its folder names",
        "training/loop.py:resumed_config",
        "return config.loading(strings_in(overridden({}, overrides)))",
        "return config",
        RESUME,
    ),
    Bug(
        "a run goes on with weights that are not finite",
        "training/loop.py:Loop.round",
        "        self._check_finite(learner.weights(), learner.rounds + 1)\n",
        "",
        RESUME,
    ),
    Bug(
        "a state of another size is refused after a network was made",
        "training/loop.py:resumed",
        "    check_shapes(arrays, kind.shapes(config))\n",
        "",
        RESUME,
    ),
    Bug(
        "rows of samples may be of any table",
        "training/afterstate/samples.py:_are_sound",
        "        and (rows[opened] < NUM_PATTERNS).all()\n",
        "",
        RESUME,
    ),
    Bug(
        "NumPy's random numbers resume at any place",
        "training/state.py:restore_generators",
        "not 0 <= place <= _MOST_LEFT or ",
        "",
        RESUME,
    ),
    Bug(
        "a damaged run.json keeps its folder locked",
        "training/run_folder.py:RunFolder.__init__",
        "            self._lock.release()\n",
        "            pass\n",
        RESUME,
    ),
]
