// Sequential halving, as in cacao_env/agents/halving.py: each round drops the worse half of the candidates.

/** The visits of each candidate after `run(alive, passes)` has simulated them; the best moves to the front.
 *
 * `sims` simulations in all, or until the time `end`; `settings.chunk_ms`: how often the clock is read.
 */
export function halve(module, settings, run, alive, { sims = 0, begin = 0, ms = 0, onRound = () => {} }) {
  const visits = new Float64Array(alive);
  const add = (passes) => {
    for (let i = 0; i < alive; i++) visits[i] += passes;
  };
  const rounds = Math.max(1, 32 - Math.clz32(alive - 1));
  for (let number = 0; number < rounds; number++) {
    if (ms) {
      if (number > 0 && performance.now() > begin + ms) break; // a pass can take longer than its round
      add(passesUntil(run, alive, begin + (ms * (number + 1)) / rounds, settings.chunk_ms));
    } else {
      const passes = Math.max(1, Math.floor(sims / (rounds * alive)));
      run(alive, passes);
      add(passes);
    }
    const keep = Math.max(1, (alive + 1) >> 1);
    module.call("best", alive, keep); // all have equally many visits
    alive = keep;
    onRound(visits);
  }
  return visits;
}

function passesUntil(run, alive, end, chunk) {
  let passes = 1;
  let done = 0;
  for (;;) {
    const begin = performance.now();
    run(alive, passes);
    done += passes;
    const now = performance.now();
    const each = (now - begin) / passes;
    if (now + each > end) return done;
    // A browser's clock is coarse: passes may seem to take no time at all.
    passes = Math.max(1, Math.min(4 * passes, Math.floor(Math.min(chunk, end - now) / Math.max(each, 1e-6))));
  }
}
