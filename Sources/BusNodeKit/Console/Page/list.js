// The list. Only visible rows, and the one with the keyboard focus, are in the document.
import { $, el, isWide, redraw, since } from "./elements.js";
import { clearFilter } from "./filter-box.js";
import { filter, hiddenText } from "./filter.js";
import { guarded, schedule } from "./frame.js";
import { fillLine, newLine } from "./row.js";
import { isCompact, state } from "./state.js";
import { counted, number } from "./text.js";
import { select } from "./views.js";

const OTHERS = {
  gravity: "Others, gravest first", age: "Others, oldest first",
  count: "Others, largest group first",
};

/** The bands of the list: those that expire soon in front, then the others. */
function bands() {
  const [soon, all] = [state.soonCount, state.rows.length];
  if (soon === 0) return [];
  const front = { key: "soon", text: "Expires soon", index: 0 };
  return soon < all ? [front, { key: "others", text: OTHERS[state.sort], index: soon }] : [front];
}

/** The heights of a row and of a band's heading, and where a row begins. */
function measures() {
  const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [height, bandHeight, heads] = [(isCompact() ? 3 : 4.25) * root, 1.9 * root, bands()];
  const topOf = (index) => index * height
    + heads.filter((band) => band.index <= index).length * bandHeight;
  return { height, bandHeight, heads, topOf };
}

export function drawList() {
  const { height, bandHeight, heads, topOf } = measures();
  const scroller = $("scroller");
  const first = Math.max(0, Math.floor(scroller.scrollTop / height) - 6);
  const last = Math.min(state.rows.length, first + Math.ceil(scroller.clientHeight / height) + 12);
  const wanted = new Set([state.cursorIndex]);
  for (let index = first; index < last; index += 1) wanted.add(index);
  $("list").classList.toggle("grouped", state.rows.some(({ kind }) => kind === "group"));
  $("list").style.height = `${state.rows.length * height + heads.length * bandHeight}px`;
  const indices = [...wanted].filter((index) => index < state.rows.length).sort((a, b) => a - b);
  placeLines(indices.flatMap((index) => {
    const [row, top] = [state.rows[index], topOf(index)];
    const band = heads.find((each) => each.index === index);
    return [band && { key: `band ${band.key}`, band, top: top - bandHeight },
      { key: row.key, row, index, top }].filter(Boolean);
  }));
}

function placeLines(lines) {
  const list = $("list");
  const focused = list.contains(document.activeElement);
  const present = new Map([...list.children].map((line) => [line.dataset.row, line]));
  const wanted = new Set(lines.map(({ key }) => key));
  // First: else each line below would be moved, and a line that is moved loses the focus.
  for (const [key, line] of present) if (!wanted.has(key)) line.remove();
  let next = list.firstChild;
  for (const { key, row, index, band, top } of lines) {
    const line = present.get(key) ?? (band ? newBand(band) : newLine(key, { choose, expand }));
    if (row) fillLine(line, row, index);
    else if (line.textContent !== band.text) line.textContent = band.text;
    line.style.transform = `translateY(${top}px)`;
    if (line === next) next = next.nextSibling; else list.insertBefore(line, next);
  }
  if (focused && !list.contains(document.activeElement)) focusCursor();
}

const newBand = ({ key, text }) => el("li", {
  className: `band ${key}`, role: "none", textContent: text, dataset: { row: `band ${key}` },
});

export function drawCounts() {
  const open = state.show === "open";
  $("list").ariaLabel = open ? "Waiting presentations" : "Ended presentations";
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
  const hidden = filter().isOn ? `, the filter hides ${number(state.hidden)}` : "";
  // Before anything has come a number would be none that is known.
  const isUnknown = !state.ready && state.openCount === 0 && groups === 0;
  const unknown = state.attempt ? "Loading…" : "Nothing is loaded yet.";
  $("count").textContent = isUnknown ? unknown : `${what}${hidden}${rest}`;
  $("scroller").hidden = groups === 0;
  $("empty").hidden = groups > 0 || !state.ready;
  if (!$("empty").hidden) drawEmpty(open);
}

/** Title, hint, mark and the mark's tone. */
function emptyText(open) {
  if (state.hidden > 0) return ["Nothing matches the filter.", hiddenText(), "–", "debug"];
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
  const last = open && state.hidden === 0 ? state.lastEnd : null;
  redraw($("empty"), [title, hint, last, filter().isOn], () => [
    el("span", { className: `mark ${tone}`, textContent: sign, ariaHidden: "true" }),
    el("strong", { textContent: title }), hint && el("p", { textContent: hint }),
    last && el("p", {}, "The last one ended ", since(last), " ago."),
    filter().isOn && el("button", {
      type: "button", textContent: "Remove the filter", onclick: clearFilter,
    }),
  ]);
}

export function focusCursor() {
  const line = [...$("list").children].find((child) => child.dataset.row === state.cursor);
  line?.firstChild.focus({ preventScroll: true });
}

/** Leads the keyboard past what is above the list, to its row or to what stands in its place. */
export function skipToList(event) {
  event.preventDefault();
  const key = isWide() ? state.selected : null;
  if (state.tab !== "inbox" || key !== state.selected) select(key);
  if (state.rows.length === 0) {
    $("empty").focus();
    return;
  }
  scrollToCursor();
  guarded(drawList);
  focusCursor();
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
  const { height, bandHeight, heads, topOf } = measures();
  const top = topOf(state.cursorIndex);
  const isFirst = heads.some(({ index }) => index === state.cursorIndex);
  const upper = isFirst ? top - bandHeight : top;
  const scroller = $("scroller");
  if (upper < scroller.scrollTop) scroller.scrollTop = upper;
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
