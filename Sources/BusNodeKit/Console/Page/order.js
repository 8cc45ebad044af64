// The order of the rows, and those in front of all others because they expire soon.
import { expiresSoon } from "./store.js";
import { state } from "./state.js";

const HOLD = 1000; // After the pointer has moved over the list, a person may be about to click.
const HOLD_MAX = 10_000;

const byAge = (a, b) => (a.first.openedAt < b.first.openedAt ? -1
  : a.first.openedAt > b.first.openedAt ? 1 : a.first.group - b.first.group);
const byGravity = (a, b) => b.rank - a.rank || byAge(a, b);
const byDeadline = (a, b) => (a.deadline === b.deadline ? byGravity(a, b)
  : a.deadline - b.deadline);
const byCount = (a, b) => b.count - a.count || byGravity(a, b);
const COMPARING = { gravity: byGravity, deadline: byDeadline, age: byAge, count: byCount };

let front = new Set(); // The numbers of the groups that stand in front.
let aimedAt = -Infinity;
let heldAt = null; // Since when a change of what stands in front is put off.

/** Notes that the pointer moves over the list. */
export function aim() { aimedAt = performance.now(); }

/** The entries in order: those that expire soon, most urgent first, and the others. */
export function ordered(entries) {
  entries.sort(COMPARING[state.sort]);
  // There they are in front by themselves.
  if (state.sort === "deadline") return { soon: [], others: entries };
  const due = entries.filter(({ deadline }) => expiresSoon(deadline)).sort(byDeadline)
    .map(({ first }) => first.group);
  if (!isHeld(due)) front = new Set(due);
  const known = new Map(entries.map((entry) => [entry.first.group, entry]));
  return {
    soon: [...front].map((group) => known.get(group)).filter(Boolean),
    others: entries.filter(({ first }) => !front.has(first.group)),
  };
}

/** Whether rows stay where they are for the moment, because a person may be about to click one. */
function isHeld(due) {
  const time = performance.now();
  const isSame = [...front].join() === due.join();
  if (isSame || !(state.isPressing || time - aimedAt < HOLD)) {
    heldAt = null;
    return false;
  }
  heldAt ??= time;
  return state.isPressing || time - heldAt < HOLD_MAX;
}
