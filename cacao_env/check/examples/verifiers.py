"""verifiers: three models, one on each seat, with a reward for each."""

import asyncio
import os

import verifiers.v1 as vf
from verifiers.v1.clients import EvalClientConfig, ModelContext

from cacao_env.check.examples.stand_in import serving
from cacao_env.text.verifiers import CacaoEnv, CacaoEnvConfig

os.environ.setdefault("OPENAI_API_KEY", "none")


async def play(address):
    """Play two deals against the server at an address."""
    taskset = {"id": "cacao-verifiers", "deals": 2, "num_players": 3}
    env = CacaoEnv(CacaoEnvConfig(taskset=taskset, reward="gold"))
    client = EvalClientConfig(base_url=address, api_key_var="OPENAI_API_KEY")
    model = ModelContext(model="stand-in", client=client, sampling=vf.SamplingConfig())
    async with env.serving():
        return await asyncio.gather(*(env.run_episode(task, model) for task in env.taskset))


with serving() as address:
    for episode in asyncio.run(play(address)):
        assert episode.ok, episode.errors
        rewards = {trace.agent.name: trace.rewards["gold"].score for trace in episode.traces}
        assert abs(sum(rewards.values())) < 1e-6
        print({seat: round(gold, 1) for seat, gold in sorted(rewards.items())})
