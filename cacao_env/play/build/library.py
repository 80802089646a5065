"""Build the engine's library: every compiled function once, and the doors through which Python calls.

Numba turns the functions into LLVM's code, once for each signature that they declare; all of it is
optimized as one module for any processor of 64 bits, and kept as ``library.bc``.  For a function that
Python calls, a *door* is generated: it reads NumPy's and Python's objects, checks that they are what
the function was compiled for, and gives back the interpreter's lock while the function runs.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callconv import CPUCallConv
from numba.core.registry import cpu_target

from ...engine import jit
from ...engine.library import HOST, PAGE, hash_of_source, name_of
from ...engine.sources import compiled_modules
from ...engine.types import Array, Record, Scalar, Tuple, Type, key_of, signatures
from . import entries
from .linking import linked

_I8, _I32, _I64, _F64 = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_POINTER = _I8.as_pointer()
_DOOR = ir.FunctionType(_I64, [_I64, _I64, _I64, _I64])  # (self, arguments, number, keywords)
# Where NumPy keeps what, from the end of an object's head on.
_DATA, _NDIM, _SHAPE, _STRIDES, _DTYPE, _FLAGS = 0, 8, 16, 24, 40, 48
# After the size that objects of variable length have.
_RECORD_DATA, _RECORD_DTYPE, _RECORD_FLAGS = 8, 16, 24
_WRITABLE = 0x0400
_CARRAY = 0x0001 | 0x0100 | _WRITABLE  # in C order, aligned, writable
# Compiled functions allocate with Numba's runtime, of which this is what they need: a header, whose
# first field counts references and whose fourth is the address of the data, and the data.
_RUNTIME = """
declare ptr @malloc(i64)
declare void @free(ptr)
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %wide = zext i32 %align to i64
  %more = add i64 %size, 64
  %all = add i64 %more, %wide
  %header = call ptr @malloc(i64 %all)
  %none = icmp eq ptr %header, null
  br i1 %none, label %end, label %fill
fill:
  store i64 1, ptr %header
  %dtor = getelementptr i64, ptr %header, i64 1
  store ptr null, ptr %dtor
  %start = ptrtoint ptr %header to i64
  %least = add i64 %start, 63
  %above = add i64 %least, %wide
  %up = sub i64 0, %wide
  %place = and i64 %above, %up
  %data = inttoptr i64 %place to ptr
  %where = getelementptr i64, ptr %header, i64 3
  store ptr %data, ptr %where
  %length = getelementptr i64, ptr %header, i64 4
  store i64 %size, ptr %length
  br label %end
end:
  ret ptr %header
}
define ptr @NRT_MemInfo_alloc(i64 %size) {
  %header = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 16)
  ret ptr %header
}
define void @NRT_MemInfo_call_dtor(ptr %header) {
  call void @free(ptr %header)
  ret void
}
define ptr @NRT_Allocate(i64 %size) {
  %data = call ptr @malloc(i64 %size)
  ret ptr %data
}
define void @NRT_Free(ptr %data) {
  call void @free(ptr %data)
  ret void
}
define void @PyErr_SetString(ptr %kind, ptr %text) {
  ret void
}
"""


def declared() -> list[jit.Source]:
    """Import all modules with compiled functions; return the functions that Python calls."""
    for name, path in compiled_modules().items():
        if b"jit import" in path.read_bytes():
            import_module(name)
    return sorted(
        (one for one in jit.sources() if one.declared), key=lambda one: name_of(one.function)
    )


def numba_type(one: Type) -> Any:
    """Return Numba's type for a declared one."""
    if one is None:
        return types.none
    if isinstance(one, Scalar):
        return {"i8": types.int64, "f8": types.float64, "b1": types.boolean}[one.kind]
    if isinstance(one, Record):
        return numba.from_dtype(one.dtype)
    if isinstance(one, Array):
        return types.Array(numba.from_dtype(one.dtype), one.ndim, "C")
    return types.BaseTuple.from_types([numba_type(part) for part in one.fields], one.cls)


