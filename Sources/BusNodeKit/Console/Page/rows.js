// The rows of the list, their order, and the chosen one.
import { $ } from "./elements.js";
import { isLive, isOpen } from "./store.js";
import { SEVERITIES, state } from "./state.js";
import { optionTitle } from "./text.js";

function matcher() {
  const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = SEVERITIES.indexOf($("severity").value);
  return (item) => SEVERITIES.indexOf(item.severity) >= rank
    && (words.length === 0 || words.every((word) => searchText(item).includes(word)));
}

function searchText(item) {
  item.searchText ??= [item.description, item.domain, item.code, item.severity, item.origin,
    ...item.path, item.id, item.claimedBy, item.answer?.by, item.answer?.second,
    item.proposal?.by, item.result, item.reason,
    ...item.options.map(optionTitle)].join(" ").toLowerCase();
  return item.searchText;
}

export function isFiltered() {
  return $("filter").value.trim() !== "" || $("severity").value !== "debug";
}

function endedRows(matches) {
  return [...state.items.values()].filter((item) => !isLive(item) && matches(item))
    .sort((a, b) => b.revision - a.revision)
    .map((item) => ({ key: item.id, item, kind: "single", count: 1 }));
}

/** Groups, most severe first, then oldest. */
function openRows(matches) {
  const groups = new Map();
  for (const item of state.items.values()) {
    if (!isLive(item) || !matches(item)) continue;
    const members = groups.get(item.group);
    if (members) members.push(item); else groups.set(item.group, [item]);
  }
  const entries = [...groups.values()].map(groupEntry);
  entries.sort((a, b) => b.rank - a.rank || (a.first.openedAt < b.first.openedAt ? -1 : 1));
  return entries.flatMap(rowsOfEntry);
}

function groupEntry(members) {
  const first = members.reduce((a, b) => (b.openedAt < a.openedAt ? b : a));
  const known = isFiltered() || state.ready ? null : state.groups.get(first.group);
  const rank = members.reduce((found, item) =>
    Math.max(found, SEVERITIES.indexOf(item.severity)), SEVERITIES.indexOf(known?.severity));
  const openCount = known?.members ?? 0;
  const leaving = members.filter((item) => item.stage === "leaving").length;
  const count = Math.max(openCount + leaving, members.length);
  return { members, first, rank, count, leaving, soonest: soonestOf(members) };
}

/** The member whose deadline comes first. */
function soonestOf(members) {
  return members.reduce((found, item) =>
    (isOpen(item) && item.deadline < (found?.deadline ?? Infinity) ? item : found), null);
}

function rowsOfEntry({ members, first, rank, count, leaving, soonest }) {
  if (count === 1) return [{ key: first.id, item: first, kind: "single", count, leaving, soonest }];
  const key = `g${first.group}`;
  const isExpanded = state.expanded.has(key);
  const severity = SEVERITIES[rank];
  const head = { key, item: first, severity, kind: "group", count, leaving, soonest, isExpanded };
  if (!isExpanded) return [head];
  members.sort((a, b) => (a.openedAt < b.openedAt ? -1 : 1));
  return [head, ...members.map((item) => (
    { key: item.id, item, kind: "member", count: 1, leaving: 0, soonest: soonestOf([item]) }))];
}

export function collectRows() {
  const matches = matcher();
  state.rows = $("view").value === "open" ? openRows(matches) : endedRows(matches);
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
  return row?.item ?? state.items.get(key) ?? state.items.get(state.shownID) ?? null;
}
