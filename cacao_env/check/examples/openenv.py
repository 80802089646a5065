"""OpenEnv: a server in a process of its own, and the client over its WebSocket."""

import socket
import subprocess
import sys
import time

from cacao_env.check.examples.stand_in import reply
from cacao_env.text.openenv.client import CacaoAction, CacaoEnv

PORT = 8765
APP = "cacao_env.text.openenv.server.app:app"


def wait():
    """Wait until the server listens."""
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", PORT), 1).close()
        except OSError:
            time.sleep(0.1)


server = subprocess.Popen(
    [sys.executable, "-m", "uvicorn", APP, "--port", str(PORT), "--log-level", "critical"]
)
try:
    wait()
    with CacaoEnv(base_url=f"http://127.0.0.1:{PORT}").sync() as env:
        result = env.reset(seed=1, opponent="random", reward="win_share")
        while not result.done:
            result = env.step(CacaoAction(message=reply(result.observation.text)))
        print("reward:", result.reward, env.state())
finally:
    server.terminate()
