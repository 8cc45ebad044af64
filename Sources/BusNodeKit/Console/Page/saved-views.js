// Views: a filter with an order, by name. A person's own ones are kept in the browser.
import { $, el, redraw, setDisabled } from "./elements.js";
import { filterText, FILTER_MAX, split, TERMS } from "./filter.js";
import { openModal } from "./modal.js";
import { toast } from "./news.js";
import { SHOWS, SORTS, state } from "./state.js";
import { shown } from "./text.js";
import { arrange } from "./views.js";

const PLACE = "errorbus.views";
const VIEW_MAX = 20;
const NAME_MAX = 40;
const ORDINARY = { filter: "", sort: SORTS[0], show: SHOWS[0] };
const GIVEN = [
  { name: "Everything that waits" },
  { name: "Mine", filter: "mine" },
  { name: "Unclaimed", filter: "unclaimed" },
  { name: "Expires soon", filter: "expiring", sort: "deadline" },
  { name: "Errors and graver", filter: "severity:>=error" },
].map((view) => ({ ...ORDINARY, ...view }));
const NOTHING = "Filter or sort the list first: there is nothing to save.";

/** The person's own views, as far as what the browser has is one. */
function ownViews() {
  try {
    const views = JSON.parse(localStorage.getItem(PLACE));
    return Array.isArray(views) ? views.filter(isView).slice(0, VIEW_MAX) : [];
  } catch {
    return [];
  }
}

const isView = (view) => [view?.name, view?.filter].every((text) => typeof text === "string")
  && view.name.length > 0 && view.name.length <= NAME_MAX && view.filter.length <= FILTER_MAX
  && SORTS.includes(view.sort) && SHOWS.includes(view.show);

/** Whether the browser has kept them. */
function keep(views) {
  try {
    localStorage.setItem(PLACE, JSON.stringify(views));
    return true;
  } catch {
    toast("The browser keeps nothing for this page: the views are as before.", "error");
    return false;
  }
}

const present = () => ({ filter: filterText(), sort: state.sort, show: state.show });

const isSame = (a, b) => ["sort", "show"].every((name) => a[name] === b[name])
  && JSON.stringify(split(a.filter)) === JSON.stringify(split(b.filter));

/** What a view shows, in words. */
function textOf({ filter, sort, show }) {
  const order = show === "open" && sort !== SORTS[0]
    && $("sort").querySelector(`[value=${sort}]`).textContent.toLowerCase();
  return [show === "ended" && "ended", shown(filter, FILTER_MAX), order].filter(Boolean)
    .join(" · ");
}

export function openViews() {
  $("viewName").value = "";
  $("viewProblem").hidden = true;
  drawViews();
  openModal($("viewsDialog"));
  $("viewList").querySelector("button").focus();
}

function drawViews() {
  const [own, now] = [ownViews(), present()];
  redraw($("viewList"), [own, now], () => [
    ...GIVEN.map((view) => lineOf(view, now)), ...own.map((view) => lineOf(view, now, true))]);
  const isOrdinary = isSame(now, ORDINARY);
  $("viewNow").textContent = isOrdinary ? NOTHING : `Save what is shown now: ${textOf(now)}`;
  setDisabled($("viewSave"), isOrdinary ? NOTHING : null);
  $("viewName").disabled = isOrdinary;
}

function lineOf(view, now, isOwn = false) {
  const open = el("button", {
    type: "button", className: "view", ariaCurrent: isSame(view, now) ? "true" : null,
    dataset: { key: `view ${isOwn} ${view.name}` }, onclick: () => choose(view),
  }, el("b", { className: "foreign", dir: "auto", textContent: shown(view.name, NAME_MAX) }),
  el("span", { className: "soft foreign", textContent: textOf(view) }));
  return el("li", {}, open, isOwn && el("button", {
    type: "button", textContent: "Remove", ariaLabel: `Remove the view ${shown(view.name)}`,
    dataset: { key: `remove ${view.name}` }, onclick: () => remove(view.name),
  }));
}

function choose({ filter, sort, show }) {
  $("viewsDialog").close();
  arrange({ ...split(filter), sort, show });
}

function remove(name) {
  if (!keep(ownViews().filter((view) => view.name !== name))) return;
  drawViews();
}

function save() {
  const name = $("viewName").value.trim();
  const others = ownViews().filter((view) => view.name !== name);
  const problem = !name ? "Give it a name."
    : others.length >= VIEW_MAX ? `At most ${VIEW_MAX} views are kept: remove one first.` : null;
  $("viewProblem").hidden = !problem;
  $("viewProblem").textContent = problem ?? "";
  if (problem) { $("viewName").focus(); return; }
  if (!keep([...others, { name, ...present() }])) return;
  $("viewName").value = "";
  drawViews();
}

export function startViews() {
  $("viewsButton").addEventListener("click", openViews);
  $("viewName").maxLength = NAME_MAX;
  $("viewHint").textContent = `This browser keeps them. The filter understands text, ${TERMS}.`;
  $("viewsDialog").addEventListener("submit", (event) => {
    if (event.submitter?.value !== "save") return;
    event.preventDefault();
    save();
  });
}
