// Answering and claiming.
import { api, failureText, newID, postTwice } from "./api.js";
import { dropComment, typedComment } from "./comment.js";
import { askReceiver, confirmed, ownName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { CHOSEN_MAX, claimsOf, groupOf, isClaimedWhole, isForAll } from "./group.js";
import { toast } from "./news.js";
import { isOptionShown } from "./option-search.js";
import { CHANGED, current, whyUnread } from "./rows.js";
import { claimedText, OVER, refusalText, refusedWords } from "./sentences.js";
import { may, MAY_SEE, myName, NO_LINK, now, state, undoTime, whyNot } from "./state.js";
import { claimant, groupSize, isClaimedByMe, isOpen, keep } from "./store.js";
import { headingOf, number, optionTitle, originOf, shown } from "./text.js";
import { confirmedBy, confirmedMembers, proposalOf, whyNotProposed } from "./two-people.js";
import { offerUndo } from "./undoing.js";
import { askValues, asksForValues } from "./values.js";

/** How long a claim lasts, and at most. */
export const CLAIM_TIME = 15 * 60_000;
const CLAIM_MAX = 60 * 60_000;
const NOT_CLAIMED = "Claim it first, then hand it over.";
/** An answer for more is confirmed. */
export const LARGE = 10;
const SLOW = 3000;
export const BUSY = "One moment: the last answer is on its way.";
const MAY_NOT_DESTROY = "You may not choose a destructive option.";
const CANNOT_SIGN =
  "An option here needs a signature, and this node gives none: answer it at one that signs.";
const NONE_CHOSEN = "No member of the group is chosen.";
const NONE_CONFIRMED = "The members of the group with this proposal are left out.";
const TOO_MANY = `At most ${number(CHOSEN_MAX)} of a group can be chosen at a time.`;
const NO_USERS = "An option here needs two people, and this console knows none by their sign-in: "
  + "give it users, or answer at a console that has them.";

/** The person whose claim keeps this one from an option; null for none. What the claimant proposes
 *  another person may confirm. */
function holderOf(item, whole, option) {
  const proposal = confirmedBy(option, item);
  const isProposers = proposal && (proposal.by === item.claimedBy
    || (proposal.person && proposal.person === item.holder));
  return whole || isClaimedByMe(item) || isProposers ? null : claimant(item);
}

/** Why the button of an option is disabled, for one or for a whole group; null when it is not. */
export function whyShut({ item, whole, chosen, proposal }, option) {
  const holder = holderOf(item, whole, option);
  return whyNot("answer") ?? (state.busy ? BUSY : holder ? claimedText(holder) : null)
    ?? whyNotPart(chosen, proposal) ?? whyNotProposed(option, item);
}

/** What a button is drawn for. For a group whose proposal it confirms: the members with that
 *  proposal. One that is over by the time of the click is still sent; the server refuses it. */
export function partFor(option, { item, whole, members, chosen, count }) {
  const proposal = confirmedBy(option, item);
  const confirmed = whole ? confirmedMembers(option, item, members) : null;
  return { proposal, chosen: confirmed ?? chosen, count: confirmed?.length ?? count };
}

/** Why a part of a group cannot be answered; null when it can. */
function whyNotPart(chosen, proposal) {
  if (chosen?.length === 0) return proposal ? NONE_CONFIRMED : NONE_CHOSEN;
  return chosen?.length > CHOSEN_MAX ? TOO_MANY : null;
}

/** Why no answer may be given now with a button drawn for this; null when one may. Of a group the
 *  member on the screen may end while its question `isAsked`. */
function obstacle(option, { item, whole, chosen, proposal, life }, isAsked) {
  const latest = state.items.get(item.id);
  const isForRest = isAsked && whole && isShownGroup(item.group) && !(latest && isOpen(latest));
  const holder = latest && holderOf(latest, whole, option);
  if (state.fault) return "This page has a fault: reload it first.";
  if (!may("answer")) return MAY_SEE;
  if (state.busy) return BUSY;
  if (!state.online) return NO_LINK;
  const unread = isForRest ? null : whyUnread(item);
  if (unread) return unread;
  if (!isForRest && !(latest && isOpen(latest))) return `It is ${OVER}.`;
  // In another life of the console the same id may stand for another text.
  if (life !== state.startedAt) return CHANGED;
  const { options } = isForRest ? item : latest;
  if (JSON.stringify(options) !== JSON.stringify(item.options)) return CHANGED;
  if (whole && !groupOf(item.group).isComplete) {
    return "The group is still loading: try again in a moment.";
  }
  if (holder) return claimedText(holder);
  return whyNotPart(chosen, proposal) ?? whyNotProposed(option, isForRest ? item : latest);
}

const isShownGroup = (group) =>
  state.tab === "inbox" && current()?.group === group && groupSize(group) > 0;

function isHindered(option, decision, isAsked = false) {
  const reason = obstacle(option, decision, isAsked);
  if (reason) toast(reason, "warning");
  return Boolean(reason);
}

/** Answers exactly what the button was drawn for: a presentation, or a group as it was seen. */
export async function answer(option, drawn) {
  if (drawn !== state.decision) { toast(CHANGED, "warning"); return; }
  const part = drawn.parts.get(option);
  const decision = { ...drawn, ...part }; // As it is now: the next frame may see more.
  if (isHindered(option, decision)) return;
  const reason = whyNotChosen(option);
  if (reason) { toast(reason, "warning"); return; }
  const by = await ownName();
  if (!by) return;
  // What the button was drawn for, and no other proposal. Its values and its comment are confirmed
  // with it.
  const { proposal } = decision;
  const comment = proposal ? null : typedComment(decision.item);
  const body = {
    option: option.id, by, undoMilliseconds: undoTime(), ...(comment && { comment }),
  };
  if (proposal) {
    body.confirms = decision.whole ? decision.chosen.map((each) => each.proposal.id) : proposal.id;
  }
  const asks = asksForValues(option) && !proposal;
  let problem = null;
  do {
    if (asks) body.values = await filled(option, decision, body.values, problem);
    if (asks && !body.values) return;
    if (!(await isMeant(option, decision)) || isHindered(option, decision, true)) return;
    problem = await sent(option, decision, body);
  } while (asks && problem);
  if (problem) toast(shown(problem.message, 600), "error");
}

const filled = (option, { item, count }, given, problem) =>
  askValues(option, item, count, { given, problem });

/** Sends the answer; returns the refusal of a value, which its form shows. */
async function sent(option, { item, whole, chosen, seen }, body) {
  const ids = chosen?.map(({ id }) => id);
  const asSeen = { seen, title: option.title, role: option.role ?? "none", ...(ids && { ids }) };
  return busily(item, option.id, () => (whole
    ? answerGroup(item, option, { ...body, ...asSeen }) : answerOne(item, option, body)), true);
}

/** Why this person cannot choose an option here; null when they can. */
export function whyNotChosen({ role, signature, twoPeople }) {
  if (!may("answer")) return MAY_SEE;
  if (role === "destructive" && !may("destructive")) return MAY_NOT_DESTROY;
  if (twoPeople === "unknown") return NO_USERS;
  return signature === "missing" ? CANNOT_SIGN : null;
}

/** Asks for confirmation before a destructive option, before one answer for many or for different
 *  texts, and as the second of two people. */
async function isMeant(option, { item, whole, chosen, members, count, size, proposal }) {
  const isDestructive = (chosen ?? members).some(({ options }) =>
    options.find(({ id }) => id === option.id)?.role === "destructive");
  const differs = whole && groupOf(item.group).textsDiffer;
  const isLarge = count > LARGE;
  const origins = [...new Set((chosen ?? members).map((each) => originOf(each)))];
  if (!isDestructive && !differs && !isLarge && !proposal) return true;
  const why = {
    isDestructive, differs, isLarge, origins, proposal, of: chosen ? size : count,
  };
  return Boolean(await confirmed(option, item, count, why));
}

/** Sends one request at a time; shows a refusal, and reads the details again. Returns the refusal
 *  of a value. */
async function busily(item, what, work, isAnswer = false) {
  state.busy = { id: item.id, what };
  schedule();
  const slow = setTimeout(() => toast(
    `No reply from the console for 3 s. Still waiting: your ${isAnswer ? "answer" : "request"} `
      + "may have arrived.", "warning"), SLOW);
  try {
    return await work() ?? null;
  } catch (error) {
    if (error.answer?.error === "badValue") return error.answer;
    toast(refusalText(error.answer, item, isAnswer) ?? failureText(error), "error");
    Object.assign(state, { details: null, unread: null });
  } finally {
    clearTimeout(slow);
    state.busy = null;
    schedule();
  }
  return null;
}

async function answerOne(item, option, body) {
  const reply = await postTwice(`presentations/${item.id}/answer`, { ...body, answer: newID() });
  keep(reply);
  dropComment(body.comment);
  const text = `${shown(optionTitle(option), 60)}: ${shown(headingOf(item), 90)}`;
  if (reply.proposal) tellProposed(text);
  else offerUndo({ id: item.id, answer: reply.answer?.id }, text, body.undoMilliseconds);
}

const tellProposed = (text) => toast(`Proposed, for another person to confirm. ${text}`, "good");

async function answerGroup(item, option, body) {
  const { answered, answers, proposed, refused } =
    await postTwice(`groups/${item.group}/answer`, { ...body, answer: newID() });
  // The same values for all: where none fits, the form says why.
  const bad = refused.find(({ error }) => error === "badValue");
  if (bad && answered.length + proposed.length === 0) return bad;
  if (answered.length + proposed.length > 0) dropComment(body.comment);
  if (refused.length > 0) {
    toast(`${number(refused.length)} not answered: ${refusedWords(refused)}.`, "warning");
  }
  if (proposed.length > 0) {
    tellProposed(`${shown(optionTitle(option), 60)} × ${number(proposed.length)}`);
  }
  // The rest stays left out until it is chosen: a second click answers none of it.
  if (body.ids) state.shownAt = performance.now();
  if (answered.length === 0) return null;
  const count = number(answered.length);
  const text = `${shown(optionTitle(option), 60)} × ${count}: ${shown(headingOf(item), 90)}`;
  const held = answered.map((id, index) => ({ id, answer: answers[index] }));
  offerUndo({ parts: [{ group: item.group, held }] }, text, body.undoMilliseconds);
  return null;
}

/** Claims or releases one; `ask` gives what is sent beside it, null for nothing. */
async function change(item, verb, body, ask = () => ({})) {
  const reason = may("answer") ? whyUnread(item) : MAY_SEE;
  if (reason) { toast(reason, "warning"); return; }
  const by = await ownName();
  const asked = by && await ask();
  if (!asked) return;
  await busily(item, verb, async () =>
    keep(await api("POST", `presentations/${item.id}/${verb}`, { by, ...body, ...asked })));
}

/** How long claims of these last from now on: one's own are made no shorter. */
function claimTime(items) {
  const mine = items.filter(isClaimedByMe);
  const end = mine.reduce((last, item) => Math.max(last, Date.parse(item.claimedUntil)), 0);
  return Math.min(CLAIM_MAX, Math.max(CLAIM_TIME, Math.round(end - now())));
}

/** Claims one. One's own claim is prolonged; one that another person has by then stays theirs. */
export const claim = (item, takeOver) => change(item, "claim",
  { forMilliseconds: claimTime([item]), takeOver: takeOver && !isClaimedByMe(item) });
export const handOver = (item) =>
  change(item, "claim", { forMilliseconds: CLAIM_TIME }, () => receiverOf(item));

/** The person to whom a claim is to be handed; null where none was named. */
async function receiverOf(item) {
  const to = await askReceiver(`“${shown(headingOf(item), 300)}”`);
  return to ? { to } : null;
}

export const release = (item) => change(item, "release", {});
export const decline = (item) => change(item, "decline", { proposal: item.proposal?.id });

/** What the buttons for the claims of a group are drawn for: the chosen members, null for all, and
 *  how many of them this person and others have claimed. */
export function claimPart({ group }, size, chosen) {
  const count = chosen?.length ?? size;
  const { mine, others } = claimsOf(chosen ?? groupOf(group).members);
  return { chosen, count, mine, others, isRelease: mine > 0 && mine + others >= count };
}

/** Why the claims of a group cannot be changed; null when they can. */
export const whyNoClaim = ({ chosen }) => whyNot("answer") ?? whyNotPart(chosen, null);

/** Claims or releases the members that the button was drawn for; `ask` is as for one. */
async function changeGroup(drawn, verb, extra, ask = () => ({})) {
  if (!drawn || drawn !== state.decision) { toast(CHANGED, "warning"); return; }
  const { item, seen, claims } = drawn;
  const reason = may("answer") ? whyUnread(item) ?? whyNoClaim(claims) : MAY_SEE;
  if (reason) { toast(reason, "warning"); return; }
  const ids = claims.chosen?.map(({ id }) => id);
  const by = await ownName();
  const asked = by && await ask();
  if (!asked) return;
  await busily(item, `${verb} group`, async () => {
    const path = `groups/${item.group}/${verb}`;
    const body = { by, seen, ...(ids && { ids }), ...extra, ...asked };
    const reply = await api("POST", path, body);
    // “Release your 3” and “Hand over your 3” are not for what others have claimed.
    const isOwn = claims.others > 0 && (verb === "release" || Boolean(asked.to));
    const refused = reply.refused.filter(({ error }) => !(isOwn && error === "claimed"));
    if (refused.length === 0) return;
    const done = verb === "claim" ? "claimed" : "released";
    toast(`${number(refused.length)} not ${done}: ${refusedWords(refused)}.`, "warning");
  });
}
export function claimGroup(drawn, takeOver) {
  const members = drawn.claims.chosen ?? groupOf(drawn.item.group).members;
  return changeGroup(drawn, "claim", {
    forMilliseconds: claimTime(members), takeOver: takeOver && drawn.claims.others > 0,
  });
}
export const releaseGroup = (drawn) => changeGroup(drawn, "release", {});
export const handOverGroup = (drawn) => changeGroup(drawn, "claim",
  { forMilliseconds: CLAIM_TIME }, () => receiverOf(drawn.item));

/** The decision on the screen when the keys for claims are for its whole group; else null. */
const groupDecided = () => (decided() && isClaimedWhole(state.decision.size)
  ? state.decision : null);

/** The presentation whose buttons are on the screen. */
function decided() {
  const item = state.tab === "inbox" ? state.decision?.item : null;
  return item && item.id === current()?.id ? item : null;
}

export function takeOver() {
  const item = decided();
  const group = groupDecided();
  if (group) claimGroup(group, true); else if (item) claim(item, true);
}

/** Hands this person's claim to another one. */
export function handOverClaim() {
  const item = decided();
  const group = groupDecided();
  if (!item) return;
  const isMine = group ? group.claims.isRelease : isClaimedByMe(item);
  if (!isMine || !myName()) toast(NOT_CLAIMED, "warning");
  else if (group) handOverGroup(group);
  else handOver(item);
}

/** Withdraws or declines what is proposed. */
export function dropProposal() {
  const item = decided();
  if (item && proposalOf(item)) decline(item);
}

export function claimOrRelease() {
  const item = decided();
  if (!item) return;
  const group = groupDecided();
  if (group?.claims.isRelease) releaseGroup(group);
  else if (group) claimGroup(group, false);
  else if (isClaimedByMe(item)) release(item);
  else claim(item, false);
}

export function toggleWhole() {
  const item = current();
  const size = item ? groupSize(item.group) : 0;
  state.whole = size > 1 && !isForAll(item, size);
  state.scope = null;
  state.decision = null; // Until the buttons say what they answer now.
  if (size > 1 && groupOf(item.group).optionsDiffer) {
    toast("Their options differ: answer each of them separately.", "warning");
  }
  schedule();
}

export function answerByNumber(position) {
  const option = state.decision?.item.options[position - 1];
  if (!option) return;
  if (isOptionShown(state.decision.item, option)) answer(option, state.decision);
  else toast("That option is hidden by the search above the options.", "warning");
}
