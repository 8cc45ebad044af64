// A policy rule made of an answer: its text, and what it would have done with the last days.
import { $, disabledFor, el, presentationLink, redraw } from "./elements.js";
import { api, failureText } from "./api.js";
import { openModal } from "./modal.js";
import { toast } from "./news.js";
import { NO_LINK, state } from "./state.js";
import { copyButton } from "./text-block.js";
import { counted, moment, number, shown, stageText, titleIn } from "./text.js";

const TYPING = 600;
const AGAIN = 2000; // After which another trial may have ended, perhaps that of the text before.
// Why a rule declines, by the word of the interface.
const REFUSALS = new Map(Object.entries({
  outsideSchedule: "outside its times", notOffered: "its option not offered",
  limitReached: "above its limit", tooManyCounted: "too many counted by its limit",
  needsTwoPeople: "its option for two people", badValue: "a value that does not fit",
  endedWithinDelay: "ended within its delay",
}));
let trying = 0; // The latest request for a trial.
let timer = null;
let made = null; // The presentation that the form is for.

/** The button that makes a rule of a person's answer; nothing where no person gave it. */
export const ruleButton = (item, { via }) => via === "person" && el("p", { className: "buttons" },
  el("button", {
    type: "button", textContent: "Make a rule…", ...disabledFor(state.online ? null : NO_LINK),
    dataset: { key: "rule" }, onclick: () => openRuleForm(item),
  }));

async function openRuleForm(item) {
  const dialog = $("ruleDialog");
  made = item;
  try {
    const proposal = await api("GET", `presentations/${item.id}/rule`);
    if (made !== item || dialog.open) return;
    fill(item, proposal);
  } catch (error) {
    toast(failureText(error), "warning");
    return;
  }
  openModal(dialog);
  $("ruleText").focus();
  tryRule();
}

function fill(item, { rule, option, answers, recovered, policies }) {
  const title = shown(titleIn(item, option), 260);
  $("ruleMade").textContent = `Answers with “${title}”, as in ${counted(answers, "answer")} by `
    + `people${success(recovered, item.options.find(({ id }) => id === option)?.role)}.`;
  $("ruleText").value = rule;
  $("rulePlace").textContent = placeText(policies);
}

/** As in the comment of the rule: none is no word against an option that recovers nothing. */
function success(recovered, role) {
  if (role === "cancel") return ", whose option recovers nothing";
  return role || recovered > 0 ? `, of which ${number(recovered)} recovered`
    : ": none recovered for good, or the option does not recover";
}

/** Where the rule goes. */
function placeText(policies) {
  const node = shown(state.node, 64);
  if (policies.length === 0) {
    return `Node ${node} asks no policy before this console. Save the text as a file, put `
      + "“policy: FILE” above the console in the node's presenters, and start the node again.";
  }
  const names = policies.map((name) => shown(name, 100)).join(" or ");
  return `Add the rule to the policy of node ${node}, ${names}: of its rules the first that `
    + "matches decides. Then send the node SIGHUP.";
}

/** Tries the text: at once, and after each change. */
async function tryRule() {
  clearTimeout(timer);
  trying += 1;
  const asked = trying;
  const policy = $("ruleText").value;
  redraw($("ruleCopy"), policy, () => [copyButton("rule", policy, "Copy the rule")]);
  try {
    const trial = await api("POST", "rules/trial", { policy });
    if (asked === trying) show(trial);
  } catch (error) {
    if (asked !== trying) return;
    show(null, failureText(error), error.status === 422);
    if (error.answer?.error === "busy") timer = setTimeout(tryRule, AGAIN);
  }
}

function show(trial, problem = null, isInvalid = false) {
  $("ruleProblem").hidden = !problem;
  const text = shown(problem ?? "", 2000);
  // A screen reader may say again what is set again.
  if ($("ruleProblem").textContent !== text) $("ruleProblem").textContent = text;
  $("ruleText").ariaInvalid = String(isInvalid);
  $("ruleTrial").replaceChildren(...(trial ? resultOf(trial) : []));
}

const sum = (parts) => parts.reduce((all, { count }) => all + count, 0);

/** The result in words, with links to what people answered otherwise. */
function resultOf(trial) {
  const { compared, matched, answered, same, otherwise, otherValues, unanswered, declined } = trial;
  const rest = sum(unanswered);
  const others = sum(otherwise) + sum(otherValues);
  const words = [`${number(same)} as people did`, `${number(others)} otherwise`,
    rest > 0 && `${number(rest)} that no person answered`];
  const lines = [
    ...otherwise.map((part) => lineOf(`people chose “${shown(titleIn(made, part.what), 260)}”`,
      part)),
    ...otherValues.map((part) => lineOf(
      `people chose “${shown(titleIn(made, part.what), 260)}” with other values`, part)),
    ...unanswered.map((part) => lineOf(part.what === "left" ? stageText(part.what)
      : `ended: ${shown(part.what, 100)}`, part)),
    ...declined.map((part) => lineOf(
      `matches and declines, ${REFUSALS.get(part.what) ?? shown(part.what, 100)}`, part)),
    ...["withheld", "routed", "changed"].filter((word) => trial[word] > 0).map((word) =>
      el("li", { textContent: `would have ${word} ${number(trial[word])}` })),
  ];
  return [
    el("p", {}, el("strong", { textContent:
      `Would have answered ${number(answered)}: ${words.filter(Boolean).join(", ")}.` })),
    el("p", { className: "hint", textContent:
      `It matches ${number(matched)} of ${counted(compared, "presentation")} since `
      + `${moment(trial.since)}.${noteOf(trial)}` }),
    lines.length > 0 && el("ul", {}, ...lines),
  ].filter(Boolean);
}

const noteOf = ({ isCut, countMax, unread }) =>
  (isCut ? ` Only the latest ${number(countMax)} were compared.` : "")
  + (unread > 0 ? ` The journal has no report of ${number(unread)}.` : "");

function lineOf(text, { count, ids }) {
  const links = ids.flatMap((id) => [" ", presentationLink(id, 8)]);
  const more = count > ids.length && ` and ${number(count - ids.length)} before`;
  return el("li", {}, `${text}: ${number(count)}`, ...links, more);
}

export function startRuleForm() {
  const dialog = $("ruleDialog");
  $("ruleText").addEventListener("input", () => {
    clearTimeout(timer);
    trying += 1; // A trial under way is of another text.
    timer = setTimeout(tryRule, TYPING);
  });
  dialog.addEventListener("click", ({ target }) => {
    if (target.closest("a")) dialog.close();
  });
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    trying += 1;
    made = null;
    show(null);
  });
}
