// The nodes and links of a status as trees: each node below its first parent.

const STRANGERS_MAX = 20;
const DEPTH_MAX = 16;

/** The roots: nodes without a parent in the file, with their descendants. */
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
    const found = strangers.get(name) ?? [];
    const members = found.slice(0, STRANGERS_MAX).map((link) => ({
      node: { name: link.child, state: link.state === "up" ? "up" : "unknown", isUnlisted: true },
      link, others: [], below: [], isRoot: false,
    }));
    return found.length > STRANGERS_MAX
      ? [...members, { more: found.length - STRANGERS_MAX }] : members;
  }

  return nodes.filter((node) => !firstParent(node)).map((node) => member(node, 0));
}

function grouped(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    if (groups.has(key)) groups.get(key).push(value); else groups.set(key, [value]);
  }
  return groups;
}
