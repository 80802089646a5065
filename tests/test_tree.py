"""The tree of replies: choices by hand, and what simulations to the end of the game record."""

import math

import numpy as np

from cacao_env.agents.value.search import SearchAgent
from cacao_env.agents.value.tree import (
    EXPLORE,
    TRUST,
    begin_search,
    choose_reply,
    extended,
    new_tree,
    record,
)
from tests.test_endgame import near_end
from tests.test_value import some_net

START = np.uint64(0)


def line_of(*actions):
    key = START
    for action in actions:
        key = np.uint64(extended(key, action))
    return key


def chosen(tree, game, values, line=START):
    actions = np.arange(len(values))
    return choose_reply(tree, game.state, line, actions, np.array(values), len(values))


def asked(tree, *given):
    """What would be chosen: nothing comes of it."""
    found = chosen(tree, *given)
    tree.depth[0] = 0
    return found


def outcome(tree, game, utility):
    """Record what the seat to move gets; the others get the opposite."""
    utilities = np.full(4, -utility)
    utilities[game.seat] = utility
    record(tree, utilities)


def searched_tree(entries: int = 1 << 12):
    tree = new_tree(entries)
    begin_search(tree)
    return tree


def test_an_unknown_reply_is_judged_by_the_network_and_then_by_outcomes():
    game, tree = near_end(2, 3, 6), searched_tree()
    assert chosen(tree, game, [0.1, 0.3, 0.2]) == 1
    outcome(tree, game, -0.9)
    # By hand: reply 1 has (3 * 0.3 - 0.9) / 4 = 0, and a bonus of 0.07 * sqrt(ln 2 / 4) = 0.03.
    assert asked(tree, game, [0.1, 0.3, 0.2]) == 2
    assert asked(tree, game, [-0.1, 0.3, -0.1]) == 1
    assert asked(tree, game, [0.0, 0.3, -0.1]) == 0  # its bonus is 0.07 * sqrt(ln 2 / 3)
    # The mean is that of outcomes, with the network's value as TRUST visits.
    for _ in range(20):
        assert chosen(tree, game, [-9.0, 0.3, -9.0]) == 1
        outcome(tree, game, 0.5)
    mean = (TRUST * 0.3 - 0.9 + 20 * 0.5) / (TRUST + 21)
    bonus = EXPLORE * (math.sqrt(math.log(22) / TRUST) - math.sqrt(math.log(22) / (TRUST + 21)))
    assert asked(tree, game, [mean - bonus - 1e-6, 0.3]) == 1
    assert asked(tree, game, [mean - bonus + 1e-6, 0.3]) == 0


def test_each_seat_gets_its_own_outcome():
    game, tree = near_end(3, 3, 8), searched_tree()
    seats = []
    for line in range(3):
        seats.append(game.seat)
        assert chosen(tree, game, [0.0, 0.0], line_of(line)) == 0
        turn = game.turn
        while game.turn == turn or game.phase != "place":
            game.play(int(game.legal_actions()[0]))
    assert len(set(seats)) == 3
    record(tree, np.array([0.5, -0.125, -0.375, 9.0]))
    assert sorted(tree.entries[tree.entries["visits"] > 0]["total"]) == [-0.375, -0.125, 0.5]
    assert tree.depth[0] == 0


def test_lines_displays_and_searches_have_statistics_of_their_own():
    game, tree = near_end(2, 3, 12), searched_tree()
    given = tree, game, [0.3, 0.2]
    game.state.display[:] = 3, 4
    assert line_of(1, 2) != line_of(2, 1)

    chosen(*given)
    outcome(tree, game, -1.0)
    assert (asked(*given), asked(*given, line_of(5))) == (1, 0)
    game.state.display[:] = 4, 3
    assert asked(*given) == 1  # which slot a tile lies in says nothing
    game.state.display[:] = 3, 3
    assert asked(*given) == 0
    game.state.display[:] = 3, 4
    begin_search(tree)
    assert asked(*given) == 0


def test_a_full_tree_keeps_what_it_has_and_the_rest_is_judged_by_the_network():
    game, tree = near_end(2, 3, 12), searched_tree(4)
    lines = [line_of(number) for number in range(40)]
    for line in lines:
        assert chosen(tree, game, [0.3, 0.2], line) == 0
        outcome(tree, game, -1.0)
    assert (tree.entries["visits"] == 1).all()
    assert [asked(tree, game, [0.3, 0.2], line) for line in lines].count(1) == 4


def test_the_same_search_chooses_the_same_whatever_was_searched_before():
    game, other = near_end(2, 3, 8), near_end(2, 8, 7)
    compiled = some_net(sums=16, maxima=8, units=8).compiled()
    first, second = (SearchAgent(compiled, sims=64) for _ in range(2))
    for before in (other, game):
        second.player(4).act(before)
    assert first.tools[2].tree.search[0] != second.tools[2].tree.search[0]
    assert first.player(1).act(game) == second.player(1).act(game)
    one, two = (agent.analyze(game, agent.begin(1)) for agent in (first, second))
    assert one.values.tolist() == two.values.tolist()
