// Views: a filter with an order, by name. The console keeps a user's own ones and those for
// everyone, where it can; else the browser keeps them.
import { $, el, redraw, setDisabled } from "./elements.js";
import { api, failureText, Refusal } from "./api.js";
import { filterText, FILTER_MAX, split, TERMS } from "./filter.js";
import { ownName } from "./dialogs.js";
import { openModal } from "./modal.js";
import { toast } from "./news.js";
import { may, SHOWS, SORTS, state } from "./state.js";
import { lengthOf, shown } from "./text.js";
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

// What the console keeps, as it was read last.
let kept = { isKept: false, teamIsKept: false, own: [], team: [] };

function take(views) {
  kept = { ...views, own: views.own.filter(isView), team: views.team.filter(isView) };
  if ($("viewsDialog").open) drawViews();
}

/** The views that the browser keeps, as far as what it has is one. */
function localViews() {
  try {
    const views = JSON.parse(localStorage.getItem(PLACE));
    return Array.isArray(views) ? views.filter(isView).slice(0, VIEW_MAX) : [];
  } catch {
    return [];
  }
}

const isView = (view) => [view?.name, view?.filter].every((text) => typeof text === "string")
  && view.name.length > 0 && lengthOf(view.name) <= NAME_MAX
  && lengthOf(view.filter) <= FILTER_MAX && SORTS.includes(view.sort) && SHOWS.includes(view.show);

/** Whether the browser has kept them. */
function keepLocally(views) {
  try {
    localStorage.setItem(PLACE, JSON.stringify(views));
    return true;
  } catch {
    toast("The browser stores nothing for this page: the views have not changed.", "error");
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
  $("viewTeam").checked = false;
  drawViews();
  openModal($("viewsDialog"));
  $("viewList").querySelector("button").focus();
  api("GET", "views").then(take, () => {}); // Without a reply it is as it was read last.
}

/** All views, each with its place: given, team, own or local. One that was saved without a link may
 *  have the name of one of the console, whose place it has not taken yet. */
function views() {
  const own = kept.isKept ? kept.own : [];
  const places = { given: GIVEN, team: kept.team, own, local: localViews() };
  return Object.entries(places).flatMap(([place, list]) =>
    list.map((view) => ({ ...view, place })));
}

function drawViews() {
  const [all, now] = [views(), present()];
  const mayShare = kept.teamIsKept && may("administer");
  redraw($("viewList"), [all, now, mayShare, kept.isKept], () =>
    all.map((view) => lineOf(view, now, mayShare)));
  $("viewTeamLine").hidden = !mayShare;
  $("viewHint").textContent = (kept.isKept ? "The console keeps them, for all your browsers."
    : "This browser keeps them.") + ` The filter understands text, ${TERMS}.`;
  const isOrdinary = isSame(now, ORDINARY);
  $("viewNow").textContent = isOrdinary ? NOTHING : `Save what is shown now: ${textOf(now)}`;
  setDisabled($("viewSave"), isOrdinary ? NOTHING : null);
  $("viewName").disabled = isOrdinary;
}

function lineOf(view, now, mayShare) {
  const { name, place } = view;
  const isRemovable = { given: false, team: mayShare, own: true, local: true }[place];
  const where = { team: "for everyone", local: kept.isKept && "in this browser" }[place];
  const open = el("button", {
    type: "button", className: "view", ariaCurrent: isSame(view, now) ? "true" : null,
    dataset: { key: `view ${place} ${name}` }, onclick: () => choose(view),
  }, el("b", { className: "foreign", dir: "auto", textContent: shown(name, NAME_MAX) }),
  el("span", {
    className: "soft foreign", textContent: [textOf(view), where].filter(Boolean).join(" · "),
  }));
  return el("li", {}, open, isRemovable && el("button", {
    type: "button", textContent: "Remove", ariaLabel: `Remove the view ${shown(name)}`,
    dataset: { key: `remove ${place} ${name}` }, onclick: () => remove(view),
  }));
}

function choose({ filter, sort, show }) {
  $("viewsDialog").close();
  arrange({ ...split(filter), sort, show });
}

/** What says that a change is for everyone, and by whom; null when the person gives no name. */
async function teamAuthor() {
  const by = await ownName();
  return by ? { isForTeam: true, by } : null;
}

const withoutLocal = (name) => localViews().filter((view) => view.name !== name);

async function remove({ name, place }) {
  if (place === "local") {
    if (keepLocally(withoutLocal(name))) drawViews();
    return;
  }
  const author = place === "team" ? await teamAuthor() : {};
  if (!author) return;
  try {
    take(await api("POST", "views/remove", { name, ...author }));
  } catch (error) {
    toast(failureText(error), "error");
  }
}

async function save() {
  const name = $("viewName").value.trim();
  const view = { name, ...present() };
  const isForTeam = !$("viewTeamLine").hidden && $("viewTeam").checked;
  const problem = !name ? "Give the view a name."
    : isForTeam || kept.isKept ? await sendView(view, isForTeam) : saveLocally(view);
  $("viewProblem").hidden = !problem;
  $("viewProblem").textContent = shown(problem ?? "", 400);
  if (problem) $("viewName").focus();
}

/** Has the console keep a view, or without a link this browser one's own. Returns why it was
 *  refused, or null. */
async function sendView(view, isForTeam) {
  const author = isForTeam ? await teamAuthor() : {};
  if (!author) return "A view for everyone needs your name.";
  try {
    const views = await api("POST", "views", { ...view, ...author });
    const rest = withoutLocal(view.name); // The console's takes its place.
    if (!isForTeam && rest.length < localViews().length) keepLocally(rest);
    clearName(view);
    take(views);
    return null;
  } catch (error) {
    if (isForTeam || error instanceof Refusal) return failureText(error);
    return saveLocally(view);
  }
}

/** The same in this browser. */
function saveLocally(view) {
  const others = withoutLocal(view.name);
  if (others.length >= VIEW_MAX) return `At most ${VIEW_MAX} views are kept: remove one first.`;
  if (!keepLocally([...others, view])) return null;
  clearName(view);
  drawViews();
  return null;
}

/** Empties the field, unless another name was typed meanwhile. */
function clearName({ name }) {
  if ($("viewName").value.trim() === name) $("viewName").value = "";
}

export function startViews() {
  $("viewsButton").addEventListener("click", openViews);
  $("viewName").dataset.max = NAME_MAX;
  $("viewsDialog").addEventListener("submit", (event) => {
    if (event.submitter?.value !== "save") return;
    event.preventDefault();
    save();
  });
}
