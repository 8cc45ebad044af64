"use strict";
// The operator's page. It keeps a copy of the inbox that the server's events bring up to date,
// and draws from it once per animation frame. Text from reports only ever becomes text nodes.

const SEVERITIES = ["debug", "info", "warning", "error", "critical"];
const MARKS = { debug: "·", info: "i", warning: "!", error: "✕", critical: "‼" };
const ENDED_MAX = 2000;
const BATCH = 500; // What the server sends at most in one message: more follow.
const SILENCE_MAX = 40_000; // The server pings every 15 s.
const JUST_SHOWN = 400; // What has been on the screen for less was not read.
const CLAIM_TIME = 15 * 60_000;

const state = {
  node: "", resume: 0, drawn: 0, openCount: 0, skew: 0,
  items: new Map(), groups: new Map(),
  online: false, ready: false, source: null, heardAt: 0, lostAt: 0, retryDelay: 500, retryTimer: null,
  rows: [], index: new Map(), fresh: new Set(), expanded: new Set(),
  cursor: null, cursorIndex: 0, selected: null, shownID: null, shownAt: 0, whole: false,
  details: null, loading: null, isPressing: false, tab: "inbox", busy: false, framed: false,
  undos: [], news: { arrived: [], results: [] }, lastEnd: null,
};

// MARK: Small things

const $ = (id) => document.getElementById(id);
const isWide = () => matchMedia("(min-width: 761px)").matches;
const now = () => Date.now() + state.skew;
const myName = () => localStorage.getItem("errorbus.name") ?? "";
const undoTime = () => 1000 * Number(localStorage.getItem("errorbus.undo") ?? 5);
const number = (value) => value.toLocaleString("en").replaceAll(",", "\u202f");

// Characters that reorder, hide or forge text.
const TRICKS = new RegExp("[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b\\u200e\\u200f"
  + "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]", "gu");

