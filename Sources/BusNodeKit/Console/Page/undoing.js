// Undoing an answer while it is held.
import { $, el, kbd } from "./elements.js";
import { api, failureText, inParallel } from "./api.js";
import { ownName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { CHOSEN_MAX } from "./group.js";
import { removeNotices, showNotice, toast } from "./news.js";
import { current, whyUnread } from "./rows.js";
import { may, MAY_SEE, state } from "./state.js";
import { heldWith, keep } from "./store.js";
import { counted, headingOf, number, shown } from "./text.js";

const JUST_GONE = 2000; // A key to undo may come so much too late.

/** Offers an undo while an answer is held: for one by `id` and its `answer`, or for `parts`, each a
 *  `group` with those of its members that were answered, as `held`. Returns what is offered; null
 *  when nothing is held. */
export function offerUndo(what, text, milliseconds) {
  if (milliseconds === 0) { toast(`Sent. ${text}`, "good"); return null; }
  const bar = el("progress", {
    max: milliseconds, value: milliseconds, ariaLabel: "Time left to undo",
  });
  const entry = { ...what, end: performance.now() + milliseconds, bar };
  const button = el("button", {
    type: "button", textContent: "Undo ", onclick: () => undoEntry(entry),
  }, kbd("u"));
  entry.toast = el("div", { className: "toast" }, el("p", { textContent: text }), button, bar);
  state.undos.push(entry);
  showNotice($("undos"), entry.toast);
  clearTimeout(countdown);
  countDown();
  return entry;
}

let countdown = null;

function countDown() {
  for (const entry of state.undos) entry.bar.value = entry.end - performance.now();
  dropUndos((entry) => entry.end <= performance.now());
  if (state.undos.length > 0) countdown = setTimeout(countDown, 100);
}

/** Takes the notices away for which `isOver` is true. */
export function dropUndos(isOver) {
  const over = state.undos.filter(isOver);
  if (over.length === 0) return;
  state.undos = state.undos.filter((entry) => !over.includes(entry));
  state.undoEnded = performance.now();
  removeNotices(over.map((entry) => entry.toast));
}

export function undoEntry(entry) {
  if (entry.isSent) toast("One moment: that undo is on its way.", "warning");
  else if (entry.parts) undoParts(entry.parts);
  else undoOne(entry.id, entry.answer);
}

const heldOf = (parts) => parts.flatMap(({ held }) => held);

/** Whether this answer is held still, and no other one in its place. */
function isHeld({ id, answer }) {
  const item = state.items.get(id);
  return item?.stage === "leaving" && item.answer.id === answer;
}

/** Whether an undo is for all held answers of its group that were given with it. */
export const isUndoneWhole = (item) => heldWith(item).length > 1
  && (state.whole ?? Boolean(state.selected?.startsWith("g")));

/** Reports that another person has undone this person's answers. */
export async function tellUndone() {
  const items = state.news.undone;
  if (items.length === 0) return;
  state.news.undone = [];
  const ids = new Set(items.map((item) => item.id));
  dropUndos(({ id, parts }) => ids.has(id)
    || (parts && heldOf(parts).some((each) => ids.has(each.id)) && !heldOf(parts).some(isHeld)));
  const { history = [] } = await api("GET", `presentations/${items[0].id}`).catch(() => ({}));
  const who = shown(history.findLast(({ event }) => event === "undo")?.fields.by
    ?? "Another person", 64);
  const what = items.length > 1 ? `${number(items.length)} of your answers` : "your answer";
  toast(`${who} took back ${what}: ${shown(headingOf(items[0]), 90)}`, "warning");
}

/** Undoes the last answer, else the one shown; false when there is none. */
export function undoLast() {
  const entry = state.undos.at(-1);
  const item = state.tab === "inbox" ? current() : null;
  if (entry) undoEntry(entry);
  else if (performance.now() - state.undoEnded < JUST_GONE) {
    // The key was for that answer, and not for what is on the screen.
    toast("Nothing was undone: that notice has just gone. In a moment u is for the screen.",
      "warning");
  } else if (item?.stage === "leaving") {
    if (isUndoneWhole(item)) undoHeld(item, allHeldWith(item)); else undoHeld(item);
  } else return false;
  return true;
}

export const allHeldWith = (item) =>
  heldWith(item).map(({ id, answer }) => ({ id, answer: answer.id }));

/** Undoes what the screen shows: an answer, or these of its group. */
export function undoHeld(item, held) {
  const reason = whyUnread(item);
  if (reason) { toast(reason, "warning"); return; }
  if (held) undoParts([{ group: item.group, held }]); else undoOne(item.id, item.answer.id);
}

/** Undoes, and takes the notices away for which `isIt` is true. */
async function undo(work, isIt) {
  if (!may("answer")) {
    state.undoing.clear();
    toast(MAY_SEE, "warning");
    return;
  }
  const by = await ownName();
  if (!by) return;
  const entries = state.undos.filter(isIt);
  for (const entry of entries) entry.isSent = true;
  let isOver = true;
  try {
    await work(by);
  } catch (error) {
    toast(failureText(error), "error");
    state.undoing.clear();
    // After any other failure it may be held still.
    isOver = error.answer?.error === "nothingToUndo";
  }
  for (const entry of entries) entry.isSent = false;
  if (isOver) dropUndos((entry) => entries.includes(entry));
  schedule();
}

/** Undoes this answer for a presentation, and no other one. */
function undoOne(id, answer) {
  state.undoing.add(id);
  return undo(async (by) => {
    keep(await api("POST", `presentations/${id}/undo`, { by, answer }));
    toast("Taken back: it waits for another answer.", "good");
  }, (entry) => entry.id === id);
}

/** Undoes these answers for members of groups, and no others; the events bring the changes. */
function undoParts(parts) {
  const held = heldOf(parts);
  for (const each of held) if (isHeld(each)) state.undoing.add(each.id);
  const meant = new Set(held.map(({ answer }) => answer));
  return undo(async (by) => {
    const count = await undoneCount(parts, by);
    const left = held.length - count;
    const rest = left > 0 ? `, ${number(left)} no longer held` : "";
    toast(`${counted(count, "answer")} taken back${rest}.`, left > 0 ? "warning" : "good");
  }, (entry) => entry.parts && heldOf(entry.parts).every(({ answer }) => meant.has(answer)));
}

/** How many answers were taken back, in as many requests as their number needs. */
async function undoneCount(parts, by) {
  let [count, refusal] = [0, null];
  await inParallel(parts, async ({ group, held }) => {
    for (let start = 0; start < held.length; start += CHOSEN_MAX) {
      const answers = held.slice(start, start + CHOSEN_MAX).map(({ answer }) => answer);
      try {
        const { undone } = await api("POST", `groups/${group}/undo`, { by, answers });
        count += undone.length;
      } catch (error) {
        if (error.answer?.error !== "nothingToUndo") throw error;
        refusal = error; // Of these; the others may still be held.
      }
    }
  });
  if (count === 0 && refusal) throw refusal;
  return count;
}
