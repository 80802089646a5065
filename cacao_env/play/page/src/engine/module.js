// The WebAssembly module and its memory: the only file that knows of addresses.
//
// Compiled functions ask for memory with `malloc`. What they get is a stack that every call finds empty:
// nothing that they allocate outlives a call.

const TYPES = {
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
  f4: Float32Array,
  f8: Float64Array,
  bytes: Uint8Array,
};
const PAGE = 65536;
const HEADER = 64; // of an allocation
const MORE = 1 << 22; // bytes that the stack grows by

/** Views of the fields of a record at an address. */
export function viewsOf(buffer, address, layout) {
  const views = {};
  for (const [name, [offset, type, count]] of Object.entries(layout)) {
    views[name] = new TYPES[type](buffer, address + offset, count);
  }
  return views;
}

/** The instance, its `memory` fields as typed arrays, and `call(entry, ...)`. */
export class Module {
  constructor(instance, fields, imports) {
    const { memory, call, __heap_base } = instance.exports;
    this.fields = fields;
    this.numbers = Object.fromEntries(fields.entries.map((name, number) => [name, number]));
    this.run = call;
    this.wasmMemory = memory;
    this.base = (Number(__heap_base.value) + 63) & ~63;
    this.address = BigInt(this.base);
    this.stack = (this.base + fields.size + 63) & ~63;
    imports.module = this;
    this.reserve(this.stack + MORE);
  }

  static async load(bytes, fields) {
    const imports = { module: null };
    const compiled = await WebAssembly.compile(bytes);
    const env = {};
    for (const { name } of WebAssembly.Module.imports(compiled)) env[name] = importOf(name, imports);
    return new Module(await WebAssembly.instantiate(compiled, { env }), fields, imports);
  }

  /** Call an entry point with up to four integers. */
  call(entry, a = 0, b = 0, c = 0, d = 0) {
    this.top = this.stack;
    this.last = 0;
    return this.run(this.address, this.numbers[entry], a, b, c, d);
  }

  reserve(end) {
    const missing = end - this.wasmMemory.buffer.byteLength;
    if (missing > 0) this.wasmMemory.grow(Math.ceil(missing / PAGE));
    const { buffer } = this.wasmMemory;
    this.words = new Int32Array(buffer);
    this.longs = new BigInt64Array(buffer);
    this.memory = viewsOf(buffer, this.base, this.fields.memory);
  }

  // An allocation: its header (the one before, and whether it was given back), then the data.
  allocate(size) {
    const header = (this.top + 63) & ~63;
    this.top = header + HEADER + size;
    if (this.top > this.wasmMemory.buffer.byteLength) this.reserve(this.top + MORE);
    this.words[header >> 2] = this.last;
    this.words[(header >> 2) + 1] = 0;
    this.last = header;
    return header + HEADER;
  }

  giveBack(data) {
    this.words[((data - HEADER) >> 2) + 1] = 1;
    while (this.last && this.words[(this.last >> 2) + 1]) {
      this.top = this.last;
      this.last = this.words[this.last >> 2];
    }
  }

  // The product of two integers of 128 bits, each as two of 64 (the lower half first).
  multiply(to, a, aHigh, b, bHigh) {
    const wide = (low, high) => (BigInt.asUintN(64, high) << 64n) | BigInt.asUintN(64, low);
    const product = wide(a, aHigh) * wide(b, bHigh);
    this.longs[to >> 3] = BigInt.asIntN(64, product);
    this.longs[(to >> 3) + 1] = BigInt.asIntN(64, product >> 64n);
  }
}

function importOf(name, imports) {
  const made = {
    malloc: (size) => BigInt(imports.module.allocate(Number(size))),
    free: (data) => imports.module.giveBack(Number(data)),
    __multi3: (to, ...factors) => imports.module.multiply(Number(to), ...factors),
  };
  return made[name] || (() => fail(name)); // the others are of functions that the page does not call
}

function fail(name) {
  throw new Error(`the engine failed in ${name}`);
}
