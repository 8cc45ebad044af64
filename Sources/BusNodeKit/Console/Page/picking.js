// The rows that a person selects, to answer or claim them together.
import { $ } from "./elements.js";
import { schedule } from "./frame.js";
import { say, toast } from "./news.js";
import { state } from "./state.js";
import { isOpen } from "./store.js";
import { number } from "./text.js";

/** At most so many presentations are selected at a time. */
const PICKED_MAX = 1000;

const canPick = (item) => isOpen(item) && !state.leftOut.has(item.id);

/** What is selected: presentations that are open, and not left out of their group. */
export const picked = () => [...state.picked].map((id) => state.items.get(id))
  .filter((item) => item && canPick(item));

/** How much of a row is selected: all, some, none. Of a group the members that the row has. */
export function pickOf({ members }) {
  const able = members.filter(canPick);
  const count = able.filter(({ id }) => state.picked.has(id)).length;
  return count === 0 ? "none" : count < able.length ? "some" : "all";
}

function pick(rows, isPicked) {
  const ids = rows.flatMap(({ members }) => members.filter(canPick)).map(({ id }) => id);
  const all = new Set([...picked().map(({ id }) => id), ...ids]);
  if (isPicked && all.size > PICKED_MAX) {
    toast(`At most ${number(PICKED_MAX)} can be selected at a time.`, "warning");
    return;
  }
  for (const id of ids) if (isPicked) state.picked.add(id); else state.picked.delete(id);
  say(`${number(picked().length)} selected.`);
  schedule();
}

const isPickable = (row) => state.show === "open" && row && row.kind !== "member";

/** Selects a row, or no longer. */
export function togglePick(key) {
  const row = state.rows[state.index.get(key)];
  if (!isPickable(row)) return;
  state.anchor = key;
  pick([row], pickOf(row) !== "all");
}

/** Selects the rows from the last one that was selected, else from the cursor, to this one. */
export function pickRange(key) {
  const end = state.index.get(key);
  if (end === undefined) return;
  const begin = state.index.get(state.anchor) ?? state.cursorIndex;
  pick(state.rows.slice(Math.min(begin, end), Math.max(begin, end) + 1).filter(isPickable), true);
  state.anchor = key;
}

export function clearPicks() {
  state.anchor = null;
  state.picked.clear();
  schedule();
}

/** The bar with what can be done with what is selected. */
export function drawPicked() {
  for (const id of state.picked) {
    const item = state.items.get(id);
    if (!item || !isOpen(item)) state.picked.delete(id);
  }
  const count = picked().length;
  $("picked").hidden = count === 0 || state.show !== "open";
  const text = `${number(count)} selected`;
  if ($("pickedCount").textContent !== text) $("pickedCount").textContent = text;
}
