// The box with the options, or with the result.
import { clockIcon, disabledFor, el, kbd, presentationLink, timeOf, until } from "./elements.js";
import {
  answer, claim, claimGroup, claimPart, decline, handOver, handOverGroup, partFor, release,
  releaseGroup, toggleWhole, whyNoClaim, whyNotChosen, whyShut,
} from "./answering.js";
import { chosenOf, groupOf, isClaimedWhole, isForAll } from "./group.js";
import { groupBox } from "./group-box.js";
import { commentField, commentOf, endedCommentField } from "./comment.js";
import { searchable } from "./option-search.js";
import { openSilenceForm } from "./silence-form.js";
import { likeThis } from "./patterns.js";
import { ruleButton } from "./rule-form.js";
import { may, state, whyNot } from "./state.js";
import { claimant, endingOf, expiryOption, isClaimedByMe, isOpen } from "./store.js";
import {
  answerText, isNameless, number, optionTitle, originOf, shown, titleIn, zoneName,
} from "./text.js";
import { proposalBox } from "./two-people.js";
import { asksForValues } from "./values.js";
import { allHeldWith, isUndoneWhole, undoHeld } from "./undoing.js";

export function decideOf(item, size) {
  state.decision = null;
  const box = el("section", {
    className: "decide", ariaLabel: "Decision", dataset: { key: "decide" },
  });
  if (item.stage === "leaving") box.append(...leavingOf(item));
  else if (!isOpen(item)) box.append(...endOf(item));
  else box.append(...choicesOf(item, size));
  const rest = isOpen(item) ? null : endedCommentField(item);
  if (rest) box.append(rest);
  return box;
}

function leavingOf(item) {
  const held = allHeldWith(item);
  const all = held.length;
  const whole = isUndoneWhole(item);
  const text = whole ? `${answerOf(item)}, for ${number(all)}. The answers leave in `
    : `${answerOf(item)}. The answer leaves in `;
  const button = (label, key, action) => el("button", {
    type: "button", textContent: label, dataset: { key },
    ...disabledFor(whyNot("answer")), onclick: action,
  });
  const one = button(all > 1 ? "Undo only this one " : "Undo ", "undo", () => undoHeld(item));
  const group = all > 1
    && button(`Undo all ${number(all)} `, "undoAll", () => undoHeld(item, held));
  (whole ? group : one).append(kbd("u"));
  const buttons = el("p", { className: "buttons" },
    ...(whole ? [group, one] : [one, group]).filter(Boolean));
  return [el("p", {}, text, until(Date.parse(item.leavesAt)), "."), commentOf(item.answer),
    buttons].filter(Boolean);
}

const answerOf = (item) =>
  answerText(item.answer, `“${shown(titleIn(item, item.answer.option), 260)}”`);

function endOf(item) {
  const text = item.failedAgain ? `${item.outcome}: ` : item.outcome;
  return [el("p", { className: `outcome ${endingOf(item)[1]}` }, text,
    item.failedAgain && presentationLink(item.failedAgain)),
    item.answer && el("p", {}, `${answerOf(item)}, `, timeOf(item.changedAt)),
    commentOf(item.answer), item.answer && ruleButton(item, item.answer)].filter(Boolean);
}

function choicesOf(item, size) {
  const holder = claimant(item);
  const isOthers = holder && !isClaimedByMe(item);
  const whole = isForAll(item, size);
  const chosen = whole ? chosenOf(item.group) : null;
  const count = whole ? chosen?.length ?? size : 1;
  const members = whole ? chosen ?? groupOf(item.group).members : [item];
  const life = state.startedAt;
  const decision = { item, size, whole, chosen, members, count, life, seen: 0 };
  if (size > 1) decision.claims = claimPart(item, size, chosenOf(item.group));
  decision.parts = new Map(item.options.map((each) => [each, partFor(each, decision)]));
  state.decision = decision;
  return [
    ...(size > 1 ? groupBox(item.group) : []), size > 1 && scopeOf(item, size, decision),
    !item.isReachable && unreachable(), isNameless(item) && nameless(item),
    holder && claimedText(item, isOthers ? shown(holder, 64) : "you"),
    proposalBox(item, decline), optionsOf(decision),
    may("answer") && item.options.length > 0 && commentField(item), permissionText(item),
    item.deadline && expiryText(item, size),
    el("p", { className: "buttons" }, ...(size > 1 ? groupClaimButtons(decision) : []),
      ...claimButtons(item, isOthers, holder, size), silenceButton(item)),
  ].filter(Boolean);
}

const unreachable = () => el("p", {
  className: "outcome warning",
  textContent: "The origin cannot be reached now. An answer is kept until it can be.",
});

const nameless = (item) => el("p", {
  className: "nameless",
  textContent: `From ${shown(originOf(item), 64)}, which may no longer be waiting.`,
});

const claimedText = (item, who) =>
  el("p", {}, `Claimed by ${who} for another `, until(Date.parse(item.claimedUntil)), ".");

/** Why options cannot be chosen; nothing when all can. */
function permissionText({ options }) {
  const reasons = new Set(options.map(whyNotChosen).filter(Boolean));
  if (reasons.size === 0) return null;
  const textContent = [...reasons].join(" ");
  return el("p", { className: "nameless", textContent });
}

