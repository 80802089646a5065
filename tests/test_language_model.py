"""``llm:MODEL`` as an agent, asked through a scripted server."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cacao_env import Game, record
from cacao_env.agent import AgentError
from cacao_env.cli import main
from cacao_env.data import load_each
from cacao_env.registry import load_agent, load_agents
from tests.text_players import chat_server, illegal, perfect
from tests.tiers import slow

pytest.importorskip("openai")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder for the cache, and a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    return tmp_path


def played(agent, games=1, **options):
    """Whole games of an agent on every seat, all at once; what it noted on seat 0."""
    every = [Game.new(2, seed, **options) for seed in range(games)]
    memory = [[agent.begin(seed), agent.begin(-seed)] for seed in range(games)]
    while some := [g for g in range(games) if every[g].seat is not None]:
        own = [memory[g][every[g].seat] for g in some]
        for g, action in zip(some, agent.act([every[g] for g in some], own), strict=True):
            every[g].play(action)
    return every, [agent.notes(own) for own, _ in memory]


def test_a_model_plays_and_its_conversation_is_kept():
    with chat_server(perfect) as (url, asked):
        (game,), (notes,) = played(load_agent(f"llm:tiny,base_url={url},max_tokens=99", True))
    assert all((one["model"], one["max_tokens"]) == ("tiny", 99) for one in asked)
    assert "temperature" not in asked[0]
    assert {one["key"] for one in asked} == {"Bearer secret"}
    assert notes["counts"]["moves"] == sum(m["role"] == "assistant" for m in notes["messages"])
    assert notes["counts"]["illegal replies"] == notes["counts"]["random moves"] == 0
    assert notes["counts"]["tokens"] == 15 * notes["counts"]["moves"]
    assert [m["role"] for m in notes["messages"][:4]] == ["system", "user", "assistant", "user"]
    assert game.over


def alternate(messages):
    roles = [message["role"] for message in messages]
    return roles == ["system", *["user", "assistant"] * (len(roles) // 2)]


def test_refusals_are_counted_and_the_stated_rule_follows():
    with chat_server(lambda text: "I pass.", every_try=True) as (url, asked):
        once = f"llm:m,base_url={url},tries=1"
        own, turn = load_agent(f"{once},failure=random", True), {"decisions": "turn"}
        (game,), (notes,) = played(own, **turn)
        assert notes["counts"]["unreadable replies"] == notes["counts"]["random moves"] == 11
        assert notes["counts"]["illegal replies"] == notes["counts"]["absent replies"] == 0
        assert alternate(notes["messages"])
        requests = len(asked)
        _, (notes,) = played(load_agent(once, True), **turn)
        counts = notes["counts"]
        assert counts["moves"] == counts["random moves"] == 11
        assert counts["unreadable replies"] == 1
        assert notes["forfeit"] == 0
        assert len(asked) == requests  # they are in the cache
        again, _ = played(own, **turn)
        assert again == [game]
    with chat_server(illegal) as (url, asked):
        _, (notes,) = played(load_agent(f"llm:m,base_url={url}", True))
    counts = notes["counts"]
    assert alternate(notes["messages"])
    refused = [counts[f"{kind} replies"] for kind in ("illegal", "unreadable", "absent")]
    assert all(refused)
    assert sum(refused) < counts["moves"]
    assert counts["random moves"] == 0
    assert "forfeit" not in notes
    assert counts["tokens"] == 15 * (counts["moves"] + sum(refused))


def test_a_request_that_fails_is_made_again_and_counted():
    with chat_server(perfect, failures=2) as (url, _):
        _, (notes,) = played(load_agent(f"llm:m,base_url={url}", True), decisions="turn")
    assert notes["counts"]["retries"] == 2


def test_a_request_that_fails_loses_no_other_reply():
    """The first of eight games gets no reply; the seven others are not asked again."""
    games = [Game.new(2, seed) for seed in range(8)]
    refused = []

    def speak(text):
        refused[:] = refused or [text]
        if text == refused[0]:
            raise ConnectionError("planted")
        return perfect(text)

    with chat_server(speak) as (url, asked):
        agent = load_agent(f"llm:m,base_url={url},retries=0", True)
        memory = [agent.begin(seed) for seed in range(8)]
        with pytest.raises(AgentError, match="no reply"):
            agent.act(games, memory)
        assert len(asked) == 8
        refused[:] = [""]
        agent.act(games, [agent.begin(seed) for seed in range(8)])
        assert len(asked) == 9


def test_an_interrupted_game_resumes_from_the_cache_and_the_budget_holds():
    with chat_server(perfect) as (url, asked):
        model, turn = f"llm:m,base_url={url}", {"decisions": "turn"}
        spent = "cached replies have used 150 of the budget of 150 tokens"
        with pytest.raises(AgentError, match=spent):
            played(load_agent(f"{model},budget=150,at_once=1", True), 3, **turn)
        assert len(asked) == 10
        played(load_agent(model, True), 3, **turn)
        assert len(asked) == 66
        first, notes = played(load_agent(model, True), **turn)
        assert len(asked) == 66
        _, others = played(load_agent(model.replace("llm:m", "llm:n"), True), **turn)
        assert len(asked) == 88, "another model has replies of its own"
        assert notes[0]["messages"] == others[0]["messages"]
        assert first[0].over


def test_an_answer_that_is_no_text_is_refused_and_not_kept():
    answers = [[{"type": "text", "text": "x"}], 7, "\ud800 is no letter"]
    with chat_server(lambda text: answers[0]) as (url, asked):
        agent = load_agent(f"llm:m,base_url={url},tries=1", True)
        for requests in (1, 2):
            with pytest.raises(AgentError, match=r"the server answers '.*expected a chat comple"):
                agent.act([Game.new(2, 0)], [agent.begin(0)])
            assert len(asked) == requests, "it is asked again"
            del answers[0]
        memory = agent.begin(0)
        agent.act([Game.new(2, 0)], [memory])
        assert memory.messages[-1]["content"] == "? is no letter"
        assert memory.counts["random moves"] == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("llm:", "llm: names no model"),
        ("llm:m,tries=0", "tries of llm is '0', expected an integer from 1 to 20"),
        ("llm:m,api_key=x", "llm has no parameter 'api_key'; it has"),
        ("llm:m,cache", r"llm has no parameter 'cache'; it has: .*, cache=\.\.\., "),
        ("llm:m,cache=", "cache of llm has 0 characters, expected 1 to 1000"),
        ("llm:m,base_url=http://me:secret@host", "base_url of llm has a user or a query"),
        ("llm:m,failure=pass", "failure of llm is 'pass', expected 'forfeit' or 'random'"),
    ],
)
def test_a_name_with_an_error_says_what_is_wrong(name, why):
    with pytest.raises(AgentError, match=why):
        load_agent(name, allow_code=True)


def test_only_a_name_that_a_person_typed_asks_a_server():
    why = "would contact a server, which only a name typed on the command"
    with pytest.raises(AgentError, match=why):
        load_agent("llm:m,base_url=http://127.0.0.1:1/v1")
    (agent,) = load_agents(["llm:a:7b,base_url=http://x/v1,tries=2"], True)
    assert agent.name == "llm:a:7b,tries=2"


def test_no_server_and_no_key_are_one_sentence(monkeypatch):
    agent = load_agent("llm:m,base_url=http://127.0.0.1:9/v1,retries=0,timeout=1", True)
    with pytest.raises(AgentError, match="llm:m,retries=0,timeout=1: no reply: APIConnectionError"):
        played(agent)
    assert agent._client.timeout == 1
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(AgentError, match="OPENAI_API_KEY"):
        played(load_agent("llm:m", True))


def test_every_measurement_shows_what_the_model_counted(capsys, folder, no_luck):
    with chat_server(illegal) as (url, asked):
        model = f"llm:m,failure=random,base_url={url}"
        command = ["evaluate", model, "random", "--deals", "2", "--workers", "1", "--out", "games"]
        command += ["--decisions", "turn"]
        assert main([*command, "--json", "figures.json"]) == 0
        assert main(["data", "export", "games", "--as", "records", "--out", "records"]) == 0
        requests = len(asked)
        assert main(command) == 0
        assert len(asked) == requests, "an evaluation that is repeated asks nothing again"
        tasks = ["tasks", "--agents", model, "--tasks", "2p-placements-greedy", "--deals", "2"]
        assert main([*tasks, "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert out.count("illegal replies a move") == 3  # of two evaluations and a task
    (result, _) = json.loads(Path("figures.json").read_text())["results"]
    counts = result["counts"]
    kinds = ["illegal replies", "unreadable replies", "absent replies"]
    assert list(counts) == [*kinds, "random moves", "retries", "tokens", "seconds"]
    refused = sum(counts[kind] for kind in kinds)
    assert 0.5 < refused < 1
    assert counts["tokens"] == pytest.approx(15 * (1 + refused))
    for file in Path("records").glob("*seat0.json"):
        (text,) = file.with_suffix(".chat.jsonl").read_text().splitlines()
        line = json.loads(text)
        assert (line["seat"], line["agent"]) == (0, "llm:m,failure=random")
        moves = [m["move"] for m in record.load(file)["moves"] if m["player"] == 0]
        placed = [m for m in moves if m[0] in ("place", "overbuild")]
        assert line["counts"]["moves"] == len(placed) == 11


def test_a_game_that_is_recorded_has_its_conversation_beside_it():
    with chat_server(perfect) as (url, _):
        command = ["record", "--agents", f"greedy,llm:m,base_url={url}", "--decisions", "turn"]
        assert main([*command, "--out", "g.json"]) == 0
    (line,) = Path("g.chat.jsonl").read_text().splitlines()
    assert json.loads(line)["seat"] == 1


def test_a_forfeit_loses_and_is_counted_wherever_the_game_is_measured(capsys):
    """The model's first reply of a game is no move: it loses, though its random moves may win."""
    with chat_server(lambda text: "I pass.", every_try=True) as (url, _):
        model = f"llm:m,base_url={url}"
        command = ["evaluate", model, "random", "--deals", "6", "--workers", "1", "--out", "games"]
        assert main([*command, "--decisions", "turn", "--json", "figures.json"]) == 0
        tasks = ["tasks", "--agents", model, "--tasks", "2p-random", "--deals", "1"]
        assert main([*tasks, "--workers", "1"]) == 0
    out = capsys.readouterr().out
    words = "0.0% of the moves are its own, the others random; {} forfeited, lost with no gold"
    assert words.format("12 games") in out
    assert words.format("1 game") in out
    figures = json.loads(Path("figures.json").read_text())
    own, other = figures["results"]
    assert (own["win_share"], own["score"], own["forfeits"]) == (0, 0, 12)
    assert (other["win_share"], other["forfeits"]) == (1, 0)
    assert own["margin"] == -other["score"] < 0
    assert sum(figures["scores"][0]["gold"].values()) == 0
    assert figures["ratings"][0]["agent"] == "random"
    assert main(["data", "check", "games"]) == 0
    games = load_each(Path("games"))[0]
    assert (games.win_shares[games.table.column("candidate").to_numpy() == 0, 0] > 0).any(), (
        "no game was won by random moves after the forfeit"
    )


