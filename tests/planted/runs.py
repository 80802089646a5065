"""Planted bugs: runs."""

from __future__ import annotations

from .harness import Bug
from .learning import AFTERSTATE, PPO

RESUMED = ("tests/test_afterstate.py", "-k", "resumed or killed or cut_off")
STOPPED = ("tests/test_afterstate.py", "-k", "ctrl or disk or overwritten")
CHECKPOINTS = ("tests/test_afterstate.py", "-k", "checkpoint")
DAMAGED = ("tests/test_training.py", "-k", "damaged or comes_back")
CONFIGS = ("tests/test_training.py", "-k", "names_the_key")
EXPLOIT = ("tests/test_exploit.py", "-k", "values_are_learned")
ZOO = ("tests/test_zoo.py",)

BUGS = [
    Bug(
        "a resumed run draws the batches of its first round",
        "training/train_afterstate.py:AfterstateLearner.round",
        "[config.seed, number]",
        '[config.seed, number - self.__dict__.setdefault("first", number)]',
        RESUMED,
    ),
    Bug(
        "the optimizer forgets its moments",
        "training/state.py:restore_learner",
        "            if owner == name\n",
        "            if owner == name and what == 'step'\n",
        RESUMED,
    ),
    Bug(
        "rows after the save stay",
        "training/run_folder.py:RunFolder._begin",
        'if row["round"] <= at',
        'if row["round"] <= at + 1',
        ("tests/test_afterstate.py", "-k", "killed"),
    ),
    Bug(
        "a full disk leaves half a file",
        "cacao_env/files.py:write_whole",
        "            beside.unlink(missing_ok=True)\n",
        "            pass\n",
        STOPPED,
    ),
    Bug(
        "files are written in place",
        "cacao_env/files.py:write_whole",
        'beside = path.with_name(path.name + ".tmp")',
        "beside = path",
        STOPPED,
    ),
    Bug(
        "a run is overwritten",
        "training/run_folder.py:clear",
        "if (folder / file).exists() and not overwrite:",
        "if False:",
        STOPPED,
    ),
    Bug(
        "two processes train in one folder",
        "training/run_folder.py:_locked",
        "        lock.acquire()\n",
        "        pass\n",
        PPO,
    ),
    Bug(
        "Ctrl-C saves nothing",
        "training/loop.py:Loop.run",
        "            self.save()\n        return",
        "            if learner.progress >= 1:\n                self.save()\n        return",
        ("tests/test_loop.py", "-k", "all_saved"),
    ),
    Bug(
        "simulations do not put the clock aside",
        "cacao_env/agents/value/checkpoint.py:split_search",
        '        given["ms"] = 0\n',
        "        pass\n",
        (*AFTERSTATE, "-k", "simulations_alone"),
    ),
    Bug(
        "time and simulations are given at once",
        "cacao_env/agents/value/checkpoint.py:split_search",
        'if (given["ms"] == 0) == (given["sims"] == 0):',
        "if False:",
        CHECKPOINTS,
    ),
    Bug(
        "a search's name may end in anything",
        "cacao_env/agents/value/checkpoint.py:split_search",
        'if rest and not rest.startswith(":"):',
        "if False:",
        CHECKPOINTS,
    ),
    Bug(
        "metadata is not compared with the manifest",
        "cacao_env/agents/checkpoint.py:check_metadata",
        "if own != metadata_of(manifest):",
        "if False:",
        CHECKPOINTS,
    ),
    Bug(
        "the metadata of a board network is left out",
        "cacao_env/agents/policy.py:save_policy",
        "pack_arrays(params, metadata)",
        "pack_arrays(params, {})",
        DAMAGED,
    ),
    Bug(
        "a network whose weights are not numbers is loaded",
        "cacao_env/agents/checkpoint.py:unpack_arrays",
        "if not all(np.isfinite(x).all() for x in arrays.values()):",
        "if False:",
        DAMAGED,
    ),
    Bug(
        "what is no safetensors file is not expected",
        "cacao_env/agents/checkpoint.py:unpack_arrays",
        "except TensorError as error:",
        "except KeyError as error:",
        DAMAGED,
    ),
    Bug(
        "a value network may be for five players",
        "cacao_env/agents/value/checkpoint.py:read_value",
        "if not players or any(n not in known for n in players)",
        "if False and any(n not in known for n in players)",
        CHECKPOINTS,
    ),
    Bug(
        "weights are moved before the manifest is written",
        "cacao_env/agents/checkpoint.py:write_files",
        "write_whole(new, weights)",
        "write_whole(folder / WEIGHTS, weights)",
        STOPPED,
    ),
    Bug(
        "a checkpoint without a run's state is overwritten",
        "training/run_folder.py:clear",
        '(MANIFEST, "")',
        '(STATE, "")',
        STOPPED,
    ),
    Bug(
        "a run in use loses what it resumes from",
        "training/run_folder.py:clear",
        "lock = _locked(folder)",
        "lock = FileLock(folder / LOCK)",
        STOPPED,
    ),
    Bug(
        "curves of the run before stay",
        "training/run_folder.py:clear",
        "shutil.rmtree(folder / TENSORBOARD)",
        "pass",
        STOPPED,
    ),
    Bug(
        "the time left is reckoned from the beginning",
        "training/loop.py:progress_bar",
        "initial=round(100 * done, 1)",
        "initial=0",
        (*AFTERSTATE, "-k", "time_left"),
    ),
    Bug(
        "a name without an agent is found out after the run",
        "training/loop.py:Loop.__init__",
        'require(agent_named("against", name, self.config), options)',
        "pass",
        ("tests/test_loop.py", "-k", "found_out_before"),
    ),
    Bug(
        "an exploiter overwrites the one before",
        "training/loop.py:run_folder",
        "clear(folder, options.overwrite)",
        "clear(folder, True)",
        EXPLOIT,
    ),
    Bug(
        "a value network that searches is met by a board network",
        "training/exploit.py:exploit",
        "values = isinstance(agent, ValueAgent)",
        "values = (isinstance(agent, ValueAgent) and SEARCH not in options.agent)",
        EXPLOIT,
    ),
    Bug(
        "a bar is reached by the mean",
        "cacao_env/evaluation/run.py:print_results",
        "missed += result.low < bar",
        "missed += result.win_share < bar",
        ("tests/test_evaluate.py", "-k", "lower_end"),
    ),
    Bug(
        "numbers that are none are taken",
        "training/config.py:from_dict",
        "isinstance(x, float) and not math.isfinite(x)",
        "isinstance(x, float) and x > 1e400",
        CONFIGS,
    ),
    Bug(
        "what is in a list is not looked at",
        "training/config.py:from_dict",
        "isinstance(value, list) and not all",
        "False and not all",
        CONFIGS,
    ),
    Bug(
        "any seed will do",
        "training/config.py:_seed",
        "least <= x < 2**32",
        "x < 2**32",
        CONFIGS,
    ),
    Bug(
        "two processes on one GPU talk by NCCL",
        "training/processes.py:backend_for",
        "if processes <= devices else",
        "if devices else",
        (*PPO[:1], "-k", "nccl"),
    ),
    Bug(
        "figures of other weights go on the card",
        "training/zoo/add.py:_evaluation",
        'if own and versions.get(agent) != manifest["sha256"]:',
        "if False:",
        ZOO,
    ),
    Bug(
        "checksums are not looked at",
        "training/zoo/folder.py:check_sums",
        "if not file.is_file() or _sum(file) != digest:",
        "if not file.is_file():",
        ZOO,
    ),
    Bug(
        "a card may promise anything",
        "training/zoo/__main__.py:evaluate",
        'weaker += result.high < row["low"]',
        "weaker += 0",
        ZOO,
    ),
    Bug(
        "the ONNX file takes other rows",
        "training/zoo/onnx.py:PlainValueNet.forward.total",
        "chosen = (place >= first) & (place < last)",
        "chosen = (place >= first) & (place <= last)",
        ZOO,
    ),
]
