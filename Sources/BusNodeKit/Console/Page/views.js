// The view shown, and what is chosen in it: both are in the address.
import { $ } from "./elements.js";
import { api, Refusal } from "./api.js";
import { schedule } from "./frame.js";
import { toast } from "./news.js";
import { TABS, state } from "./state.js";
import { keep } from "./store.js";

const loaders = new Map();

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
  const [, tab, key] = location.hash.split("/");
  const changed = state.tab !== tab && TABS.includes(tab);
  if (changed) state.tab = tab;
  for (const panel of document.querySelectorAll("[data-panel]")) {
    panel.hidden = panel.dataset.panel !== state.tab;
  }
  for (const link of document.querySelectorAll("[data-tab]")) {
    link.ariaCurrent = link.dataset.tab === state.tab ? "page" : null;
  }
  if (state.tab === "inbox") selectRouted(key ? decoded(key) : null);
  if (changed) refreshView();
  schedule();
}

function decoded(key) {
  try { return decodeURIComponent(key); } catch { return key; }
}

function selectRouted(key) {
  if (key === state.selected) return;
  const isGroup = Boolean(key?.startsWith("g"));
  Object.assign(state, { selected: key, shownID: null, whole: null, decision: null });
  if (key) state.cursor = key;
  $("detail").scrollTop = 0;
  if (key && !isGroup && !state.items.has(key)) loadUnknown(key);
}

/** A link to a presentation that the list does not have. */
async function loadUnknown(id) {
  await api("GET", `presentations/${encodeURIComponent(id)}`).then(keep, () => {});
  schedule();
}

export function select(key, quietly = false) {
  const hash = key ? `#/inbox/${key}` : "#/inbox";
  if (quietly) history.replaceState(null, "", hash);
  else if (location.hash !== hash) history.pushState(null, "", hash);
  route();
}

export function turnTab(by) {
  const index = (TABS.indexOf(state.tab) + by + TABS.length) % TABS.length;
  location.hash = `#/${TABS[index]}`;
}
