// The content in place of the detail when no presentation is chosen.
import { el, kbd, section } from "./elements.js";
import { SEVERITIES, state } from "./state.js";
import { isLive } from "./store.js";
import { number, shown } from "./text.js";

/** Counts open presentations by the value of `pick`. */
function tally(pick) {
  const counts = new Map();
  for (const item of state.items.values()) {
    if (isLive(item)) counts.set(pick(item), (counts.get(pick(item)) ?? 0) + 1);
  }
  return [...counts];
}

const bySeverity = () => tally((item) => item.severity)
  .sort((a, b) => SEVERITIES.indexOf(b[0]) - SEVERITIES.indexOf(a[0]));
const byOrigin = () => tally((item) => item.origin ?? "this process")
  .sort((a, b) => b[1] - a[1]).slice(0, 8);

export const overviewKey = () => (state.items.size ? `${bySeverity()} ${byOrigin()}` : "");

function tiles(entries, tone) {
  return el("dl", { className: "tables" }, ...entries.map(([name, count]) => el("div", {},
    el("dt", { className: tone ? `outcome ${name}` : "", textContent: shown(name, 64) }),
    el("dd", { textContent: number(count) }))));
}

export function overview() {
  if (state.selected) {
    const text = "This presentation is not here: it may have ended long ago.";
    return [el("p", { className: "quiet", textContent: text })];
  }
  if (state.openCount === 0) return [];
  const hint = el("p", { className: "quiet" }, "Nothing chosen. ", kbd("j"), " and ", kbd("k"),
    " go through the list, ", kbd("?"), " shows all keys.");
  return [...section("Waiting, by severity", tiles(bySeverity(), true)),
    ...section("Waiting, by origin", tiles(byOrigin(), false)), hint];
}
