"""Histories of games, moves in words, and reviews."""

import json

import pytest

from cacao_env import record
from cacao_env.cli import main
from cacao_env.engine.decisions import NONE, forced_action
from cacao_env.engine.notation import from_text
from cacao_env.engine.options import Options
from cacao_env.evaluation.judge import Judge
from cacao_env.evaluation.luck import WIN_SHARES, luck_of
from cacao_env.game import Game
from cacao_env.gold_sources import SOURCES, gold_by_source
from cacao_env.play.review import BLUNDER, INACCURACY, Reviewer, _decisions, review
from cacao_env.play.words import frame_of, in_words
from cacao_env.render.position import position_of
from tests.games import played, played_by_bots


def test_moves_in_words():
    game = Game.new(2, 0)
    for move, words in (
        (("place", "2101", 1, (0, 1)), "place 1-2-1-0 at k10"),
        (("fill", "market3", 0, (0, 2)), "fill l10 with market 3"),
        (("fill", "volcano", 1, (0, 2)), "fill l10 with volcano, gold north and south"),
        (("act", (0, 1), 3, 2), "harvest with 2 workers at plantation 1 (from the east)"),
        (("act", (0, 1), 2, 0), "sell nothing at market 2 (from the north)"),
    ):
        assert in_words(game, move) == words


@pytest.mark.parametrize("players", [2, 4])
def test_a_frame_is_what_the_record_says_and_its_sources_add_up(players):
    game = played(players, 2, style="greedy", volcanoes=players > 2)
    data = json.loads(record.dumps(record.record_of(game)))
    moves = data["moves"]
    assert frame_of(Game.new(2, 0))["move"] is None
    for ply in (1, 7, len(moves)):
        now, played_so_far = record.positions(data, ply)
        frame = frame_of(now)
        assert frame["mover"] == moves[ply - 1]["player"]
        before, _ = record.positions(data, ply - 1)
        assert frame["move"] == in_words(before, from_text(played_so_far[-1][2]))
        assert position_of(now).items() <= frame.items()
        scores = [seat["score"] for seat in frame["seats"]]
        assert [sum(one.values()) for one in frame["sources"]] == scores
    final = [[one[name] for name in SOURCES] for one in frame["sources"]]
    assert final == gold_by_source(game).tolist()
    assert frame == frame_of(game)


# --- Reviews --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reviewed():
    over = played_by_bots(2, 8, ["greedy", "random"])
    return over, review(over)


def test_a_review_finds_the_player_who_plays_at_random(reviewed):
    over, data = reviewed
    json.dumps(data)
    greedy, random = data["seats"]
    assert random["mean_loss"] > 2 * greedy["mean_loss"]
    assert random["blunders"] > greedy["blunders"]
    words = [in_words(now, now.move(a)) for now, a in over.with_options("explicit").plies()]
    for one in data["decisions"]:
        assert 0 <= one["low"] <= one["gold"] <= one["high"]
        assert (one["grade"] == "blunder") <= (one["gold"] >= BLUNDER)
        assert (one["grade"] == "inaccuracy") <= (one["gold"] >= INACCURACY)
        assert one["move"] == words[one["ply"]]
        assert sum(one["shares"]) == pytest.approx(1, abs=0.01)
        if one["gold"] == 0:
            assert one["grade"] == ""
        else:  # the sources add up to the loss
            assert sum(one["sources"].values()) == pytest.approx(one["gold"], abs=0.001)
    assert data["decisions"][-1]["exact"]
    assert not data["decisions"][0]["exact"]
    early = [one for one in data["decisions"] if not one["exact"] and one["seat"] == 1]
    assert sum(one["gold"] for one in early) > 10
    big = max(early, key=lambda one: one["gold"])
    decisions = _decisions(over.with_options("explicit"))
    _, game, action = next(row for row in decisions if row[0] == big["ply"])
    # A judge with more candidates and playouts finds the same loss.
    other = Judge("trinitario", game.options).by_playouts(game, action, 32, 128, 1)
    assert other.loss == pytest.approx(big["gold"], abs=2.5)
    worst = data["decisions"][random["worst"]]
    assert worst["gold"] == max(one["gold"] for one in data["decisions"] if one["seat"] == 1)
    assert data["result"] == over.win_shares()


def test_a_review_knows_nothing_hidden(reviewed):
    """The same decision is judged in the same way whatever the hidden tiles are."""
    over, _ = reviewed
    reviewer = Reviewer(over.options)
    ply, game, action = list(_decisions(over.with_options("explicit")))[8]
    other = game.determinise(game.seat, 99)
    assert other.draws != game.draws
    assert reviewer.judged(ply, game, action) == reviewer.judged(ply, other, action)


def test_luck_is_the_luck_of_the_draw(reviewed):
    over, found = reviewed
    luck = luck_of(over)[WIN_SHARES]
    assert [seat["luck"] for seat in found["seats"]] == pytest.approx(luck.tolist(), abs=1e-4)
    assert abs(luck[0]) > 0.001


def test_without_a_network_there_is_no_review(monkeypatch):
    monkeypatch.setattr("cacao_env.evaluation.judge.shipped_names", list)
    with pytest.raises(ValueError, match="no value network is installed that judges 2 players"):
        Reviewer(Options())


@pytest.mark.usefixtures("quick_reviews")
def test_the_command(tmp_path, capsys):
    game = tmp_path / "game.json"
    assert main(["record", "--agents", "random,greedy", "--seed", "2", "--out", str(game)]) == 0
    assert main(["review", str(game), "--json", str(tmp_path / "review.json")]) == 0
    text = capsys.readouterr().out
    data = json.loads((tmp_path / "review.json").read_text())
    assert f"random: {data['seats'][0]['decisions']} decisions" in text
    assert text.count(", blunder: ") == sum(seat["blunders"] for seat in data["seats"])


@pytest.mark.usefixtures("quick_reviews")
def test_a_game_of_explicit_decisions_is_reviewed_where_something_was_decided():
    game = played(2, 3, decisions="explicit")
    found = review(record.check(json.loads(record.dumps(record.record_of(game)))))
    assert 20 < len(found["decisions"]) < game.ply
    before = list(game.plies())
    forced = [ply for ply, (now, _) in enumerate(before) if forced_action(now.state) != NONE]
    assert any(len(before[ply][0].legal_actions()) > 1 for ply in forced)
    assert not {one["ply"] for one in found["decisions"]} & {*forced}
