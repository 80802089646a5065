// Build play.html: one file with the page, its styles, drawings, the engine and its networks.
//
//   node build.mjs            writes play.html
//   node build.mjs --check    fails if play.html is not what the sources make

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../../..");
const OUT = join(HERE, "play.html");
const NETWORK = join(ROOT, "checkpoints/trinitario/weights.safetensors");

/** Every file that play.html is made of, in order. */
function sources() {
  const walk = (/** @type {string} */ folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name));
  const others = ["package.json", "build.mjs", "page.html"].map((name) => join(HERE, name));
  const pictures = walk(join(ROOT, "docs/pictures/rules"));
  return [
    ...walk(join(HERE, "src")),
    ...others,
    ...pictures,
    join(ROOT, "docs/rules.md"),
    join(ROOT, "cacao_env/render/art.svg"),
    NETWORK,
  ].sort();
}

/** The hash that play.html and the test in tests/test_page.py compare. */
function hashOf(/** @type {string[]} */ files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash.update(relative(ROOT, file).replaceAll("\\", "/")).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

/** @param {string} entry @param {Partial<esbuild.BuildOptions>} more */
async function bundled(entry, more = {}) {
  const { outputFiles = [] } = await esbuild.build({
    entryPoints: [join(HERE, entry)],
    bundle: true,
    write: false,
    minify: !process.argv.includes("--debug"),
    format: "iife",
    target: "es2022",
    charset: "utf8",
    outdir: "out",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".svg": "text", ".md": "text" },
    ...more,
  });
  return Object.fromEntries(outputFiles.map((file) => [file.path.endsWith(".css") ? "css" : "js", file.text]));
}

const packed = (/** @type {string} */ path) => gzipSync(readFileSync(path), { level: 9 }).toString("base64");
const read = (/** @type {string} */ path) => readFileSync(join(HERE, path), "utf8");
// What gzip has packed differs between versions of zlib; its sources are in the hash.
const withoutPacked = (/** @type {string} */ text) => text.replace(/[A-Za-z0-9+/=]{2000,}/g, "");
// Inside a script element no text may end it.
const json = (/** @type {unknown} */ data) => JSON.stringify(data).replaceAll("<", "\\u003c");

const files = sources();
const hash = hashOf(files);
const engine = join(HERE, "src/engine");
const { js, css } = await bundled("src/main.jsx");
const worker = (await bundled("src/engine/worker.js")).js;
const pictures = Object.fromEntries(
  files
    .filter((path) => path.includes("pictures/rules/"))
    .map((path) => [
      path.replace(/.*\/(\w+)\.svg$/, "$1"),
      `data:image/svg+xml;base64,${readFileSync(path).toString("base64")}`,
    ]),
);
const data = {
  wasm: packed(join(engine, "engine.wasm")),
  fields: JSON.parse(read("src/engine/fields.json")),
  worker,
  network: packed(NETWORK),
  puzzles: existsSync(join(HERE, "src/puzzles.json")) ? JSON.parse(read("src/puzzles.json")) : [],
};
const parts = {
  HASH: hash,
  STYLE: css,
  DATA: `globalThis.CACAO = ${json(data)};globalThis.RULES_PICTURES = ${json(pictures)};`,
  SCRIPT: js.replaceAll("</script", "<\\/script"),
};
const text = read("page.html").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[/** @type {keyof typeof parts} */ (name)]);

if (process.argv.includes("--check")) {
  if (withoutPacked(readFileSync(OUT, "utf8")) !== withoutPacked(text)) {
    console.error("play.html is not what its sources make: run `npm run build`");
    process.exit(1);
  }
} else {
  writeFileSync(OUT, text);
  console.log(
    `play.html: ${Math.round(text.length / 1000)} kB, ${Math.round(gzipSync(text).length / 1000)} kB compressed`,
  );
}
