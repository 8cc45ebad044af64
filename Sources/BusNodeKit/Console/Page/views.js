// The view shown, and what is chosen in it: both are in the address.
import { $ } from "./elements.js";
import { addressOf, readAddress } from "./address.js";
import { api, failureText, Refusal } from "./api.js";
import { filterText, split, textOf } from "./filter.js";
import { schedule } from "./frame.js";
import { toast } from "./news.js";
import { SEARCHES } from "./past-filter.js";
import { TABS, state } from "./state.js";
import { keep } from "./store.js";

const loaders = new Map();
let unknown = null; // The id that is being read.
let isTyping = false; // Whether the last step of the browser's history is what is typed now.

/** Functions that load a view's data: when it is opened, and every few seconds. */
export function loadsView(tab, load) { loaders.set(tab, load); }

/** Loads the data of the view for which there are no events. */
export function refreshView() {
  if (!state.online || document.hidden) return;
  loaders.get(state.tab)?.().catch((error) => {
    if (error instanceof Refusal) toast(error.message, "error");
  });
}

export function route() {
  const { tab, key, ...list } = readAddress(location.hash);
  isTyping = false;
  const changed = state.tab !== tab && TABS.includes(tab);
  // What was drawn while another view was shown can be read only from now on.
  if (changed) Object.assign(state, { tab, shownAt: performance.now() });
  for (const panel of document.querySelectorAll("[data-panel]")) {
    panel.hidden = panel.dataset.panel !== state.tab;
  }
  for (const link of document.querySelectorAll("[data-tab]")) {
    link.ariaCurrent = link.dataset.tab === state.tab ? "page" : null;
  }
  if (list.isTooLong) {
    toast(`The filter in the address has more than ${list.max} characters: none is applied.`,
      "warning");
  }
  if (state.tab === "inbox") {
    showRouted(list);
    selectRouted(key);
  }
  const isOther = Boolean(SEARCHES[state.tab]) && searchRouted(state.tab, list);
  if (changed || isOther) refreshView();
  schedule();
}

/** Shows the list as the address says; what is being typed stays as it is if it means the same. */
function showRouted({ filter, sort, show }) {
  const meant = meaning(filter, sort, show);
  if (meant !== meaning(filterText(), state.sort, state.show)) {
    put({ ...split(filter), sort, show });
  }
}

/** Searches a list of the past as the address says; whether for something else than before. */
function searchRouted(tab, { filter, before }) {
  const search = state.searches[tab];
  const wanted = { ...SEARCHES[tab].split(filter), before };
  const present = { ...SEARCHES[tab].split(textOf(search)), before: search.before };
  if (JSON.stringify(wanted) === JSON.stringify(present)) return false;
  state.searches[tab] = wanted;
  document.querySelector(`[data-panel=${tab}]`).scrollTop = 0;
  return true;
}

const meaning = (filter, sort, show) => JSON.stringify([split(filter), sort, show]);

/** Shows the list in another way: from its beginning if other rows are in it. */
function put(change) {
  const before = meaning(filterText(), state.sort, state.show);
  Object.assign(state, change);
  if (before === meaning(filterText(), state.sort, state.show)) return;
  state.arranged = true;
  $("scroller").scrollTop = 0;
}

/** The address of a part of the page, with what it lists now. */
const addressNow = (tab, key) => addressOf(tab, key, listNow(tab));

function listNow(tab) {
  const search = state.searches[tab];
  return search ? { ...search, filter: textOf(search) } : { ...state, filter: filterText() };
}

/** Changes how the list is shown. */
export function arrange(change, isTyped = false) {
  put(change);
  step(addressNow("inbox", state.selected), isTyped);
}

/** Searches a list of the past for something else, from its newest on. */
export function searchPast(tab, change, isTyped = false) {
  Object.assign(state.searches[tab], change, { before: null });
  step(addressNow(tab, null), isTyped);
  refreshView();
}

/** Goes to an address as a step of the browser's history; typing is one step. */
function step(address, isTyped) {
  const isNew = location.hash !== address;
  if (isTyped && isTyping) history.replaceState(null, "", address);
  else if (isNew) history.pushState(null, "", address);
  isTyping = isTyped && (isTyping || isNew);
  schedule();
}

/** A link of the page to a presentation leaves the list as it is shown; opened elsewhere, or sent
 *  to another person, it has no filter. */
export function onLink(event) {
  const link = event.target.closest("a[href^='#/inbox/']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
    return;
  }
  event.preventDefault();
  select(readAddress(link.getAttribute("href")).key);
}

function setSelected(key) {
  Object.assign(state, { selected: key, shownID: null, whole: null, decision: null });
  // At once: in a narrow window what is hidden until the next frame could not have the focus.
  $("inbox").classList.toggle("reading", Boolean(key));
}

function selectRouted(key) {
  if (key === state.selected) return;
  const isGroup = Boolean(key?.startsWith("g"));
  setSelected(key);
  if (key) state.cursor = key;
  $("detail").scrollTop = 0;
  if (key && !isGroup && !state.items.has(key)) loadUnknown(key);
}

/** A link to a presentation that the list does not have: the inbox may, or else the journal. */
async function loadUnknown(id) {
  if (unknown === id) return;
  unknown = id;
  state.past = { id };
  let past = null;
  try {
    const item = await api("GET", `presentations/${encodeURIComponent(id)}`);
    if (item.archived) past = item; else keep(item);
  } catch (error) {
    if (error.status !== 404) past = { id, problem: failureText(error) };
  }
  if (unknown === id) unknown = null;
  if (state.selected === id) state.past = past;
  schedule();
}

/** Reads what is chosen again, where it could not be read, or is not in the list any more. */
export function readAgain() {
  const { past, selected } = state;
  const isRead = past?.id === selected && !past.problem;
  if (!selected || selected.startsWith("g") || isRead || state.items.has(selected)) return;
  loadUnknown(selected);
}

export function select(key, quietly = false) {
  const hash = addressNow("inbox", key);
  if (quietly) history.replaceState(null, "", hash);
  else if (location.hash !== hash) history.pushState(null, "", hash);
  route();
}

/** Chooses another one in place of what is chosen, without going to it. */
export function reselect(key) {
  setSelected(key);
  if (state.tab === "inbox") history.replaceState(null, "", addressNow("inbox", key));
  schedule();
}

export function turnTab(by) {
  const index = (TABS.indexOf(state.tab) + by + TABS.length) % TABS.length;
  location.hash = addressNow(TABS[index], null);
}
