"""Tables with people and agents: choices and their effects, histories, undo, hidden hands."""

import json

import numpy as np
import pytest

from cacao_env import record
from cacao_env.game import Game
from cacao_env.play.choices import choices_of, effect_of, effect_words
from cacao_env.play.history import frames_of
from cacao_env.play.position import position_of
from cacao_env.play.table import HUMAN, NOBODY, Table, short_name
from cacao_env.play.words import in_words
from tests.games import STYLES, positions
from tests.rules.scenario import RING, RING_LAST

NAMES = ["A", "B", "C", "D"]
GOODS = ("gold", "cacao", "sun", "water", "temples")


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("decisions", ["auto", "explicit"])
def test_effects_are_what_happens(players, decisions):
    """What is announced is what the state shows after the action, as far as the turn goes."""
    rng = np.random.default_rng(players)
    seen = set()
    start = Game.new(players, players, volcanoes=True, decisions=decisions)
    for game in positions(start, rng, STYLES["overbuild"]):
        if game.over:
            break
        action = int(rng.choice(game.legal_actions()))
        effect = effect_of(game, action)
        after = game.clone()
        after.play(action)
        goods = [
            {good: int(after.state[good][s]) - int(game.state[good][s]) for good in GOODS}
            for s in range(players)
        ]
        real = {s: {g: n for g, n in one.items() if n} for s, one in enumerate(goods)}
        real = {s: one for s, one in real.items() if one}
        if effect.draws:
            seen.add("draws")
            continue
        if not effect.ends:
            assert effect.gains == real
            assert (effect.fills > 0) == (after.phase == "fill")
            assert (effect.acts > 0) == (after.phase == "act")
            seen.add(after.phase)
            worth = {
                s: b - a for s, (a, b) in enumerate(zip(game.scores(), after.scores())) if a != b
            }
            assert effect.worth == worth
        elif decisions == "explicit":
            assert effect.gains == real
            seen.add("ends")
        assert effect.ends == (after.turn > game.turn or after.over)
    assert seen >= {"fill", "act"}


def ring(seed):
    """A game up to the placement that leaves three jungle cells to fill."""
    game = Game.new(2, seed)
    for cell in (*RING, RING_LAST):
        while game.phase != "place":
            game.play(int(game.legal_actions()[0]))
        moves = [move for move in game.legal_moves() if move[3] == cell]
        game.play(game.action(moves[0]))
    return game


def test_effects_stop_where_a_tile_is_drawn():
    draws = 0
    for seed in range(12):
        game = ring(seed)
        assert int(game.state.to_fill).bit_count() == 3
        game.play(int(game.legal_actions()[0]))
        assert game.phase == "fill"
        for action in game.legal_actions().tolist():
            first, *others = (effect_of(game.determinise(game.seat, n), action) for n in range(5))
            assert all(effect == first for effect in others)
            assert first.fills == 1
            draws += first.draws
            assert "a tile is drawn" in effect_words(first, game.seat, NAMES)
    assert draws > 12


def test_choices_are_the_legal_actions_in_words():
    rng = np.random.default_rng(2)
    kinds = set()
    for game in positions(Game.new(3, 8, volcanoes=True), rng, STYLES["overbuild"]):
        choices = choices_of(game, NAMES)
        assert [choice["action"] for choice in choices] == game.legal_actions().tolist()
        assert len({choice["words"] for choice in choices}) == len(choices)
        json.dumps(choices)
        kinds |= {choice["kind"] for choice in choices}
        for choice in choices:
            move = game.move(choice["action"])
            if choice["kind"] == "act":
                assert choice["worker"] == list(move[1])
                beside = np.abs(np.subtract(choice["cell"], choice["worker"])).sum()
                assert beside == 1
            else:
                assert choice["cell"] == list(move[3])
    assert kinds == {"place", "overbuild", "fill", "act"}
    assert choices_of(game, NAMES) == []


