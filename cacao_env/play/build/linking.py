"""Compiled functions that exist only inside their callers.

Numba optimizes every function and makes machine code of it, then does both again for each of its
callers, which contain it.  With many small functions that is most of the compile time.  A function
compiled here remains LLVM code, and only the entry point that contains it is optimized: the same
machine code in half the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class _Library(JITCodeLibrary):
    """The LLVM code of a function and of those that it calls.

    Numba's lock lets one thread in at a time.
    """

    def finalize(self) -> None:
        """Link the called functions; neither optimize nor make machine code."""
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(self, "_reload_init"):  # in newer versions of Numba
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    """Lower a function into a ``_Library``.  Numba's lock lets one thread in at a time."""

    _name = "lowering_to_link"

    def run_pass(self, state: Any) -> bool:
        """Lower the function and register it for callers; it has no entry point of its own."""
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        key: Any = [].append  # a unique builtin function, as Numba expects of entry points
        state.targetctx.insert_user_function(key, state["cr"].fndesc, [state.library])
        state["cr"] = state["cr"]._replace(cfunc=key)
        return True


class _Compiler(CompilerBase):
    """Numba's compiler with ``_Lowering`` in place of its own lowering.

    Numba's lock lets one thread in at a time.
    """

    def define_pipelines(self) -> list[Any]:
        """Return the only pipeline."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (_Lowering if one is NativeLowering else one, description)
            for one, description in pipeline.passes
        ]
        pipeline._finalized = False
        pipeline.finalize()
        return [pipeline]


def linked(function: Callable[..., Any], **options: Any) -> Any:
    """Return a dispatcher that only compiled functions call; ``options`` as for ``numba.njit``."""
    dispatcher = numba.njit(pipeline_class=_Compiler, no_cpython_wrapper=True, **options)(function)
    template_of = dispatcher.get_call_template

    def get_call_template(args: Sequence[Any], kws: Mapping[str, Any]) -> Any:
        widened = {name: _widened(kind) for name, kind in kws.items()}
        return template_of(tuple(map(_widened, args)), widened)

    dispatcher.get_call_template = get_call_template
    return dispatcher


def _widened(kind: Any) -> Any:
    """Return int64 for small integers and constants, so that each function is compiled once."""
    kind = types.unliteral(kind)
    small = isinstance(kind, types.Integer) and kind.bitwidth < 64
    return types.int64 if small else kind
