"""Cedar Grove told slowly: one game as a Python object, cards in lists, trees handed out one player at a time."""

from __future__ import annotations

FELL_ONE, FELL_THREE, PLANT, GUARD = range(4)
KINDS = (FELL_ONE, FELL_THREE, PLANT, GUARD)


class Game:
    """``deck`` as shuffled, ``num_players`` hands of ``hand_size``."""

    def __init__(self, deck, num_players, num_rounds, hand_size, forest_max=24, divisor=4, trees_planted=2):
        self.deck = list(deck)
        self.hands = [[self.deck.pop(0) for _ in range(hand_size)] for _ in range(num_players)]
        self.num_rounds, self.forest_max, self.divisor, self.planted = num_rounds, forest_max, divisor, trees_planted
        self.forest, self.round, self.over = forest_max, 0, False
        self.wood, self.last = [0] * num_players, [-1] * num_players

    def play(self, wishes):
        """One round; returns the cards played, or None if the game is over."""
        if self.over:
            return None
        played = [wish if wish in hand else min(hand) for wish, hand in zip(wishes, self.hands, strict=True)]
        for hand, card in zip(self.hands, played, strict=True):
            hand.remove(card)
            hand.append(self.deck.pop(0))
        players = list(range(len(self.hands)))
        leader = self.round % len(players)
        for player in players[leader:] + players[:leader]:
            worth = {FELL_ONE: 1, FELL_THREE: 1 if GUARD in played else 3}.get(played[player], 0)
            got = min(worth, self.forest)
            self.forest -= got
            self.wood[player] += got
        if self.forest > 0:
            grown = self.forest + self.forest // self.divisor + self.planted * played.count(PLANT)
            self.forest = min(grown, self.forest_max)
        self.round += 1
        self.last = played
        self.over = self.forest == 0 or self.round == self.num_rounds
        return played


def wish(agent, hand, last, seat, forest, forest_max):
    """The card an agent plays, given what it sees (``forest`` as read)."""
    axe, keeper = (FELL_THREE, FELL_ONE, GUARD, PLANT), (PLANT, GUARD, FELL_ONE, FELL_THREE)
    peace = (FELL_ONE, PLANT, GUARD, FELL_THREE)
    others = [card for player, card in enumerate(last) if player != seat]
    if agent == "axe":
        taste = axe
    elif agent == "keeper":
        taste = keeper
    elif agent == "mirror":
        taste = axe if others.count(FELL_THREE) >= 2 else peace
    elif agent == "bucket_counter":
        taste = axe if 3 * forest >= 2 * forest_max else peace if 3 * forest >= forest_max else keeper
    else:
        taste = axe if 2 * forest > forest_max else keeper
    return next(card for card in taste if card in hand)
