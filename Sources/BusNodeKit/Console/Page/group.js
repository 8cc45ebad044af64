// The open members of a group, by their texts.
import { api } from "./api.js";
import { schedule } from "./frame.js";
import { SEVERITIES, state } from "./state.js";
import { claimant, groupSize, isClaimedByMe, isOpen } from "./store.js";

const READ_AGAIN = 2000; // The pause between two reads in a storm of new members.

const REASON_MAX = 1000; // The characters that lists have of a reason, and of a description.

let last = { group: null };

/** How many members an answer for a part of a group may name. */
export const CHOSEN_MAX = 1000;

/** Leaves members out of the answer for their group, or takes them in again. */
export function leaveOut(ids, isOut) {
  for (const id of ids) if (isOut) state.leftOut.add(id); else state.leftOut.delete(id);
  // In the group that is read, members were chosen for its answer.
  if (state.selected === `g${state.items.get(ids[0])?.group}`) state.whole = true;
  state.version += 1;
  state.scope = null;
  state.decision = null; // Until the buttons say what they answer now.
  schedule();
}

/** The members that an answer for the group is for; null for all of them. */
export function chosenOf(group) {
  const { members } = groupOf(group);
  const chosen = members.filter(({ id }) => !state.leftOut.has(id));
  return chosen.length < members.length ? chosen : null;
}

/** How many of these members this person has claimed, and how many others have. */
export function claimsOf(members) {
  const claimed = members.filter(claimant);
  const mine = claimed.filter(isClaimedByMe).length;
  return { mine, others: claimed.length - mine };
}

/** Whether `c` claims the whole group: as the person chose, else if its row was chosen. */
export const isClaimedWhole = (size) => size > 1
  && (state.whole ?? Boolean(state.selected?.startsWith("g")));

/** The group in this page: its open members, in total and by their texts. */
export function groupOf(group) {
  const { groupDetails, version } = state;
  if (last.group !== group || last.version !== version || last.details !== groupDetails) {
    last = { group, version, details: groupDetails, ...composed(group) };
  }
  return last;
}

function composed(group) {
  const members = [...state.items.values()].filter((item) => item.group === group && isOpen(item));
  const details = state.groupDetails?.number === group ? state.groupDetails : {};
  const { reasons, varies = [], isFailed } = details;
  const kinds = new Map();
  for (const item of members) {
    const reason = reasons?.get(item.id) ?? null;
    const key = JSON.stringify([item.description, reason, item.severity]);
    const kind = kinds.get(key) ?? { item, reason, count: 0, ids: [], left: 0, origins: new Set() };
    kind.count += 1;
    kind.ids.push(item.id);
    kind.left += state.leftOut.has(item.id);
    kind.origins.add(item.origin);
    kinds.set(key, kind);
  }
  const sorted = [...kinds.values()].sort((a, b) => rank(b.item) - rank(a.item));
  const differs = (pick) => new Set(members.map(pick)).size > 1;
  const optionsDiffer = differs((item) => JSON.stringify(item.options));
  // Of a long description the list has the beginning alone.
  const textsDiffer = differs((item) => item.description)
    || (varies.includes("description")
      && members.some(({ description }) => description.length >= REASON_MAX))
    || new Set(sorted.map((kind) => kind.reason)).size > 1
    // The reasons of a large group's first members are not those of all, nor is the end of a long
    // reason all of it.
    || (varies.includes("failureReason") && (members.length > reasons?.size
      || sorted.some(({ reason }) => reason?.length >= REASON_MAX)));
  return {
    members, kinds: sorted, origins: new Set(members.map((item) => item.origin)).size,
    severity: sorted[0]?.item.severity, severitiesDiffer: differs((item) => item.severity),
    textsDiffer, optionsDiffer,
    othersDiffer: [differs((item) => item.code) && "code",
      varies.includes("recoverySuggestion") && "suggestion",
      varies.includes("userInfo") && "context"].filter(Boolean),
    isComplete: members.length >= groupSize(group) && Boolean(reasons) && !isFailed,
    proposals: members.map(({ proposal }) => proposal?.id).filter(Boolean),
    // Read again when members have come or gone.
    key: `${group} ${members.length} ${members.at(-1)?.id}`,
  };
}

const rank = (item) => SEVERITIES.indexOf(item.severity);

/** Whether an answer is for the whole group: as the person chose, else only if all are alike. */
export function isForAll(item, size) {
  if (size < 2) return false;
  const { textsDiffer, optionsDiffer, isComplete } = groupOf(item.group);
  if (optionsDiffer) return false;
  return state.whole ?? (Boolean(state.selected?.startsWith("g")) && isComplete && !textsDiffer);
}

/** Reads the failure reasons of a group's members, which the list does not have. */
export async function loadGroup(group) {
  const { key, members } = groupOf(group);
  const before = state.groupDetails?.number === group ? state.groupDetails : { reasons: null };
  // Those that end one after the other leave nothing to read: the last may have ended by now.
  const isKnown = before.key === key
    || (!before.isFailed && members.every(({ id }) => before.reasons?.has(id)));
  if (members.length < 2 || !state.online || isKnown || state.complete < state.resume) return;
  if (performance.now() - before.readAt < READ_AGAIN) return;
  const details = { ...before, number: group, key, readAt: performance.now() };
  state.groupDetails = details;
  const read = await api("GET", `groups/${group}`).catch(() => null);
  if (state.groupDetails !== details) return;
  if (read) {
    const reasons = new Map(read.items.map((item) => [item.id, item.failureReason]));
    state.groupDetails = { ...details, reasons, varies: read.varies, isFailed: false };
  } else {
    // What was read before stays; it is read again.
    state.groupDetails = { ...details, key: null, isFailed: true };
  }
  schedule();
}
