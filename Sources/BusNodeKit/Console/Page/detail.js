// One presentation, whole.
import { $, el, foreign, redraw, since, timeOf } from "./elements.js";
import { api, failureText } from "./api.js";
import { commentOf } from "./comment.js";
import { decideOf } from "./decide.js";
import { factsOf, reasonsOf } from "./facts.js";
import { schedule } from "./frame.js";
import { filter } from "./filter.js";
import { chosenOf, claimsOf, groupOf, isForAll, loadGroup } from "./group.js";
import { hiddenText } from "./group-box.js";
import { focusCursor } from "./list.js";
import { overview, overviewKey } from "./overview.js";
import { current } from "./rows.js";
import { ruleButton } from "./rule-form.js";
import { myName, state } from "./state.js";
import { claimant, endingOf, groupSize, heldWith, isListed, isLive, isOpen } from "./store.js";
import { answerText, codeText, headingOf, number, originOf, pastTitle, shown } from "./text.js";
import { confirmedMembers, proposalOf } from "./two-people.js";
import { readAgain, select } from "./views.js";

/** The height of the decision at the foot: what is known of the error ends above it. */
const foot = new ResizeObserver(([{ target }]) =>
  $("inbox").style.setProperty("--foot", `${target.offsetHeight}px`));

export function drawDetail() {
  if (state.isPressing) return;
  const item = current();
  const size = item ? groupSize(item.group) : 0;
  noteShown(item, size);
  if (item) loadDetails(item);
  if (size > 1) loadGroup(item.group);
  const past = !item && state.past?.id === state.selected ? state.past : null;
  const leaving = item?.stage === "leaving" ? heldWith(item).length : 0;
  const details = state.details?.id === item?.id ? state.details : null;
  const group = size > 1 && groupOf(item.group);
  const said = [item?.id, item?.revision, details?.revision, state.unread, size, leaving,
    group && [group.isComplete, group.textsDiffer, group.othersDiffer, group.proposals,
      claimsOf(chosenOf(item.group) ?? group.members),
      group.kinds.map((kind) => [kind.item.id, kind.count, kind.left, kind.reason])],
    item && proposalOf(item)?.id, item && isForAll(item, size), state.whole, state.online,
    item && claimant(item), myName(),
    state.me?.may, state.busy, state.selected, item ? 0 : [overviewKey(), past],
    item && isHidden(item), group && hiddenText(group)];
  // What was changed and changed back within a frame is drawn again: its buttons were disarmed.
  if (item && isOpen(item) && !state.decision) $("detail").dataset.said = "";
  const isDrawn = redraw($("detail"), said, () => (
    item ? detailOf(item, details, size) : past ? pastOf(past) : overview()),
  (item ?? past)?.id);
  if (isDrawn) watchFoot();
  // Members that came while a button was held down are seen only from now on.
  if (!item) state.decision = null;
  if (state.decision) state.decision.seen = state.complete;
}

function watchFoot() {
  foot.disconnect();
  const box = document.querySelector("#detail > .decide");
  if (box) foot.observe(box);
}

/** Whether the filter keeps it out of the list that would have it. */
const isHidden = (item) => isListed(item) && !filter().matches(item);

/** Since when the current content can be read: the time begins again when the buttons come to mean
 *  something else, but not when the person chose so, nor when a group only grows or shrinks, as it
 *  may without end: an answer is for the members that were seen. */
function noteShown(item, size) {
  if (!item) return;
  const meaning = meaningOf(item, size);
  // While an answer is held its group has no scope.
  const scope = isOpen(item) ? isForAll(item, size) : state.scope;
  const isSame = item.id === state.shownID && meaning === state.meaning
    && (state.scope === null || scope === state.scope);
  if (!isSame) Object.assign(state, { shownID: item.id, shownAt: performance.now() });
  Object.assign(state, { meaning, scope });
}

/** What the buttons do, apart from their scope: the options and what they confirm, or an undo. */
function meaningOf(item, size) {
  const { textsDiffer, members } = size > 1 ? groupOf(item.group) : { members: [item] };
  const proposal = proposalOf(item);
  const option = item.options.find(({ id }) => id === proposal?.option);
  const confirmed = (option && confirmedMembers(option, item, members)) ?? [];
  return JSON.stringify([isOpen(item), Boolean(textsDiffer), item.options, proposal?.id,
    confirmed.map((each) => each.proposal.id)]);
}

