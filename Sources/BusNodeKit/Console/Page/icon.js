// The icon of the tab, with how many are open; and the number at the icon of an installed page.
import { paced } from "./frame.js";
import { SEVERITIES, state } from "./state.js";
import { isOpen } from "./store.js";

const PAUSE = 1000;
const COUNT_MAX = 99;
/** The ground and the ink: with none open, with some, with an error or graver among them. */
const NONE = ["#6a7180", "#fff"];
const SOME = ["#f0b429", "#17191d"];
const GRAVE = ["#c3271b", "#fff"];
const SIZES = [22, 22, 19, 14]; // Of the digits, by how many characters there are.

const isGrave = (item) => SEVERITIES.indexOf(item.severity) >= SEVERITIES.indexOf("error");

function colours() {
  if (state.openCount === 0) return NONE;
  for (const item of state.items.values()) if (isOpen(item) && isGrave(item)) return GRAVE;
  return SOME;
}

function iconNow() {
  const [ground, ink] = colours();
  const count = state.openCount > COUNT_MAX ? `${COUNT_MAX}+` : String(state.openCount || "");
  const size = SIZES[count.length];
  return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>"
    + `<circle cx='16' cy='16' r='${count ? 16 : 12}' fill='${ground}'/>`
    + `<text x='16' y='${16 + size * 0.36}' font-size='${size}' fill='${ink}' font-weight='bold'`
    + ` font-family='sans-serif' text-anchor='middle'>${count}</text></svg>`;
}

function drawIcon() {
  const address = `data:image/svg+xml,${encodeURIComponent(iconNow())}`;
  const link = document.querySelector("link[rel=icon]");
  if (link.getAttribute("href") !== address) link.href = address;
}

function draw() {
  drawIcon();
  navigator.setAppBadge?.(state.openCount).catch(() => {});
}

/** Draws it also in a hidden tab, which has no frames. */
export const drawIconSoon = paced(PAUSE, draw);
