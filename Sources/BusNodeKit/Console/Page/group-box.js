// The members of a group, shown before an answer for all of them is possible.
import { el } from "./elements.js";
import { filter } from "./filter.js";
import { groupOf, leaveOut } from "./group.js";
import { MARKS } from "./row.js";
import { state } from "./state.js";
import { groupSize } from "./store.js";
import { counted, headingOf, number, originOf, shown } from "./text.js";

const KINDS_MAX = 50;
const TEXT_MAX = 300;

export function groupBox(groupNumber) {
  const group = groupOf(groupNumber);
  const text = headText(group, groupSize(groupNumber));
  const head = el("p", {}, el("strong", { textContent: text }));
  const hidden = hiddenBox(group);
  if (group.kinds.length < 2) return [head, hidden].filter(Boolean);
  const rest = group.kinds.length - KINDS_MAX;
  const label = {
    className: "kinds", tabIndex: 0, ariaLabel: "What differs in the group",
    dataset: { key: "kinds" },
  };
  const kinds = group.kinds.slice(0, KINDS_MAX);
  const parts = split(kinds.map(({ item }) => shown(headingOf(item), TEXT_MAX)));
  return [head, hidden, el("ul", label,
    ...kinds.map((kind, index) => kindLine(kind, parts[index])),
    rest > 0 && el("li", { className: "soft", textContent: `and ${counted(rest, "more kind")}` }))]
    .filter(Boolean);
}

/** Each text in three parts: words that all begin with, its own, and words that all end with. */
function split(texts) {
  const words = texts.map((text) => text.split(/(?<=\s)(?=\S)/));
  const most = Math.min(...words.map(({ length }) => length));
  const first = alike(words, most);
  const last = alike(words.map((each) => [...each].reverse()), most - first);
  return words.map((each) => [[0, first], [first, each.length - last], [each.length - last]]
    .map(([from, to]) => each.slice(from, to).join("")));
}

/** How many words all of these begin with, counted up to a limit. */
function alike(words, most) {
  const end = words[0].findIndex((word, index) =>
    index >= most || words.some((each) => each[index] !== word));
  return end < 0 ? most : end;
}

/** The open members of a group that the filter hides. */
const hiddenOf = ({ members }) => (filter().isOn && state.show === "open"
  ? members.filter((item) => !filter().matches(item)) : []);

/** How many of a group the filter hides, and whether an answer for it is for them; empty when it
 *  hides none. */
export function hiddenText(group) {
  const hidden = hiddenOf(group);
  const left = hidden.filter(({ id }) => state.leftOut.has(id)).length;
  if (hidden.length === 0) return "";
  const isOne = hidden.length === 1;
  const fate = left === 0 ? `An answer for the group is for ${isOne ? "it" : "them"} as well.`
    : left < hidden.length ? `An answer for the group leaves ${number(left)} of them out.`
      : `${isOne ? "It is" : "They are"} left out of an answer for the group.`;
  const all = number(group.members.length);
  return `The filter hides ${number(hidden.length)} of these ${all}. ${fate}`;
}

/** What the filter hides of a group. It leaves none of them out of an answer by itself. */
function hiddenBox(group) {
  const text = hiddenText(group);
  if (!text) return null;
  const ids = hiddenOf(group).map(({ id }) => id);
  const isOut = ids.every((id) => state.leftOut.has(id));
  const button = el("button", {
    type: "button", textContent: isOut ? "Take in what is hidden" : "Leave out what is hidden",
    dataset: { key: "hidden" }, onclick: () => leaveOut(ids, !isOut),
  });
  return el("p", { className: "hiddenBox" }, `${text} `, !group.optionsDiffer && button);
}

const listed = (words) =>
  [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(" and ");

function headText(group, size) {
  const differs = [group.textsDiffer && "what they say", group.severitiesDiffer && "severity",
    group.optionsDiffer && "options"].filter(Boolean);
  const from = group.origins > 1 ? ` from ${counted(group.origins, "origin")}` : "";
  const text = differs.length > 0 ? ""
    : group.isComplete ? "all have the same text" : "still loading";
  const all = [...differs, ...group.othersDiffer];
  const how = [text, all.length > 0 && `they differ in ${listed(all)}`].filter(Boolean).join(", ");
  return `${number(size)} in this group${from}: ${how}.`;
}

/** The box that takes members into the answer for their group. */
function pickOf({ item, ids, left }) {
  return el("label", { className: "pick" }, el("input", {
    type: "checkbox", checked: left === 0, indeterminate: left > 0 && left < ids.length,
    ariaLabel: `Answer with the group: ${shown(headingOf(item), TEXT_MAX)}`,
    dataset: { key: `pick ${item.id}` }, onchange: () => leaveOut(ids, left === 0),
  }));
}

/** A text with what varies marked, where something does not. */
function marked([before, own, after]) {
  if (!before.trim() && !after.trim()) return [before, own, after];
  return [before, own && el("b", { className: "varies", textContent: own }), after];
}

function kindLine(kind, parts) {
  const { item, reason, count, origins } = kind;
  const from = origins.size === 1 ? originOf(item) : counted(origins.size, "origin");
  return el("li", { className: item.id === state.shownID ? "kind here" : "kind" },
    pickOf(kind),
    el("span", {
      className: `mark ${item.severity}`, textContent: MARKS[item.severity] ?? "?", role: "img",
      ariaLabel: `${item.severity}:`,
    }),
    el("a", {
      href: `#/inbox/${encodeURIComponent(item.id)}`, className: "foreign", dir: "auto",
      dataset: { key: `kind ${item.id}` },
    }, ...marked(parts)),
    el("span", { className: "soft", textContent: count > 1 ? `× ${number(count)}` : "" }),
    el("span", {
      className: "soft foreign", dir: "auto",
      textContent: [shown(from, 64), reason && shown(reason, TEXT_MAX)].filter(Boolean).join(" · "),
    }));
}
