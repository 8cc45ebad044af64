// The rows of the list, their order, and the chosen one.
import { filter } from "./filter.js";
import { ordered } from "./order.js";
import { byEnd, isLive, isOpen } from "./store.js";
import { SEVERITIES, state } from "./state.js";

function endedRows() {
  const { matches } = filter();
  const ended = [...state.items.values()].filter((item) => !isLive(item));
  const shown = ended.filter(matches).sort((a, b) => byEnd(b, a));
  Object.assign(state, { hidden: ended.length - shown.length, soonCount: 0 });
  return shown.map((item) =>
    ({ key: item.id, item, members: [item], kind: "single", count: 1, total: 1 }));
}

/** Groups in their order: of each, the members that the filter lets through. */
function openRows() {
  const { matches } = filter();
  const groups = new Map();
  state.hidden = 0;
  for (const item of state.items.values()) {
    if (!isLive(item)) continue;
    const group = groups.get(item.group) ?? { members: [], total: 0 };
    groups.set(item.group, group);
    group.total += 1;
    if (matches(item)) group.members.push(item); else state.hidden += 1;
  }
  const entries = [...groups.values()].filter(({ members }) => members.length > 0).map(groupEntry);
  const { soon, others } = ordered(entries);
  const inFront = soon.flatMap(rowsOfEntry);
  state.soonCount = inFront.length;
  return [...inFront, ...others.flatMap(rowsOfEntry)];
}

function groupEntry({ members, total }) {
  const first = members.reduce((a, b) => (b.openedAt < a.openedAt ? b : a));
  const known = filter().isOn || state.ready ? null : state.groups.get(first.group);
  const rank = members.reduce((found, item) =>
    Math.max(found, SEVERITIES.indexOf(item.severity)), SEVERITIES.indexOf(known?.severity));
  const openCount = known?.members ?? 0;
  const leaving = members.filter((item) => item.stage === "leaving").length;
  const count = Math.max(openCount + leaving, members.length);
  // Also of an answer that is held: its row stays where it is.
  const deadline = members.reduce((least, item) =>
    Math.min(least, item.deadline ?? least), Infinity);
  return {
    members, first, rank, count, leaving, deadline, soonest: soonestOf(members),
    total: Math.max(total, count),
  };
}

/** The member whose deadline comes first. */
function soonestOf(members) {
  return members.reduce((found, item) =>
    (isOpen(item) && item.deadline < (found?.deadline ?? Infinity) ? item : found), null);
}

function rowsOfEntry({ members, first, rank, count, total, leaving, soonest }) {
  if (count === 1) {
    const kind = "single";
    return [{ key: first.id, item: first, members, kind, count, total, leaving, soonest }];
  }
  const key = `g${first.group}`;
  const isExpanded = state.expanded.has(key);
  const severity = SEVERITIES[rank];
  const head = {
    key, item: first, members, severity, kind: "group", count, total, leaving, soonest, isExpanded,
  };
  if (!isExpanded) return [head];
  members.sort((a, b) => (a.openedAt < b.openedAt ? -1 : 1));
  return [head, ...members.map((item) => ({
    key: item.id, item, members: [item], kind: "member", count: 1, total: 1, leaving: 0,
    soonest: soonestOf([item]),
  }))];
}

export function collectRows() {
  state.rows = state.show === "open" ? openRows() : endedRows();
  state.index = new Map(state.rows.map((row, index) => [row.key, index]));
  const last = Math.max(0, Math.min(state.cursorIndex, state.rows.length - 1));
  state.cursorIndex = indexOf(state.cursor) ?? last;
  state.cursor = state.rows[state.cursorIndex]?.key ?? null;
}

/** The index of a key's row; of its group's row when it has none. */
export function indexOf(key) {
  return state.index.get(key) ?? state.index.get(`g${state.items.get(key)?.group}`);
}

/** The chosen item, or the oldest of a group; the one shown last when that is gone. */
export function current() {
  const key = state.selected;
  if (!key) return null;
  const row = key.startsWith("g") ? state.rows[state.index.get(key)] : null;
  return row?.item ?? state.items.get(key) ?? state.items.get(state.shownID) ?? oldestOf(key);
}

export const CHANGED = "The screen has changed: read it, then choose again.";
/** What has been visible for less, in milliseconds, was not read. */
export const JUST_SHOWN = 400;

/** Why an item cannot have been read on the screen; null when it can. */
export function whyUnread(item) {
  if (state.tab !== "inbox" || state.shownID !== item.id || current()?.id !== item.id) {
    return CHANGED;
  }
  return performance.now() - state.shownAt < JUST_SHOWN
    ? "This just appeared: read it, then choose again." : null;
}

/** The oldest of a group that has no row of its own, as when the filter hides it; null without. */
function oldestOf(key) {
  const group = key.startsWith("g") ? Number(key.slice(1)) : null;
  const members = [...state.items.values()].filter((item) => item.group === group && isOpen(item));
  return members.reduce((a, b) => (a && a.openedAt <= b.openedAt ? a : b), null);
}
