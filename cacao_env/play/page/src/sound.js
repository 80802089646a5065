// Sounds, made by the browser itself; off unless a person turns them on.

import { app } from "./state.js";

/** @type {AudioContext | null} */
let audio = null;

/** @type {Record<string, number[]>} frequencies, one after the other */
const NOTES = { place: [220], overbuild: [220, 165], fill: [294], act: [330], gold: [659, 880], no: [196, 147] };

/** @param {string} what */
export function sound(what) {
  if (!app.settings.sound) return;
  audio ??= new AudioContext();
  for (const [k, frequency] of (NOTES[what] ?? []).entries()) {
    const tone = new OscillatorNode(audio, { frequency, type: "triangle" });
    const loud = new GainNode(audio, { gain: 0 });
    const from = audio.currentTime + 0.09 * k;
    loud.gain.setValueAtTime(0.12, from);
    loud.gain.exponentialRampToValueAtTime(0.001, from + 0.22);
    tone.connect(loud).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.25);
  }
}
