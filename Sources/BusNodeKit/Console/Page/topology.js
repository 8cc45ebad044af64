// The nodes as a tree, with the states of their links as this node knows them.
import { $, el, redraw, since } from "./elements.js";
import { addressOf } from "./address.js";
import { api } from "./api.js";
import { wordFor } from "./filter.js";
import { schedule } from "./frame.js";
import { say } from "./news.js";
import { now, SHOWS, SORTS, state } from "./state.js";
import { flat, folded, forest, inSight, openCountOf } from "./forest.js";
import { counted, moment, number, shown } from "./text.js";

// Word, mark and tone of a state: a colour is never the only sign.
const NODE = {
  up: ["up", "✓", "good"], unreachable: ["unreachable", "✕", "critical"],
  unknown: ["not known", "?", "debug"],
};
const LINK = {
  up: ["link up", "━", "good"], down: ["link down", "╳", "critical"],
  standby: ["link not in use", "┄", "debug"], unknown: ["link not known", "┄", "debug"],
};
const MANY = 30; // Nodes that are drawn in one line each.
const REST_MAX = 500; // That are drawn of what was folded.
const ROOTS = ""; // In place of the name of the node above those that are folded.

const unfolded = new Set(); // The nodes with all below them in sight.
let status = null;
let readAt = 0;

export async function loadTopology() {
  const before = status;
  status = await api("GET", "status");
  for (const link of status.topology?.links ?? []) {
    if (link.isStandby) Object.assign(link, { state: "standby", sinceMilliseconds: null });
  }
  readAt = now();
  if (before) tellChanges(before, status);
  schedule();
}

function tellChanges(before, after) {
  const states = new Map(before.topology.nodes.map((node) => [node.name, node.state]));
  const changed = after.topology.nodes.filter((node) =>
    states.has(node.name) && states.get(node.name) !== node.state);
  const texts = changed.slice(0, 5).map((node) =>
    `${shown(node.name, 64)} ${(NODE[node.state] ?? NODE.unknown)[0]}`);
  if (texts.length > 0) say(`${texts.join(", ")}.`);
}

export function drawTopology() {
  if (state.tab !== "topology" || !status || state.isPressing) return;
  const { node, version, startedAt, tables, topology } = status;
  const { nodes = [], links = [] } = topology ?? {};
  redraw($("about"), [node, version, startedAt, state.online || readAt], () => [
    `${shown(node, 80)}, version ${shown(version, 40)}, up for `, since(startedAt),
    !state.online && `; as of ${moment(readAt)}`,
  ]);
  redraw($("nodes"), [state.online, node, nodes, links.map(linkKey), [...unfolded]], () => {
    const roots = forest(nodes, links);
    const isMany = flat(roots).length > MANY;
    $("nodes").classList.toggle("dense", isMany);
    const drawing = { here: node, sight: isMany ? inSight(roots, node) : null };
    return [summary(nodes, links), ...trees(roots, drawing)];
  });
  redraw($("tables"), tables, () => Object.entries(tables ?? {}).map(([name, count]) =>
    el("div", {}, el("dt", { textContent: shown(words(name), 60) }), el("dd", {
      textContent: typeof count === "number" ? number(count) : shown(JSON.stringify(count), 200),
    }))));
}

/** Without the time that only grows; a change of state begins a new one. */
function linkKey({ sinceMilliseconds, ...link }) {
  const isKnown = typeof sinceMilliseconds === "number";
  return { ...link, began: isKnown ? Math.round((readAt - sinceMilliseconds) / 5000) : null };
}

const words = (name) => name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

/** The state as text; unknown while the link to this console is lost. */
const shownOf = (table, name) => table[state.online ? name : "unknown"] ?? table.unknown;

/** How many there are in each state, in words. */
const tally = (list, table) => Object.keys(table).map((name) =>
  [list.filter((each) => shownOf(table, each.state) === table[name]).length, table[name][0]])
  .filter(([count]) => count > 0)
  .map(([count, word]) => `${number(count)} ${word.replace("link ", "")}`).join(", ");

function summary(nodes, links) {
  const parts = [`${counted(nodes.length, "node")}: ${tally(nodes, NODE)}`];
  if (links.length > 0) parts.push(`${counted(links.length, "link")}: ${tally(links, LINK)}`);
  return el("p", { className: "count", textContent: parts.join(" · ") });
}

