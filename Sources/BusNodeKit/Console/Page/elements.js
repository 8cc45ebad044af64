// Helpers for elements. None of them interprets a text as HTML.
import { now, timeZone } from "./state.js";
import { moment, shown, span, spanLeft, zoned, zoneName } from "./text.js";

export const $ = (id) => document.getElementById(id);
export const isWide = () => matchMedia("(min-width: 47.51em)").matches;

/** An element with properties and children; children that are null, false or "" are left out. */
export function el(tag, { dataset, ...properties } = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  Object.assign(node.dataset, dataset);
  node.append(...children.filter((child) => child || child === 0));
  return node;
}

export function svg(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

/** What disables a button for a reason, which it gives to pointers and screen readers, and when it
 *  is pressed; nothing without one. It can have the focus: where it could not, no key and no finger
 *  would reach the reason. */
export const disabledFor = (reason) =>
  (reason ? { ariaDisabled: "true", title: reason, ariaDescription: reason } : {});

/** The same for a button that is not drawn again: also without a reason. */
export const setDisabled = (button, reason) => Object.assign(button,
  { ariaDisabled: null, title: "", ariaDescription: null }, disabledFor(reason));

/** A clock: what to do when a time has passed. */
export function clockIcon() {
  const icon = svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" });
  icon.append(svg("circle", { cx: 8, cy: 8, r: 6.5 }), svg("path", { d: "M8 4.5V8l2.5 1.5" }));
  return icon;
}

/** Whether a key belongs to a composition, as of Chinese, Japanese or Korean, which it may end. Of
 *  the last key of one Safari says so by the code alone. */
export const isComposed = ({ isComposing, keyCode }) => isComposing || keyCode === 229;

export const kbd = (key) => el("kbd", { textContent: key, ariaHidden: "true" });

/** A heading with its content; nothing when that is missing. */
export const section = (title, content) =>
  (content ? [el("h3", { textContent: title }), content] : []);

/** The lines that a frame for a text shows without scrolling. */
export const LINES_SHOWN = 9;
const FRAMED = 200; // The characters that a frame shows without scrolling, also on a phone.
export const linesOf = (text) => String(text).replace(/\n$/, "").split("\n").length;

/** A text of a peer: unchanged, in its own direction. What scrolls in its frame can have the focus,
 *  so that keys scroll it: long texts, those with many lines, and lines that are not broken. */
export function foreign(tag, text, properties = {}) {
  const words = shown(text);
  const scrolls = tag === "pre" || words.length > FRAMED || linesOf(words) > LINES_SHOWN;
  const dataset = { key: `text ${words.slice(0, FRAMED)}` };
  return el(tag, {
    className: "foreign", textContent: words, dir: "auto", ...(scrolls && { tabIndex: 0, dataset }),
    ...properties,
  });
}

export function pairs(entries) {
  return el("dl", { className: "pairs" }, ...entries.flatMap(([name, value]) => [
    el("dt", { textContent: shown(name, 200) }),
    foreign("dd", typeof value === "string" ? value : JSON.stringify(value))]));
}

export const presentationLink = (id, length = 36) => el("a", {
  href: `#/inbox/${encodeURIComponent(id)}`, className: "mono", title: shown(id, 36),
  textContent: shown(id.slice(-length)), dataset: { key: `link ${id}` },
});

/** A time, whose title has the day and the zone. */
export function timeOf(time) {
  const date = new Date(time);
  // A far deadline may be beyond what a date can be.
  const dateTime = Number.isNaN(date.getTime()) ? "" : date.toISOString();
  return el("time", { dateTime, title: zoned(time), textContent: moment(time) });
}

/** A time whose text `refreshTimes` updates: how long since, or how long until. */
export function since(time) {
  const node = el("time", {
    dateTime: new Date(time).toISOString(), title: zoned(time),
  });
  return live(node, "since", new Date(time).getTime());
}
export const until = (milliseconds) => live(el("span"), "until", milliseconds);

function live(node, kind, milliseconds) {
  node.dataset[kind] = milliseconds;
  refreshTime(node);
  return node;
}

function refreshTime(node) {
  const { since, until } = node.dataset;
  const text = since ? span(now() - since) : spanLeft(until - now());
  if (node.textContent !== text) node.textContent = text;
}

export function refreshTimes() {
  const zone = `(${zoneName()})`;
  for (const node of document.querySelectorAll(".zone")) {
    if (node.textContent !== zone) node.textContent = zone;
  }
  for (const node of document.querySelectorAll("[data-since], [data-until]")) refreshTime(node);
}

/** Draws only the differences; a replaced element passes its focus, and how far it is scrolled, to
 *  its successor by key: the latter not when the content is about something else than before. */
export function redraw(container, said, children, about = "") {
  const text = JSON.stringify([said, timeZone(), today()]);
  if (container.dataset.said === text) return false;
  const isSame = container.dataset.about === about;
  Object.assign(container.dataset, { said: text, about });
  const scrolled = new Map(keyedIn(container)
    .filter(({ scrollTop, scrollLeft }) => isSame && (scrollTop || scrollLeft))
    .map(({ dataset, scrollTop, scrollLeft }) => [dataset.key, { scrollTop, scrollLeft }]));
  const isInside = container.contains(document.activeElement);
  const key = isInside ? document.activeElement.dataset.key : null;
  container.replaceChildren(...children().filter((child) => child || child === 0));
  const keyed = keyedIn(container);
  for (const node of keyed) Object.assign(node, scrolled.get(node.dataset.key));
  if (isInside && !container.contains(document.activeElement)) {
    const same = key && keyed.find((node) => node.dataset.key === key && !node.disabled);
    (same || container).focus({ preventScroll: true });
  }
  return true;
}

/** The day that it is now, which a time of today leaves out. */
const today = () => (timeZone() ? new Date().toISOString().slice(0, 10)
  : new Date().toDateString());

const keyedIn = (container) => [...container.querySelectorAll("[data-key]")];