@slow
def test_several_processes_share_the_cache(monkeypatch, no_luck):
    with chat_server(perfect) as (url, asked):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        for workers in ("2", "1"):
            command = ["evaluate", "llm:m", "random", "--decisions", "turn", "--workers", workers]
            assert main([*command, "--deals", "16", "--out", workers]) == 0
    prompts = [json.dumps(one["messages"]) for one in asked]
    assert len(prompts) > 300
    assert len(prompts) - len(set(prompts)) <= 1  # both processes warm up with one prompt


def test_only_replies_of_this_server_to_such_a_request_are_in_the_cache(monkeypatch):
    for _ in range(2):
        with chat_server(perfect) as (url, asked):
            monkeypatch.setenv("OPENAI_BASE_URL", url)
            for more, count in (("", 1), ("", 1), (",temperature=0.5", 2), (",max_tokens=99", 3)):
                agent = load_agent(f"llm:m{more}", True)
                agent.act([Game.new(2, 1)], [agent.begin(0)])
                assert len(asked) == count


def another_table(file):
    with closing(sqlite3.connect(file)) as cache:
        cache.execute("CREATE TABLE replies (a)")


@pytest.mark.parametrize(
    "spoil", [lambda file: file.write_text("x" * 99), lambda file: file.mkdir(), another_table]
)
def test_a_cache_that_can_not_be_used_gets_a_sentence(tmp_path, spoil):
    spoil(tmp_path / "replies.sqlite")
    agent = load_agent(f"llm:m,cache={tmp_path}", allow_code=True)
    with pytest.raises(AgentError, match=r"replies\.sqlite can't keep replies: "):
        agent.act([Game.new(2, 1)], [agent.begin(1)])