/** The first deadline of a group; undefined where none comes before that of the item. */
const firstDeadline = (item) => groupOf(item.group).members
  .map(({ deadline }) => deadline).filter((deadline) => deadline < item.deadline)
  .sort((a, b) => a - b)[0];

function expiryText(item, size) {
  const option = expiryOption(item);
  const which = size > 1 ? " to this one" : "";
  const consequence = option ? `“${shown(optionTitle(option), 260)}” is applied${which}`
    : `${size > 1 ? "this one" : "it"} expires`;
  const first = size > 1 && firstDeadline(item);
  return el("p", { className: "expiry" }, clockIcon(),
    ` Without an answer ${consequence} in `, until(item.deadline),
    ", at ", timeOf(item.deadline), ` ${zoneName()}`,
    ...(first ? [`; ${option ? "to the first" : "the first"} of the group in `, until(first)] : []),
    ".");
}

function scopeOf(item, size, { whole, chosen }) {
  const { optionsDiffer } = groupOf(item.group);
  const box = el("input", {
    type: "checkbox", checked: whole, disabled: optionsDiffer, dataset: { key: "scope" },
    onchange: toggleWhole,
  });
  const text = optionsDiffer ? "Their options differ: answer each of them separately"
    : chosen ? `Answer ${number(chosen.length)} of the ${number(size)} of the group`
      : `Answer all ${number(size)} of the group`;
  return el("label", { className: "scope" }, box, text, kbd("g"));
}

function optionsOf(decision) {
  const buttons = decision.item.options.map((option, index) =>
    optionButton(decision, option, index));
  if (buttons.length > 0) {
    const className = buttons.length > 6 ? "options many" : "options";
    return searchable(decision.item, buttons,
      el("div", { className, role: "group", ariaLabel: "Options" }, ...buttons));
  }
  const text = "No options: it closes when its origin withdraws it.";
  return el("p", { textContent: text });
}

function optionButton(decision, option, index) {
  const { item, whole } = decision;
  const part = decision.parts.get(option);
  const { proposal, count } = part;
  const isDestructive = option.role === "destructive";
  const isSent = state.busy?.id === item.id && state.busy.what === option.id;
  const times = whole ? ` × ${number(count)}` : "";
  const title = (proposal ? "Confirm: " : "") + optionTitle(option)
    + (asksForValues(option) && !proposal ? "…" : "");
  const long = title.length > 24 ? " long" : "";
  return el("button", {
    type: "button", className: (option.role ?? "") + long, dir: "auto",
    title: isDestructive ? `${shown(option.id, 64)}, asks again` : shown(option.id, 64),
    ...disabledFor(whyNotChosen(option) ?? whyShut({ ...decision, ...part }, option)),
    dataset: { key: `option ${option.id}`, option: option.id },
    onclick: () => answer(option, decision),
  }, index < 9 && kbd(index + 1), isSent ? "Sending…" : shown(title, 260) + times,
  isDestructive && el("span", { className: "sr", textContent: ", asks again" }),
  option.twoPeople && el("span", { className: "sr", textContent: ", needs two people" }));
}

/** A button for claims; its key is shown where the key is for it. */
function buttonToClaim(label, key, action, { hasKey = true, why = whyNot("answer"), name }) {
  return el("button", {
    type: "button", textContent: `${label} `, ...disabledFor(why), dataset: { key: name },
    onclick: action,
  }, hasKey && kbd(key));
}

function claimButtons(item, isOthers, holder, size) {
  const one = size > 1 ? " only this one" : "";
  const button = (label, key, name, action) => buttonToClaim(label, key, action,
    { name, hasKey: !isClaimedWhole(size) });
  if (isOthers) return [button(`Take over${one}`, "⇧C", "claim", () => claim(item, true))];
  if (!holder) return [button(`Claim${one} for 15 min`, "c", "claim", () => claim(item, false))];
  return [button(`Release${one}`, "c", "claim", () => release(item)),
    button(`Prolong${one}`, "⇧C", "prolong", () => claim(item, true)),
    button(`Hand over${one}…`, "h", "handOver", () => handOver(item))];
}

/** The buttons for the claims of a group, without the members that are left out. */
function groupClaimButtons(decision) {
  const { size, claims } = decision;
  const { chosen, count, mine, others, isRelease } = claims;
  const which = chosen ? `${number(count)} of ${number(size)}` : `all ${number(count)}`;
  const button = (label, key, name, action) => buttonToClaim(label, key, action,
    { name, hasKey: isClaimedWhole(size), why: whyNoClaim(claims) });
  const yours = others > 0 ? `your ${number(mine)}` : which;
  const own = isRelease
    ? button(`Release ${yours}`, "c", "claimAll", () => releaseGroup(decision))
    : button(`Claim ${which}`, "c", "claimAll", () => claimGroup(decision, false));
  const all = others > 0 ? `Take over ${which}` : isRelease && `Prolong ${which}`;
  return [(isRelease || others < count || count === 0) && own,
    all && button(all, "⇧C", "takeOverAll", () => claimGroup(decision, true)),
    isRelease && button(`Hand over ${yours}…`, "h", "handOverAll",
      () => handOverGroup(decision))].filter(Boolean);
}

function silenceButton(item) {
  return el("button", {
    type: "button", textContent: "Silence like this… ", ...disabledFor(whyNot("silence")),
    dataset: { key: "silence" }, onclick: () => openSilenceForm(likeThis(item)),
  }, kbd("s"));
}
