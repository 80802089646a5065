// A whole game as text, for the fragment of a link: JSON, deflated, in the letters that addresses allow.

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionStream | DecompressionStream} through */
const piped = async (bytes, through) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());

/** @param {unknown} data */
export async function packed(data) {
  const bytes = await piped(new TextEncoder().encode(JSON.stringify(data)), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text */
export async function unpacked(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await piped(bytes, new DecompressionStream("deflate-raw"))));
}

/** What a link says: which game, where. @param {string} hash */
export function wantedBy(hash) {
  const found = new URLSearchParams(hash.slice(1));
  const puzzle = Number(found.get("puzzle"));
  return { game: found.get("game"), data: found.get("g"), puzzle, ply: Number(found.get("ply") ?? -1) };
}
