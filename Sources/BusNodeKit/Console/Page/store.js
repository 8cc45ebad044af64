// The copy of the inbox, updated by the server's events.
import { isMe, now, state } from "./state.js";
import { schedule } from "./frame.js";
import { shown } from "./text.js";

const ENDED_MAX = 2000;
const NEAR = 5 * 60_000;
/** From here on it reminds a person who looks elsewhere. */
export const NEARLY_OVER = 2 * 60_000;

const listeners = { change: [], message: [] };
/** Registers what hears of each change of a presentation once all have been read, as the item and
 *  what it was before. */
export function onChange(listener) { listeners.change.push(listener); }
/** Registers what follows each message of the server, also in a hidden tab. */
export function onMessage(listener) { listeners.message.push(listener); }

export const isOpen = (item) => item.stage === "open" || item.stage === "claimed";
export const isLive = (item) => isOpen(item) || item.stage === "leaving";
/** Whether the list, of what waits or of what has ended, would have it without a filter. */
export const isListed = (item) => isLive(item) === (state.show === "open");

/** The person who claimed it; none for a claim that ran out. */
export const claimant = (item) =>
  item.stage === "claimed" && Date.parse(item.claimedUntil) > now() ? item.claimedBy : null;

/** Whether this person has claimed it. */
export const isClaimedByMe = (item) => Boolean(claimant(item)) && isMe(item.claimedBy, item.holder);

/** Whether a deadline is so near that a person should look now. */
export const expiresSoon = (deadline, within = NEAR) => deadline - now() < within;

/** Whether its deadline is near, and no answer has come. */
export const isNear = (item) =>
  Boolean(item.deadline) && isOpen(item) && expiresSoon(item.deadline);

/** Whether only minutes of that are left, and not yet none. */
export const isNearlyOver = (item) =>
  isNear(item) && expiresSoon(item.deadline, NEARLY_OVER) && !expiresSoon(item.deadline, 0);

/** The option applied when no answer comes in time; undefined without one. */
export const expiryOption = (item) => item.options.find((option) => option.id === item.onExpiry);

/** Whether the answer was a cancel option. */
export const isCancelled = (item) => item.ending === "cancelled";

/** Whether the answer was an option that is there to recover. Another one, as Skip, may end without
 *  having recovered as it should. */
const isToRecover = (item) => ["default", "destructive"].includes(
  item.options?.find((option) => option.id === item.answer?.option)?.role);

/** The result, in a word, and its tone. */
export function endingOf(item) {
  const failed = isToRecover(item) ? "error" : "debug";
  const tones = { recovered: "good", failed, invalid: "error", late: "warning" };
  if (!item.ending) return ["sent", "info"];
  // Not on disk yet. A row of the history without an end has its stage in its place.
  if (item.stage === "answered" && item.ending !== item.stage) return [item.ending, "warning"];
  if (isCancelled(item)) return [item.ending, "debug"];
  const isAgain = item.failedAgain || item.ending === "failed again";
  return [item.ending, isAgain ? "warning" : tones[item.result] ?? "debug"];
}

export function apply(message) {
  for (const item of message.items) keep(item);
  if (message.groups) keepGroups(message.groups);
  state.resume = Math.max(state.resume, message.revision);
  // Of a message that was cut, older members may still come: they have not been seen.
  if (message.isLast) state.complete = state.resume;
  state.openCount = message.openCount;
  dropOldestEnded();
  const count = state.openCount ? `(${state.openCount}) ` : "";
  document.title = `${count}ErrorBus ${shown(state.node, 80)}`;
  for (const listener of listeners.message) listener();
  schedule();
}

/** Keeps the groups, which count until all of their members have arrived. */
function keepGroups(groups) {
  state.groups = new Map(groups.map((group) => [group.number, group]));
  // The most severe are shown before all others have arrived.
  for (const { first } of groups) if (!state.items.has(first.id)) keep(first);
}

export function keep(item) {
  const before = state.items.get(item.id);
  if (before && before.revision > item.revision) return;
  if (item.deadlineInMilliseconds !== null) item.deadline = now() + item.deadlineInMilliseconds;
  state.items.set(item.id, item);
  state.version += 1;
  if (!isLive(item) && !(item.changedAt < state.lastEnd)) state.lastEnd = item.changedAt;
  if (state.lost.delete(item.id) && isOpen(item)) state.news.lost.push(item);
  const isNew = state.former && !before && !state.former.has(item.id) && isOpen(item);
  if (state.ready || isNew) noteNews(item, before);
}

/** Whether this person answered it, alone or with another one. */
export const isMine = ({ answer, holder }) =>
  Boolean(answer) && (isMe(answer.by, holder) || isMe(answer.second));

function noteNews(item, before) {
  if (!before && isOpen(item)) {
    state.news.arrived.push(item);
    state.fresh.add(item.id);
  }
  if (!isOpen(item)) state.fresh.delete(item.id); // A hidden tab draws no frames.
  if (item.result && !before?.result && isMine(item)) state.news.results.push(item);
  if (item.proposal && item.proposal.id !== before?.proposal?.id
    && !isMe(item.proposal.by, item.proposal.person)) state.news.proposed.push(item);
  const wasMine = before?.stage === "leaving" && isMine(before);
  if (wasMine && isOpen(item) && !state.undoing.delete(item.id)) state.news.undone.push(item);
  for (const listener of listeners.change) listener(item, before);
}

/** The order of ends; a note on what has ended changes its revision alone. */
export const byEnd = (a, b) =>
  (a.changedAt === b.changedAt ? a.revision - b.revision : a.changedAt < b.changedAt ? -1 : 1);

function dropOldestEnded() {
  if (state.items.size < state.openCount + ENDED_MAX * 1.5) return;
  const ended = [...state.items.values()].filter((item) => !isLive(item));
  ended.sort(byEnd);
  for (const { id } of ended.slice(0, -ENDED_MAX)) {
    state.items.delete(id);
    state.leftOut.delete(id);
  }
}

function countMembers(group, isCounted) {
  let count = 0;
  for (const item of state.items.values()) count += item.group === group && isCounted(item);
  return count;
}

/** The number of open members of a group; the server's count until all of them have arrived. */
export const groupSize = (group) =>
  (!state.ready && state.groups.get(group)?.members) || countMembers(group, isOpen);

/** The held answers of its group that the same people gave, with the same option. */
export const heldWith = ({ group, answer }) => [...state.items.values()].filter((item) =>
  item.group === group && item.stage === "leaving" && item.answer.option === answer.option
    && item.answer.by === answer.by && item.answer.second === answer.second);
