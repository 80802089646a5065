"""OpenEnv: a server on a free port, and the client over its WebSocket."""

import threading
import time

import uvicorn

from cacao_env.check.examples.stand_in import reply
from cacao_env.text.openenv.client import CacaoAction, CacaoEnv

app = "cacao_env.text.openenv.server.app:app"
server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
threading.Thread(target=server.run, daemon=True).start()
while not server.started:
    time.sleep(0.1)
port = server.servers[0].sockets[0].getsockname()[1]
with CacaoEnv(base_url=f"http://127.0.0.1:{port}").sync() as env:
    result = env.reset(seed=1, opponent="random", reward="win_share")
    while not result.done:
        result = env.step(CacaoAction(message=reply(result.observation.text)))
    print("reward:", result.reward, env.state())
