"""``llm:MODEL``: a language model behind any OpenAI-compatible address as an agent.

``llm:MODEL,key=value,...`` takes the keys of ``PARAMETERS``.  The address is ``base_url`` or
the environment's ``OPENAI_BASE_URL``; the key is the environment's ``OPENAI_API_KEY``.  Every reply is
kept by its prompt in the folder ``cache``, so the same command resumes without asking again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..agent import FORFEIT, RANDOM, Agent, AgentError, decider, one_line
from ..agents.random import random_action
from ..agents.specs import Parameter, parse_values
from ..checks import as_path, check_choice, in_short, need
from ..engine.decisions import NONE
from ..engine.rng import RngArray, new_rng
from ..game import Game
from .prompt import Message, message, primer, prompt
from .reply import ABSENT, ILLEGAL, UNREADABLE, Refused, action_of
from .table import FAILURES, TRIES

PREFIX = "llm:"
PARAMETERS = {
    "tries": Parameter(TRIES, 1, 20, "replies to a decision"),
    "listed": Parameter(1, 0, 1, "whether prompts list the legal moves"),
    "timeout": Parameter(120.0, 0.1, 3600.0, "seconds that the server may be silent"),
    "retries": Parameter(3, 0, 20, "further requests after one that failed"),
    "budget": Parameter(
        0, 0, 10**11, "tokens in the cache after which no request is sent; 0: any number"
    ),
    "at_once": Parameter(64, 1, 1024, "requests at the same time"),
    "temperature": Parameter(1.0, 0.0, 2.0, "temperature of sampling; sent if it is given"),
    "max_tokens": Parameter(0, 1, 100_000, "tokens of a reply; sent if they are given"),
    "base_url": Parameter("", 1, 1000, "address of the server"),
    "cache": Parameter("runs/llm", 1, 1000, "folder of the replies"),
    "failure": Parameter(FAILURES[0], 1, 20, "what follows the last try: forfeit or random"),
    "primer": Parameter(1, 0, 1, "whether the rules are told, which a trained model may know"),
}
REFUSED = {kind: f"{kind} replies" for kind in (ILLEGAL, UNREADABLE, ABSENT)}
COUNTS = ("moves", *REFUSED.values(), RANDOM, "retries", "tokens", "seconds")
Replies = dict[str, dict[str, Any]]  # requests, or replies, by their keys


@dataclass
class Memory:
    """What the model's seat keeps in one game: random numbers, counts, the conversation."""

    rng: RngArray
    counts: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(COUNTS, 0)))
    messages: list[Message] = field(default_factory=list)
    forfeit: int | None = None  # the number of actions before it


def load_model(name: str, allow_code: bool = False) -> LanguageModel:
    """Return a model as an agent, as :mod:`cacao_env.registry` asks for it."""
    if not allow_code:
        raise AgentError(
            f"{name!r} would contact a server, which only a name typed on the command line may do"
        )
    return LanguageModel(name)


