"""Bugs for runs, checkpoints and what is shipped, planted by :mod:`tests.mutations_training`."""

from __future__ import annotations

AFTERSTATE = ("tests/test_afterstate.py",)
RESUMED = ("tests/test_afterstate.py", "-k", "resumed or killed or cut_off")
STOPPED = ("tests/test_afterstate.py", "-k", "ctrl or disk or overwritten or goes_on")
PPO = ("tests/test_ppo.py", "-k", "not two_processes")
CHECKPOINTS = ("tests/test_afterstate.py", "-k", "checkpoint")
DAMAGED = ("tests/test_training.py", "-k", "damaged or comes_back")
CONFIGS = ("tests/test_training.py", "-k", "names_the_key")
EXPLOIT = ("tests/test_exploit.py", "-k", "values_are_learnt")
ZOO = ("tests/test_zoo.py",)

# What is broken, file, text, replacement, tests that must fail.
MUTATIONS = [
    # --- Runs
    (
        "a resumed run draws the batches of its first round",
        "train_afterstate.py",
        "list(run.replay), steps, config.batch, rate, [config.seed, this_round]",
        "list(run.replay), steps, config.batch, rate, [config.seed, len(self._notes.rows) * 0 + "
        "int(self._saved)]",
        RESUMED,
    ),
    (
        "the optimizer forgets its moments",
        "state.py",
        "            if owner == name\n",
        "            if owner == name and what == 'step'\n",
        RESUMED,
    ),
    (
        "rows after the save stay",
        "run_folder.py",
        'if row["round"] <= at',
        'if row["round"] <= at + 1',
        ("tests/test_afterstate.py", "-k", "killed"),
    ),
    (
        "a full disk leaves half a file",
        "checkpoint.py",
        "            one.unlink(missing_ok=True)\n",
        "            pass\n",
        STOPPED,
    ),
    (
        "files are written in place",
        "checkpoint.py",
        'path: path.with_name(path.name + ".tmp")',
        "path: path",
        STOPPED,
    ),
    (
        "a run is overwritten",
        "run_folder.py",
        "if (folder / file).exists() and not overwrite:",
        "if False:",
        STOPPED,
    ),
    (
        "two processes train in one folder",
        "run_folder.py",
        "fcntl.LOCK_EX | fcntl.LOCK_NB",
        "fcntl.LOCK_SH | fcntl.LOCK_NB",
        PPO,
    ),
    (
        "Ctrl-C saves nothing",
        "train_afterstate.py",
        "                self._rounds(interrupt)\n            self.save()\n",
        "                self._rounds(interrupt)\n",
        STOPPED,
    ),
    # --- Checkpoints and runs
    (
        "simulations do not put the clock aside",
        "value/agent.py",
        '        given["ms"] = 0\n',
        "        pass\n",
        (*AFTERSTATE, "-k", "simulations_alone"),
    ),
    (
        "time and simulations are given at once",
        "value/agent.py",
        'if (given["ms"] == 0) == (given["sims"] == 0):',
        "if False:",
        CHECKPOINTS,
    ),
    (
        "a search's name may end in anything",
        "value/agent.py",
        'if rest and not rest.startswith(":"):',
        "if False:",
        CHECKPOINTS,
    ),
    (
        "metadata is not compared with the manifest",
        "checkpoint.py",
        "if own != metadata_of(manifest):",
        "if False:",
        CHECKPOINTS,
    ),
    (
        "the metadata of a board network is left out",
        "ppo/checkpoint.py",
        "for k, v in net.state_dict().items()}, metadata)",
        "for k, v in net.state_dict().items()})",
        DAMAGED,
    ),
    (
        "a board network of no numbers is loaded",
        "ppo/checkpoint.py",
        "not torch.isfinite(x).all()",
        "False",
        DAMAGED,
    ),
    (
        "what is no safetensors file is not expected",
        "ppo/checkpoint.py",
        "RuntimeError, SafetensorError)",
        "RuntimeError)",
        DAMAGED,
    ),
    (
        "a value network may be for five players",
        "value/checkpoint.py",
        "if not players or any(n not in known for n in players)",
        "if False and any(n not in known for n in players)",
        CHECKPOINTS,
    ),
    (
        "weights are moved before the manifest is written",
        "checkpoint.py",
        "            beside[path].write_bytes(data)\n        for path in files:\n",
        "            beside[path].write_bytes(data)\n",
        STOPPED,
    ),
    (
        "a checkpoint without a run's state is overwritten",
        "run_folder.py",
        '(MANIFEST, "")',
        '(STATE, "")',
        STOPPED,
    ),
    (
        "a run in use loses what it goes on from",
        "run_folder.py",
        "lock = _locked(folder)",
        'lock = (folder / LOCK).open("w")',
        STOPPED,
    ),
    (
        "curves of the run before stay",
        "run_folder.py",
        "shutil.rmtree(folder / TENSORBOARD)",
        "pass",
        STOPPED,
    ),
    (
        "the time left is reckoned from the beginning",
        "run_folder.py",
        "initial=round(100 * done, 1)",
        "initial=0",
        (*AFTERSTATE, "-k", "time_left"),
    ),
    (
        "a name that means nobody is found out after the run",
        "train_afterstate.py",
        '_resolved("against", name, load_agent)',
        "pass",
        (*AFTERSTATE, "-k", "rivals_by_name"),
    ),
    (
        "an exploiter overwrites the one before",
        "exploit.py",
        "    clear(folder, options.overwrite)\n    run = ValueRun",
        "    run = ValueRun",
        EXPLOIT,
    ),
    (
        "what compiled games can't have is met by a policy",
        "exploit.py",
        "return rival_of(name).kind == NET_RIVAL",
        "return SEARCH not in name",
        EXPLOIT,
    ),
    (
        "a bar is reached by the mean",
        "evaluate.py",
        "missed += result.low < bar",
        "missed += result.win_share < bar",
        ("tests/test_evaluate.py", "-k", "lower_end"),
    ),
    (
        "numbers that are none are taken",
        "config.py",
        "isinstance(x, float) and not math.isfinite(x)",
        "isinstance(x, float) and x > 1e400",
        CONFIGS,
    ),
    (
        "what is in a list is not looked at",
        "config.py",
        "isinstance(value, list) and not all",
        "False and not all",
        CONFIGS,
    ),
    (
        "any seed will do",
        "config.py",
        "if not least <= data[key] < 2**32:",
        "if data[key] >= 2**32:",
        CONFIGS,
    ),
    (
        "two processes on one GPU talk by NCCL",
        "ppo/processes.py",
        "if processes <= devices else",
        "if devices else",
        (*PPO[:1], "-k", "nccl"),
    ),
    # --- What is shipped
    (
        "figures of other weights go on the card",
        "zoo/add.py",
        'if own and versions.get(agent) != manifest["sha256"]:',
        "if False:",
        ZOO,
    ),
    (
        "checksums are not looked at",
        "zoo/folder.py",
        "if not file.is_file() or _sum(file) != digest:",
        "if not file.is_file():",
        ZOO,
    ),
    (
        "a card may promise anything",
        "zoo/__main__.py",
        'weaker += result.high < row["low"]',
        "weaker += 0",
        ZOO,
    ),
    (
        "the ONNX file takes other rows",
        "zoo/onnx.py",
        "chosen = (place >= first) & (place < last)",
        "chosen = (place >= first) & (place <= last)",
        ZOO,
    ),
    (
        "what fires in the last part of the game alone is kept",
        "value/prune.py",
        "fired[stage, unit] = True",
        "fired[-1, unit] = True",
        ZOO,
    ),
    (
        "units that are kept get another's weights out",
        "value/prune.py",
        "array[stage, kept]",
        "array[stage, kept[::-1]]",
        ZOO,
    ),
    (
        "a pruned network's ONNX file stays as it was",
        "zoo/add.py",
        "    export(path, path / ONNX)\n    finish(path)\n",
        "    finish(path)\n",
        ZOO,
    ),
    (
        "a pruned network forgets how it was trained",
        "zoo/add.py",
        '("created", "versions", "training")',
        '("created", "versions")',
        ZOO,
    ),
]
