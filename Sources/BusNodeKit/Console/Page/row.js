// One row of the list: made once, filled again when its content has changed.
import { clockIcon, el, since, until } from "./elements.js";
import { schedule } from "./frame.js";
import { leaveOut } from "./group.js";
import { pickOf, pickRange, togglePick } from "./picking.js";
import { indexOf } from "./rows.js";
import { state, timeZone } from "./state.js";
import { claimant, endingOf, expiryOption, isLive, isNear, isOpen } from "./store.js";
import {
  authorsOf, codeText, counted, headingOf, number, optionTitle, pathText, shown, titleIn,
} from "./text.js";
import { proposalOf } from "./two-people.js";

export const MARKS = { debug: "·", info: "i", warning: "!", error: "✕", critical: "‼" };
const PARTS = ["mark", "title", "badge", "from", "age"];

export function newLine(key, { choose, expand }) {
  const [mark, title, badge, from, age] = PARTS.map((name) =>
    el("span", { className: name, ...(name === "title" && { dir: "auto" }) }));
  const open = el("button", { className: "row", type: "button" }, mark,
    el("span", { className: "line" }, title, badge), el("span", { className: "line" }, from, age));
  const toggle = el("button", { className: "toggle", type: "button", tabIndex: -1, hidden: true });
  open.addEventListener("click", ({ shiftKey }) => (shiftKey ? pickRange : choose)(key));
  toggle.addEventListener("click", () => expand(key, !state.expanded.has(key)));
  const box = el("input", { type: "checkbox" });
  const line = el("li", { dataset: { row: key } }, open,
    el("label", { className: "pick", hidden: true }, box), toggle);
  box.addEventListener("click", ({ shiftKey }) => {
    if (line.classList.contains("member")) leaveOut([key], !box.checked);
    else if (shiftKey) pickRange(key);
    else togglePick(key);
    line.dataset.said = ""; // The box is drawn as it is then, also when it was refused.
    schedule();
  });
  return line;
}

export function fillLine(line, row, index) {
  const { item } = row;
  const isChosen = index === indexOf(state.selected);
  line.ariaSetSize = state.rows.length;
  line.ariaPosInSet = index + 1;
  line.firstChild.tabIndex = row.key === state.cursor ? 0 : -1;
  line.children[1].firstChild.tabIndex = row.kind === "member" || row.key === state.cursor ? 0 : -1;
  const expiring = row.soonest && isNear(row.soonest) ? row.soonest : null;
  const nearCount = expiring ? row.members.filter(isNear).length : 0;
  const said = [item.id, item.revision, claimant(item), proposalOf(item)?.id, row.count, row.total,
    row.kind, row.severity, row.isExpanded, isChosen, expiring?.id, nearCount,
    state.leftOut.has(item.id), state.show, pickOf(row), row.members.some(isOpen),
    timeZone()].join();
  if (line.dataset.said === said) return;
  line.dataset.said = said;
  const isFresh = state.fresh.delete(item.id);
  const stage = isLive(item) ? "" : "ended";
  line.className = `${row.kind} ${stage} ${isChosen ? "chosen" : ""} ${isFresh ? "fresh" : ""}`;
  fillRow(line.firstChild, row, isChosen, expiring && { item: expiring, nearCount });
  line.firstChild.ariaExpanded = row.kind === "group" ? String(row.isExpanded) : null;
  fillPick(line.children[1], row);
  fillToggle(line.lastChild, row);
}

/** The box that selects a row, or takes a member into the answer for its group. */
function fillPick(pick, row) {
  const [box, isMember] = [pick.firstChild, row.kind === "member"];
  const isAble = row.members.some(isOpen);
  pick.hidden = isMember ? !isAble : state.show !== "open";
  // Its place stays, so that nothing moves.
  pick.classList.toggle("away", !isAble);
  box.checked = isMember ? !state.leftOut.has(row.item.id) : pickOf(row) === "all";
  box.indeterminate = !isMember && pickOf(row) === "some";
  box.ariaLabel = isMember ? "Answer with the group"
    : `Select: ${shown(headingOf(row.item), 100)}`;
}

function fillRow(button, { item, count, total, severity = item.severity }, isChosen, expiring) {
  const [mark, title, badge, from, age] = PARTS.map((name) => button.querySelector(`.${name}`));
  button.ariaCurrent = isChosen ? "true" : null;
  mark.className = `mark ${severity}`;
  mark.textContent = MARKS[severity] ?? "?";
  mark.ariaLabel = `${severity}:`;
  mark.role = "img";
  title.textContent = shown(headingOf(item), 300);
  const [text, tone] = badgeOf(item, count, total);
  badge.hidden = !text;
  badge.title = total > count ? "The filter hides the others of this group." : "";
  badge.textContent = text;
  badge.className = `badge ${tone}`;
  const notes = item.noteCount > 0 ? `${counted(item.noteCount, "note")} · ` : "";
  const path = notes + answerOf(item) + shown(pathText(item), 200);
  from.replaceChildren(el("span", { textContent: path }),
    el("span", { textContent: ` · ${shown(codeText(item), 200)}` }));
  age.className = expiring ? "age near" : "age";
  age.replaceChildren(...(expiring ? expiryOf(expiring, count) : [ageOf(item)]));
}

/** What was chosen of one that has ended, and by whom; empty for any other. */
function answerOf(item) {
  if (isLive(item) || !item.answer) return "";
  const { answer } = item;
  return `${shown(titleIn(item, answer.option), 40)} by ${authorsOf(answer)} · `;
}

function ageOf(item) {
  if (item.stage === "leaving") return until(Date.parse(item.leavesAt));
  return since(isLive(item) ? item.openedAt : item.changedAt);
}

/** What will happen soon without an answer; of a group, to how many of it, where not to all. */
function expiryOf({ item, nearCount }, count) {
  const option = expiryOption(item);
  const isPart = nearCount < count;
  const expires = nearCount === 1 ? "expires" : "expire";
  const text = isPart || !option ? expires : shown(optionTitle(option), 24);
  const part = isPart && `${number(nearCount)} of ${number(count)}: `;
  return [clockIcon(), " ", part, el("span", { className: "applied", textContent: `${text} in` }),
    " ", until(item.deadline)].filter(Boolean);
}

function fillToggle(toggle, row) {
  toggle.hidden = row.kind !== "group";
  toggle.textContent = row.isExpanded ? "▾" : "▸";
  toggle.ariaExpanded = String(row.isExpanded);
  toggle.ariaLabel = `Each of the ${number(row.count)}: ${shown(headingOf(row.item), 100)}`;
}

function badgeOf(item, count, total) {
  if (item.stage === "leaving") {
    return [count > 1 ? `leaving × ${number(count)}` : "leaving", "info"];
  }
  if (!isLive(item)) return endingOf(item);
  const holder = claimant(item);
  // What is only in part in the list says so before anything else.
  if (total > count) return [`${number(count)} of ${number(total)}`, "many"];
  if (proposalOf(item)) return [count > 1 ? `proposed × ${number(count)}` : "proposed", "warning"];
  if (count > 1) return [`× ${number(count)}`, "many"];
  return holder ? [shown(holder, 20), "warning"] : ["", ""];
}
