// The link to the server: receives changes, shows a banner when it is lost, and reconnects.
import { $ } from "./elements.js";
import { endFormer } from "./alerts.js";
import { api } from "./api.js";
import { drawName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { say } from "./news.js";
import { keepFormer } from "./notifications.js";
import { RETRY_MIN, state } from "./state.js";
import { apply, isMine } from "./store.js";
import { moment, shown } from "./text.js";
import { dropUndos } from "./undoing.js";
import { readAgain, refreshView, reselect } from "./views.js";

const BATCH_MIN = 500; // The first size of a batch; larger ones where that is fast.
const BATCH_MAX = 4000;
const FAST = 1000;
const SILENCE_MAX = 50_000; // Longer than the stream's own limit.
const UNANSWERED_MAX = 3; // After this many timeouts in a row the link counts as lost.
const HIDDEN_MAX = 10_000;
const RETRY_MAX = 8000; // The longest pause between two attempts to reconnect.
const CHECK = 15_000; // The pause between two looks of a hidden tab without a stream.
const PLACE = "errorbus.place";
const WORKER = { type: "module", name: "errorbus" };

let waiting = null; // Changes that arrived while earlier ones are read; null when none are.
let leaving = null;
let checking = null;
// From a tab that was let in to those that ask for a token.
const doors = new BroadcastChannel("errorbus");

/** Reads the changes so far, then joins the browser's event stream. */
export async function connect() {
  const attempt = {};
  leave();
  Object.assign(state, { attempt, heardAt: Date.now() });
  try {
    const me = await api("GET", "me");
    if (state.attempt !== attempt) return;
    const isOther = state.me && (state.me.name !== me.name || state.me.person !== me.person);
    if (isOther) { location.reload(); return; }
    state.me = me;
    drawName();
    await catchUp(attempt);
    if (state.attempt !== attempt) return;
    state.port = await openPort(() => { if (state.attempt === attempt) lose(); });
    state.port.onmessage = ({ data }) => hear(data, attempt);
    state.port.postMessage({ after: state.resume });
  } catch (error) {
    if (state.attempt === attempt) lose(error);
  }
}

async function openPort(onFailure) {
  if (typeof SharedWorker !== "undefined") {
    const worker = new SharedWorker(new URL("stream.js", import.meta.url), WORKER);
    worker.onerror = onFailure;
    return worker.port;
  }
  const { serve } = await import("./stream.js");
  const { port1, port2 } = new MessageChannel();
  serve(port2);
  return port1;
}

function leave() {
  clearTimeout(state.retryTimer);
  state.retryTimer = null;
  state.port?.postMessage({ leave: true });
  state.port?.close();
  Object.assign(state, { port: null, attempt: null });
  waiting = null;
}

async function catchUp(attempt) {
  let [after, limit, begun, groups] = [state.resume, BATCH_MIN, null, ""];
  for (;;) {
    const start = performance.now();
    const from = begun === null ? "" : `&begun=${begun}`;
    const message = await api("GET", `inbox?after=${after}&limit=${limit}${from}${groups}`);
    if (begun === null || message.isReset) begun = message.latest;
    if (performance.now() - start < FAST) limit = Math.min(limit * 2, BATCH_MAX);
    if (state.attempt !== attempt) return;
    if (message.startedAt !== state.startedAt || message.isReset) begin(message);
    state.node = message.node;
    apply(message);
    after = message.revision;
    // They are for the time until all is here: once, and again after a reset without them.
    groups = message.isReset && !message.groups ? "" : "&groups=none";
    if (message.isLast) return;
  }
}

/** Another life of the server, to which the revisions of an earlier one mean nothing; or one that
 *  has forgotten ends which were not read. */
function begin({ startedAt }) {
  if (startedAt !== state.startedAt) {
    // An answer that was held is not sent any more.
    for (const item of state.items.values()) {
      if (item.stage === "leaving" && isMine(item)) state.lost.add(item.id);
    }
  }
  // Unless this comes before all of the last life was read.
  if (state.ready) {
    state.former = new Set(state.items.keys());
    keepFormer();
  }
  state.items.clear();
  state.fresh.clear();
  state.groups.clear();
  // Nor do the numbers of its groups: what was shown of one is chosen in its place.
  if (state.startedAt && state.selected?.startsWith("g")) reselect(state.shownID);
  state.expanded.clear();
  state.leftOut.clear();
  state.picked.clear();
  dropUndos(() => true);
  Object.assign(state, {
    startedAt, resume: 0, complete: 0, ready: false, details: null, unread: null,
    groupDetails: null, whole: null, shownID: null, decision: null,
  });
}

async function hear({ hello, revision, change, lost, refusal }, attempt) {
  if (state.attempt !== attempt) return;
  state.heardAt = Date.now();
  if (lost) lose(refusal);
  if (hello) await welcome(JSON.parse(hello), revision, attempt);
  if (!change) return;
  if (waiting) waiting.push(change); else apply(JSON.parse(change));
}

/** The stream continues from `revision`: reads the changes before that first. At a reset it reads
 *  all again: the server has forgotten ends that the stream does not have. */
async function welcome({ startedAt, isReset }, revision, attempt) {
  if (startedAt !== state.startedAt) { connect(); return; }
  if (isReset) begin({ startedAt });
  if (isReset || revision > state.resume) {
    waiting = [];
    try {
      await catchUp(attempt);
    } catch (error) {
      if (state.attempt === attempt) lose(error);
    }
    if (state.attempt !== attempt) return;
    for (const change of waiting) apply(JSON.parse(change));
    waiting = null;
  }
  linked();
}

function linked() {
  if (!state.online) {
    say("Linked to the console.");
    doors.postMessage({ isOpen: true });
  }
  Object.assign(state, {
    online: true, ready: true, retryDelay: RETRY_MIN, unread: null, former: null,
  });
  endFormer();
  $("node").textContent = shown(state.node, 80);
  if (!state.fault) $("banner").hidden = true;
  setDoor(false);
  $("link").textContent = "live";
  $("link").classList.add("live");
  refreshView();
  readAgain();
  schedule();
}

function lose(error) {
  if (state.online || $("banner").hidden) state.lostAt = Date.now();
  leave();
  state.online = false;
  if (error?.status === 401) {
    shut(error.answer?.signIn);
    return;
  }
  showLoss(error);
  state.retryTimer = setTimeout(connect, state.retryDelay * (0.75 + Math.random() / 2));
  state.retryDelay = Math.min(RETRY_MAX, state.retryDelay * 1.7);
  schedule();
}

/** A server that is silent for too long is gone, whatever the socket reports. */
export function checkLink() {
  const isSilent = Date.now() - state.heardAt > SILENCE_MAX;
  if (state.online && (isSilent || state.unanswered >= UNANSWERED_MAX)) lose();
}

function lossText(error) {
  const rest = "The page may be out of date, and nothing can be answered. Trying again.";
  const why = error?.status ? ` (${shown(error.message, 200)})` : "";
  return `No link to the console since ${moment(state.lostAt)}${why}. ${rest}`;
}

function showLoss(error) {
  $("link").textContent = "no link";
  $("link").classList.remove("live");
  if (state.fault) return;
  $("banner").hidden = false;
  const place = $("banner").firstChild;
  const text = lossText(error);
  if (place.textContent !== text) place.textContent = text;
}

/** Shows what asks for a token, or no longer. What it covers takes no focus meanwhile. */
function setDoor(isShown) {
  $("door").hidden = !isShown;
  for (const part of document.querySelectorAll("body > :is([role=navigation], header, main)")) {
    part.inert = isShown || Boolean(state.fault);
  }
}

/** The session has ended, or there is none: asks for the token, or to sign in at a provider. What
 *  the page knows and shows goes with its document, also in a hidden tab, which draws nothing. */
function shut(provider) {
  if (state.me) {
    document.body.hidden = true;
    location.reload();
    return;
  }
  $("doorForm").action = `/${location.hash}`;
  if (!$("door").hidden) return;
  $("banner").hidden = true;
  setDoor(true);
  if (!provider) { $("doorToken").focus(); return; }
  const link = $("doorSignIn").firstChild;
  link.textContent = `Sign in with ${shown(provider, 64)}`;
  $("doorTitle").textContent = "Sign in to this console";
  $("doorSignIn").hidden = false;
  link.focus();
}

/** The network is back: tries at once, and soon again if that was too early. */
function networkCame() {
  // A hidden tab that left its stream, or one that asks for a token, waits for no link.
  if (state.online || !(state.retryTimer || state.attempt)) return;
  state.retryDelay = RETRY_MIN;
  connect();
}

/** Without a network the console may still be reached, as on this machine: only a request tells. */
async function networkWent() {
  const { attempt } = state;
  if (!state.online) return;
  await api("GET", "me").catch((error) => {
    const isReached = error.status && error.status !== 401;
    if (state.attempt === attempt && !isReached) lose(error);
  });
}

/** Looks whether the session goes on, in a tab that has no stream to tell it. */
async function checkSession() {
  if (!$("door").hidden) return;
  await api("GET", "me").catch((error) => { if (error.status === 401) lose(error); });
}

/** The part of the page that was asked for before signing in at a provider, which loses it. */
export function findPlace() {
  const place = sessionStorage.getItem(PLACE);
  sessionStorage.removeItem(PLACE);
  if (place && !location.hash) history.replaceState(null, "", place);
}

/** A closed tab leaves the stream; a tab with its own stream also while it is hidden. */
export function startLink() {
  addEventListener("pagehide", leave);
  addEventListener("online", networkCame);
  addEventListener("offline", networkWent);
  addEventListener("pageshow", ({ persisted }) => { if (persisted) connect(); });
  $("doorSignIn").addEventListener("click", () => sessionStorage.setItem(PLACE, location.hash));
  const enter = () => { if (!$("door").hidden) connect(); };
  doors.addEventListener("message", enter);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) enter(); });
  if (typeof SharedWorker !== "undefined") return;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(leaving);
    clearInterval(checking);
    if (!document.hidden) { if (!state.port) connect(); return; }
    leaving = setTimeout(() => {
      state.online = false;
      leave();
      checking = setInterval(checkSession, CHECK);
    }, HIDDEN_MAX);
  });
}
