// The box in which a person decides, and reads what came of it.
import { clockIcon, el, kbd, presentationLink, until } from "./elements.js";
import { answer, claim, release, toggleWhole } from "./answering.js";
import { openSilenceForm } from "./silence-form.js";
import { likeThis } from "./patterns.js";
import { myName, state } from "./state.js";
import { claimant, endingOf, expiryOption, isOpen, leavingSize } from "./store.js";
import { clock, moment, number, shown } from "./text.js";
import { undoGroup, undoOne } from "./undoing.js";

export function decideOf(item, size) {
  const box = el("section", { className: "decide", ariaLabel: "Decision" });
  if (item.stage === "leaving") box.append(...leavingOf(item));
  else if (!isOpen(item)) box.append(...endOf(item));
  else box.append(...choicesOf(item, size));
  return box;
}

function leavingOf(item) {
  const all = leavingSize(item.group);
  const whole = all > 1 && state.whole;
  const text = whole ? `${answerText(item)}, for ${number(all)}. The answers leave in `
    : `${answerText(item)}. The answer leaves in `;
  const button = (label, key, action) => el("button", {
    type: "button", textContent: label, dataset: { key }, disabled: !state.online, onclick: action,
  });
  const one = button(all > 1 ? "Undo only this one " : "Undo ", "undo", () => undoOne(item.id));
  const group = all > 1
    && button(`Undo all ${number(all)} `, "undoAll", () => undoGroup(item.group));
  (whole ? group : one).append(kbd("u"));
  const buttons = el("p", { className: "buttons" },
    ...(whole ? [group, one] : [one, group]).filter(Boolean));
  return [el("p", {}, text, until(Date.parse(item.leavesAt)), "."), buttons];
}

function answerText({ answer, options }) {
  const title = options.find((option) => option.id === answer.option)?.title ?? answer.option;
  return `“${shown(title, 120)}” by ${shown(answer.by, 64)}`;
}

const ENDINGS = {
  failed: "Not recovered",
  late: "Came too late: another answer was applied before",
  withdrawn: "Withdrawn: the origin had given up", invalid: "Refused by its origin: not its option",
  unknown: "Not known: the answer could not be delivered",
};

function endOf(item) {
  const [word, tone] = endingOf(item);
  const closed = item.reason === "withheld" ? "Withheld: nobody is asked, its caller was told so"
    : `Closed without an answer here: ${word}`;
  const recovered = item.failedAgain ? "Recovered, and failed again: " : "Recovered";
  const text = ENDINGS[item.result] ?? (item.result === "recovered" ? recovered
    : item.stage === "closed" ? closed : "Sent; waiting to hear what came of it");
  return [el("p", { className: `outcome ${tone}` }, text,
    item.failedAgain && presentationLink(item.failedAgain)),
    item.answer && el("p", { textContent: `${answerText(item)}, ${clock(item.changedAt)}` })]
    .filter(Boolean);
}

function choicesOf(item, size) {
  const holder = claimant(item);
  const isOthers = holder && holder !== myName();
  const whole = state.whole && size > 1;
  const isShut = !state.online || state.busy || Boolean(isOthers && !whole);
  return [
    size > 1 && scopeOf(size, whole), !item.isReachable && unreachable(),
    holder && claimedText(item, isOthers ? shown(holder, 64) : "you"),
    optionsOf(item, isShut, whole ? size : 1), item.deadline && expiryText(item, size),
    el("p", { className: "buttons" }, ...claimButtons(isOthers, holder), silenceButton(item)),
  ].filter(Boolean);
}

const unreachable = () => el("p", {
  className: "outcome warning",
  textContent: "Its origin cannot be reached now. An answer waits until it can.",
});

const claimedText = (item, who) =>
  el("p", {}, `Claimed by ${who} for `, until(Date.parse(item.claimedUntil)), ".");

function expiryText(item, size) {
  const option = expiryOption(item);
  const which = size > 1 ? " to this one" : "";
  const consequence = option ? `“${shown(option.title, 120)}” is applied${which}`
    : `${size > 1 ? "this one" : "it"} ends unanswered, and its caller is told so`;
  return el("p", { className: "expiry" }, clockIcon(),
    ` If nobody answers, ${consequence} in `, until(item.deadline),
    `, at ${moment(item.deadline)}.`);
}

function scopeOf(size, whole) {
  const box = el("input", {
    type: "checkbox", checked: whole, dataset: { key: "scope" }, onchange: toggleWhole,
  });
  return el("label", { className: "scope" }, box,
    `Answer all ${number(size)} equal errors of the group`, kbd("g"));
}

function optionsOf(item, isShut, count) {
  const buttons = item.options.map((option, index) =>
    optionButton(item, option, index, isShut, count));
  if (buttons.length > 0) {
    const className = buttons.length > 6 ? "options many" : "options";
    return el("div", { className, role: "group", ariaLabel: "Options" }, ...buttons);
  }
  const text = "It offers nothing to choose: it goes when its origin takes it back.";
  return el("p", { textContent: text });
}

function optionButton(item, option, index, isShut, count) {
  const isDestructive = option.role === "destructive";
  const times = count > 1 ? ` × ${number(count)}` : "";
  const long = option.title.length > 24 ? " long" : "";
  return el("button", {
    type: "button", className: (option.role ?? "") + long, disabled: isShut, dir: "auto",
    title: isDestructive ? `${shown(option.id, 64)}, asks again` : shown(option.id, 64),
    dataset: { key: `option ${option.id}`, option: option.id }, onclick: () => answer(option),
  }, index < 9 && kbd(index + 1), shown(option.title, 120) + times,
  isDestructive && el("span", { className: "sr", textContent: ", asks again" }));
}

function claimButtons(isOthers, holder) {
  const button = (text, key, action) => el("button", {
    type: "button", textContent: `${text} `, disabled: !state.online, dataset: { key: "claim" },
    onclick: action,
  }, kbd(key));
  if (isOthers) return [button("Take over", "⇧C", () => claim(true))];
  if (holder) return [button("Release", "c", release)];
  return [button("Claim for 15 min", "c", () => claim(false))];
}

function silenceButton(item) {
  return el("button", {
    type: "button", textContent: "Silence like this… ", disabled: !state.online,
    dataset: { key: "silence" }, onclick: () => openSilenceForm(likeThis(item)),
  }, kbd("s"));
}
