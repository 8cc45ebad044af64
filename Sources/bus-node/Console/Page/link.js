// The link to the server: events in, a banner when it breaks, and made again by itself.
import { $ } from "./elements.js";
import { api } from "./api.js";
import { schedule } from "./frame.js";
import { say } from "./news.js";
import { state } from "./state.js";
import { apply } from "./store.js";
import { clock, shown } from "./text.js";
import { refreshView } from "./views.js";

const SILENCE_MAX = 40_000; // The server pings every 15 s.

/** Asks for the status first: an event stream does not say why it was refused. */
export async function connect() {
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

function heard() { state.heardAt = Date.now(); }

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
  refreshView();
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

/** A server that says nothing for long is gone, whatever the socket says. */
export function checkLink() {
  if (state.online && Date.now() - state.heardAt > SILENCE_MAX) lose();
}

function showBanner(error) {
  const text = error?.status === 401
    ? "The console asks for its token: open the address that bus-node printed when it started."
    : `No link to the console since ${clock(state.lostAt)}. What is shown may be out of date, `
      + "and nothing can be answered. Trying again.";
  const place = $("banner").firstChild;
  if (place.textContent !== text) place.textContent = text;
  $("banner").hidden = false;
  $("link").textContent = "no link";
  $("link").classList.remove("live");
}