/** Foreign text with its tricks written out, and cut. */
function shown(text, max = 20_000) {
  const whole = String(text ?? "");
  const cut = whole.length > max ? whole.slice(0, max) + "…" : whole;
  return cut.replace(TRICKS, (trick) =>
    `⟨U+${trick.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** An element with properties and children; children that are null, false or "" are left out. */
function el(tag, { dataset, ...properties } = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  Object.assign(node.dataset, dataset);
  node.append(...children.filter((child) => child || child === 0));
  return node;
}

function span(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? `${hours} h ${Math.floor((seconds % 3600) / 60)} min` : `${Math.floor(hours / 24)} d`;
}

const clock = (time) => new Date(time).toLocaleTimeString("en-GB");

/** A time whose text `tick` keeps true: how long since, or how long until. */
function since(time) {
  const node = el("time", { dateTime: time, title: new Date(time).toLocaleString() });
  return live(node, "since", Date.parse(time));
}
const until = (milliseconds) => live(el("span"), "until", milliseconds);

function live(node, kind, milliseconds) {
  node.dataset[kind] = milliseconds;
  refreshTime(node);
  return node;
}

function refreshTime(node) {
  const { since, until } = node.dataset;
  node.textContent = since ? span(now() - since) : span(until - now());
}

// MARK: Talking to the server

class Refusal extends Error {}

async function api(method, path, body) {
  const response = await fetch(`/api/v1/${path}`, {
    method, cache: "no-store", signal: AbortSignal.timeout(15_000),
    ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const date = Date.parse(response.headers.get("Date"));
  if (Math.abs(date - Date.now()) > 2000) state.skew = date - Date.now();
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const refusal = new Refusal(answer.message ?? `The console answered ${response.status}.`);
  throw Object.assign(refusal, { status: response.status, answer });
}

/** Posts again once when the link broke in between: only for what may be said twice. */
async function postTwice(path, body) {
  try {
    return await api("POST", path, body);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return api("POST", path, body);
  }
}

/** Asks for the status first: an event stream does not say why it was refused. */
async function connect() {
  clearTimeout(state.retryTimer);
  state.source?.close();
  try {
    await api("GET", "status");
    listen();
  } catch (error) {
    lose(error);
  }
}

function listen() {
  const source = new EventSource(`/api/v1/events?after=${state.resume}`);
  state.source = source;
  source.onerror = () => lose();
  source.addEventListener("ping", heard);
  source.addEventListener("hello", (event) => linked(JSON.parse(event.data)));
  source.addEventListener("change", (event) => {
    heard();
    apply(JSON.parse(event.data));
  });
}

const heard = () => { state.heardAt = Date.now(); };

/** Another life of the server knows nothing of what was seen in an earlier one. */
function linked({ node, isReset }) {
  heard();
  if (isReset) {
    state.items.clear();
    state.groups.clear();
    Object.assign(state, { resume: 0, ready: false, details: null });
  }
  if (!state.online) say("Linked to the console.");
  Object.assign(state, { node, online: true, retryDelay: 500 });
  $("node").textContent = shown(node, 80);
  $("banner").hidden = true;
  $("link").textContent = "live";
  $("link").classList.add("live");
  refreshTab();
  schedule();
}

function lose(error) {
  state.source?.close();
  clearTimeout(state.retryTimer);
  if (state.online || $("banner").hidden) state.lostAt = Date.now();
  state.online = false;
  showBanner(error);
  state.retryTimer = setTimeout(connect, state.retryDelay * (0.75 + Math.random() / 2));
  state.retryDelay = Math.min(8000, state.retryDelay * 1.7);
  schedule();
}

function showBanner(error) {
  const text = error?.status === 401
    ? "The console asks for its token: open the address that bus-node printed when it started."
    : `No link to the console since ${clock(state.lostAt)}. What is shown may be out of date, and nothing can be answered. Trying again.`;
  const place = $("banner").firstChild;
  if (place.textContent !== text) place.textContent = text;
  $("banner").hidden = false;
  $("link").textContent = "no link";
  $("link").classList.remove("live");
}

// MARK: The copy of the inbox

const isOpen = (item) => item.stage === "open" || item.stage === "claimed";
const isLive = (item) => isOpen(item) || item.stage === "leaving";

/** Who looks after it; a claim that has run out is none. */
const claimant = (item) =>
  item.stage === "claimed" && Date.parse(item.claimedUntil) > now() ? item.claimedBy : null;

function apply(message) {
  for (const item of message.items) keep(item);
  state.groups = new Map((message.groups ?? []).map((group) => [group.number, group]));
  // The gravest are shown before all the others have come.
  for (const { first } of state.groups.values()) if (!state.items.has(first.id)) keep(first);
  state.resume = message.revision;
  state.openCount = message.openCount;
  if (message.items.length < BATCH) state.ready = true;
  dropOldestEnded();
  document.title = `${state.openCount ? `(${state.openCount}) ` : ""}ErrorBus ${shown(state.node, 80)}`;
  schedule();
}

function keep(item) {
  const before = state.items.get(item.id);
  if (before && before.revision > item.revision) return;
  if (item.deadlineInMilliseconds !== null) item.deadline = now() + item.deadlineInMilliseconds;
  state.items.set(item.id, item);
  if (!isLive(item) && !(item.changedAt < state.lastEnd)) state.lastEnd = item.changedAt;
  if (state.ready) noteNews(item, before);
}

function noteNews(item, before) {
  if (!before && isOpen(item)) {
    state.news.arrived.push(item);
    state.fresh.add(item.id);
  }
  if (item.result && !before?.result && item.answer?.by === myName()) state.news.results.push(item);
}

function dropOldestEnded() {
  if (state.items.size < state.openCount + ENDED_MAX * 1.5) return;
  const ended = [...state.items.values()].filter((item) => !isLive(item));
  ended.sort((a, b) => a.revision - b.revision);
  for (const item of ended.slice(0, -ENDED_MAX)) state.items.delete(item.id);
}

/** How many of a group are open; the server knows before all of them have come. */
function groupSize(groupNumber) {
  const told = state.groups.get(groupNumber)?.members;
  if (told) return told;
  let count = 0;
  for (const item of state.items.values()) count += item.group === groupNumber && isOpen(item);
  return count;
}

// MARK: Rows

function matcher() {
  const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = SEVERITIES.indexOf($("severity").value);
  return (item) => SEVERITIES.indexOf(item.severity) >= rank
    && (words.length === 0 || words.every((word) => searchText(item).includes(word)));
}

function searchText(item) {
  item.searchText ??= [item.description, item.domain, item.code, item.severity, item.origin,
    ...item.path, item.id, item.claimedBy, item.answer?.by, item.result, item.reason,
    ...item.options.map((option) => option.title)].join(" ").toLowerCase();
  return item.searchText;
}

function isFiltered() {
  return $("filter").value.trim() !== "" || $("severity").value !== "debug";
}

function endedRows(matches) {
  return [...state.items.values()].filter((item) => !isLive(item) && matches(item))
    .sort((a, b) => b.revision - a.revision)
    .map((item) => ({ key: item.id, item, kind: "single", count: 1 }));
}

/** Groups, gravest first, then oldest. */
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
  const rank = Math.max(...members.slice(0, 100).map((item) => SEVERITIES.indexOf(item.severity)));
  const told = isFiltered() ? 0 : state.groups.get(first.group)?.members ?? 0;
  return { members, first, rank, count: Math.max(told, members.length) };
}

function rowsOfEntry({ members, first, count }) {
  if (count === 1) return [{ key: first.id, item: first, kind: "single", count }];
  const key = `g${first.group}`;
  const head = { key, item: first, kind: "group", count, isExpanded: state.expanded.has(key) };
  if (!head.isExpanded) return [head];
  members.sort((a, b) => (a.openedAt < b.openedAt ? -1 : 1));
  return [head, ...members.map((item) => ({ key: item.id, item, kind: "member", count: 1 }))];
}

function collectRows() {
  const matches = matcher();
  state.rows = $("view").value === "open" ? openRows(matches) : endedRows(matches);
  state.index = new Map(state.rows.map((row, index) => [row.key, index]));
  state.cursorIndex = indexOf(state.cursor) ?? Math.max(0, Math.min(state.cursorIndex, state.rows.length - 1));
  state.cursor = state.rows[state.cursorIndex]?.key ?? null;
}

/** Where a key's row is; that of its group when it has none of its own. */
function indexOf(key) {
  return state.index.get(key) ?? state.index.get(`g${state.items.get(key)?.group}`);
}

// MARK: The list

function schedule() {
  if (state.framed) return;
  state.framed = true;
  requestAnimationFrame(draw);
}

function draw() {
  state.framed = false;
  state.drawn = state.resume;
  collectRows();
  drawList();
  drawCounts();
  drawDetail();
}

const rowHeight = () => 4.25 * parseFloat(getComputedStyle(document.documentElement).fontSize);

/** Only the rows in sight, and the one that the keyboard is on, are in the document. */
function drawList() {
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
  const focused = list.contains(document.activeElement) ? document.activeElement.className : null;
  const present = new Map([...list.children].map((line) => [line.dataset.row, line]));
  let next = list.firstChild;
  for (const index of indices) {
    const row = state.rows[index];
    const line = present.get(row.key) ?? newLine(row.key);
    present.delete(row.key);
    fillLine(line, row, index);
    line.style.transform = `translateY(${index * height}px)`;
    if (line === next) next = next.nextSibling; else list.insertBefore(line, next);
  }
  for (const line of present.values()) line.remove();
  if (focused && !list.contains(document.activeElement)) focusCursor();
}

function newLine(key) {
  const parts = ["mark", "title", "badge", "from", "age"].map((name) => el("span", { className: name }));
  const open = el("button", { className: "row", type: "button" }, ...parts);
  const toggle = el("button", { className: "toggle", type: "button", tabIndex: -1, hidden: true });
  open.addEventListener("click", () => choose(key));
  toggle.addEventListener("click", () => expand(key, !state.expanded.has(key)));
  return el("li", { dataset: { row: key } }, open, toggle);
}

function fillLine(line, row, index) {
  const { item } = row;
  const isChosen = index === indexOf(state.selected);
  line.ariaSetSize = state.rows.length;
  line.ariaPosInSet = index + 1;
  line.firstChild.tabIndex = row.key === state.cursor ? 0 : -1;
  const said = [item.id, item.revision, claimant(item), row.count, row.kind, row.isExpanded, isChosen].join();
  if (line.dataset.said === said) return;
  line.dataset.said = said;
  line.className = `${row.kind} ${isChosen ? "chosen" : ""} ${state.fresh.delete(item.id) ? "fresh" : ""}`;
  fillRow(line.firstChild, row, isChosen);
  fillToggle(line.lastChild, row);
}

function fillRow(button, { item, count }, isChosen) {
  const [mark, title, badge, from, age] = button.children;
  button.ariaCurrent = isChosen ? "true" : null;
  mark.className = `mark ${item.severity}`;
  mark.textContent = MARKS[item.severity] ?? "?";
  mark.ariaLabel = `${item.severity}:`;
  mark.role = "img";
  title.textContent = shown(item.description, 300);
  const [text, tone] = badgeOf(item, count);
  badge.hidden = !text;
  badge.textContent = text;
  badge.className = `badge ${tone}`;
  from.textContent = shown(fromText(item), 200);
  age.replaceChildren(item.stage === "leaving" ? until(Date.parse(item.leavesAt)) : since(isLive(item) ? item.openedAt : item.changedAt));
}

const fromText = (item) =>
  [item.path.join(" › ") || item.origin || "this process", codeText(item)].join(" · ");
const codeText = (item) => item.domain + (item.code === null ? "" : ` ${item.code}`);

function fillToggle(toggle, row) {
  toggle.hidden = row.kind !== "group";
  toggle.textContent = row.isExpanded ? "▾" : "▸";
  toggle.ariaExpanded = String(row.isExpanded);
  toggle.ariaLabel = `Each of ${row.count}`;
}

function badgeOf(item, count) {
  if (item.stage === "leaving") return ["leaving", "info"];
  if (!isLive(item)) return endingOf(item);
  const holder = claimant(item);
  if (count > 1) return [`× ${number(count)}`, "many"];
  return holder ? [shown(holder, 20), "warning"] : ["", ""];
}

/** What came of it, in a word, and its tone. */
function endingOf(item) {
  const tones = { recovered: "good", failed: "error", invalid: "error", late: "warning" };
  if (item.result) return [item.result, tones[item.result] ?? "debug"];
  return item.stage === "closed" ? [item.reason ?? "closed", "debug"] : ["sent", "info"];
}

function drawCounts() {
  const open = $("view").value === "open";
  $("openCount").hidden = state.openCount === 0;
  $("openCount").textContent = number(state.openCount);
  const groups = state.rows.filter((row) => row.kind !== "member").length;
  const shownCount = state.rows.reduce((sum, row) => sum + (row.kind === "member" ? 0 : row.count), 0);
  const what = open ? `${number(shownCount)} waiting${groups < shownCount ? ` in ${number(groups)} rows` : ""}` : `${number(groups)} ended`;
  $("count").textContent = isFiltered() ? `${what}, filtered` : what;
  $("scroller").hidden = groups === 0;
  $("empty").hidden = groups > 0 || !state.ready;
  if (!$("empty").hidden) drawEmpty(open);
}

function drawEmpty(open) {
  const text = isFiltered() ? ["Nothing matches the filter.", "Escape in the filter clears it."]
    : open ? ["Nothing is waiting.", `${state.online ? "Linked, and listening" : "No link"}. New questions appear here by themselves.`]
      : ["Nothing has ended yet.", "What was answered or withdrawn is listed here."];
  if ($("empty").dataset.said === text.join()) return;
  $("empty").dataset.said = text.join();
  const mark = el("span", { className: "mark good", textContent: "✓", ariaHidden: "true" });
  const last = state.lastEnd && open ? el("p", {}, "The last one ended ", since(state.lastEnd), " ago.") : null;
  $("empty").replaceChildren(...[mark, el("strong", { textContent: text[0] }), el("p", { textContent: text[1] }), last].filter(Boolean));
}

function focusCursor() {
  const line = [...$("list").children].find((child) => child.dataset.row === state.cursor);
  line?.firstChild.focus({ preventScroll: true });
}

function move(to) {
  if (state.rows.length === 0) return;
  state.cursorIndex = Math.max(0, Math.min(to, state.rows.length - 1));
  state.cursor = state.rows[state.cursorIndex].key;
  scrollToCursor();
  if (isWide()) select(state.cursor, true);
  drawList();
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

function expand(key, isExpanded) {
  if (!key?.startsWith("g")) return;
  if (isExpanded) state.expanded.add(key); else state.expanded.delete(key);
  schedule();
}

/** Collapses the group that the cursor is in. */
function collapse() {
  const key = state.cursor?.startsWith("g") ? state.cursor : `g${state.items.get(state.cursor)?.group}`;
  if (!state.expanded.has(key)) return;
  state.cursor = key;
  expand(key, false);
}

function choose(key) {
  state.cursor = key;
  select(key);
  $("detail").focus();
}

function select(key, quietly = false) {
  const hash = key ? `#/inbox/${key}` : "#/inbox";
  if (quietly) history.replaceState(null, "", hash); else if (location.hash !== hash) history.pushState(null, "", hash);
  route();
}

// MARK: The detail

/** What is chosen: the item, or the oldest of a group; what was shown last when that is gone. */
function current() {
  const key = state.selected;
  if (!key) return null;
  const row = key.startsWith("g") ? state.rows[state.index.get(key)] : null;
  return row?.item ?? state.items.get(key) ?? state.items.get(state.shownID) ?? null;
}

function drawDetail() {
  if (state.isPressing) return;
  const item = current();
  $("inbox").classList.toggle("reading", Boolean(state.selected));
  if (item && item.id !== state.shownID) Object.assign(state, { shownID: item.id, shownAt: performance.now() });
  if (item) loadDetails(item);
  const size = item ? groupSize(item.group) : 0;
  const details = state.details?.id === item?.id ? state.details : null;
  const said = JSON.stringify([item?.id, item?.revision, details?.revision, size, state.whole, state.online,
    item && claimant(item), myName(), state.busy, state.selected, item ? 0 : overviewKey()]);
  if ($("detail").dataset.said === said) return;
  $("detail").dataset.said = said;
  keepingFocus(() => $("detail").replaceChildren(...(item ? detailOf(item, details, size) : overview())));
}

/** Replaced elements take the focus over by their keys. */
function keepingFocus(change) {
  const isInside = $("detail").contains(document.activeElement);
  const key = isInside ? document.activeElement.dataset.key : null;
  change();
  if (!isInside) return;
  const same = [...$("detail").querySelectorAll("[data-key]")].find((node) => node.dataset.key === key);
  (same && !same.disabled ? same : $("detail")).focus({ preventScroll: true });
}

async function loadDetails({ id, revision }) {
  const wanted = `${id} ${revision}`;
  if (state.loading === wanted || (state.details?.id === id && state.details.revision >= revision)) return;
  state.loading = wanted;
  try {
    const details = await api("GET", `presentations/${id}`);
    if (state.shownID === id) state.details = details;
  } catch (error) {
    if (state.shownID === id && error.status) toast(error.message, "error");
  }
  schedule();
}

function detailOf(item, details, size) {
  const report = details?.report ?? {};
  const back = el("button", { className: "back", type: "button", textContent: "‹ List", onclick: () => select(null) });
  return [
    back, headOf(item), foreign("h2", item.description, { id: "title" }), decideOf(item, size),
    ...section("Why", report.failureReason && foreign("p", report.failureReason)),
    ...section("Suggestion", report.recoverySuggestion && foreign("p", report.recoverySuggestion)),
    ...section("Path", pathOf(item)),
    ...section("Underlying errors", report.underlyingErrors?.length && causesOf(report.underlyingErrors)),
    ...section("Context", report.userInfo && pairs(Object.entries(report.userInfo))),
    ...section("History", details && historyOf(item, report, details.history ?? [])),
    ...section("Identity", identityOf(item, report)),
  ];
}

const section = (title, content) => (content ? [el("h3", { textContent: title }), content] : []);

function foreign(tag, text, properties = {}) {
  const isLong = String(text).length > 600;
  return el(tag, { className: "foreign", textContent: shown(text), dir: "auto", ...(isLong && { tabIndex: 0 }), ...properties });
}

function headOf(item) {
  const parts = [el("span", { className: `badge ${item.severity}`, textContent: item.severity }),
    el("span", {}, "waits ", since(item.openedAt))];
  if (!isLive(item)) parts[1] = el("span", {}, "ended ", since(item.changedAt), " ago");
  if (item.retryCount > 0) parts.push(`failed again, retry ${item.retryCount}`);
  if (item.wasShownBefore) parts.push("shown before a restart; no answer was recorded");
  if (item.deadline && isLive(item)) parts.push(el("span", {}, "expires in ", until(item.deadline)));
  return el("p", { className: "meta" }, ...parts.map((part) => typeof part === "string" ? el("span", { textContent: part }) : part));
}

function decideOf(item, size) {
  const box = el("section", { className: "decide", ariaLabel: "Decision" });
  if (item.stage === "leaving") box.append(...leavingOf(item));
  else if (!isOpen(item)) box.append(...endOf(item));
  else box.append(...choicesOf(item, size));
  return box;
}

function leavingOf(item) {
  const undo = el("button", { type: "button", textContent: "Undo ", dataset: { key: "undo" }, onclick: () => undoItems([item.id]) }, el("kbd", { textContent: "u" }));
  return [el("p", {}, `${answerText(item)}. The answer leaves in `, until(Date.parse(item.leavesAt)), "."), undo];
}

const answerText = ({ answer, options }) => {
  const title = options.find((option) => option.id === answer.option)?.title ?? answer.option;
  return `“${shown(title, 120)}” by ${shown(answer.by, 64)}`;
};

function endOf(item) {
  const words = {
    recovered: "Recovered", failed: "Not recovered", late: "Came too late: another answer was applied before",
    withdrawn: "Withdrawn: the origin had given up", invalid: "Refused by its origin: not its option",
    unknown: "Not known: the answer could not be delivered",
  };
  const [word, tone] = endingOf(item);
  const text = words[item.result] ?? (item.stage === "closed" ? `Closed without an answer here: ${word}` : "Sent; waiting to hear what came of it");
  return [el("p", { className: `outcome ${tone}`, textContent: text }),
    item.answer && el("p", { textContent: `${answerText(item)}, ${clock(item.changedAt)}` })].filter(Boolean);
}

function choicesOf(item, size) {
  const holder = claimant(item);
  const isOthers = holder && holder !== myName();
  const whole = state.whole && size > 1;
  const parts = [];
  if (size > 1) parts.push(scopeOf(size, whole));
  if (!item.isReachable) parts.push(el("p", { className: "outcome warning", textContent: "Its origin cannot be reached now. An answer waits until it can." }));
  if (holder) parts.push(el("p", {}, isOthers ? `Claimed by ${shown(holder, 64)} for ` : "Claimed by you for ", until(Date.parse(item.claimedUntil)), "."));
  const isShut = !state.online || state.busy || (isOthers && !whole);
  const buttons = item.options.map((option, index) => optionButton(option, index, isShut, whole ? size : 1));
  parts.push(buttons.length ? el("div", { className: "options", role: "group", ariaLabel: "Options" }, ...buttons)
    : el("p", { textContent: "It offers nothing to choose: it goes when its origin takes it back." }));
  parts.push(el("p", { className: "buttons" }, ...claimButtons(isOthers, holder)));
  return parts;
}

function scopeOf(size, whole) {
  const box = el("input", { type: "checkbox", checked: whole, dataset: { key: "scope" }, onchange: toggleWhole });
  return el("label", { className: "scope" }, box, `Answer all ${number(size)} equal errors of the group`, el("kbd", { textContent: "g" }));
}

function optionButton(option, index, isShut, count) {
  const isDestructive = option.role === "destructive";
  const key = index < 9 ? el("kbd", { textContent: index + 1, ariaHidden: "true" }) : null;
  return el("button", {
    type: "button", className: option.role ?? "", disabled: isShut, dir: "auto", onclick: () => answer(option),
    title: isDestructive ? `${shown(option.id, 64)}, asks again` : shown(option.id, 64),
    dataset: { key: `option ${option.id}`, option: option.id },
  }, key, shown(option.title, 120) + (count > 1 ? ` × ${number(count)}` : ""), isDestructive && el("span", { className: "sr", textContent: ", asks again" }));
}

function claimButtons(isOthers, holder) {
  const button = (text, key, action) => el("button", { type: "button", textContent: `${text} `, disabled: !state.online, dataset: { key: "claim" }, onclick: action }, el("kbd", { textContent: key, ariaHidden: "true" }));
  if (isOthers) return [button("Take over", "⇧C", () => claim(true))];
  if (holder) return [button("Release", "c", release)];
  return [button("Claim for 15 min", "c", () => claim(false))];
}

function pathOf(item) {
  const names = item.path.length ? item.path : [item.origin ?? "this process"];
  const hop = (name, note) => el("li", {}, el("span", { className: note === "here" ? "hop here" : "hop" }, shown(name, 64), note && el("small", { textContent: ` ${note}` })));
  const hops = names.map((name, index) => hop(name, index === 0 ? "origin" : ""));
  return el("ol", { className: item.isReachable ? "hops" : "hops cut" }, ...hops, hop(state.node, "here"));
}

function causesOf(errors) {
  return el("ol", { className: "nested" }, ...errors.map((error) => el("li", {},
    foreign("p", error.description), el("p", { className: "meta", textContent: shown(codeText({ code: null, ...error }), 200) }),
    error.failureReason && foreign("p", error.failureReason),
    error.underlyingErrors?.length && causesOf(error.underlyingErrors))));
}

function pairs(entries) {
  return el("dl", { className: "pairs" }, ...entries.flatMap(([name, value]) => [
    el("dt", { textContent: shown(name, 200) }), foreign("dd", typeof value === "string" ? value : JSON.stringify(value))]));
}

function historyOf(item, report, events) {
  const lines = events.map(({ time, event, fields }) => el("li", {},
    el("time", { dateTime: time, textContent: clock(time) }), el("span", { className: "foreign", textContent: shown(told(event, fields ?? {}), 500) })));
  const earlier = report.retryOf && el("li", {}, el("span", { textContent: "before" }), el("span", {}, "an earlier attempt: ", presentationLink(report.retryOf)));
  if (!earlier && lines.length === 0) return null;
  return el("ol", { className: "history" }, earlier, ...lines);
}

/** An event of the audit as a sentence. */
function told(event, fields) {
  const sentences = {
    report: () => "Reported by its origin",
    present: () => `Presented${fields.options ? `, offering ${fields.options}` : ""}`,
    decide: () => `${fields.by} (${fields.via}) chose ${fields.option}${fields.restored ? ", restored from the journal" : ""}`,
    done: () => `${fields.option} by ${fields.by}: ${fields.result}`,
    change: () => `${fields.reason ?? "Changed"}${fields.by ? ` by ${fields.by}` : ""}`,
    leaving: () => `${fields.by} chose ${fields.option}, held back to undo`,
    undo: () => `Taken back by ${fields.by}`,
    claim: () => `Claimed by ${fields.by}`,
    release: () => `Released by ${fields.by}`,
    complete: () => `Completed at its origin: ${fields.reason}`,
  };
  return sentences[event]?.() ?? `${event} ${Object.entries(fields).map((pair) => pair.join(" ")).join(", ")}`;
}

const presentationLink = (id) => el("a", { href: `#/inbox/${encodeURIComponent(id)}`, className: "mono", textContent: shown(id, 36) });

function identityOf(item, report) {
  return pairs([["Presentation", item.id], ["Domain", codeText(item)], ["Opened", item.openedAt],
    ["Occurred", report.occurredAt], ["Coalesce key", report.coalesceKey], ["Help", report.helpAnchor]].filter((pair) => pair[1]));
}

// MARK: Nothing chosen

/** How many wait, by what `pick` gives. */
function tally(pick) {
  const counts = new Map();
  for (const item of state.items.values()) if (isLive(item)) counts.set(pick(item), (counts.get(pick(item)) ?? 0) + 1);
  return [...counts];
}

const bySeverity = () => tally((item) => item.severity).sort((a, b) => SEVERITIES.indexOf(b[0]) - SEVERITIES.indexOf(a[0]));
const byOrigin = () => tally((item) => item.origin ?? "this process").sort((a, b) => b[1] - a[1]).slice(0, 8);
const overviewKey = () => `${bySeverity()} ${byOrigin()}`;

function tiles(entries, tone) {
  return el("dl", { className: "tables" }, ...entries.map(([name, count]) => el("div", {},
    el("dt", { className: tone ? `outcome ${name}` : "", textContent: shown(name, 64) }), el("dd", { textContent: number(count) }))));
}

function overview() {
  if (state.selected) return [el("p", { className: "quiet", textContent: "This presentation is not here: it may have ended long ago." })];
  if (state.openCount === 0) return [];
  const hint = el("p", { className: "quiet" }, "Nothing chosen. ", el("kbd", { textContent: "j" }), " and ", el("kbd", { textContent: "k" }), " go through the list, ", el("kbd", { textContent: "?" }), " shows all keys.");
  return [...section("Waiting, by severity", tiles(bySeverity(), true)), ...section("Where they come from", tiles(byOrigin(), false)), hint];
}

// MARK: Answering

function dialogResult(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

async function askName() {
  $("nameField").value = myName();
  $("undoField").value = undoTime() / 1000;
  if (await dialogResult($("nameDialog")) !== "save") return;
  const name = $("nameField").value.trim();
  if (name) localStorage.setItem("errorbus.name", name);
  localStorage.setItem("errorbus.undo", $("undoField").value);
  drawName();
}

/** Who answers; asked the first time. Empty when nobody says. */
async function ownName() {
  if (!myName()) await askName();
  return myName();
}

function drawName() {
  $("who").textContent = myName() ? `You: ${shown(myName(), 24)}` : "Your name";
  schedule();
}

function confirmed(option, item, count) {
  $("confirmTitle").textContent = `${shown(option.title, 120)}${count > 1 ? ` for all ${number(count)}` : ""}?`;
  $("confirmText").textContent = `“${shown(item.description, 300)}” It loses something that cannot be had back.`;
  $("confirmYes").textContent = shown(option.title, 120);
  return dialogResult($("confirmDialog"));
}

/** Why nothing may be answered now, if so. */
function obstacle(item, whole) {
  const holder = claimant(item);
  if (!state.online) return "No link to the console: nothing can be sent now.";
  if (!isOpen(item)) return "It is no longer open.";
  if (holder && holder !== myName() && !whole) return `Claimed by ${holder}: take it over first.`;
  if (performance.now() - state.shownAt < JUST_SHOWN) return "Shown only this moment: read it, then choose again.";
  return null;
}

async function answer(option) {
  const item = current();
  const size = groupSize(item.group);
  const whole = state.whole && size > 1;
  const seen = state.drawn;
  const reason = state.busy ? "One moment: the last answer is on its way." : obstacle(item, whole);
  if (reason) { toast(reason, "warning"); return; }
  const by = await ownName();
  if (!by || (option.role === "destructive" && !(await confirmed(option, item, whole ? size : 1)))) return;
  const body = { option: option.id, by, undoMilliseconds: undoTime() };
  await busily(() => (whole ? answerGroup(item, option, { ...body, seen }) : answerOne(item, option, body)));
}

/** One request at a time; a refusal is told, and what is shown is read again. */
async function busily(work) {
  state.busy = true;
  schedule();
  try {
    await work();
  } catch (error) {
    const text = error instanceof Refusal ? error.message : "The console could not be reached: it is not known whether that arrived.";
    toast(text, "error");
    state.details = null;
  }
  state.busy = false;
  schedule();
}

async function answerOne(item, option, body) {
  keep(await postTwice(`presentations/${item.id}/answer`, { ...body, answer: newID() }));
  offerUndo([item.id], `${shown(option.title, 60)}: ${shown(item.description, 90)}`, body.undoMilliseconds);
}

async function answerGroup(item, option, body) {
  const { answered, refused } = await api("POST", `groups/${item.group}/answer`, body);
  if (refused.length > 0) toast(`${number(refused.length)} not answered: ${refused[0].message}`, "warning");
  if (answered.length > 0) offerUndo(answered, `${shown(option.title, 60)} × ${number(answered.length)}: ${shown(item.description, 90)}`, body.undoMilliseconds);
}

/** A random UUID; crypto.randomUUID is missing where the page came without TLS. */
function newID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

async function change(verb, body) {
  const item = current();
  const by = await ownName();
  if (item && by) await busily(async () => keep(await api("POST", `presentations/${item.id}/${verb}`, { by, ...body })));
}
const claim = (takeOver) => change("claim", { forMilliseconds: CLAIM_TIME, takeOver });
const release = () => change("release", {});

function claimOrRelease() {
  const item = current();
  if (!item || !isOpen(item)) return;
  const holder = claimant(item);
  if (holder && holder === myName()) release(); else claim(false);
}

function toggleWhole() {
  const item = current();
  state.whole = !state.whole && Boolean(item) && groupSize(item.group) > 1;
  schedule();
}

// MARK: Undoing

function offerUndo(ids, text, milliseconds) {
  if (milliseconds === 0) { toast(`Sent. ${text}`, "good"); return; }
  const bar = el("progress", { max: milliseconds, value: milliseconds, ariaLabel: "Time left to undo" });
  const entry = { ids, end: performance.now() + milliseconds, bar };
  entry.toast = el("div", { className: "toast" }, el("p", { textContent: text }),
    el("button", { type: "button", textContent: "Undo ", onclick: () => undoEntry(entry) }, el("kbd", { textContent: "u" })), bar);
  state.undos.push(entry);
  $("toasts").append(entry.toast);
  countDown();
}

function countDown() {
  for (const entry of state.undos) entry.bar.value = entry.end - performance.now();
  for (const entry of state.undos.filter((each) => each.end <= performance.now())) dropUndo(entry);
  if (state.undos.length > 0) setTimeout(countDown, 100);
}

function dropUndo(entry) {
  entry.toast.remove();
  state.undos = state.undos.filter((each) => each !== entry);
}

function undoEntry(entry) {
  dropUndo(entry);
  return undoItems(entry.ids);
}

const undoLast = () => {
  const entry = state.undos.at(-1);
  const item = current();
  if (entry) undoEntry(entry); else if (item?.stage === "leaving") undoItems([item.id]);
};

/** Takes answers back, a few requests at a time. */
async function undoItems(ids) {
  const by = await ownName();
  const left = [...ids];
  let missed = 0;
  const worker = async () => {
    for (let id = left.pop(); id; id = left.pop()) {
      try { keep(await api("POST", `presentations/${id}/undo`, { by })); } catch { missed += 1; }
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  toast(missed ? `${number(missed)} of ${number(ids.length)} had left already.` : "Taken back: it waits for another answer.", missed ? "error" : "good");
  for (const entry of state.undos.filter((each) => each.ids.every((id) => ids.includes(id)))) dropUndo(entry);
  schedule();
}

// MARK: Saying

function toast(text, tone) {
  const role = tone === "error" || tone === "warning" ? { role: "alert" } : {};
  const note = el("div", { className: `toast ${tone}`, ...role },
    el("p", { textContent: shown(text, 400) }), el("button", { type: "button", className: "plain", textContent: "Close", onclick: () => note.remove() }));
  $("toasts").append(note);
  setTimeout(() => note.remove(), 8000);
  while ($("toasts").children.length > 4) $("toasts").firstChild.remove();
}

function say(text) { $("news").textContent = text; }

/** What came since the last time, in one sentence: a screen reader is not flooded. */
function tellNews() {
  const { arrived, results } = state.news;
  state.news = { arrived: [], results: [] };
  if (arrived.length === 1) say(`New ${arrived[0].severity}: ${shown(arrived[0].description, 200)}`);
  if (arrived.length > 1) say(`${arrived.length} new, ${state.openCount} waiting.`);
  if (results.length === 1) toast(`${endingOf(results[0])[0]}: ${results[0].description}`, endingOf(results[0])[1]);
  if (results.length > 1) tellResults(results);
}

function tellResults(results) {
  const good = results.filter((item) => item.result === "recovered").length;
  const rest = results.length - good;
  toast(`${number(good)} recovered${rest ? `, ${number(rest)} not` : ""}.`, rest ? "warning" : "good");
}

// MARK: Chart, audit, topology

const svg = (tag, attributes) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
};

async function loadChart() {
  const { buckets } = await api("GET", "chart");
  const top = Math.max(4, ...buckets.map((bucket) => Math.max(bucket.presented, bucket.answered, bucket.recovered)));
  const step = 300 / buckets.length;
  const y = (value) => 47 - (44 * value) / top;
  const bars = buckets.map(({ presented }, index) => svg("rect", { class: "presented", x: index * step + 0.5, width: step - 1, y: y(presented), height: 47 - y(presented) }));
  const line = (name) => svg("polyline", { class: name, points: buckets.map((bucket, index) => `${(index + 0.5) * step},${y(bucket[name])}`).join(" ") });
  $("chart").replaceChildren(...bars, line("answered"), line("recovered"));
  describeChart(buckets);
}

function describeChart(buckets) {
  const sum = (name) => buckets.reduce((total, bucket) => total + bucket[name], 0);
  const text = (name) => `${number(sum(name))} ${name}`;
  const legend = ["presented", "answered", "recovered"].map((name) => el("span", {}, el("b", { className: name }), text(name)));
  $("chartText").replaceChildren(...legend, `${text("failed")} · last hour`);
  $("chart").setAttribute("aria-label", `Last hour: ${text("presented")}, ${text("answered")}, ${text("recovered")}, ${text("failed")}`);
}

async function loadAudit() {
  const { events } = await api("GET", `audit?limit=200&q=${encodeURIComponent($("auditQuery").value.trim())}`);
  $("auditCount").textContent = events.length === 200 ? "the newest 200" : `${events.length} events`;
  $("audit").replaceChildren(...events.map(({ time, event, id, fields }) => el("tr", {},
    el("td", {}, el("time", { dateTime: time, textContent: clock(time) })), el("td", { textContent: shown(event, 40) }),
    el("td", {}, foreign("span", auditText(event, fields ?? {}))), el("td", {}, id && presentationLink(id)))));
}

const auditText = (event, fields) =>
  [told(event, fields), fields.origin && `from ${fields.origin}`, fields.description].filter(Boolean).join(" · ").slice(0, 600);

async function loadTopology() {
  const { node, version, startedAt, tables, topology, children } = await api("GET", "status");
  $("about").replaceChildren(`${shown(node, 80)}, version ${shown(version, 40)}, up for `, since(startedAt));
  const nodes = topology?.nodes ?? [];
  const names = new Set(nodes.map(({ name }) => name));
  const roots = nodes.filter(({ next }) => !(next ?? []).some((parent) => names.has(parent)));
  const isChild = new Set((children ?? []).map((child) => child.name ?? child));
  $("nodes").replaceChildren(el("div", { className: "tree" }, branch(roots, nodes, isChild, 0)));
  $("tables").replaceChildren(...Object.entries(tables ?? {}).map(([name, count]) =>
    el("div", {}, el("dt", { textContent: shown(name, 60) }), el("dd", { textContent: typeof count === "number" ? number(count) : shown(JSON.stringify(count), 200) }))));
}

/** A node with those whose first parent it is. */
function branch(members, nodes, isChild, depth) {
  return el("ul", {}, ...members.map(({ name, next = [], listen = [] }) => {
    const below = depth < 16 ? nodes.filter((other) => other.next?.[0] === name) : [];
    const notes = [...listen, next.length > 1 && `else to ${next.slice(1).join(", ")}`, isChild.has(name) && "linked to this node"].filter(Boolean);
    return el("li", {}, el("span", { className: name === state.node ? "hop here" : "hop" }, shown(name, 64), name === state.node && el("small", { textContent: " here" })),
      " ", el("span", { className: "soft mono", textContent: shown(notes.join(" · "), 300) }), below.length > 0 && branch(below, nodes, isChild, depth + 1));
  }));
}

function refreshTab() {
  if (!state.online || document.hidden) return;
  const load = { inbox: loadChart, audit: loadAudit, topology: loadTopology }[state.tab];
  load().catch((error) => { if (error instanceof Refusal) toast(error.message, "error"); });
}

// MARK: Moving about

const TABS = ["inbox", "audit", "topology"];

function route() {
  const [, tab, key] = location.hash.split("/");
  const changed = state.tab !== tab && TABS.includes(tab);
  if (changed) state.tab = tab;
  for (const panel of document.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== state.tab;
  for (const link of document.querySelectorAll("[data-tab]")) link.ariaCurrent = link.dataset.tab === state.tab ? "page" : null;
  if (state.tab === "inbox") selectRouted(key ? decodeURIComponent(key) : null);
  if (changed) refreshTab();
  schedule();
}

function selectRouted(key) {
  if (key === state.selected) return;
  Object.assign(state, { selected: key, shownID: null, whole: Boolean(key?.startsWith("g")) });
  if (key) state.cursor = key;
  $("detail").scrollTop = 0;
  if (key && !key.startsWith("g") && !state.items.has(key)) loadUnknown(key);
}

/** A link to one that the list does not hold. */
async function loadUnknown(id) {
  await api("GET", `presentations/${encodeURIComponent(id)}`).then(keep, () => {});
  schedule();
}

function turnTab(by) {
  const index = (TABS.indexOf(state.tab) + by + TABS.length) % TABS.length;
  location.hash = `#/${TABS[index]}`;
}

function leaveDetail() {
  if (!isWide()) select(null);
  focusCursor();
}

const openHelp = () => dialogResult($("helpDialog"));
const focusFilter = () => (state.tab === "audit" ? $("auditQuery") : $("filter")).focus();

const KEYS = {
  "?": openHelp, "/": focusFilter, "[": () => turnTab(-1), "]": () => turnTab(1),
};
const INBOX_KEYS = {
  j: () => move(state.selected || isFocusInList() ? state.cursorIndex + 1 : 0), k: () => move(state.cursorIndex - 1),
  g: toggleWhole, u: undoLast, c: claimOrRelease, C: () => claim(true), Escape: leaveDetail,
};
const LIST_KEYS = {
  ArrowDown: () => move(state.cursorIndex + 1), ArrowUp: () => move(state.cursorIndex - 1),
  Home: () => move(0), End: () => move(state.rows.length - 1),
  PageDown: () => move(state.cursorIndex + 8), PageUp: () => move(state.cursorIndex - 8),
  ArrowRight: () => expand(state.cursor, true), ArrowLeft: collapse,
};

const isFocusInList = () => $("list").contains(document.activeElement);

function actionFor({ key, target }) {
  if (KEYS[key]) return KEYS[key];
  if (state.tab !== "inbox") return null;
  if (/^[1-9]$/.test(key)) return () => answerByNumber(Number(key));
  if (key === "Enter" && target === document.body && state.cursor) return () => choose(state.cursor);
  return INBOX_KEYS[key] ?? (isFocusInList() || target === document.body ? LIST_KEYS[key] : null);
}

function answerByNumber(position) {
  const item = current();
  const option = item && isOpen(item) ? item.options[position - 1] : null;
  if (option) answer(option);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const { target } = event;
  if (target.matches("input:not([type=checkbox]), select")) return onFieldKey(event);
  // A key that is held down moves, but never answers.
  const action = actionFor(event);
  if (!action || (event.repeat && !/^(Arrow|Page|j|k)/.test(event.key))) return;
  event.preventDefault();
  action();
}

function onFieldKey({ key, target }) {
  if (key === "Enter" && target === $("filter")) move(0);
  if (key !== "Escape") return;
  if (target === $("filter") && target.value) { target.value = ""; schedule(); return; }
  target.blur();
  focusCursor();
}

function tick() {
  if (state.online && Date.now() - state.heardAt > SILENCE_MAX) lose();
  for (const node of document.querySelectorAll("[data-since], [data-until]")) refreshTime(node);
  tellNews();
  if (!document.hidden) schedule();
}

function stopPressing() {
  state.isPressing = false;
  schedule();
}

function start() {
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", route);
  addEventListener("popstate", route);
  addEventListener("resize", schedule);
  addEventListener("online", connect);
  document.addEventListener("visibilitychange", () => { schedule(); refreshTab(); });
  $("scroller").addEventListener("scroll", () => requestAnimationFrame(drawList), { passive: true });
  for (const id of ["filter", "severity", "view"]) $(id).addEventListener("input", () => { $("scroller").scrollTop = 0; schedule(); });
  $("auditQuery").addEventListener("input", refreshTab);
  $("banner").lastChild.addEventListener("click", connect);
  $("who").addEventListener("click", askName);
  $("helpButton").addEventListener("click", openHelp);
  // A button that is replaced while it is pressed would not be clicked.
  $("detail").addEventListener("pointerdown", () => { state.isPressing = true; });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(stopPressing));
  setInterval(tick, 1000);
  setInterval(refreshTab, 5000);
  route();
  drawName();
  connect();
}

start();