/** The roots with what is below them; of many those in sight, and a button for the rest. */
function trees(roots, drawing) {
  const front = roots.filter((root) => drawing.sight?.has(root) ?? true);
  const rest = roots.filter((root) => !front.includes(root));
  if (rest.length === 0) return [twigs(front, drawing)];
  const isOpen = unfolded.has(ROOTS);
  const fold = el("div", { className: "node" }, foldButton(ROOTS, rest, isOpen));
  return [twigs(front, drawing),
    el("ul", {}, el("li", { className: "twig" }, fold, ...restOf(rest, isOpen, drawing)))];
}

/** What was folded, once it is unfolded. */
function restOf(rest, isOpen, drawing) {
  if (!isOpen) return [];
  const excess = rest.length - REST_MAX;
  return [twigs(rest.slice(0, REST_MAX), drawing, "rest"),
    excess > 0 && el("p", { className: "soft", textContent: `and ${number(excess)} more` })];
}

function twigs(members, drawing, className = "") {
  return el("ul", { className }, ...members.map((member) => twig(member, drawing)));
}

function twig({ node, link, others, below, isRoot }, drawing) {
  const { here, sight } = drawing;
  const { front, rest } = folded(below, sight);
  const isOpen = rest.length > 0 && unfolded.has(node.name);
  const joint = isRoot ? "" : ` joined ${state.online ? link?.state ?? "unknown" : "unknown"}`;
  return el("li", { className: `twig${joint}` },
    el("div", { className: node.name === here ? "node here" : "node" },
      headOf(node, here), factsOf(node, link, others, isRoot),
      rest.length > 0 && foldButton(node.name, rest, isOpen)),
    front.length > 0 && twigs(front, drawing),
    ...restOf(rest, isOpen, drawing));
}

/** What shows those below a node that are folded, and what is known of them. */
function foldButton(name, rest, isOpen) {
  const all = flat(rest);
  const open = rest.reduce((sum, member) => sum + openCountOf(member), 0);
  const text = [`${number(all.length)} more: ${tally(all.map(({ node }) => node), NODE)}`,
    open > 0 && `${number(open)} open`].filter(Boolean).join(", ");
  return el("button", {
    type: "button", className: "fold", ariaExpanded: String(isOpen),
    dataset: { key: `fold ${name}` },
    onclick: () => {
      if (!unfolded.delete(name)) unfolded.add(name);
      schedule();
    },
  }, el("span", { textContent: isOpen ? "▾ " : "▸ ", ariaHidden: "true" }), text);
}

/** The list of the presentations that a node has, or that come through it. */
const presentationsOf = (name, here) => addressOf("inbox", null,
  { filter: name === here ? "" : wordFor("via", name), sort: SORTS[0], show: SHOWS[0] });

function headOf(node, here) {
  const isHere = node.name === here;
  const [word, mark, tone] = isHere && state.online ? NODE.up : shownOf(NODE, node.state);
  const open = typeof node.openCount === "number" && node.openCount > 0;
  return el("p", { className: "nodeHead" },
    el("span", { className: `mark ${tone}`, textContent: mark, ariaHidden: "true" }),
    el("strong", { className: "foreign" }, el("a", {
      href: presentationsOf(node.name, here), title: "Its presentations",
      textContent: shown(node.name, 64), dataset: { key: `node ${node.name}` },
    })),
    isHere && el("small", { className: "soft", textContent: "this node" }),
    el("span", { className: `outcome ${tone}`, textContent: word }),
    open && el("span", { className: "badge many", textContent: `${number(node.openCount)} open` }));
}

function factsOf(node, link, others, isRoot) {
  const facts = [
    !isRoot && linkText(link, null),
    ...others.map((other) => linkText(other, other.parent)),
    node.isUnlisted && el("span", { textContent: "not in the topology file" }),
    node.listen?.length > 0 && el("span", {
      className: "mono foreign", textContent: shown(node.listen.join(" · "), 200),
    }),
  ].filter(Boolean);
  return facts.length > 0 && el("p", { className: "meta" }, ...facts);
}

function linkText(link, parent) {
  const [word, mark, tone] = shownOf(LINK, link?.state);
  const began = link?.sinceMilliseconds;
  const open = link?.openCount;
  return el("span", {},
    el("span", { className: `outcome ${tone}`, textContent: `${mark} `, ariaHidden: "true" }),
    parent && `to ${shown(parent, 64)}: `, word,
    typeof began === "number" && state.online && " for ",
    typeof began === "number" && state.online && since(readAt - began),
    typeof open === "number" && open > 0 && `, ${number(open)} open`);
}