class Doors:
    """The doors of functions, in one module of LLVM's code."""

    def __init__(self) -> None:
        self.context = cpu_target.target_context
        self.code = self.context.codegen().create_library("doors").create_ir_module("doors")
        self.dtypes: list[str] = []
        self._host: Any = None
        self.libraries: list[Any] = []
        self.names: list[str] = [PAGE, "host"]
        self._readers: dict[Tuple, Any] = {}

    def host(self, builder: Any, name: str) -> Any:
        """Load a word of the table that ``library.Loaded`` fills."""
        if name not in HOST and name not in self.dtypes:
            self.dtypes.append(name)
        number = HOST.index(name) if name in HOST else len(HOST) + self.dtypes.index(name)
        if self._host is None:
            self._host = ir.GlobalVariable(self.code, ir.ArrayType(_I64, 256), "host")
            self._host.initializer = ir.Constant(self._host.value_type, None)
        return builder.load(builder.gep(self._host, [_I32(0), _I32(number)]))

    def ask(self, builder: Any, name: str, result: Any, *given: Any) -> Any:
        """Call one of Python's functions."""
        kind = ir.FunctionType(result, [one.type for one in given])
        function = builder.inttoptr(self.host(builder, name), kind.as_pointer())
        return builder.call(function, given)

    def add(self, source: jit.Source, forms: jit.Forms) -> None:
        """Add a function with one door for each signature; a door passes on what it does not take."""
        name, each = name_of(source.function), signatures(source.function)
        for number, one in reversed(list(enumerate(each))):
            own = name if number == 0 else f"{name}.{number}"
            following = f"{name}.{number + 1}" if number + 1 < len(each) else None
            result = self.compile(forms(source), tuple(map(numba_type, one)))
            self._door(own, one, result, following)
        self.names.append(name)

    def reader(self, one: Tuple, kind: Any) -> Any:
        """Return the function that writes a named tuple's fields, or returns 0 if one does not fit."""
        if one not in self._readers:
            place = self.context.get_value_type(kind).as_pointer()
            shape = ir.FunctionType(_I64, [_I64, place])
            function = ir.Function(self.code, shape, f"read {one.cls.__name__}")
            function.attributes.add("noinline")
            self._readers[one] = function
            builder = ir.IRBuilder(function.append_basic_block("entry"))
            refused = function.append_basic_block("refused")
            ir.IRBuilder(refused).ret(_I64(0))
            reader, values = _Reader(self, builder, refused), []
            for k, part in enumerate(one.fields):
                field = self.ask(builder, "PyTuple_GetItem", _I64, function.args[0], _I64(k))
                reader.expect_no_error(builder.icmp_signed("!=", field, _I64(0)))
                values.append(reader.read(field, part, kind[k]))
            builder.store(self.context.make_tuple(builder, kind, values), function.args[1])
            builder.ret(_I64(1))
        return self._readers[one]

    def compile(self, dispatcher: Any, kinds: tuple[Any, ...]) -> Any:
        """Compile one signature of a function."""
        dispatcher.compile(kinds)
        result = dispatcher.overloads[kinds]
        self.libraries.append(result.library)
        return result

    def _door(self, name: str, given: Any, compiled: Any, following: str | None) -> None:
        door = ir.Function(self.code, _DOOR, name)
        own, arguments, number, keywords = door.args
        builder = ir.IRBuilder(door.append_basic_block("entry"))
        refused = door.append_basic_block("refused")
        with builder.goto_block(refused):
            if following is None:
                with_keywords = self.ask(
                    builder, "PyObject_Vectorcall", _I64, own, arguments, number, keywords
                )
                builder.ret(with_keywords)
            else:
                builder.ret(builder.call(self.code.get_global(following), door.args))
        reader = _Reader(self, builder, refused)
        reader.expect(builder.icmp_signed("==", number, _I64(len(given))))
        reader.expect(builder.icmp_signed("==", keywords, _I64(0)))
        values = [
            reader.read(load(builder, arguments, 8 * k), one, numba_type(one))
            for k, one in enumerate(given)
        ]
        thread = self.ask(builder, "PyEval_SaveThread", _I64)
        status, result = self._call(builder, compiled, values)
        self.ask(builder, "PyEval_RestoreThread", ir.VoidType(), thread)
        with builder.if_then(status.is_error, likely=False):
            builder.ret(self.ask(builder, "PyErr_NoMemory", _I64))  # nothing else can go wrong
        builder.ret(self._boxed(builder, compiled.signature.return_type, result))

    def _call(self, builder: Any, compiled: Any, values: list[Any]) -> Any:
        kinds = compiled.signature.args
        function = self.context.declare_function(self.code, compiled.fndesc)
        return self.context.call_conv.call_function(
            builder, function, compiled.signature.return_type, kinds, values
        )

    def _boxed(self, builder: Any, kind: Any, value: Any) -> Any:
        """Return Python's object for a result."""
        if isinstance(kind, types.BaseTuple):
            made = self.ask(builder, "PyTuple_New", _I64, _I64(len(kind)))
            for k, part in enumerate(kind):
                one = self._boxed(builder, part, builder.extract_value(value, k))
                self.ask(builder, "PyTuple_SetItem", _I32, made, _I64(k), one)
            return made
        if isinstance(kind, types.NoneType):
            none = self.host(builder, "None")
            self.ask(builder, "Py_IncRef", ir.VoidType(), none)
            return none
        if isinstance(kind, types.Boolean):
            return self.ask(builder, "PyBool_FromLong", _I64, builder.zext(value, _I64))
        if isinstance(kind, types.Float):
            return self.ask(builder, "PyFloat_FromDouble", _I64, value)
        assert isinstance(kind, types.Integer), kind
        wide = builder.sext(value, _I64) if kind.signed else builder.zext(value, _I64)
        return self.ask(builder, "PyLong_FromLongLong", _I64, wide)

    def add_page(self, forms: jit.Forms) -> None:
        """Add the page's function, which calls the entry point of a number."""
        memory = numba.from_dtype(entries.MEMORY)
        kinds = (memory, *[types.int32] * 5)
        compiled = self.compile(linked(entries.dispatcher(forms), **_OPTIONS), kinds)
        call = ir.Function(self.code, ir.FunctionType(_I32, [_POINTER, *[_I32] * 5]), PAGE)
        builder = ir.IRBuilder(call.append_basic_block("entry"))
        place = builder.bitcast(call.args[0], self.context.get_value_type(memory))
        status, result = self._call(builder, compiled, [place, *call.args[1:]])
        failed = builder.select(status.is_error, _I32(-1), builder.trunc(result, _I32))
        builder.ret(failed)