class LanguageModel(Agent):
    """A language model; ``name`` as the module describes it.

    Every decision is a conversation of its own, of primer and prompt.  After ``tries`` refused replies
    the model forfeits the game, which random legal moves then end; with ``failure=random`` one such
    move is played, and the model is asked again at the next decision.
    """

    def __init__(self, name: str) -> None:
        self.model, *items = name.removeprefix(PREFIX).split(",")
        named = [item.partition("=")[0] for item in items]
        try:
            self._values = parse_values("llm", ",".join(items), PARAMETERS)
            if re.search(r"[@?]", self._values["base_url"]):
                raise ValueError(
                    "base_url of llm has a user or a query; a key is OPENAI_API_KEY alone"
                )
            sampling = ("temperature", "max_tokens")
            self._sampling: dict[str, Any] = {n: self._values[n] for n in sampling if n in named}
            check_choice("failure of llm", self._values["failure"], FAILURES)
            if not self.model:
                raise ValueError("llm: names no model, expected llm:MODEL")
        except ValueError as error:
            raise AgentError(str(error)) from None
        hidden = ("base_url=", "cache=")
        self.name = PREFIX + ",".join(
            [self.model, *(item for item in items if not item.startswith(hidden))]
        )
        self._openai: Any = None
        self._spent = 0.0  # tokens of the replies in the cache

    @property
    def _client(self) -> Any:
        """The client, made when the model is first asked: it is neither copied nor pickled."""
        if self._openai is None:
            openai = need("openai", "openai", "llm")
            try:
                self._openai = openai.OpenAI(
                    base_url=self._values["base_url"] or None,
                    timeout=self._values["timeout"],
                    max_retries=self._values["retries"],
                )
            except openai.OpenAIError as error:
                raise AgentError(f"{self.name}: {one_line(error)}") from None
        return self._openai

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_openai": None}

    def begin(self, seed: int) -> Memory:
        """Make the memory of one seat in one game."""
        return Memory(new_rng(seed))

    def notes(self, memory: Memory) -> dict[str, Any]:
        """Return the counts and the conversation of a game."""
        found = {"counts": dict(memory.counts), "messages": memory.messages}
        return found if memory.forfeit is None else found | {FORFEIT: memory.forfeit}

    def act(self, games: Sequence[Game], memory: Sequence[Memory]) -> list[int]:
        """Choose for each game; the games' requests are made at the same time."""
        chosen = [NONE] * len(games)
        chats = {n: self._opening(games[n]) for n, own in enumerate(memory) if own.forfeit is None}
        for number, chat in chats.items():
            known = self._values["primer"] and memory[number].messages
            memory[number].messages += chat[bool(known) :]
        for left in reversed(range(self._values["tries"])):
            open_ = [number for number in chats if chosen[number] == NONE]
            for number, reply in zip(open_, self._replies([chats[n] for n in open_]), strict=True):
                own, said = memory[number], [message("assistant", reply["text"])]
                own.counts.update({name: reply[name] for name in ("retries", "tokens", "seconds")})
                try:
                    chosen[number] = action_of(games[number], reply["text"])
                except Refused as error:
                    own.counts[REFUSED[error.kind]] += 1
                    if left:
                        said.append(message("user", str(error)))
                chats[number] += said
                own.messages += said
        for number, (game, own) in enumerate(zip(games, memory, strict=True)):
            own.counts["moves"] += 1
            if chosen[number] == NONE:
                if own.forfeit is None and self._values["failure"] == "forfeit":
                    own.forfeit = len(game.history)
                own.counts[RANDOM] += 1
                chosen[number] = int(random_action(game.states, own.rng))
        return chosen

    def _opening(self, game: Game) -> list[Message]:
        told = [message("system", primer())] if self._values["primer"] else []
        return [*told, message("user", prompt(game, decider(game), bool(self._values["listed"])))]

    def _replies(self, chats: Sequence[list[Message]]) -> list[dict[str, Any]]:
        """Return the replies to conversations, from the cache or from the model."""
        asked = [self._body(chat) for chat in chats]
        with self._cache() as cache:
            found = {key: reply for key, _ in asked if (reply := _cached(cache, key)) is not None}
            missing = {key: body for key, body in asked if key not in found}
            if missing:
                (self._spent,) = cache.execute("SELECT total(tokens) FROM replies").fetchone()
                self._ask_all(missing, found, cache)
        return [found[key] for key, _ in asked]

    def _ask_all(self, missing: Replies, found: Replies, cache: sqlite3.Connection) -> None:
        """Ask for the replies to requests and keep each; then raise what one of them met."""
        client, failed = self._client, None
        pool = ThreadPoolExecutor(self._values["at_once"])
        try:
            asked = {pool.submit(self._ask, client, body): key for key, body in missing.items()}
            for one in as_completed(asked):
                try:
                    found[asked[one]] = reply = one.result()
                except AgentError as error:
                    failed = error
                    continue
                row = asked[one], reply["tokens"], json.dumps(reply)
                with cache:
                    cache.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", row)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        if failed:
            raise failed

    def _body(self, chat: list[Message]) -> tuple[str, dict[str, Any]]:
        """Return a request, and the key of its reply in the cache."""
        body = {"model": self.model, "messages": list(chat), **self._sampling}
        text = json.dumps([self._values["base_url"] or os.environ.get("OPENAI_BASE_URL"), body])
        return hashlib.sha256(text.encode()).hexdigest(), body

    @contextmanager
    def _cache(self) -> Iterator[sqlite3.Connection]:
        file = as_path(self._values["cache"]) / "replies.sqlite"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(file, timeout=60)) as cache:
                cache.execute("CREATE TABLE IF NOT EXISTS replies (key PRIMARY KEY, tokens, reply)")
                yield cache
        except (OSError, sqlite3.Error) as error:
            raise AgentError(f"{self.name}: {file} can't keep replies: {error}") from None

    def _ask(self, client: Any, body: dict[str, Any]) -> dict[str, Any]:
        """Ask the model once; AgentError if the budget is spent or there is no reply of text."""
        if 0 < (most := self._values["budget"]) <= self._spent:
            raise AgentError(
                f"{self.name}: its cached replies have used {self._spent:,.0f} of the budget of "
                f"{most:,} tokens"
            )
        begin = time.perf_counter()
        try:
            raw = client.chat.completions.with_raw_response.create(**body)
            answer = raw.parse()
        except Exception as error:  # of the network or the server
            raise AgentError(f"{self.name}: no reply: {one_line(error)}") from None
        try:
            text = answer.choices[0].message.content or ""
            tokens = answer.usage.total_tokens if answer.usage else None
            text = text.encode(errors="replace").decode()
        except (AttributeError, IndexError, TypeError):
            raise AgentError(
                f"{self.name}: the server answers {in_short(raw.text)}, expected a chat completion"
            ) from None
        if most and tokens is None:
            raise AgentError(f"{self.name}: the server counts no tokens, so no budget can hold")
        seconds = time.perf_counter() - begin
        self._spent += tokens or 0  # before this thread asks again
        return {
            "text": text,
            "tokens": tokens or 0,
            "retries": raw.retries_taken,
            "seconds": seconds,
        }


def _cached(cache: sqlite3.Connection, key: str) -> dict[str, Any] | None:
    row = cache.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
    return row and json.loads(row[0])
