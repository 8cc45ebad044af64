// Answering and claiming.
import { api, failureText, newID, postTwice } from "./api.js";
import { confirmed, ownName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { groupOf, isForAll } from "./group.js";
import { toast } from "./news.js";
import { current } from "./rows.js";
import { refusalText, refusedWord } from "./sentences.js";
import { may, MAY_SEE, myName, NO_LINK, state, undoTime, whyNot } from "./state.js";
import { claimant, groupSize, isOpen, keep } from "./store.js";
import { headingOf, number, optionTitle, shown } from "./text.js";
import { offerUndo } from "./undoing.js";

export const JUST_SHOWN = 400; // What has been visible for less was not read.
const CLAIM_TIME = 15 * 60_000;
const SLOW = 3000;
const BUSY = "One moment: the last answer is on its way.";
const MAY_NOT_DESTROY = "You may not choose a destructive option.";
const CANNOT_SIGN =
  "An option here needs a signature, and this node gives none: answer it at one that signs.";

const claimedText = (holder) => `Claimed by ${shown(holder, 64)}: take it over first.`;

/** Why the buttons of a presentation, or of a whole group, are disabled; null when they are not. */
export function whyShut(item, whole) {
  const holder = claimant(item);
  const isOthers = holder && holder !== myName() && !whole;
  return whyNot("answer") ?? (state.busy ? BUSY : isOthers ? claimedText(holder) : null);
}

/** Why no answer may be given now with a button drawn for this; undefined when one may. */
function obstacle({ item, whole }) {
  const latest = state.items.get(item.id);
  const holder = latest && claimant(latest);
  if (state.fault) return "This page has a fault: reload it first.";
  if (!may("answer")) return MAY_SEE;
  if (state.busy) return BUSY;
  if (!state.online) return NO_LINK;
  if (state.shownID !== item.id || current()?.id !== item.id) {
    return "The screen has changed: read it, then choose again.";
  }
  if (!latest || !isOpen(latest)) return "It is no longer open.";
  if (whole && !groupOf(item.group).isComplete) {
    return "The group is still loading: try again in a moment.";
  }
  if (holder && holder !== myName() && !whole) {
    return claimedText(holder);
  }
  if (performance.now() - state.shownAt < JUST_SHOWN) {
    return "This just appeared: read it, then choose again.";
  }
  return null;
}

function isHindered(decision) {
  const reason = obstacle(decision);
  if (reason) toast(reason, "warning");
  return Boolean(reason);
}

/** Answers exactly what the button was drawn for: a presentation, or a group as it was seen. */
export async function answer(option, drawn) {
  const decision = { ...drawn }; // As it is now: the next frame may see more.
  if (isHindered(decision)) return;
  const reason = whyNotChosen(option);
  if (reason) { toast(reason, "warning"); return; }
  const by = await ownName();
  if (!by || !(await isMeant(option, decision)) || isHindered(decision)) return;
  const { item, whole, seen } = decision;
  const body = { option: option.id, by, undoMilliseconds: undoTime() };
  const asSeen = { seen, title: option.title, role: option.role ?? "none" };
  await busily(item, option.id, () => (whole
    ? answerGroup(item, option, { ...body, ...asSeen }) : answerOne(item, option, body)));
}

/** Why this person cannot choose an option here; null when they can. */
export function whyNotChosen({ role, signature }) {
  if (!may("answer")) return MAY_SEE;
  if (role === "destructive" && !may("destructive")) return MAY_NOT_DESTROY;
  return signature === "missing" ? CANNOT_SIGN : null;
}

/** Asks for confirmation before a destructive option, and before one answer for different texts. */
async function isMeant(option, { item, whole, size }) {
  const members = whole ? groupOf(item.group).members : [item];
  const isDestructive = members.some(({ options }) =>
    options.find(({ id }) => id === option.id)?.role === "destructive");
  const differs = whole && groupOf(item.group).textsDiffer;
  if (!isDestructive && !differs) return true;
  return Boolean(await confirmed(option, item, whole ? size : 1, { isDestructive, differs }));
}

/** Sends one request at a time; shows a refusal, and reads the details again. */
async function busily(item, what, work) {
  state.busy = { id: item.id, what };
  schedule();
  const slow = setTimeout(() => toast(
    "No reply from the console for 3 s. Still waiting: your answer may have arrived.",
    "warning"), SLOW);
  try {
    await work();
  } catch (error) {
    toast(refusalText(error.answer, item) ?? failureText(error), "error");
    Object.assign(state, { details: null, unread: null });
  } finally {
    clearTimeout(slow);
    state.busy = null;
    schedule();
  }
}

async function answerOne(item, option, body) {
  keep(await postTwice(`presentations/${item.id}/answer`, { ...body, answer: newID() }));
  const text = `${shown(optionTitle(option), 60)}: ${shown(headingOf(item), 90)}`;
  offerUndo({ id: item.id }, text, body.undoMilliseconds);
}

async function answerGroup(item, option, body) {
  const { answered, refused } = await api("POST", `groups/${item.group}/answer`, body);
  if (refused.length > 0) {
    toast(`${number(refused.length)} not answered: ${refusedWord(refused[0])}.`, "warning");
  }
  if (answered.length === 0) return;
  const count = number(answered.length);
  const text = `${shown(optionTitle(option), 60)} × ${count}: ${shown(headingOf(item), 90)}`;
  offerUndo({ group: item.group }, text, body.undoMilliseconds);
}

async function change(item, verb, body) {
  if (!may("answer")) { toast(MAY_SEE, "warning"); return; }
  const by = await ownName();
  if (!by) return;
  await busily(item, verb, async () =>
    keep(await api("POST", `presentations/${item.id}/${verb}`, { by, ...body })));
}
export const claim = (item, takeOver) =>
  change(item, "claim", { forMilliseconds: CLAIM_TIME, takeOver });
export const release = (item) => change(item, "release", {});

/** The presentation whose buttons are on the screen. */
function decided() {
  const item = state.decision?.item;
  return item && item.id === current()?.id ? item : null;
}

export function takeOver() {
  const item = decided();
  if (item) claim(item, true);
}

export function claimOrRelease() {
  const item = decided();
  if (!item) return;
  if (claimant(item) === myName() && myName()) release(item); else claim(item, false);
}

export function toggleWhole() {
  const item = current();
  const size = item ? groupSize(item.group) : 0;
  state.whole = size > 1 && !isForAll(item, size);
  if (size > 1 && groupOf(item.group).optionsDiffer) {
    toast("Their options differ: answer each of them separately.", "warning");
  }
  schedule();
}

export function answerByNumber(position) {
  const option = state.decision?.item.options[position - 1];
  if (option) answer(option, state.decision);
}
