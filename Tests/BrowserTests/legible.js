// What of the visible page cannot be read, hit or named; `arguments[0]` says whether by a finger.
const byFinger = arguments[0];
const top = document.querySelector("dialog[open]") ?? document.body;
const problems = [];
const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

function rgba(color) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}

function over([r, g, b, a], [R, G, B]) {
  return [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
}

function ground(node) {
  const layers = [];
  for (let each = node; each; each = each.parentElement) {
    layers.push(rgba(getComputedStyle(each).backgroundColor));
    if (layers.at(-1)[3] === 1) break;
  }
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
}

function luminance(color) {
  const [r, g, b] = color.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function opacity(node) {
  let product = 1;
  for (let each = node; each; each = each.parentElement) product *= getComputedStyle(each).opacity;
  return product;
}

const isSeen = (node) => node.checkVisibility({ visibilityProperty: true })
  && !node.closest(".sr, .skip") && node.getClientRects().length > 0;
const nameOf = (node) => `${node.tagName.toLowerCase()}${node.id && `#${node.id}`}.${
  node.getAttribute("class") ?? ""} "${node.textContent.trim().slice(0, 30)}"`;

const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !isSeen(node)) continue;
  if (node.closest(":disabled, [aria-disabled=true]")) continue;
  if (node.matches("option, script, noscript")) continue;
  const style = getComputedStyle(node);
  const below = ground(node);
  const [r, g, b, a] = rgba(style.color);
  const ratio = contrast(over([r, g, b, a * opacity(node)], below), below);
  const size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  if (ratio < (isLarge ? 3 : 4.5)) problems.push(`contrast ${ratio.toFixed(2)}: ${nameOf(node)}`);
}

for (const node of top.querySelectorAll("button, a[href], input, select, textarea, summary")) {
  if (!isSeen(node)) continue;
  const label = node.closest("label");
  const name = node.ariaLabel || node.textContent.trim() || label?.textContent.trim() || "";
  if (!name) problems.push(`no name: ${nameOf(node)}`);
  const box = (label ?? node).getBoundingClientRect();
  const isInText = node.matches("p a, li a, td a, .foreign a") && !node.matches(".count a");
  if (byFinger && !isInText && (box.height < 43.5 || box.width < 43.5)) {
    problems.push(`${Math.round(box.width)} by ${Math.round(box.height)}: ${nameOf(node)}`);
  }
}

const fields = "input:not([type=checkbox], [type=radio]), select, textarea";
for (const node of top.querySelectorAll(fields)) {
  if (!isSeen(node) || node.disabled) continue;
  const below = ground(node.parentElement);
  const ratio = contrast(over(rgba(getComputedStyle(node).borderTopColor), below), below);
  if (ratio < 3) problems.push(`border ${ratio.toFixed(2)}: ${nameOf(node)}`);
}

const page = document.documentElement;
if (page.scrollWidth > innerWidth) problems.push(`${page.scrollWidth} wide`);
for (const node of top.querySelectorAll("main *, dialog *, header *")) {
  const box = isSeen(node) && node.getBoundingClientRect();
  if (box && box.width > 0 && box.right > innerWidth + 1 && !node.closest(".wide, .scroller")) {
    problems.push(`beyond the edge: ${nameOf(node)}`);
  }
}
const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
for (const id of new Set(ids.filter((each, index) => ids.indexOf(each) !== index))) {
  problems.push(`twice: #${id}`);
}
return problems;
