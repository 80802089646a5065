"""Every door shows what the others show, and stand-ins for models play through it."""

import asyncio
import random

import pytest

from cacao_env.text.mcp import server
from cacao_env.text.trl import CacaoTools
from tests.text_doors import DOORS, installed
from tests.text_players import STYLES, Speak
from tests.tiers import mostly_slow


def in_turn(style: str) -> Speak:
    """A stand-in that replies differently each time it is asked about a position."""
    tries: dict[str, int] = {}

    def speak(prompt: str) -> str:
        tries[prompt] = tries.get(prompt, 0) + 1
        return STYLES[style](prompt + " " * tries[prompt])

    return speak


def test_the_tools_of_trl_check_what_they_are_given_and_show_the_next_position():
    for given, why in (
        ({"opponent": "nobody"}, "there is no agent 'nobody'"),
        ({"tries": 0}, "tries is 0, expected at least 1"),
        ({"num_players": 5}, "num_players is 5"),
        ({"reward": "score"}, "reward is 'score'"),
    ):
        with pytest.raises(ValueError, match=why):
            CacaoTools(**given)
    tools = CacaoTools(tries=2, failure="random")
    for use in (tools.look, tools.legal_moves, tools.get_reward, lambda: tools.play("I pass.")):
        with pytest.raises(ValueError, match="there is no game yet; reset begins one"):
            use()
    first = tools.reset(seed=1)
    for tried in ("states no move", "a random legal move is played"):
        shown = tools.play("I pass.")
        assert tried in shown.splitlines()[0]
        assert shown.endswith(f"\n\n{tools.look()}")
    assert tools.look() not in first
    tools = CacaoTools(seat=1)
    for seat, letter in ((None, "B"), (0, "A")):
        assert f"You are {letter}." in tools.reset(seed=1, seat=seat)


def test_a_client_of_mcp_is_told_in_one_sentence_what_is_wrong(caplog):
    mcp = pytest.importorskip("mcp")
    calls = (
        ("look", {"game": "g7"}, "there is no game 'g7'; new_game begins one"),
        ("look", {}, "game is missing"),
        ("new_game", {"players": 5}, "num_players is 5, expected 2, 3 or 4"),
        ("new_game", {"players": "two"}, "players is 'two': input should be a valid integer"),
        (
            "new_game",
            {"player": 3},
            "unexpected keyword argument 'player'. Did you mean 'players'?",
        ),
        ("new_game", {"opponents": "nobody"}, "there is no agent 'nobody'"),
        (
            "new_game",
            {"opponents": ["greedy", 7]},
            "opponents is 7: input should be a valid string",
        ),
        ("hint", {"game": "g1", "agent": "nobody"}, "there is no agent 'nobody'"),
        ("legal_moves", {"game": "g1", "at": 5}, "at is 5: input should be a valid string"),
        ("resign", {}, "Unknown tool: resign"),
    )

    async def answers():
        async with mcp.Client(server()) as client:
            begun = await client.call_tool("new_game", {"opponents": "random", "seed": 1})
            assert begun.content[0].text.startswith("Game g1.")
            return [await client.call_tool(tool, given) for tool, given, _ in calls]

    for (tool, given, words), found in zip(calls, asyncio.run(answers()), strict=True):
        text = found.content[0].text
        assert found.is_error, (tool, given)
        assert words in text
        assert len(text.splitlines()) == 1
    assert not caplog.records, "a wrong call is logged as a crash"


def test_a_wrong_setting_of_verifiers_is_refused_at_once():
    pytest.importorskip("verifiers")
    from cacao_env.text.verifiers import CacaoEnvConfig, CacaoTasksetConfig

    for kind, option in (
        (CacaoEnvConfig, "reward"),
        (CacaoEnvConfig, "failure"),
        (CacaoTasksetConfig, "decisions"),
    ):
        with pytest.raises(ValueError, match=f"{option}\n.*should be '"):
            kind(id="cacao-verifiers", **{option: "wrong"})


def test_requests_to_openenv_share_the_tools_games_and_learn_what_is_wrong():
    pytest.importorskip("openenv")
    from starlette.testclient import TestClient

    from cacao_env.text.openenv.client import CacaoAction
    from cacao_env.text.openenv.server.app import CacaoEnvironment, app

    with TestClient(app) as client:

        def call(tool, **given):
            params = {"name": tool, "arguments": given}
            asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            return client.post("/mcp", json=asked).json()["result"]["data"]

        first = call("new_game", seed=1)
        assert call("look", game=first.split()[1].rstrip(".")) in first
        for given, why in (({"reward": "score"}, "reward is 'score'"), ({"sead": 1}, "'sead'")):
            answer = client.post("/reset", json=given)
            assert answer.status_code == 422
            assert why in answer.json()["detail"]
    env = CacaoEnvironment()
    env.reset(seed=1)
    for given in ({"reward": "score"}, {"seat": 7}):
        with pytest.raises(ValueError, match="expected"):
            env.reset(**{"reward": "gold"} | given)
        assert env._reward == "win_share"
    assert not env.step(CacaoAction(message="I pass.")).done


@pytest.mark.parametrize("style", mostly_slow([*STYLES], fast=[1]))
@pytest.mark.parametrize("door", DOORS)
def test_a_door_shows_the_same_and_plays_the_same_game(door, style):
    if not installed(door):
        pytest.skip(f"{DOORS[door][1]} is not installed")
    play, _, same = DOORS[door]
    random.seed(1)
    before = random.getstate()
    said, result = play(in_turn(style), 5, 3)
    if door == "trl":  # others draw ids of requests
        assert random.getstate() == before
    random.seed(2)
    expected, shares = same(in_turn(style), 5, 3)
    assert said == expected
    if result is not None:
        assert result == pytest.approx(shares if isinstance(result, list) else shares[0])
