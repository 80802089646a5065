"""The plugin of verifiers: ``eval cacao-verifiers`` finds a module by the name of its taskset."""

from cacao_env.text.verifiers import CacaoEnv, CacaoTaskset, ChatHarness

__all__ = ["CacaoEnv", "CacaoTaskset", "ChatHarness"]
