// Notifies a person who looks elsewhere of what comes, by the browser's notifications and a tone.
import { $ } from "./elements.js";
import { paced } from "./frame.js";
import {
  askBrowser, close, closeAll, closeOver, isBurst, isSeen, isShown, made, show, tagOf, whyNone,
} from "./notifications.js";
import { expiryText, noteReminded } from "./reminders.js";
import { beep, startSound } from "./sound.js";
import { SEVERITIES, state } from "./state.js";
import { groupSize, isNearlyOver, isOpen } from "./store.js";
import { counted, headingOf, originOf, shown } from "./text.js";
import {
  keepThreshold, NOTIFIES, passes, readEarlierForm, SOUNDS, thresholdOf,
} from "./thresholds.js";
import { select } from "./views.js";

const MORE_PAUSE = 1000; // Between two changes of the one that stands for the others.
const TEXT_MAX = 200;
const MORE = "errorbus more";
const TRIAL_TIME = 5000;

let isInBurst = false;
let toldLevel = -1; // The gravest of a burst, as its notification says.
const more = new Set(); // The ids of what came in a burst and has no notification of its own.

const rank = (item) => SEVERITIES.indexOf(item?.severity);

/** Hears of a change. Of what has just come it notifies, if that is grave enough and not seen. */
export function tellAway(item, before) {
  if (!before && isOpen(item)) arrive(item);
  else if (before && isOpen(before) && !isOpen(item)) end(item);
}

function arrive(item) {
  if (isNearlyOver(item)) noteReminded(item);
  if (isSeen()) return;
  beep(item.severity);
  if (!passes(NOTIFIES, item.severity)) return;
  const wasInBurst = isInBurst;
  isInBurst = isBurst();
  if (isInBurst) {
    more.add(item.id);
    if (wasInBurst) { showMoreSoon(); return; }
    toldLevel = -1;
    showMore();
    return;
  }
  const title = `${item.severity}: ${shown(originOf(item), 80)}`;
  const expiry = isNearlyOver(item) ? `${expiryText(item)}\n` : "";
  const body = expiry + shown(headingOf(item), TEXT_MAX);
  show(tagOf(item), { title, body, severity: item.severity }, () => select(item.id));
}

/** Takes back what was shown of a group that waits no longer, and of what has ended. */
function end(item) {
  const tags = SEVERITIES.map((severity) => tagOf({ ...item, severity })).filter(isShown);
  if (tags.length > 0 && groupSize(item.group) === 0) tags.forEach(close);
  if (more.delete(item.id) && more.size === 0) close(MORE);
  closeOver();
}

/** Takes back what was shown, before all was read again, of what waits no longer. */
export function endFormer() {
  forgetOver();
  if (more.size === 0) close(MORE);
  closeOver();
}

function forgetOver() {
  for (const id of more) if (!isWaiting(state.items.get(id))) more.delete(id);
}

const showMoreSoon = paced(MORE_PAUSE, showMore);

/** One notification for the rest of a burst: how many of it wait. */
function showMore() {
  forgetOver();
  if (more.size === 0 || isSeen()) return;
  const title = `${counted(more.size, "more presentation")} ${more.size === 1 ? "waits" : "wait"}`;
  const gravest = [...more].reduce((most, id) => Math.max(most, rank(state.items.get(id))), -1);
  const severity = SEVERITIES[gravest];
  const body = more.size === 1 ? severity : `The gravest: ${severity}`;
  // With its tag alone it would take the place of the one before without a sign.
  const renotify = gravest > toldLevel;
  toldLevel = gravest;
  show(MORE, { title, body, severity, renotify }, () => select(state.selected));
}

const isWaiting = (item) => Boolean(item) && isOpen(item);

/** A person who looks at the page needs no notification of it, nor one who has left it. */
function forget() {
  closeAll();
  more.clear();
  isInBurst = false;
}

/** Shows in the dialog what this browser keeps. */
export function fillAlerts() {
  $("alertField").value = thresholdOf(NOTIFIES);
  $("soundField").value = thresholdOf(SOUNDS);
  drawNote();
}

function drawNote() {
  const reason = $("alertField").value === "" ? null : whyNone();
  $("alertNote").hidden = !reason;
  $("alertNote").textContent = reason ?? "";
}

/** Keeps in this browser what the dialog says. */
export function keepAlerts() {
  keepThreshold(NOTIFIES, $("alertField").value);
  keepThreshold(SOUNDS, $("soundField").value);
  if ($("alertField").value) askBrowser();
}

async function choose() {
  drawNote();
  if ($("alertField").value === "") return;
  await askBrowser();
  // Shows what they look like; also only now is known whether the browser has them for a page.
  const trial = made("errorbus trial", {
    title: "A notification",
    body: "Presentations that come while you look elsewhere have one like this.",
    severity: $("alertField").value,
  }, () => {});
  setTimeout(() => trial?.close(), TRIAL_TIME);
  drawNote();
}

export function startAlerts() {
  readEarlierForm();
  startSound();
  $("alertField").addEventListener("change", choose);
  $("soundField").addEventListener("change", () => {
    if ($("soundField").value) beep($("soundField").value, true);
  });
  document.addEventListener("visibilitychange", () => { if (isSeen()) forget(); });
  addEventListener("focus", () => { if (isSeen()) forget(); });
  addEventListener("pagehide", forget);
}
