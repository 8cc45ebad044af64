// The list. Only visible rows, and the one with the keyboard focus, are in the document.
import { $, el, isWide, redraw, since } from "./elements.js";
import { guarded, schedule } from "./frame.js";
import { fillLine, newLine } from "./row.js";
import { isFiltered } from "./rows.js";
import { state } from "./state.js";
import { counted, number } from "./text.js";
import { select } from "./views.js";

const rowHeight = () => 4.25 * parseFloat(getComputedStyle(document.documentElement).fontSize);

export function drawList() {
  const height = rowHeight();
  const scroller = $("scroller");
  const first = Math.max(0, Math.floor(scroller.scrollTop / height) - 6);
  const last = Math.min(state.rows.length, first + Math.ceil(scroller.clientHeight / height) + 12);
  const wanted = new Set([state.cursorIndex]);
  for (let index = first; index < last; index += 1) wanted.add(index);
  $("list").style.height = `${state.rows.length * height}px`;
  const indices = [...wanted].filter((index) => index < state.rows.length).sort((a, b) => a - b);
  placeRows(indices, height);
}

function placeRows(indices, height) {
  const list = $("list");
  const focused = list.contains(document.activeElement);
  const present = new Map([...list.children].map((line) => [line.dataset.row, line]));
  let next = list.firstChild;
  for (const index of indices) {
    const row = state.rows[index];
    const line = present.get(row.key) ?? newLine(row.key, { choose, expand });
    present.delete(row.key);
    fillLine(line, row, index);
    line.style.transform = `translateY(${index * height}px)`;
    if (line === next) next = next.nextSibling; else list.insertBefore(line, next);
  }
  for (const line of present.values()) line.remove();
  if (focused && !list.contains(document.activeElement)) focusCursor();
}

export function drawCounts() {
  const open = $("view").value === "open";
  $("openCount").hidden = state.openCount === 0;
  $("openCount").textContent = number(state.openCount);
  const groups = state.rows.filter((row) => row.kind !== "member").length;
  const sum = (name) => state.rows.reduce((total, row) =>
    total + (row.kind === "member" ? 0 : row[name]), 0);
  const [all, leaving] = open ? [sum("count"), sum("leaving")] : [groups, 0];
  const inRows = groups < all ? ` in ${counted(groups, "row")}` : "";
  const answered = leaving ? `, ${number(leaving)} just answered` : "";
  const what = open ? `${number(all - leaving)} waiting${answered}${inRows}`
    : `${number(groups)} ended`;
  const rest = state.ready ? "" : `, loading ${number(state.openCount)}`;
  $("count").textContent = `${what}${isFiltered() ? ", filtered" : ""}${rest}`;
  $("scroller").hidden = groups === 0;
  $("empty").hidden = groups > 0 || !state.ready;
  if (!$("empty").hidden) drawEmpty(open);
}

/** Title, hint, mark and the mark's tone. */
function emptyText(open) {
  if (isFiltered()) return ["Nothing matches the filter.", "", "–", "debug"];
  if (!open) {
    const hint = "Presentations that were answered or withdrawn are listed here.";
    return ["Nothing has ended yet.", hint, "–", "debug"];
  }
  const link = state.online ? "Linked" : "No link";
  const hint = `${link}. New presentations appear here by themselves.`;
  return ["Nothing is waiting.", hint, "✓", "good"];
}

function drawEmpty(open) {
  const [title, hint, sign, tone] = emptyText(open);
  const last = open && !isFiltered() ? state.lastEnd : null;
  redraw($("empty"), [title, hint, last], () => [
    el("span", { className: `mark ${tone}`, textContent: sign, ariaHidden: "true" }),
    el("strong", { textContent: title }), hint && el("p", { textContent: hint }),
    last && el("p", {}, "The last one ended ", since(last), " ago."),
    isFiltered() && el("button", {
      type: "button", textContent: "Clear the filter", onclick: clearFilter,
    }),
  ]);
}

function clearFilter() {
  $("filter").value = "";
  $("severity").value = "debug";
  $("filter").focus();
  schedule();
}

export function focusCursor() {
  const line = [...$("list").children].find((child) => child.dataset.row === state.cursor);
  line?.firstChild.focus({ preventScroll: true });
}

export const isFocusInList = () => $("list").contains(document.activeElement);

export function move(to) {
  if (state.rows.length === 0) return;
  state.cursorIndex = Math.max(0, Math.min(to, state.rows.length - 1));
  state.cursor = state.rows[state.cursorIndex].key;
  scrollToCursor();
  if (isWide()) select(state.cursor, true);
  guarded(drawList);
  focusCursor();
}

function scrollToCursor() {
  const height = rowHeight();
  const top = state.cursorIndex * height;
  const scroller = $("scroller");
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  const bottom = top + height - scroller.clientHeight;
  if (bottom > scroller.scrollTop) scroller.scrollTop = bottom;
}

export function expand(key, isExpanded) {
  if (!key?.startsWith("g")) return;
  if (isExpanded) state.expanded.add(key); else state.expanded.delete(key);
  schedule();
}

/** Collapses the group that the cursor is in. */
export function collapse() {
  const group = state.items.get(state.cursor)?.group;
  const key = state.cursor?.startsWith("g") ? state.cursor : `g${group}`;
  if (!state.expanded.has(key)) return;
  state.cursor = key;
  expand(key, false);
}

export function choose(key) {
  state.cursor = key;
  select(key);
  $("detail").focus();
}
