"""Use an installed wheel as a new user would; called by .ci/package in an empty folder."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(sys.executable).parent


def cacao(*words: str, status: int = 0) -> str:
    """Run the command; return its output."""
    run = subprocess.run([HERE / "cacao", *words], capture_output=True, text=True)
    if run.returncode != status:
        raise SystemExit(f"cacao {' '.join(words)}: status {run.returncode}\n{run.stderr}")
    print(f"ok  cacao {' '.join(words)}")
    return run.stdout


def plain() -> None:
    """What works with nothing but the wheel and what it depends on."""
    if importlib.util.find_spec("numba"):
        raise SystemExit("a plain install brought Numba")
    begin = time.perf_counter()
    from cacao_env import cacao_v0

    imported = time.perf_counter() - begin
    environment = cacao_v0.env()
    environment.reset(seed=0)
    observation, *_ = environment.last()
    agent = environment.agent_selection
    environment.step(environment.action_space(agent).sample(observation["action_mask"]))
    environment.last()
    total = time.perf_counter() - begin
    print(f"ok  import {imported:.2f} s, first PettingZoo step after {total:.1f} s")

    import gymnasium

    environment = gymnasium.make("cacao_env/Cacao-v0", opponents="trinitario")
    observation, _ = environment.reset(seed=0)
    over = False
    while not over:
        action = environment.action_space.sample(observation["action_mask"])
        observation, _, over, _, info = environment.step(action)
    print(f"ok  a game against trinitario: {info['score']} : {info['best_other_score']}")

    from cacao_env import Game
    from cacao_env.agents.checkpoint import shipped_names
    from cacao_env.registry import load_agent

    for name in shipped_names():
        try:
            agent = load_agent(name)
        except ValueError as error:  # a policy
            if "pip install 'cacao-env[onnx]'" not in str(error):
                raise
            print(f"ok  {name} says what it needs")
            continue
        game = Game.new(agent.players[0], seed=0)
        game.play(agent.act([game], [agent.begin(0)])[0])
        print(f"ok  {name} plays")
    for absent in ("torch", "training", "tests"):
        assert absent not in sys.modules, f"{absent} was imported"
    assert importlib.util.find_spec("torch") is None

    agents = json.loads(cacao("agents", "--json", "-"))
    assert {"trinitario", "greedy"} <= {agent["name"] for agent in agents}
    cacao("record", "--agents", "trinitario,greedy", "--out", "game.json")
    cacao("replay", "--check", "game.json")
    cacao("render", "game.json", "-o", "game.svg")
    cacao("view", "game.json", "--export", "game.html")
    cacao("spec", "--json", "-")
    cacao("evaluate", "greedy", "random", status=1)  # says which extra it needs


def extras() -> None:
    """What needs the extras."""
    from cacao_env import Game

    cacao("render", "game.json", "-o", "game.png")
    both = ("trinitario", "forastero")
    cacao("evaluate", *both, "greedy", "--deals", "2", "--workers", "1", "--json", "e.json")
    assert json.loads(Path("e.json").read_text())["results"]
    server = subprocess.Popen(
        [HERE / "cacao", "view", "--agent", "greedy", "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline()).group()  # type: ignore[union-attr]
        assert b"<html" in urllib.request.urlopen(address).read()
        game = Game.new(2, seed=0)
        workers, jungle = game.draws
        answer = ask(
            address + "api/choose",
            options={"players": 2, "volcanoes": False, "decisions": "auto"},
            deal={"worker_draws": workers, "jungle_draws": jungle},
            actions=[],
            agent="greedy",
            seed=0,
        )
        game.play(answer["action"])
        print("ok  cacao view: an agent of the command line moves")
    finally:
        server.terminate()
        server.wait()


def ask(address: str, **body: object) -> dict[str, object]:
    """Send a request to the page's server; return its answer."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    answer: dict[str, object] = json.load(urllib.request.urlopen(request))
    return answer


def tutorials(folder: str) -> None:
    """The programs and commands of the tutorials that need no checkout, with smaller numbers."""
    small = {"ROUNDS": "2", "STEPS": "4096", "DEALS": "2"}
    environment = {**os.environ, **small, "PATH": f"{HERE}{os.pathsep}{os.environ['PATH']}"}
    for page in ("bot", "publish", "self-play", "policy", "language-model"):
        text = Path(folder, f"{page}.md").read_text(encoding="utf-8")
        for kind, title, block in re.findall(
            r"^```(python|bash)(?: title=\"(.*?)\")?\n(.*?)^```", text, re.S | re.M
        ):
            if kind == "python":
                with open(title, "a", encoding="utf-8") as file:
                    file.write(f"\n\n{block}")
                continue
            subprocess.run(["bash", "-euo", "pipefail", "-c", block], env=environment, check=True)
        print(f"ok  {page}.md")


if __name__ == "__main__":
    {"plain": plain, "extras": extras, "tutorials": tutorials}[sys.argv[1]](*sys.argv[2:])
