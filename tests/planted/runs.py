"""Planted bugs: runs."""

from __future__ import annotations

from .harness import Bug

AFTERSTATE = ("tests/test_afterstate.py",)
RESUMED = ("tests/test_afterstate.py", "-k", "resumed or killed or cut_off")
STOPPED = ("tests/test_afterstate.py", "-k", "ctrl or disk or overwritten or goes_on")
PPO = ("tests/test_ppo.py", "-k", "not two_processes")
CHECKPOINTS = ("tests/test_afterstate.py", "-k", "checkpoint")
DAMAGED = ("tests/test_training.py", "-k", "damaged or comes_back")
CONFIGS = ("tests/test_training.py", "-k", "names_the_key")
EXPLOIT = ("tests/test_exploit.py", "-k", "values_are_learnt")
ZOO = ("tests/test_zoo.py",)

BUGS = [
    Bug(
        "a resumed run draws the batches of its first round",
        "training/train_afterstate.py",
        "list(run.replay), steps, config.batch, rate, [config.seed, this_round]",
        "list(run.replay), steps, config.batch, rate, [config.seed, len(self._notes.rows) * 0 + int(self._saved)]",
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
        "training/run_folder.py:RunFolder.__init__",
        'if row["round"] <= at',
        'if row["round"] <= at + 1',
        ("tests/test_afterstate.py", "-k", "killed"),
    ),
    Bug(
        "a full disk leaves half a file",
        "cacao_env/agents/checkpoint.py:write_together",
        "            one.unlink(missing_ok=True)\n",
        "            pass\n",
        STOPPED,
    ),
    Bug(
        "files are written in place",
        "cacao_env/agents/checkpoint.py:write_together",
        'path: path.with_name(path.name + ".tmp")',
        "path: path",
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
        "training/run_folder.py",
        "fcntl.LOCK_EX | fcntl.LOCK_NB",
        "fcntl.LOCK_SH | fcntl.LOCK_NB",
        PPO,
    ),
    Bug(
        "Ctrl-C saves nothing",
        "training/train_afterstate.py",
        "                self._rounds(interrupt)\n            self.save()\n",
        "                self._rounds(interrupt)\n",
        STOPPED,
    ),
    Bug(
        "simulations do not put the clock aside",
        "cacao_env/agents/value/checkpoint_agent.py",
        '        given["ms"] = 0\n',
        "        pass\n",
        (*AFTERSTATE, "-k", "simulations_alone"),
    ),
    Bug(
        "time and simulations are given at once",
        "cacao_env/agents/value/checkpoint_agent.py",
        'if (given["ms"] == 0) == (given["sims"] == 0):',
        "if False:",
        CHECKPOINTS,
    ),
    Bug(
        "a search's name may end in anything",
        "cacao_env/agents/value/checkpoint_agent.py",
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
        "training/ppo/checkpoint.py",
        "for k, v in net.state_dict().items()}, metadata)",
        "for k, v in net.state_dict().items()})",
        DAMAGED,
    ),
    Bug(
        "a board network of no numbers is loaded",
        "training/ppo/checkpoint.py",
        "not torch.isfinite(x).all()",
        "False",
        DAMAGED,
    ),
    Bug(
        "what is no safetensors file is not expected",
        "training/ppo/checkpoint.py",
        "RuntimeError, SafetensorError)",
        "RuntimeError)",
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
        "cacao_env/agents/checkpoint.py:write_together",
        "            beside[path].write_bytes(data)\n        for path in files:\n",
        "            beside[path].write_bytes(data)\n",
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
        "a run in use loses what it goes on from",
        "training/run_folder.py:clear",
        "lock = _locked(folder)",
        'lock = (folder / LOCK).open("w")',
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
        "training/run_folder.py",
        "initial=round(100 * done, 1)",
        "initial=0",
        (*AFTERSTATE, "-k", "time_left"),
    ),
    Bug(
        "a name that means nobody is found out after the run",
        "training/train_afterstate.py",
        '_resolved("against", name, load_agent)',
        "pass",
        (*AFTERSTATE, "-k", "rivals_by_name"),
    ),
    Bug(
        "an exploiter overwrites the one before",
        "training/exploit.py",
        "    clear(folder, options.overwrite)\n    run = ValueRun",
        "    run = ValueRun",
        EXPLOIT,
    ),
    Bug(
        "what compiled games can't have is met by a policy",
        "training/exploit.py",
        "return rival_of(name).kind == NET_RIVAL",
        "return SEARCH not in name",
        EXPLOIT,
    ),
    Bug(
        "a bar is reached by the mean",
        "cacao_env/evaluation/evaluate.py",
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
        "training/config.py",
        "if not least <= data[key] < 2**32:",
        "if data[key] >= 2**32:",
        CONFIGS,
    ),
    Bug(
        "two processes on one GPU talk by NCCL",
        "training/ppo/processes.py",
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
    Bug(
        "what fires in the last part of the game alone is kept",
        "training/afterstate/prune.py:mark_fired",
        "fired[stage, unit] = True",
        "fired[-1, unit] = True",
        ZOO,
    ),
    Bug(
        "units that are kept get another's weights out",
        "training/afterstate/prune.py:pruned",
        "array[stage, kept]",
        "array[stage, kept[::-1]]",
        ZOO,
    ),
    Bug(
        "a pruned network's ONNX file stays as it was",
        "training/zoo/add.py:prune",
        "    export(path, path / ONNX)\n    finish(path)\n",
        "    finish(path)\n",
        ZOO,
    ),
    Bug(
        "a pruned network forgets how it was trained",
        "training/zoo/add.py:prune",
        '("created", "versions", "training")',
        '("created", "versions")',
        ZOO,
    ),
]
