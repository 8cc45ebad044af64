// One answer, claim or release for all that is selected, and the result for each of them.
import { $, disabledFor, el, redraw } from "./elements.js";
import { BUSY, CLAIM_TIME, LARGE, whyNotChosen } from "./answering.js";
import { api, failureText, inParallel, newID, postTwice, Refusal } from "./api.js";
import { confirmed, dialogResult, ownName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { toast } from "./news.js";
import { searchable } from "./option-search.js";
import { picked } from "./picking.js";
import { MARKS } from "./row.js";
import { CHANGED, JUST_SHOWN } from "./rows.js";
import { OVER, refusedWord, refusedWords } from "./sentences.js";
import { may, myName, state, undoTime, whyNot } from "./state.js";
import { claimant, isClaimedByMe, isOpen } from "./store.js";
import { headingOf, number, optionTitle, originOf, shown } from "./text.js";
import { offerUndo, undoEntry } from "./undoing.js";
import { askValues, asksForValues } from "./values.js";

const LINES_MAX = 200;
const REASON_MAX = 160;

// What the dialog is for: the ids that were selected, the result of each, the undo that is offered,
// and what its buttons are drawn for.
let acting = null;

export async function openPicked() {
  const ids = picked().map(({ id }) => id);
  if (ids.length === 0) {
    toast("Nothing is selected: select rows with their boxes, or with x.", "warning");
    return;
  }
  acting = { ids, results: new Map(), undo: null, drawn: null, shownAt: 0, meaning: null };
  isHindered(null);
  $("pickedResult").textContent = "";
  $("pickedComment").value = "";
  $("pickedBody").dataset.said = "";
  draw();
  const closed = dialogResult($("pickedDialog"));
  $("pickedBody").focus();
  await closed;
  acting = null;
  $("pickedBody").replaceChildren();
}

export function drawActing() { if (acting && !state.isPressing) draw(); }

function draw() {
  const { ids, results, undo } = acting;
  const known = ids.map((id) => state.items.get(id)).filter(Boolean);
  // An event may come later than the reply that says so.
  const items = known.filter((item) => isOpen(item) && !results.get(item.id)?.isOver);
  const meaning = JSON.stringify(items.map(({ id, options }) => [id, options]));
  if (meaning !== acting.meaning) Object.assign(acting, { meaning, shownAt: performance.now() });
  const held = state.undos.includes(undo);
  const said = [known.map((item) => [item.id, item.revision, claimant(item)]), [...results],
    meaning, held, state.busy, state.online, state.me?.may, myName(), state.startedAt];
  redraw($("pickedBody"), said, () => {
    acting.drawn = { items, life: state.startedAt, seen: state.complete };
    $("pickedTitle").textContent = `${number(items.length)} selected`;
    return [list(known), held && undoButton(undo), ...choices(acting.drawn)];
  });
}

function list(known) {
  const { results } = acting;
  const rank = ({ id }) => (results.get(id)?.isRefused ? 0 : 1);
  const sorted = [...known].sort((a, b) => rank(a) - rank(b));
  const rest = sorted.length - LINES_MAX;
  const reasonsDiffer = new Set(known.map(({ failureReason }) => failureReason)).size > 1;
  return el("ul", {
    className: "kinds", tabIndex: 0, ariaLabel: "What is selected", dataset: { key: "list" },
  }, ...sorted.slice(0, LINES_MAX).map((item) => lineOf(item, reasonsDiffer)),
  rest > 0 && el("li", { className: "soft", textContent: `and ${number(rest)} more` }));
}

/** An item with its result; with its reason where a confirmation says that these differ. */
function lineOf(item, reasonsDiffer) {
  const result = acting.results.get(item.id);
  const reason = reasonsDiffer && item.failureReason;
  const text = result?.text ?? (isOpen(item) ? holderText(item) : OVER);
  return el("li", { className: "act" },
    el("span", {
      className: `mark ${item.severity}`, textContent: MARKS[item.severity] ?? "?", role: "img",
      ariaLabel: `${item.severity}:`,
    }),
    el("span", { className: "foreign", dir: "auto", textContent: shown(headingOf(item), 300) }),
    el("span", { className: "soft foreign", textContent: `from ${shown(originOf(item), 64)}` }),
    reason && el("span", {
      className: "foreign why", dir: "auto", textContent: shown(reason, REASON_MAX),
    }),
    text && el("span", {
      className: `outcome foreign ${result?.isRefused ? "error" : "debug"}`, textContent: text,
    }));
}

function holderText(item) {
  const holder = claimant(item);
  return holder ? `claimed by ${isClaimedByMe(item) ? "you" : shown(holder, 64)}` : "";
}

const undoButton = (undo) => el("p", { className: "buttons" }, el("button", {
  type: "button", textContent: "Undo these answers", dataset: { key: "undo" },
  onclick: () => {
    for (const { held } of undo.parts) for (const { id } of held) acting.results.delete(id);
    undoEntry(undo);
  },
}));

/** The options that all offer alike, and the claims. */
function choices(drawn) {
  const { items } = drawn;
  const options = items.length > 0 ? sharedOptions(items) : [];
  $("pickedCommentLine").hidden = options.length === 0 || !may("answer");
  if (items.length === 0) return [];
  const text = options.length > 0 ? "Options that all of them offer:"
    : "There is no option that all of them offer alike: answer them one by one.";
  return [
    el("p", { className: "soft", textContent: text }),
    options.length > 0 && optionsOf(options, drawn),
    el("p", { className: "buttons" }, ...claimButtons(drawn)),
  ];
}

function optionsOf(options, drawn) {
  const buttons = options.map((option) => optionButton(option, drawn));
  const className = options.length > 6 ? "options many" : "options";
  const box = el("div", { className, role: "group", ariaLabel: "Options" }, ...buttons);
  // What is searched for stays while the dialog is for this selection.
  return searchable({ id: acting.ids, options }, buttons, box, "dialog");
}

function sharedOptions([first, ...others]) {
  const offered = others.map(({ options }) => new Set(options.map((each) => JSON.stringify(each))));
  return first.options.filter((option) =>
    offered.every((texts) => texts.has(JSON.stringify(option))));
}

function button(textContent, key, why, onclick, className = "") {
  return el("button", {
    type: "button", className, textContent, ...disabledFor(why), dataset: { key }, onclick,
  });
}

const whyShut = () => whyNot("answer") ?? (state.busy ? BUSY : null);

function optionButton(option, drawn) {
  const title = `${shown(optionTitle(option), 260)}${asksForValues(option) ? "…" : ""}`;
  return button(`${title} × ${number(drawn.items.length)}`, `option ${option.id}`,
    whyNotChosen(option) ?? whyShut(), () => answerAll(option, drawn), option.role ?? "");
}

function claimButtons(drawn) {
  const make = (label, isFor, verb, extra) => {
    const items = drawn.items.filter(isFor);
    return items.length > 0 && button(`${label} ${number(items.length)}`, label, whyShut(),
      () => claimAll(drawn, items, verb, extra));
  };
  const forMilliseconds = CLAIM_TIME;
  return [make("Claim", (item) => !claimant(item), "claim", { forMilliseconds }),
    make("Release", isClaimedByMe, "release", {}),
    make("Take over", (item) => claimant(item) && !isClaimedByMe(item), "claim",
      { forMilliseconds, takeOver: true })];
}

/** Why nothing may be sent now with a button drawn for this; null when it may. */
function obstacle(drawn) {
  if (state.fault) return "This page has a fault: reload it first.";
  if (drawn !== acting?.drawn || drawn.life !== state.startedAt) return CHANGED;
  const isRead = performance.now() - acting.shownAt >= JUST_SHOWN;
  return whyShut() ?? (isRead ? null : "This just appeared: read it, then choose again.");
}

/** Says why nothing is sent; whether there is a reason. */
function isHindered(reason) {
  $("pickedProblem").hidden = !reason;
  $("pickedProblem").textContent = reason ?? "";
  return Boolean(reason);
}

async function answerAll(option, drawn) {
  const { items, life } = drawn;
  if (isHindered(obstacle(drawn) ?? whyNotChosen(option))) return;
  const by = await ownName();
  if (!by) return;
  const comment = $("pickedComment").value;
  const body = {
    option: option.id, by, undoMilliseconds: undoTime(), ...(/\S/.test(comment) && { comment }),
  };
  if (asksForValues(option)) {
    body.values = await askValues(option, items[0], items.length, { selected: items });
  }
  if (body.values === null || !(await isMeant(option, items))) return;
  // Meanwhile the dialog may have been drawn for fewer: each is compared with what was seen.
  if (!acting || isHindered(life === state.startedAt ? whyShut() : CHANGED)) return;
  const parts = [];
  const seen = { seen: drawn.seen, title: option.title, role: option.role ?? "none" };
  await send(items, "answered", async (group, ids) => {
    const reply = await postTwice(
      `groups/${group}/answer`, { ...body, ...seen, ids, answer: newID() });
    const held = reply.answered.map((id, index) => ({ id, answer: reply.answers[index] }));
    if (held.length > 0) parts.push({ group, held });
    return { done: reply.answered, proposed: reply.proposed, refused: reply.refused };
  });
  const count = parts.reduce((sum, { held }) => sum + held.length, 0);
  if (count === 0) return;
  // It was sent: another answer has another one.
  if ($("pickedComment").value === comment) $("pickedComment").value = "";
  const text = `${shown(optionTitle(option), 60)} × ${number(count)}`;
  const undo = offerUndo({ parts }, text, body.undoMilliseconds);
  if (acting) acting.undo = undo;
  schedule();
}

/** Asks for confirmation before a destructive option, before one answer for many, and where what
 *  they say differs. */
async function isMeant(option, items) {
  const isDestructive = option.role === "destructive";
  const texts = items.map(({ description, failureReason }) =>
    JSON.stringify([description, failureReason]));
  const differs = new Set(texts).size > 1;
  const isLarge = items.length > LARGE;
  if (!isDestructive && !differs && !isLarge) return true;
  const origins = [...new Set(items.map(originOf))];
  return Boolean(await confirmed(option, items[0], items.length,
    { isDestructive, differs, isLarge, origins, of: items.length, selected: items }));
}

/** Claims or releases those for which the button is. */
async function claimAll(drawn, items, verb, extra) {
  if (isHindered(obstacle(drawn))) return;
  const by = await ownName();
  if (!by || !acting) return;
  const done = verb === "claim" ? "claimed" : "released";
  await send(items, done, async (group, ids) => {
    const body = { by, ids, seen: drawn.seen, ...extra };
    const reply = await api("POST", `groups/${group}/${verb}`, body);
    return { done: reply[done], proposed: [], refused: reply.refused };
  });
}

/** Sends one request for each group, some at a time, and notes the result of each member. */
async function send(items, word, work) {
  const { results } = acting;
  const groups = new Map();
  for (const item of items) {
    const reason = whyChanged(item);
    if (reason) results.set(item.id, refused({ message: reason }));
    else groups.set(item.group, [...groups.get(item.group) ?? [], item.id]);
  }
  state.busy = { id: null, what: word };
  schedule();
  await inParallel(groups, async ([group, ids]) => {
    try {
      note(results, ids, await work(group, ids), word);
    } catch (error) {
      for (const id of ids) results.set(id, failedBy(error));
    }
    schedule();
  });
  state.busy = null;
  tell(items.map(({ id }) => results.get(id)), word);
  schedule();
}

/** Why an item is not sent: it is not what the button was drawn for. */
function whyChanged(item) {
  const latest = state.items.get(item.id);
  if (!latest || !isOpen(latest)) return OVER;
  const texts = [latest, item].map(({ description, options }) =>
    JSON.stringify([description, options]));
  return texts[0] === texts[1] ? null : "it has changed: read it, then choose again";
}

const refused = (refusal) => ({ refusal, isRefused: true,
  text: `not sent: ${shown(refusedWord(refusal), 300)}` });

/** The result where all was refused, or where no reply came. */
const failedBy = (error) => (error instanceof Refusal
  ? refused({ message: failureText(error), ...error.answer })
  : { isRefused: true, text: failureText(error) });

function note(results, ids, reply, word) {
  const isOver = word === "answered";
  // What the reply leaves out has ended, or has no claim to release.
  const message = word === "released" ? "no longer claimed" : OVER;
  for (const id of ids) results.set(id, refused({ message }));
  for (const id of reply.done) {
    results.set(id, { text: word, isOver });
    if (isOver) state.picked.delete(id);
  }
  for (const id of reply.proposed) {
    results.set(id, { text: "proposed, for another person to confirm", isProposed: true });
  }
  for (const each of reply.refused) results.set(each.id, refused(each));
}

/** The results in one sentence; in a notice where the dialog was closed meanwhile. */
function tell(results, word) {
  const failed = results.filter(({ isRefused }) => isRefused);
  const refusals = failed.map(({ refusal }) => refusal).filter(Boolean);
  const lost = failed.length - refusals.length;
  const proposed = results.filter(({ isProposed }) => isProposed).length;
  const count = results.length - failed.length - proposed;
  const text = [`${number(count)} ${word}`, proposed > 0 && `${number(proposed)} proposed`,
    refusals.length > 0 && `${number(refusals.length)} not: ${refusedWords(refusals)}`,
    lost > 0 && `${number(lost)} got no reply and may have arrived`]
    .filter(Boolean).join("; ") + ".";
  if (acting) {
    isHindered(null); // Nothing is on its way.
    $("pickedResult").textContent = shown(text, 600);
  } else if (failed.length > 0) toast(text, "warning");
}
