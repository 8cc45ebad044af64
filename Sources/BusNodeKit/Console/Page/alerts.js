// Tells a person who looks elsewhere of what comes: by the browser's notifications, and by a tone.
import { $ } from "./elements.js";
import { paced } from "./frame.js";
import { beep, keepSound, soundIsOn, soundIsReady, startSound } from "./sound.js";
import { SEVERITIES, state } from "./state.js";
import { groupSize, isOpen } from "./store.js";
import { counted, headingOf, shown } from "./text.js";
import { select } from "./views.js";

const PLACE = "errorbus.alerts";
const BURST = 10_000;
const BURST_MAX = 5; // So many in that time have a notification each.
const MORE_PAUSE = 1000; // Between two changes of the one that stands for the others.
const TEXT_MAX = 200;
const MORE = "errorbus more";
const TRIAL_TIME = 5000;

const INSECURE = "The browser shows notifications only for pages over https, or of a console on "
  + "this machine: open this one at its https address. The tone works here as well.";
const UNKNOWN = "This browser shows no notifications of a page. Use the tone, or the browser of a "
  + "desktop computer.";
const DENIED = "The browser keeps this page from showing notifications. Allow them in its settings "
  + "for this page, beside the address. The tone works without them.";
const UNASKED = "The browser has not allowed notifications yet. Save, and allow them when it asks.";

let recent = []; // When the last ones came.
let isBurst = false;
let toldLevel = -1; // The gravest of a burst, as its notification says.
let isRefused = false; // Browsers of phones have notifications, and none for a page.
const notes = new Map(); // The notifications of this tab, by their tags.
const more = new Set(); // The ids of what came in a burst and has no notification of its own.

const levelNow = () => SEVERITIES.indexOf(localStorage.getItem(PLACE));
const rank = (item) => SEVERITIES.indexOf(item?.severity);
const isSeen = () => !document.hidden && document.hasFocus();
// In another life of the console the same number is another group.
const tagOf = (item) => `errorbus ${state.startedAt} g${item.group} ${item.severity}`;

/** Hears of a change. Of what has just come it tells, if that is grave enough and not seen here. */
export function tellAway(item, before) {
  if (!before && isOpen(item)) arrive(item);
  else if (before && isOpen(before) && !isOpen(item)) end(item);
}

function arrive(item) {
  const level = levelNow();
  if (level < 0 || rank(item) < level || isSeen()) return;
  const time = performance.now();
  const wasBurst = isBurst;
  recent = [...recent, time].slice(-BURST_MAX - 1);
  isBurst = recent.length > BURST_MAX && time - recent[0] < BURST;
  beep(item.severity === "critical");
  if (isBurst) {
    more.add(item.id);
    if (wasBurst) { showMoreSoon(); return; }
    toldLevel = -1;
    showMore();
    return;
  }
  const title = `${item.severity}: ${shown(item.origin || "this process", 80)}`;
  const tag = tagOf(item);
  notes.set(tag, show(title, shown(headingOf(item), TEXT_MAX), { tag }, () => select(item.id)));
}

/** Takes back what was told of a group that waits no longer. */
function end(item) {
  const tags = SEVERITIES.map((severity) => tagOf({ ...item, severity }))
    .filter((tag) => notes.has(tag));
  if (tags.length > 0 && groupSize(item.group) === 0) tags.forEach(close);
  if (more.delete(item.id) && more.size === 0) close(MORE);
}

function close(tag) {
  notes.get(tag)?.close();
  notes.delete(tag);
}

const showMoreSoon = paced(MORE_PAUSE, showMore);

/** One notification for the rest of a burst: how many of it wait. */
function showMore() {
  for (const id of more) if (!isWaiting(state.items.get(id))) more.delete(id);
  if (more.size === 0 || isSeen()) return;
  const title = `${counted(more.size, "more presentation")} ${more.size === 1 ? "waits" : "wait"}`;
  const gravest = [...more].reduce((most, id) => Math.max(most, rank(state.items.get(id))), -1);
  // With its tag alone it would take the place of the one before without a sign.
  const options = { tag: MORE, renotify: gravest > toldLevel };
  toldLevel = gravest;
  const body = more.size === 1 ? SEVERITIES[gravest] : `The gravest: ${SEVERITIES[gravest]}`;
  notes.set(MORE, show(title, body, options, () => select(state.selected)));
}

const isWaiting = (item) => Boolean(item) && isOpen(item);

/** Shows a notification that leads to the page; undefined where the browser shows none. */
function show(title, body, options, follow) {
  if (whyNone()) return undefined;
  try {
    const silence = soundIsReady() && { silent: true }; // One sound is enough.
    const note = new Notification(title, { body, ...options, ...silence });
    note.onclick = () => {
      window.focus();
      note.close();
      follow();
    };
    return note;
  } catch {
    isRefused = true;
    return undefined;
  }
}

/** Why the browser shows no notifications, and what helps; null when it shows them. */
function whyNone() {
  if (!isSecureContext) return INSECURE;
  if (isRefused || typeof Notification === "undefined") return UNKNOWN;
  if (Notification.permission === "denied") return DENIED;
  return Notification.permission === "granted" ? null : UNASKED;
}

/** Who looks at the page needs no notification any more; nor does who has left it. */
function forget() {
  for (const tag of [...notes.keys()]) close(tag);
  more.clear();
  [recent, isBurst] = [[], false];
}

/** Shows in the dialog what this browser keeps. */
export function fillAlerts() {
  $("alertField").value = SEVERITIES[levelNow()] ?? "";
  $("soundField").checked = soundIsOn();
  drawNote();
}

function drawNote() {
  const isOff = $("alertField").value === "";
  const reason = isOff ? null : whyNone();
  $("soundField").disabled = isOff;
  $("alertNote").hidden = !reason;
  $("alertNote").textContent = reason ?? "";
}

/** Keeps in this browser what the dialog says. */
export function keepAlerts() {
  localStorage.setItem(PLACE, $("alertField").value);
  keepSound($("soundField").checked);
  if ($("alertField").value) askBrowser();
}

/** The browser asks only after a click or a key. */
async function askBrowser() {
  if (whyNone() !== UNASKED) return;
  try { await Notification.requestPermission(); } catch { /* The dialog says what helps. */ }
}

async function choose() {
  drawNote();
  if ($("alertField").value === "") return;
  await askBrowser();
  // Shows what they look like; also only now is known whether the browser has them for a page.
  const trial = show("A notification", "Of presentations that come while you look elsewhere.",
    { tag: "errorbus trial" }, () => {});
  setTimeout(() => trial?.close(), TRIAL_TIME);
  drawNote();
}

export function startAlerts() {
  startSound();
  $("alertField").addEventListener("change", choose);
  $("soundField").addEventListener("change", () => {
    if ($("soundField").checked) beep(false, true);
  });
  document.addEventListener("visibilitychange", () => { if (isSeen()) forget(); });
  addEventListener("focus", () => { if (isSeen()) forget(); });
  addEventListener("pagehide", forget);
}
