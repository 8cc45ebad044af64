// The copy of the inbox that the server's events bring up to date.
import { myName, now, state } from "./state.js";
import { schedule } from "./frame.js";
import { shown } from "./text.js";

const ENDED_MAX = 2000;
const NEAR = 5 * 60_000;

export const isOpen = (item) => item.stage === "open" || item.stage === "claimed";
export const isLive = (item) => isOpen(item) || item.stage === "leaving";

/** Who looks after it; a claim that has run out counts no more. */
export const claimant = (item) =>
  item.stage === "claimed" && Date.parse(item.claimedUntil) > now() ? item.claimedBy : null;

/** Whether its deadline is so near that a person should look now. */
export const isNear = (item) =>
  Boolean(item.deadline) && isOpen(item) && item.deadline - now() < NEAR;

/** What is applied when no answer comes in time; undefined when that is nothing. */
export const expiryOption = (item) => item.options.find((option) => option.id === item.onExpiry);

/** Whether the answer was to give up. */
export const isCancelled = (item) => item.ending === "cancelled";

/** What came of it, in a word, and its tone. */
export function endingOf(item) {
  const tones = { recovered: "good", failed: "error", invalid: "error", late: "warning" };
  if (!item.ending) return ["sent", "info"];
  if (isCancelled(item)) return [item.ending, "debug"];
  return [item.ending, item.failedAgain ? "warning" : tones[item.result] ?? "debug"];
}

export function apply(message) {
  for (const item of message.items) keep(item);
  state.groups = new Map((message.groups ?? []).map((group) => [group.number, group]));
  // The gravest are shown before all the others have come.
  for (const { first } of state.groups.values()) if (!state.items.has(first.id)) keep(first);
  state.resume = Math.max(state.resume, message.revision);
  state.openCount = message.openCount;
  dropOldestEnded();
  const count = state.openCount ? `(${state.openCount}) ` : "";
  document.title = `${count}ErrorBus ${shown(state.node, 80)}`;
  schedule();
}

export function keep(item) {
  const before = state.items.get(item.id);
  if (before && before.revision > item.revision) return;
  if (item.deadlineInMilliseconds !== null) item.deadline = now() + item.deadlineInMilliseconds;
  state.items.set(item.id, item);
  state.version += 1;
  if (!isLive(item) && !(item.changedAt < state.lastEnd)) state.lastEnd = item.changedAt;
  if (state.ready) noteNews(item, before);
}

function noteNews(item, before) {
  if (!before && isOpen(item)) {
    state.news.arrived.push(item);
    state.fresh.add(item.id);
  }
  if (item.result && !before?.result && item.answer?.by === myName()) {
    state.news.results.push(item);
  }
  const wasMine = before?.stage === "leaving" && before.answer.by === myName();
  if (wasMine && isOpen(item) && !state.undoing.delete(item.id)) state.news.undone.push(item);
}

function dropOldestEnded() {
  if (state.items.size < state.openCount + ENDED_MAX * 1.5) return;
  const ended = [...state.items.values()].filter((item) => !isLive(item));
  ended.sort((a, b) => a.revision - b.revision);
  for (const item of ended.slice(0, -ENDED_MAX)) state.items.delete(item.id);
}

function countMembers(group, isCounted) {
  let count = 0;
  for (const item of state.items.values()) count += item.group === group && isCounted(item);
  return count;
}

/** How many of a group are open; until all of them have come the server knows better. */
export const groupSize = (group) =>
  (!state.ready && state.groups.get(group)?.members) || countMembers(group, isOpen);

/** How many answers of a group have not left yet. */
export const leavingSize = (group) => countMembers(group, (item) => item.stage === "leaving");
