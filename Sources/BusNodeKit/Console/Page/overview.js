// The content in place of the detail when no presentation is chosen.
import { el, kbd, section } from "./elements.js";
import { toggleTerm } from "./filter-box.js";
import { filterText, wordFor } from "./filter.js";
import { hasKeys, SEVERITIES, state } from "./state.js";
import { isLive } from "./store.js";
import { counted, number, shown } from "./text.js";

const ORIGINS_MAX = 8;

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
const byOrigin = () => tally((item) => item.origin ?? state.node).sort((a, b) => b[1] - a[1]);

export const overviewKey = () =>
  (state.items.size ? [bySeverity(), byOrigin(), filterText(), state.show, hasKeys()] : "");

/** Counts as buttons that filter the list by what they count, or no longer do. */
function tiles(entries, kind) {
  return el("ul", { className: "tiles" }, ...entries.map(([name, count]) => {
    const word = wordFor(kind, name);
    const isOn = state.terms.includes(word);
    const label = kind === "origin" && name === state.node ? "this process" : name;
    return el("li", {}, el("button", {
      type: "button", className: "tile", ariaPressed: String(isOn),
      title: isOn ? "Remove from the filter" : "Show only these",
      dataset: { key: `tile ${word}` }, onclick: () => toggleTerm(word),
    }, el("span", {
      className: kind === "severity" ? `foreign outcome ${name}` : "foreign",
      textContent: shown(label, 64),
    }), " ", el("b", { textContent: number(count) })));
  }));
}

function originTiles() {
  const origins = byOrigin();
  const rest = origins.length - ORIGINS_MAX;
  return el("div", {}, tiles(origins.slice(0, ORIGINS_MAX), "origin"), rest > 0
    && el("p", { className: "soft", textContent: `and ${counted(rest, "more origin")}` }));
}

export function overview() {
  if (state.selected) {
    const text = "This presentation is not here: it may have ended long ago.";
    return [el("p", { className: "quiet", textContent: text })];
  }
  if (state.openCount === 0) return [];
  const keys = [" ", kbd("j"), " and ", kbd("k"), " go through the list, ", kbd("?"),
    " shows all keys."];
  const hint = el("p", { className: "quiet" }, "Nothing chosen.", ...(hasKeys() ? keys : []));
  return [el("h2", { className: "sr", textContent: "Overview" }),
    ...section("Waiting, by severity", tiles(bySeverity(), "severity")),
    ...section("Waiting, by origin", originTiles()), hint];
}