def load(builder: Any, address: Any, offset: int, kind: Any = _I64) -> Any:
    """Load what lies at an address."""
    place = builder.add(address, _I64(offset))
    return builder.load(builder.inttoptr(place, kind.as_pointer()))


class _Reader:
    """Reads Python's objects in a door, and leaves for ``refused`` if one is not as expected."""

    def __init__(self, doors: Doors, builder: Any, refused: Any) -> None:
        self.doors, self.builder, self.refused = doors, builder, refused
        self.context = doors.context

    def expect(self, condition: Any) -> None:
        """Go on only if a condition holds."""
        fine = self.builder.append_basic_block("fine")
        self.builder.cbranch(condition, fine, self.refused)
        self.builder.position_at_end(fine)

    def read(self, found: Any, one: Type, kind: Any) -> Any:
        """Return the value of an object of a declared type, as compiled functions take it."""
        if one is None:
            self._same(found, "None")
            return self.context.get_dummy_value()
        if isinstance(one, Scalar):
            return self._scalar(found, one.kind)
        if isinstance(one, Tuple):
            place = cgutils.alloca_once(self.builder, self.context.get_value_type(kind))
            taken = self.builder.call(self.doors.reader(one, kind), [found, place])
            self.expect(self.builder.icmp_signed("==", taken, _I64(1)))
            return self.builder.load(place)
        base = self.builder.add(found, self.doors.host(self.builder, "head"))
        of_what = load(self.builder, base, -8)
        self._same(of_what, "ndarray" if isinstance(one, Array) else "record")
        place = _DTYPE if isinstance(one, Array) else _RECORD_DTYPE
        self._same(load(self.builder, base, place), key_of(one.dtype))
        if isinstance(one, Record):
            self._flagged(base, _RECORD_FLAGS, _WRITABLE)
            data = load(self.builder, base, _RECORD_DATA)
            return self.builder.inttoptr(data, self.context.get_value_type(kind))
        return self._array(base, one, kind)

    def _flagged(self, base: Any, offset: int, expected: int) -> None:
        flags = load(self.builder, base, offset, _I32)
        set_ = self.builder.and_(flags, _I32(expected))
        self.expect(self.builder.icmp_signed("==", set_, _I32(expected)))

    def _same(self, found: Any, name: str) -> None:
        expected = self.doors.host(self.builder, name)
        self.expect(self.builder.icmp_signed("==", found, expected))

    def expect_no_error(self, condition: Any) -> None:
        """Go on only if a condition holds; otherwise forget the error that Python has set."""
        with self.builder.if_else(condition) as (fine, wrong):
            with fine:
                pass
            with wrong:
                self.doors.ask(self.builder, "PyErr_Clear", ir.VoidType())
        self.expect(condition)

    def _scalar(self, found: Any, kind: str) -> Any:
        if kind == "b1":
            true = self.builder.icmp_signed("==", found, self.doors.host(self.builder, "True"))
            false = self.builder.icmp_signed("==", found, self.doors.host(self.builder, "False"))
            self.expect(self.builder.or_(true, false))
            return true
        function, of = ("PyLong_AsLongLong", _I64) if kind == "i8" else ("PyFloat_AsDouble", _F64)
        value = self.doors.ask(self.builder, function, of, found)
        if kind == "i8":
            odd = self.builder.icmp_signed("==", value, _I64(-1))
        else:
            odd = self.builder.fcmp_ordered("==", value, _F64(-1.0))
        failed = cgutils.alloca_once_value(self.builder, _I64(0))
        with self.builder.if_then(odd, likely=False):
            error = self.doors.ask(self.builder, "PyErr_Occurred", _I64)
            self.builder.store(error, failed)
        fine = self.builder.icmp_signed("==", self.builder.load(failed), _I64(0))
        self.expect_no_error(fine)
        return value

    def _array(self, base: Any, one: Array, kind: Any) -> Any:
        builder, intp = self.builder, self.context.get_value_type(types.intp)
        self.expect(builder.icmp_signed("==", load(builder, base, _NDIM, _I32), _I32(one.ndim)))
        self._flagged(base, _FLAGS, _CARRAY)
        made = self.context.make_array(kind)(self.context, builder)
        shape, strides = load(builder, base, _SHAPE), load(builder, base, _STRIDES)
        sizes = [load(builder, shape, 8 * axis) for axis in range(one.ndim)]
        steps = [load(builder, strides, 8 * axis) for axis in range(one.ndim)]
        items = sizes[0]
        for size in sizes[1:]:
            items = builder.mul(items, size)
        made.data = builder.inttoptr(load(builder, base, _DATA), made.data.type)
        made.nitems, made.itemsize = items, intp(one.dtype.itemsize)
        made.shape = cgutils.pack_array(builder, sizes, intp)
        made.strides = cgutils.pack_array(builder, steps, intp)
        made.meminfo = made.parent = ir.Constant(_POINTER, None)
        return made._getvalue()


