// The nodes and links of a status as trees: each node below its first parent.

const DEPTH_MAX = 16;
const FEW = 6; // So many below one node are all shown.
const BRANCHES_MAX = 20;
const LEAVES_MAX = 3;
const LINES_MAX = 24; // For which a screen has room.
const ROOTS_MAX = LINES_MAX / 2; // Which leave as much room for those below them.

/** The roots: nodes without a parent in the file, with their descendants; those that need a look
 *  first. */
export function forest(nodes, links) {
  const names = new Set(nodes.map(({ name }) => name));
  const firstParent = (node) => (node.next ?? []).find((parent) => names.has(parent));
  const below = grouped(nodes.filter(firstParent), firstParent);
  const strangers = grouped(links.filter((link) => !names.has(link.child)), (link) => link.parent);
  const byChild = grouped(links, (link) => link.child);
  const reached = new Set();

  function member(node, depth) {
    reached.add(node.name);
    const parent = firstParent(node);
    const own = byChild.get(node.name) ?? [];
    // Parents in the file, and others.
    const parents = new Set([...node.next ?? [], ...own.map((link) => link.parent)]);
    parents.delete(parent);
    const others = [...parents].map((name) =>
      own.find((link) => link.parent === name) ?? { parent: name, state: "unknown" });
    const children = depth < DEPTH_MAX ? below.get(node.name) ?? [] : [];
    return {
      node, isRoot: !parent, link: own.find((link) => link.parent === parent), others,
      below: [...children.filter(({ name }) => !reached.has(name))
        .map((child) => member(child, depth + 1)), ...unlisted(node.name)],
    };
  }

  function unlisted(name) {
    return (strangers.get(name) ?? []).map((link) => ({
      node: { name: link.child, state: link.state === "up" ? "up" : "unknown", isUnlisted: true },
      link, others: [], below: [], isRoot: false,
    }));
  }

  const roots = nodes.filter((node) => !firstParent(node)).map((node) => member(node, 0));
  return ranked(roots).map(({ member: root }) => root);
}

/** Whether a member needs a look: 2 when it is broken, 1 when it has presentations that wait. A
 *  process that is not in the file may have ended in good order. */
function concern({ node, link }) {
  const isBroken = node.state === "unreachable" || (link?.state === "down" && !node.isUnlisted);
  return isBroken ? 2 : openCountOf({ node, link }) > 0 ? 1 : 0;
}

const rankOf = (member) => 3 * Math.max(...flat([member]).map(concern)) + concern(member);

const ranked = (members) => members.map((member) => ({ member, rank: rankOf(member) }))
  .sort((a, b) => b.rank - a.rank);

/** How many presentations wait there. */
export const openCountOf = ({ node, link }) => node.openCount ?? link?.openCount ?? 0;

/** The members in front, those that need a look first, and the rest, which can be folded: all but a
 *  few leaves that need one, and what is not `inSight` of many. */
export function folded(members, sight = null) {
  const sorted = ranked(members);
  const all = sorted.map(({ member }) => member);
  const few = all.length <= FEW ? all : [
    ...all.filter(({ below }) => below.length > 0).slice(0, BRANCHES_MAX),
    ...sorted.filter(({ member, rank }) => rank > 0 && member.below.length === 0)
      .slice(0, LEAVES_MAX).map(({ member }) => member),
  ];
  const kept = new Set(few.filter((member) => sight?.has(member) ?? true));
  return {
    front: all.filter((member) => kept.has(member)),
    rest: all.filter((member) => !kept.has(member)),
  };
}

/** The roots that fit a half of a screen, those that need a look first, and the node `here`. */
function rootsInSight(roots, here) {
  const first = roots.slice(0, ROOTS_MAX);
  const own = roots.slice(ROOTS_MAX).find(({ node }) => node.name === here);
  return own ? [...first.slice(0, -1), own] : first;
}

/** The members of many levels that fit one screen: of the roots at most a half; whole levels below
 *  them as far as there is room; of any other the members that need a look, which leave room for
 *  those below them. */
export function inSight(roots, here) {
  let level = rootsInSight(roots, here);
  const sight = new Set(level);
  while (level.length > 0) {
    const next = level.flatMap(({ below }) => folded(below).front);
    const room = LINES_MAX - sight.size;
    level = next.length <= room ? next
      : ranked(next).filter(({ rank }) => rank > 0).slice(0, Math.ceil(room / 2))
        .map(({ member }) => member);
    for (const member of level) sight.add(member);
  }
  return sight;
}

/** The members and all below them. */
export const flat = (members) => members.flatMap((member) => [member, ...flat(member.below)]);

function grouped(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    if (groups.has(key)) groups.get(key).push(value); else groups.set(key, [value]);
  }
  return groups;
}