async function loadDetails({ id, revision }) {
  const wanted = `${id} ${revision}`;
  const isKnown = state.details?.id === id && state.details.revision >= revision;
  if (isKnown || !state.online || state.reading === wanted || state.unread?.wanted === wanted) {
    return;
  }
  state.reading = wanted;
  try {
    const read = await api("GET", `presentations/${id}`);
    // The journal has no revision of one that the inbox has forgotten meanwhile.
    const details = read.archived ? { ...read, revision } : read;
    if (state.shownID === id) Object.assign(state, { details, unread: null });
  } catch (error) {
    if (state.shownID === id) state.unread = { wanted, text: failureText(error) };
  } finally {
    if (state.reading === wanted) state.reading = null;
    schedule();
  }
}

const back = () => el("button", {
  className: "back", type: "button", textContent: "‹ List", dataset: { key: "back" },
  onclick: () => {
    select(null);
    focusCursor();
  },
});

/** The facts before the choice: the options come after what a person has to know for it. */
function detailOf(item, details, size) {
  // All at once: facts that came piece by piece would move while they are read.
  const isRead = details || !state.online || state.unread;
  return [
    back(), foreign("h2", headingOf(item), { id: "title" }), headOf(item, size),
    ...(details ? reasonsOf(item, details) : [missing()]), decideOf(item, size),
    ...(isRead ? factsOf(item, details) : []),
  ];
}

/** One that the inbox has forgotten, as the journal has it: there is nothing to decide. */
function pastOf(past) {
  if (past.problem) {
    const text = `This presentation could not be read: ${shown(past.problem, 300)} `;
    const again = el("button", { type: "button", textContent: "Read again", onclick: readAgain });
    return [back(), el("p", { className: "outcome warning" }, text, again)];
  }
  if (!past.archived) return [back(), el("p", { className: "soft", textContent: "Reading…" })];
  const from = shown(`from ${originOf(past)} · ${codeText(past)}`, 200);
  const answer = past.option
    && answerText(past, `“${shown(pastTitle(past), 260)}”`);
  const [ending, tone] = endingOf({ ...past, ending: past.outcome });
  const texts = [{ heading: "Why", text: past.failureReason ?? "", isBody: true }]
    .filter(({ text }) => text);
  return [
    back(), foreign("h2", headingOf(past), { id: "title" }),
    el("p", { className: "meta" },
      el("span", { className: `badge ${past.severity}`, textContent: past.severity }),
      el("span", {}, "opened ", timeOf(past.openedAt)),
      el("span", { className: "foreign", textContent: from })),
    past.outcome
      && el("p", { className: `outcome ${tone}`, textContent: `Ended: ${shown(ending, 200)}` }),
    answer && el("p", { textContent: answer }), answer && commentOf(past),
    answer && ruleButton(past, past),
    past.outcome
      ? el("p", {}, "From the journal: it ended ", timeOf(past.changedAt),
        ", and cannot be answered.")
      : el("p", {}, "From the journal: its node ended while it was open, and it was not "
        + "presented again."),
    ...reasonsOf(past, { ...past, texts }), ...factsOf({ ...past, isReachable: true }, past),
  ];
}

/** The notice in place of the reasons, so that a person knows that there are more. */
function missing() {
  if (!state.online) {
    const text = "The reason and the context were not loaded before the link was lost.";
    return el("p", { className: "outcome warning", textContent: text });
  }
  if (!state.unread) return el("p", { className: "soft", textContent: "Reading the rest…" });
  const again = el("button", {
    type: "button", textContent: "Read again",
    onclick: () => { state.unread = null; schedule(); },
  });
  const text = `The reason and the context could not be loaded: ${shown(state.unread.text, 300)} `;
  return el("p", { className: "outcome warning" }, text, again);
}

function headOf(item, size) {
  const group = size > 1 ? groupOf(item.group) : null;
  const severity = group?.severity ?? item.severity;
  const parts = [el("span", { className: `badge ${severity}`, textContent: severity }),
    group?.severitiesDiffer && "the gravest of the group",
    severity !== item.severity && `this one: ${shown(item.severity, 20)}`,
    isLive(item) ? el("span", {}, "waits ", since(item.openedAt))
      : el("span", {}, "ended ", since(item.changedAt), " ago"),
    el("span", {
      className: "foreign", textContent: shown(`from ${originOf(item)} · ${codeText(item)}`, 200),
    }),
    size > 1 && `${number(size)} in its group`];
  if (isHidden(item)) parts.push("hidden in the list by the filter");
  if (item.retryCount > 0) parts.push(`failed again, retry ${item.retryCount}`);
  if (item.wasShownBefore) parts.push("may have been shown before; no answer was recorded");
  return el("p", { className: "meta" }, ...parts.filter(Boolean).map((part) =>
    (typeof part === "string" ? el("span", { textContent: part }) : part)));
}