_OPTIONS = {"nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
_COUNT_DOWN = (
    r"(%[\w.\"-]+) = (?:tail )?call i8 @llvm\.x86\.atomic\.sub\.cc\.i64"
    r"\(ptr[^%]*(%[\w.\"-]+), i64 (\d+), [^\n]*"
)


def build() -> tuple[bytes, dict[str, Any]]:
    """Return LLVM's bitcode of the library, and what ``library.json`` says of it."""
    # Exceptions are pickled with the paths of Numba's own files, and named by what is pickled; a door
    # reads only that there was one.
    CPUCallConv.build_excinfo_struct = lambda *_: None
    doors = Doors()
    forms = jit.Forms(lambda function, copied: linked(function, forceinline=copied, **_OPTIONS))
    for source in declared():
        doors.add(source, forms)
    doors.add_page(forms)
    whole = doors.context.codegen().create_library("cacao_env")
    whole.add_ir_module(doors.code)
    module = whole._final_module
    for library in dict.fromkeys(doors.libraries):
        module.link_in(library._get_module_for_linking(), preserve=True)
    module.link_in(llvm.parse_assembly(_RUNTIME))
    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and one.name not in doors.names:
            one.linkage = "internal"
    optimize(module)
    final = llvm.parse_assembly(for_any_processor(str(module)))
    final.verify()
    about = {
        "built_with": {"numba": numba.__version__, "llvmlite": llvmlite.__version__},
        "dtypes": doors.dtypes,
        "modules": {
            name: hash_of_source(path.read_bytes()) for name, path in compiled_modules().items()
        },
    }
    return final.as_bitcode(), about


def optimize(module: Any) -> None:
    """Optimize a module, twice: the second time Numba's counts of references are gone.

    With LLVM's third level, or loops unrolled, the code is a quarter larger and takes as much longer to
    compile at the user's; the rows of ``cacao bench`` are no faster.
    """
    machine = llvm.Target.from_default_triple().create_target_machine("x86-64", opt=2)
    for last in (False, True):
        tuning = llvm.create_pipeline_tuning_options(speed_level=2)
        tuning.loop_unrolling, tuning.loop_vectorization = False, True
        tuning.slp_vectorization = last
        builder = llvm.create_pass_builder(machine, tuning)
        passes = builder.getModulePassManager()
        if not last:  # so that more loops can be vectorized
            passes.add_loop_rotate_pass()
            passes.add_instruction_combine_pass()
            passes.add_jump_threading_pass()
        passes.add_refprune_pass()
        passes.run(module, builder)


def for_any_processor(code: str) -> str:
    """Return LLVM's code without what is said of this machine, or can be done by x86 alone."""
    code = re.sub('"target-(cpu|features)"="[^"]*"', "", code)
    code = re.sub('target (triple|datalayout) = "[^"]*"\n', "", code)
    # Reference counts go down by an instruction of x86 that says whether nothing is left.
    code = re.sub(_COUNT_DOWN, _counted_down, code)
    return re.sub(r"declare i8 @llvm\.x86[^\n]*\n", "", code)


def _counted_down(found: re.Match[str]) -> str:
    name, place, by = found.groups()
    bare = "%w" + re.sub(r"\W", "_", name)
    return (
        f"{bare}o = atomicrmw sub ptr {place}, i64 {by} monotonic\n"
        f"  {bare}c = icmp eq i64 {bare}o, {by}\n"
        f"  {name} = zext i1 {bare}c to i8"
    )
