"""Policies of other libraries as ONNX files: sb3-contrib's and one of plain torch, measured by name."""

import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO

from cacao_env.agents.onnx import describe
from cacao_env.engine.options import Options
from cacao_env.envs.sb3 import CacaoVecEnv
from cacao_env.envs.versus import VersusGames
from cacao_env.greedy.candidates import Candidates

TURNS = Options(num_players=2, decisions="turn")
ROWS = Candidates(rows=24, replies=16)


class Actor(torch.nn.Module):
    """The part of an SB3 policy that chooses."""

    def __init__(self, policy):
        super().__init__()
        self.policy = policy

    def forward(self, observation):
        """Observations -> logits (B, choices)."""
        features = self.policy.extract_features(observation)
        return self.policy.action_net(self.policy.mlp_extractor.forward_actor(features))


def export(network, observation, path):
    """Write a network as an ONNX file whose input and output have the names that agents need."""
    torch.onnx.export(
        network.eval(),
        (torch.from_numpy(observation),),
        path,
        input_names=["observation"],
        output_names=["logits"],
        external_data=False,
    )


def main():
    """Train a little, export, and measure the files."""
    games = VersusGames(8, "greedy", TURNS, observation=ROWS, seed=0)
    model = MaskablePPO("MlpPolicy", CacaoVecEnv(games), n_steps=32, batch_size=64, seed=0)
    model.learn(256)
    with tempfile.TemporaryDirectory() as folder:
        by_sb3, by_torch = Path(folder) / "sb3.onnx", Path(folder) / "plain.onnx"
        export(Actor(model.policy), games.observations[:1], by_sb3)
        describe(by_sb3, TURNS, ROWS)

        flat = VersusGames(1, "greedy", table_size=15, observation_dtype="float32", seed=0)
        length, choices = flat.observations.shape[1], flat.action_masks.shape[1]
        export(torch.nn.Linear(length, choices), flat.observations, by_torch)
        describe(by_torch, Options(table_size=15), "flat")

        files = [str(by_sb3), str(by_torch)]
        small = ["--deals", "2", "--workers", "1", "--out", folder]
        command = [sys.executable, "-m", "cacao_env", "evaluate", *files, "greedy", *small]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