def test_moves_in_words():
    game = Game.new(2, 0)
    assert in_words(game, ("place", "2101", 1, (0, 1))) == "place 1-2-1-0 at 0,1"
    assert in_words(game, ("fill", "market3", 0, (0, 2))) == "fill 0,2 with market 3"
    volcano = in_words(game, ("fill", "volcano", 1, (0, 2)))
    assert volcano == "fill 0,2 with volcano, gold north and south"
    words = in_words(game, ("act", (0, 1), 3, 2))  # the starting plantation, from the east
    assert words == "harvest with 2 workers at plantation 1 (from the east)"
    words = in_words(game, ("act", (0, 1), 2, 0))  # the starting market, from the north
    assert words == "sell nothing at market 2 (from the north)"


def test_a_history_is_what_the_record_says():
    table = Table(["random", "greedy", "random"], 4, volcanoes=True)
    while not table.game.over:
        table.advance()
    data = json.loads(record.dumps(table.record()))
    frames = list(frames_of(table.game))
    assert len(frames) == len(data["moves"]) + 1
    assert frames == list(frames_of(record.check(data)))
    movers = [move["player"] for move in data["moves"]]
    assert [frame["mover"] for frame in frames] == [None, *movers]
    for ply in (0, 7, len(data["moves"])):
        game, _ = record.positions(data, ply)
        assert position_of(game).items() <= frames[ply].items()


def test_undo_takes_back_to_the_last_decision_of_a_person():
    table = Table([HUMAN, "random", "random"], 6)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="no decision of a person"):
        table.undo()
    for _ in range(12):
        while not table.awaits_person:
            table.advance()
        before = table.game.clone()
        table.game.play(int(rng.choice(table.game.legal_actions())))
        while not table.game.over and not table.awaits_person:
            table.advance()
        table.undo()
        assert table.game == before
        table.game.play(int(rng.choice(table.game.legal_actions())))


def test_only_who_is_to_decide_decides():
    table = Table([HUMAN, "greedy"], 1)
    with pytest.raises(ValueError, match="no agent has to decide"):
        table.advance()
    with pytest.raises(ValueError, match="illegal action 0"):
        table.game.play(0)
    assert table.game.ply == 0
    with pytest.raises(ValueError, match="only a finished game"):
        table.record()


def test_people_see_their_own_hand_alone():
    one = Table([HUMAN, "random"], 2)
    two = Table([HUMAN, "random", HUMAN], 2)
    none = Table(["random", "random"], 2)
    rng = np.random.default_rng(0)
    for table, shown in ((one, {0}), (two, {0, 2, NOBODY}), (none, {None})):
        viewers = set()
        for _ in range(20):
            viewers.add(table.viewer)
            if table.awaits_person:
                assert table.viewer in (table.game.seat, None)
                table.game.play(int(rng.choice(table.game.legal_actions())))
            else:
                table.advance()
        assert viewers == shown
        for viewer in viewers:
            frame = list(frames_of(table.game, viewer))[-1]
            hands = [seat["hand"] is not None for seat in frame["seats"]]
            assert hands == [viewer in (None, seat) for seat in range(len(hands))]


def test_names_and_wrong_tables():
    assert Table([HUMAN, "greedy"], 0).names == ["you", "greedy"]
    assert Table([HUMAN, HUMAN, "mc:sims=8"], 0).names == ["player 1", "player 2", "mc:sims=8"]
    assert short_name("runs/quickstart+search:ms=16") == "quickstart+search:ms=16"
    assert short_name("runs/quickstart/") == "quickstart"
    with pytest.raises(ValueError, match="1 seats are named, expected 2 to 4"):
        Table([HUMAN])
    with pytest.raises(ValueError, match="'nobody'"):
        Table([HUMAN, "nobody"])


def test_effects_tell_nothing_hidden():
    """Whatever lies in the piles and in other hands, the same is said."""
    rng = np.random.default_rng(1)
    for seed in range(6):
        for game in positions(Game.new(2 + seed % 3, seed), rng, STYLES["stretch"]):
            if game.over:
                break
            other = game.determinise(game.seat, seed + 77)
            for action in rng.choice(game.legal_actions(), 3):
                assert effect_of(game, int(action)) == effect_of(other, int(action))
