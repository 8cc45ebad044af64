// The notifications of the browser: whether it shows any, and those of this tab.
import { soundsFor } from "./sound.js";
import { SEVERITIES, state } from "./state.js";
import { isOpen } from "./store.js";

const BURST = 10_000;
const BURST_MAX = 5; // So many in that time have a notification each.

const INSECURE = "The browser shows notifications only for pages over https, or of a console on "
  + "this machine: open this one at its https address. The tone works here as well.";
const UNKNOWN = "This browser shows no notifications of a page. Use the tone, or the browser of a "
  + "desktop computer.";
const DENIED = "The browser keeps this page from showing notifications. Allow them in its settings "
  + "for this page, beside the address. The tone works without them.";
const UNASKED = "The browser has not allowed notifications yet. Save, and allow them when it asks.";

let recent = []; // When the last ones came.
let isRefused = false; // Browsers of phones have notifications, and none for a page.
const notes = new Map(); // Those of this tab by their tags, some with the ids that each is about.

/** Whether the person looks at the page. */
export const isSeen = () => !document.hidden && document.hasFocus();

/** That of a group with a severity. In another life of the console the same number is another
 *  group. */
export const tagOf = (item) => `errorbus ${state.startedAt} g${item.group} ${item.severity}`;

/** Counts one more; whether so many came that one notification has to stand for the rest. */
export function isBurst() {
  const time = performance.now();
  recent = [...recent, time].slice(-BURST_MAX - 1);
  return recent.length > BURST_MAX && time - recent[0] < BURST;
}

/** Shows a notification in the place of the one with its tag, until none of those waits that it is
 *  about, if these are given. A click leads to the page. */
export function show(tag, { ids, ...content }, follow) {
  const note = made(tag, content, follow);
  if (note) notes.set(tag, { note, ids });
}

export const isShown = (tag) => notes.has(tag);
/** The ids that the notification with this tag is about; empty without one. */
export const idsOf = (tag) => notes.get(tag)?.ids ?? [];

/** A notification; undefined where the browser shows none. */
export function made(tag, { title, body, severity, renotify = false }, follow) {
  if (whyNone()) return undefined;
  try {
    const silence = soundsFor(severity) && { silent: true }; // One sound is enough.
    const note = new Notification(title, { tag, body, renotify, ...silence });
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

export function close(tag) {
  notes.get(tag)?.note.close();
  notes.delete(tag);
}

/** Closes those that are about given presentations, none of which waits any longer. */
export function closeOver() {
  const waits = (id) => state.items.has(id) && isOpen(state.items.get(id));
  for (const [tag, { ids }] of [...notes]) if (ids && ![...ids].some(waits)) close(tag);
}

/** From now on those of groups are about their members: in another life a group has another number,
 *  and nothing is known of it until all was read again. */
export function keepFormer() {
  for (const item of [...state.items.values()].filter(isOpen)) {
    for (const severity of SEVERITIES) {
      const shown = notes.get(tagOf({ ...item, severity }));
      if (shown) shown.ids = new Set(shown.ids).add(item.id);
    }
  }
}

export function closeAll() {
  for (const tag of [...notes.keys()]) close(tag);
  recent = [];
}

/** Why the browser shows no notifications, and what helps; null when it shows them. */
export function whyNone() {
  if (!isSecureContext) return INSECURE;
  if (isRefused || typeof Notification === "undefined") return UNKNOWN;
  if (Notification.permission === "denied") return DENIED;
  return Notification.permission === "granted" ? null : UNASKED;
}

/** The browser asks only after a click or a key. */
export async function askBrowser() {
  if (whyNone() !== UNASKED) return;
  try { await Notification.requestPermission(); } catch { /* The dialog says what helps. */ }
}
