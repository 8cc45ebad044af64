// The content in place of the detail when no presentation is chosen.
import { timeText } from "./chart.js";
import { el, kbd, section } from "./elements.js";
import { toggleTerm } from "./filter-box.js";
import { filterText, wordFor } from "./filter.js";
import { hasKeys, SEVERITIES, state } from "./state.js";
import { claimant, isListed, isNear } from "./store.js";
import { counted, number, originOf, shown, span } from "./text.js";
import { proposalOf } from "./two-people.js";

const NAMES_MAX = 8;
const TENTHS = 10; // Of fewer answers nine of ten would be all of them.

/** Entries of severities, the gravest first. */
const byGravity = (entries, severityOf) => [...entries].sort((a, b) =>
  SEVERITIES.indexOf(severityOf(b)) - SEVERITIES.indexOf(severityOf(a)));

/** What the list is of, filtered or not, counted by severity, origin and state, and by who has
 *  claimed it, the most frequent first. */
function counts() {
  const by = { severity: new Map(), origin: new Map(), state: new Map(), claimed: new Map() };
  const originNames = new Map();
  const add = (kind, name) => by[kind].set(name, (by[kind].get(name) ?? 0) + 1);
  for (const item of state.items.values()) {
    if (!isListed(item)) continue;
    add("severity", item.severity);
    const origin = item.origin ?? state.node;
    add("origin", origin);
    originNames.set(origin, originOf(item));
    if (isNear(item)) add("state", "expiring");
    if (proposalOf(item)) add("state", "proposed");
    const holder = claimant(item);
    if (holder) add("claimed", holder); else add("state", "unclaimed");
  }
  const sorted = (kind) => [...by[kind]].sort((a, b) => b[1] - a[1]);
  return {
    severity: byGravity(by.severity, ([name]) => name),
    origin: sorted("origin"), originNames, state: by.state, claimed: sorted("claimed"),
  };
}

export function overviewKey() {
  const waits = [state.chart?.span, state.chart?.waits];
  const { state: states, ...rest } = counts();
  return [rest, [...states], filterText(), state.show, hasKeys(), waits];
}

/** Counts as buttons that filter the list by what they count, or no longer do. */
function tiles(entries) {
  return el("ul", { className: "tiles" }, ...entries.map(({ word, label, count, tone }) => {
    const isOn = state.terms.includes(word);
    return el("li", {}, el("button", {
      type: "button", className: "tile", ariaPressed: String(isOn),
      title: isOn ? "Remove from the filter" : "Show only these",
      dataset: { key: `tile ${word}` }, onclick: () => toggleTerm(word),
    }, el("span", {
      className: tone ? `foreign outcome ${tone}` : "foreign", textContent: shown(label, 64),
    }), " ", el("b", { textContent: number(count) })));
  }));
}

const severityTiles = (severities) => tiles(severities.map(([name, count]) =>
  ({ word: wordFor("severity", name), label: name, count, tone: name })));

/** Those of the most frequent names, and how many more names there are. */
function namedTiles(entries, { first = [], kind, labelOf, rest }) {
  const named = entries.slice(0, NAMES_MAX).map(([name, count]) =>
    ({ word: wordFor(kind, name), label: labelOf(name), count }));
  const excess = entries.length - NAMES_MAX;
  return el("div", {}, tiles([...first, ...named]), excess > 0
    && el("p", { className: "soft", textContent: `and ${counted(excess, rest)}` }));
}

const originTiles = (origins, names) => namedTiles(origins, {
  kind: "origin", rest: "more origin", labelOf: (name) => names.get(name),
});

const LABELS = {
  expiring: "expires soon", proposed: "needs a second person", unclaimed: "unclaimed",
};

/** What expires soon, is proposed or claimed; nothing where all only waits. */
function stateTiles(states, claimed) {
  const first = Object.entries(LABELS).filter(([word]) => states.has(word))
    .map(([word, label]) => ({ word, label, count: states.get(word) }));
  const isPlain = claimed.length === 0 && first.every(({ word }) => word === "unclaimed");
  return !isPlain && namedTiles(claimed, {
    first, kind: "claimed", rest: "more person", labelOf: (name) => `claimed by ${name}`,
  });
}

const overviewTitle = () => el("h2", { className: "sr", textContent: "Overview" });

/** How long people took to answer, in the time of the chart; nothing where they answered none. */
function waitTiles() {
  const { all, bySeverity, byDomain, countMax } = state.chart?.waits ?? {};
  if (!all) return [];
  const list = (...tiles) => el("dl", { className: "tables waits" }, ...tiles);
  const note = "The median; from ten answers on, also the time within which nine of ten came. Of "
    + `people's answers to the latest ${number(countMax)} presentations of the `
    + `${timeText(state.chart.span)}.`;
  return [
    ...section("Time to answer, by severity", list(waitTile({ ...all, what: "all" }),
      ...byGravity(bySeverity, ({ what }) => what)
        .map((wait) => waitTile(wait, `outcome ${wait.what}`)))),
    ...section("Time to answer, by domain", list(...byDomain.map((wait) => waitTile(wait)))),
    el("p", { className: "soft", textContent: note }),
  ];
}

function waitTile({ what, count, medianMilliseconds, percentile90Milliseconds }, look = "") {
  return el("div", {},
    el("dt", {}, el("span", {
      className: `foreign ${look}`, textContent: shown(what, 64), dir: "auto",
    }), " · ", el("span", { className: "number", textContent: counted(count, "answer") })),
    el("dd", {}, span(medianMilliseconds), " ", count >= TENTHS && el("small", {
      className: "soft", textContent: `9 of 10 within ${span(percentile90Milliseconds)}`,
    })));
}

export function overview() {
  if (state.selected) {
    const text = "This presentation is not here: it may have ended long ago.";
    return [el("p", { className: "quiet", textContent: text })];
  }
  const isOpen = state.show === "open";
  const waits = waitTiles();
  const { severity, origin, originNames, state: states, claimed } = counts();
  if (severity.length === 0) {
    const text = `A presentation that you choose is shown here, with ${
      isOpen ? "its options" : "its answer and its result"}.`;
    return waits.length > 0 ? [overviewTitle(), ...waits]
      : [el("p", { className: "quiet", textContent: text })];
  }
  const keys = [" ", kbd("j"), " and ", kbd("k"), " go through the list, ", kbd("?"),
    " shows all keys."];
  const hint = el("p", { className: "quiet" }, "Nothing chosen.", ...(hasKeys() ? keys : []));
  const what = isOpen ? "Waiting" : "Ended";
  return [overviewTitle(),
    ...section(`${what}, by severity`, severityTiles(severity)),
    ...section(`${what}, by state`, isOpen && stateTiles(states, claimed)),
    ...section(`${what}, by origin`, originTiles(origin, originNames)), ...waits, hint];
}
